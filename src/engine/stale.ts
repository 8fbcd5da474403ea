// Tallies and search indexes that are there and cannot be trusted: answers are right without them, and slower. Whoever runs the
// service is told when that changes, not each time it is found.
import type { Log } from '../log.ts'

export interface Stale {
  readonly tallies: readonly string[]
  // The relations they are of.
  readonly searches: readonly string[]
}

const remedy = 'the schema was changed: run "vitrine schema apply"'

export function tellOfStale(log: Log) {
  let last: Stale = { tallies: [], searches: [] }
  const told = { tallies: '', searches: '' }
  const tellOf = (what: keyof Stale, used: string, notUsed: string) => {
    const names = last[what].toSorted().join(', ')
    if (names === told[what]) return
    told[what] = names
    if (names === '') log.info(used)
    else log.warn(notUsed, { [what]: names, remedy })
  }
  return {
    tell(stale: Stale): void {
      last = stale
      tellOf('tallies', 'tallies_used_again', 'tallies_not_used')
      tellOf('searches', 'search_index_used_again', 'search_index_not_used')
    },
    load: () => ({ areTalliesUsed: last.tallies.length === 0, areSearchIndexesUsed: last.searches.length === 0 }),
  }
}
