// What the journal writes about a row, the same on every engine: the id of its record, and the values that a change feed needs of a record
// that is gone.
import type { Relation } from '../contract/relation.ts'
import { isRequired } from '../contract/relations.ts'

export const journalTable = 'vitrine_journal'

// The columns of the journal for values that a row had before, or by which a child belongs to a store or a price list.
export const beforeColumns = ['kind', 'store_id', 'to_store_id', 'price_list_id'] as const
export type BeforeColumn = (typeof beforeColumns)[number]

// In place of the kind, in a row without an id: any record of the relation may have changed.
export const allMark = '*'

// How many rows the journal keeps, unless `schema apply` is told otherwise. A busy shop writes up to 25,000 a day (2,000 sales of a dozen
// rows), so this is a week, in about 10 MB.
export const keptRows = 200_000
export const keptRowsRange = { least: 10_000, most: 5_000_000 } as const
// Pruning runs once for this many rows written, and deletes at most four times as many: it catches up without delaying a sale.
export const pruneEvery = 64
export const prunedAtOnce = 4 * pruneEvery
// On PostgreSQL, where one of many writers prunes at a time: at most so many, when it is far behind.
export const prunedWhenBehind = 4 * prunedAtOnce
export const countedAtOnce = 4 * prunedWhenBehind
// Under REPEATABLE READ, pruning runs so many times more rarely.
export const prunedRarely = 16

// A column of the journal, and the column of the relation that fills it.
type JournalColumns<Name extends string> = readonly (readonly [journalColumn: Name, column: string])[]

interface Journalled {
  // For every event: the id of the record, with the store of a stock or the price list of a price.
  readonly named: JournalColumns<string>
  // For an update or a delete only: the values before it, empty for null, so that no such row looks like that of an insert.
  readonly before: JournalColumns<BeforeColumn>
}

// Only of required columns: a trigger that names a column which a table lacks would fail the sale.
export function journalled(relation: Relation): Journalled {
  const { columns, key, parent } = relation
  const [first = '', second] = key
  const isChild = parent !== undefined || second !== undefined
  const stores = 'from_store_id' in columns ? 'from_store_id' : 'store_id'
  const before: JournalColumns<BeforeColumn> = [
    ['kind', 'kind'],
    ['store_id', stores],
    ['to_store_id', 'to_store_id'],
  ]
  const own = before.filter(([, column]) => column in columns && isRequired(relation, column))
  return {
    named: [['id', parent ?? first], ...(second === undefined ? [] : [[second, second] as const])],
    // A relation without such columns writes its id in the place of the kind, which tells that there was a row.
    before: isChild ? [] : own.length > 0 ? own : [['kind', first]],
  }
}
