// Tallies that are there and cannot be trusted: lists are right without them, and slower. Whoever runs the service is told when that
// changes, not each time it is found.
import type { Log } from '../log.ts'

export function tellOfTallies(log: Log): (stale: readonly string[]) => void {
  let told = ''
  return (stale) => {
    const names = stale.toSorted().join(', ')
    if (names === told) return
    told = names
    if (names === '') log.info('tallies_used_again')
    else log.warn('tallies_not_used', { tallies: names, remedy: 'the schema was changed: run "vitrine schema apply"' })
  }
}
