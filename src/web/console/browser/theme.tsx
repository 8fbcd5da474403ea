// The theme of the page: that of the system, light or dark; remembered in this browser.
import { signal } from '@preact/signals'
import { keep, readKept } from '../../page/browser/kept.ts'
import { Select } from './form.tsx'
import { t } from './language.ts'

const themes = ['system', 'light', 'dark'] as const
type Theme = (typeof themes)[number]

const kept = 'theme'
const theme = signal<Theme>('system')

export function setTheme(next: string) {
  theme.value = themes.find((each) => each === next) ?? 'system'
  document.documentElement.dataset['theme'] = theme.value
}

export const keptTheme = () => readKept(kept)

function choose(next: string) {
  setTheme(next)
  keep(kept, theme.value === 'system' ? '' : theme.value)
}

export const ThemeChoice = ({ id }: { id: string }) => (
  <label class="theme">
    <span class="unseen">{t.page.theme}</span>
    <Select
      id={id}
      value={theme.value}
      options={Object.entries(t.page.themes)}
      onInput={({ currentTarget }) => choose(currentTarget.value)}
    />
  </label>
)
