// The languages of the documentation page: their names, addresses and texts.
import { texts as en } from './browser/texts-en.ts'
import { texts as fr } from './browser/texts-fr.ts'

export const languages = {
  en: { name: 'English', path: '/docs', texts: en },
  fr: { name: 'Français', path: '/docs/fr', texts: fr },
} as const

export type Language = keyof typeof languages
