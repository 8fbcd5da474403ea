// The theme of the page: that of the system, light or dark; remembered in this browser.
import { effect, signal } from '@preact/signals'
import { keep, readKept } from '../../page/browser/kept.ts'
import { Select } from './form.tsx'
import { t } from './language.ts'

const kept = 'theme'
const theme = signal(readKept(kept) || 'system')
effect(() => void (document.documentElement.dataset['theme'] = theme.value))

function choose(next: string) {
  theme.value = next
  keep(kept, next === 'system' ? '' : next)
}

export const ThemeChoice = ({ id }: { id: string }) => (
  <Select
    id={id}
    class="theme"
    aria-label={t.page.theme}
    value={theme.value}
    options={Object.entries(t.page.themes)}
    onInput={({ currentTarget }) => choose(currentTarget.value)}
  />
)
