// The languages of the page. Addresses: English at /docs, the others below it.
import { en, type Texts } from './texts-en.ts'
import { fr } from './texts-fr.ts'

export type { Texts }

export const languages = {
  en: { name: 'English', path: '/docs', texts: en },
  fr: { name: 'Français', path: '/docs/fr', texts: fr },
} as const

export type Language = keyof typeof languages

// `lang` of the document.
export const textsOf = (lang: string): Texts => (lang === 'fr' ? fr : en)
