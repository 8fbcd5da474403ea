// What is found for some words, best first. Every word must be there, in whatever order. What many resources have alike,
// such as a field of the same name, is found once: where the reader is, or else where it comes first.

export interface Entry {
  readonly title: string
  readonly kind: string
  // The article it stands in.
  readonly place: string
  readonly id: string
  readonly text: string
}

const most = 30

export interface Found {
  readonly entry: Entry
  // How many more places have the same.
  readonly others: number
}

export function search(entries: readonly Entry[], query: string, here: string): Found[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return []
  const found = entries.flatMap((entry, at) => {
    const score = scoreOf(entry, words)
    return score > 0 ? [{ entry, score: score + (entry.place === here ? 2 : 0), at }] : []
  })
  // Of equals, the one that stands first.
  const ordered = found.toSorted((one, other) => other.score - one.score || one.at - other.at)
  const alike = Map.groupBy(ordered, ({ entry }) => `${entry.kind} ${entry.title}`)
  return [...alike.values()]
    .slice(0, most)
    .flatMap(([best, ...others]) => (best ? [{ entry: best.entry, others: others.length }] : []))
}

const kindWeight: Readonly<Record<string, number>> = { guide: 3, resource: 4, operation: 3, error: 3 }

function scoreOf({ title, kind, place, text }: Entry, words: readonly string[]): number {
  const [own, around, body] = [title.toLowerCase(), place.toLowerCase(), text.toLowerCase()]
  let score = kindWeight[kind] ?? 1
  for (const word of words) {
    const worth = worthOf(own, word) || (around.includes(word) ? 12 : body.includes(word) ? 4 : 0)
    if (worth === 0) return 0
    score += worth
  }
  return score
}

function worthOf(title: string, word: string): number {
  if (title === word) return 60
  const at = title.indexOf(word)
  if (at < 0) return 0
  if (at === 0) return 40
  return /[\s_./-]/.test(title[at - 1] ?? '') ? 30 : 20
}
