// The guides for integrators (docs/integrate; in other languages in folders below), in reading order.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { languages, type Language } from './languages.ts'
import { writeMarkdown, type WrittenGuide } from './markdown.ts'

export const guideFolder = join(import.meta.dirname, '..', '..', '..', 'docs', 'integrate')

export const guideNames = [
  'first-call',
  'authentication',
  'paging',
  'changes',
  'synchronising',
  'recipes',
  'excel',
  'errors',
  'limits',
  'restrictions',
] as const

export interface Guide extends WrittenGuide {
  readonly name: string
}

const guidePath = (name: string, language: Language) =>
  join(guideFolder, language === 'en' ? '' : language, `${name}.md`)

// Parts have the ids of the English guide in every language, so that an address names the same part in each.
export const readGuides = (language: Language): Guide[] =>
  guideNames.map((name) => {
    const read = (from: Language, ids?: readonly string[]) =>
      writeMarkdown(readFileSync(guidePath(name, from), 'utf8'), name, languages[language].texts, ids)
    const english = read('en')
    if (language === 'en') return { name, ...english }
    return {
      name,
      ...read(
        language,
        english.headings.map(({ id }) => id),
      ),
    }
  })
