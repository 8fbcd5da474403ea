// Searches the page: entries that contain every word, or else as many as any entry does, best first. Equal entries of several
// resources, such as a field of the same name, are listed once: the one of the current article, or the first.
import { folded } from '../../page/browser/typed.ts'

export interface SearchEntry {
  readonly title: string
  readonly kind: string
  // The title of its article.
  readonly place: string
  readonly id: string
  readonly text: string
}

const most = 30

export interface SearchResult {
  readonly entry: SearchEntry
  // The number of equal entries elsewhere.
  readonly others: number
}

export function search(entries: readonly SearchEntry[], query: string, here: string): SearchResult[] {
  const words = folded(query).split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const scored = entries.map((entry, at) => {
    const [title, place, text] = [folded(entry.title), folded(entry.place), folded(entry.text)]
    const worths = words.map((word) => worthOf(word, title, place, text)).filter((worth) => worth > 0)
    const score = worths.reduce((sum, worth) => sum + worth, kindWeight[entry.kind] ?? 1)
    return { entry, matches: worths.length, score: score + (entry.place === here ? 2 : 0), at }
  })
  const mostMatches = Math.max(1, ...scored.map(({ matches }) => matches))
  const found = scored.filter(({ matches }) => matches === mostMatches)
  const ordered = found.toSorted((one, other) => other.score - one.score || one.at - other.at)
  const equal = Map.groupBy(ordered, ({ entry }) => `${entry.kind} ${entry.title}`)
  return [...equal.values()]
    .slice(0, most)
    .flatMap(([best, ...others]) => (best ? [{ entry: best.entry, others: others.length }] : []))
}

const kindWeight: Readonly<Record<string, number>> = { guide: 3, resource: 4, operation: 3, error: 3 }

function worthOf(word: string, title: string, place: string, text: string): number {
  // A short word ("de", "of") says nothing about the place.
  const isPlace = word.length > 2 && place.includes(word)
  return worthInTitle(title, word) || (isPlace ? 12 : text.includes(word) ? 4 : 0)
}

function worthInTitle(title: string, word: string): number {
  if (title === word) return 60
  const at = title.indexOf(word)
  if (at < 0) return 0
  if (at === 0) return 40
  return /[\s_./-]/.test(title[at - 1] ?? '') ? 30 : 20
}
