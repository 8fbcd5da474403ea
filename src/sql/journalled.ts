// What the journal says of a row, the same on every engine: the record it belongs to, and what the change feed needs to know of
// a record that is gone.
import type { Relation } from '../contract/relation.ts'

export const journalTable = 'vitrine_journal'

// Rows that the journal keeps. A busy shop writes up to 25,000 a day (2,000 sales of a dozen rows): this is a week of them, in
// about 10 MB.
export const keptRows = 200_000
// Pruning runs once for so many rows written, and deletes at most four times as many: it catches up, and no sale waits for more.
export const pruneEvery = 64
export const prunedAtOnce = 4 * pruneEvery

// A column of the journal, and the column of the relation that it is filled from.
type Filled = readonly (readonly [journalColumn: string, column: string])[]

interface Journalled {
  // In rows of every event: the id of the record, with the store of a stock or the price list of a price.
  readonly named: Filled
  // Only as they were before an update or a delete.
  readonly before: Filled
}

export function journalled({ columns, key, parent }: Relation): Journalled {
  const [first = '', second] = key
  const isPart = parent !== undefined || second !== undefined
  const stores = 'from_store_id' in columns ? 'from_store_id' : 'store_id'
  const before: Filled = [
    ['kind', 'kind'],
    ['store_id', stores],
    ['to_store_id', 'to_store_id'],
  ]
  return {
    named: [['id', parent ?? first], ...(second === undefined ? [] : [[second, second] as const])],
    before: isPart ? [] : before.filter(([, column]) => column in columns),
  }
}
