// The languages of the documentation page: their names, addresses and texts.
import { acceptWeights } from '../../http/accept.ts'
import { texts as en } from './browser/texts-en.ts'
import { texts as fr } from './browser/texts-fr.ts'

export const languages = {
  en: { name: 'English', path: '/docs/en', texts: en },
  fr: { name: 'Français', path: '/docs/fr', texts: fr },
} as const

export type Language = keyof typeof languages

const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name)

// The language for an Accept-Language header. `fr-CA` counts as `fr`.
export function chooseLanguage(acceptLanguage = ''): Language {
  const wanted = [...acceptWeights(acceptLanguage)].filter(([, weight]) => weight > 0)
  const inOrder = wanted.toSorted(([, one], [, other]) => other - one).map(([tag]) => tag.split('-')[0] ?? '')
  return inOrder.find(isLanguage) ?? 'en'
}
