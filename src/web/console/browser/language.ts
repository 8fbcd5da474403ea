// The language of the page (the browser's, or the user's choice), and numbers and times in it.
import { batch, signal } from '@preact/signals'
import { keep, readKept } from '../../page/browser/kept.ts'
import type english from './texts/en.json'

// English lacks the refusals that the service says as well.
export type Texts = Omit<typeof english, 'faults'> & { readonly faults: Readonly<Record<string, string>> }

export const languages = { en: 'English', fr: 'Français', ht: 'Kreyòl ayisyen' } as const
export type Language = keyof typeof languages

const kept = 'language'
// Browsers know how French is written in Haiti; Creole writes numbers the same way.
const numberLocales: Readonly<Record<Language, string>> = { en: 'en', fr: 'fr', ht: 'fr-HT' }
const creoleMonths = 'janvye fevriye mas avril me jen jiyè out septanm oktòb novanm desanm'.split(' ')

export const language = signal<Language>('en')
const texts = signal({} as Texts)
// A component that reads a text is drawn again in the next language.
export const t = new Proxy({} as Texts, { get: (_, section) => texts.value[section as keyof Texts] })

const isLanguage = (text: string | undefined): text is Language => text !== undefined && Object.hasOwn(languages, text)

export function preferred(): Language {
  const chosen = readKept(kept)
  if (isLanguage(chosen)) return chosen
  const spoken = navigator.languages.map((each) => each.split('-')[0]?.toLowerCase())
  return spoken.find(isLanguage) ?? 'en'
}

const files: Readonly<Record<Language, () => Promise<{ readonly default: Texts }>>> = {
  en: () => import('./texts/en.json', { with: { type: 'json' } }),
  fr: () => import('./texts/fr.json', { with: { type: 'json' } }),
  ht: () => import('./texts/ht.json', { with: { type: 'json' } }),
}

export async function setLanguage(next: Language): Promise<void> {
  const loaded = await files[next]()
  batch(() => {
    texts.value = loaded.default
    language.value = next
  })
  document.documentElement.lang = next
}

export async function chooseLanguage(next: Language): Promise<void> {
  await setLanguage(next)
  keep(kept, next)
}

export const number = (value: number): string => value.toLocaleString(numberLocales[language.value])

// A text with values in place of {name}.
export const fill = (text: string, values: Readonly<Record<string, string | number>>): string =>
  text.replaceAll(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

// A text with the number in place of #, in the singular or the plural: `1 key | # keys`.
export function counted(text: string, count: number): string {
  const [one = '', more = one] = text.split(' | ')
  const isOne = new Intl.PluralRules(numberLocales[language.value]).select(count) === 'one'
  return (isOne ? one : more).replace('#', number(count))
}

// Short, for narrow places: 1.2 M.
export const shortNumber = (value: number): string =>
  value.toLocaleString(numberLocales[language.value], { notation: 'compact', maximumFractionDigits: 1 })

// 14:05, 2:05 PM
export function hour(time: Date, more: Intl.DateTimeFormatOptions = {}): string {
  const digits = language.value === 'en' ? 'numeric' : '2-digit'
  return time.toLocaleTimeString(numberLocales[language.value], { hour: digits, minute: '2-digit', ...more })
}
// Short, for the space below a bar.
export const shortHour = (time: Date): string =>
  language.value === 'en' ? hour(time, { minute: undefined }) : hour(time)
export const seconds = (time: Date): string => hour(time, { second: '2-digit' })

function dateText(time: Date, parts: Intl.DateTimeFormatOptions): string {
  if (language.value !== 'ht') return time.toLocaleDateString(language.value, parts)
  const name = creoleMonths[time.getMonth()]?.slice(0, parts.month === 'short' ? 3 : undefined)
  return [parts.day && time.getDate(), name, parts.year && time.getFullYear()].filter(Boolean).join(' ')
}

export const day = (time: Date): string => dateText(time, { day: 'numeric', month: 'long', year: 'numeric' })
export const shortDay = (time: Date): string => dateText(time, { day: 'numeric', month: 'short' })
export const month = (time: Date): string => dateText(time, { month: 'long', year: 'numeric' })
export const shortMonth = (time: Date): string => dateText(time, { month: 'short' })

// Short and on one line, because it stands in tables.
export const moment = (iso: string): string => {
  const time = new Date(iso)
  const date = dateText(time, { day: 'numeric', month: 'short', year: 'numeric' })
  return `${date}, ${hour(time)}`.replaceAll(' ', '\u00A0')
}

// A list as a text: `a, b and c`.
export function listed(items: readonly string[]): string {
  if (language.value === 'ht')
    return items.length < 2 ? items.join('') : `${items.slice(0, -1).join(', ')} ak ${items.at(-1)}`
  return new Intl.ListFormat(language.value).format(items)
}
