// What the finder needs of a database: one snapshot, and the changes that the journal names since an earlier one. Where that is not
// possible, a reason says why lists are found by plain SQL.
import { journalTable, type BeforeColumn } from '../sql/journalled.ts'
import type { Cell, Id, Row, RowForm, ShownRow, Statement } from '../sql/statement.ts'
import { idValue } from './values.ts'

// A point in the history of a database. Only the engine that made it can read `point`.
export interface Mark {
  // The database, its schema and its journal: marks of different openings cannot be compared.
  readonly opening: string
  readonly point: string
}

export interface Changes {
  // The mark of the snapshot that was asked.
  readonly now: Mark
  // By relation: the ids that the journal has named since.
  readonly named: ReadonlyMap<string, readonly Id[]>
}

// Beyond this, loading the columns again is faster than reading the journal.
export const mostJournalRows = 50_000

// For names of relations alone, which are asked for on the listener's thread.
export const mostRowsLookedAt = 5000

// Rows (relation, how many rows of the journal name it) → relations. Undefined if there are too many rows.
export const writtenIn = (rows: readonly Row[]): readonly string[] | undefined =>
  rows.reduce((sum, [, count]) => sum + Number(count), 0) > mostRowsLookedAt
    ? undefined
    : rows.map(([relation]) => String(relation))

// Rows of the journal (relation, id) → ids by relation. Undefined if there are too many, or one has no id: everything may have changed.
export function namedIn(rows: readonly Row[]): Changes['named'] | undefined {
  if (rows.length > mostJournalRows || !rows.every(([, id]) => isId(id))) return undefined
  const byRelation = Map.groupBy(rows, ([relation]) => String(relation))
  return new Map(Array.from(byRelation, ([name, own]) => [name, own.map(([, id]) => idValue(id))]))
}

const isId = (cell: unknown) => typeof cell === 'bigint' || Number.isSafeInteger(cell)

export interface Snapshot {
  // The server or file that is read, and the moment where only that tells whether two snapshots are of one history.
  readonly database: string
  rows(statement: Statement): readonly Row[] | Promise<readonly Row[]>
  // Rows as JSON.
  shown(statement: Statement, form: RowForm): readonly ShownRow[] | Promise<readonly ShownRow[]>
  // The mark of these relations, or why the journal does not name all writes to them.
  mark(relations: readonly string[]): Promise<{ readonly mark: Mark } | { readonly whyPlain: PlainReason }>
  // Undefined if the journal cannot tell: everything that is as old as the mark is void.
  changesSince(mark: Mark, relations: readonly string[]): Promise<Changes | undefined>
  // Given a mark of all relations: those that were written since, and the mark of this snapshot. Undefined if the journal cannot tell.
  written(mark: Mark): Promise<{ readonly now: Mark; readonly relations: readonly string[] } | undefined>
  // Undefined if the journal does not name every write to every relation, or this is a standby: a change feed would not be exact.
  journal(): Promise<JournalReader | undefined>
}

// The journal as the change feed reads it. A position is a text that only its engine can read. It stays valid over restarts.
export interface JournalReader {
  // The position after everything that this snapshot shows.
  end(): Promise<string>
  // The same place, as confirmed by this snapshot, or why it cannot be.
  confirm(position: string): Promise<{ readonly position: string } | { readonly expired: Expired }>
  after(position: string, asked: RowsAsked): Promise<JournalRows>
  // The time of the oldest row, in seconds since 1970; null while nothing was pruned, so that no position can be too old.
  oldestAt(): Promise<number | null>
  // Every row of these relations that names one of the ids: those that may be told from the position on, and earlier ones of their
  // transactions. Oldest first: one transaction after the other, in the order in which they wrote the same rows.
  about(position: string, relations: readonly string[], ids: readonly Id[]): Promise<readonly JournalRow[]>
}

// `pruned`: rows after the position were deleted, because the journal keeps only so many. `replaced`: its rows are not those of this
// database, which was replaced, put back or changed as a whole.
export type Expired = 'pruned' | 'replaced'

interface RowsAsked {
  readonly relations: readonly string[]
  // Those of them whose rows come one by one. Of the others, rows that say the same come once, at the first.
  readonly oneByOne: readonly string[]
  readonly limit: number
}

// The next rows, in order.
interface JournalRows {
  readonly rows: readonly JournalRow[]
  // The position after all rows that were read, and whether this snapshot shows no more.
  readonly end: string
  readonly isEnd: boolean
  // The position after one of these rows, or before it.
  positionAt(row: JournalRow, side: 'before' | 'after'): string
}

export interface JournalRow {
  readonly seq: number
  // Null if the engine does not tell.
  readonly transaction: string | null
  readonly relation: string
  // Null: any record of the relation may have changed.
  readonly id: Id | null
  // What the row had before it was updated or deleted, by the name of the journal's column. Null after an insert.
  readonly before: Readonly<Record<BeforeColumn, Cell>>
}

// Of a row that may not be there, or may have no time.
export const timeIn = (row: Row | undefined): number | null =>
  row?.[0] === undefined || row[0] === null ? null : Number(row[0])

// Cells: seq, relation, id and `beforeColumns`.
export function readJournalRow(cells: Row, transaction: string | null): JournalRow {
  const [seq, relation, id, kind = null, storeId = null, toStoreId = null, priceListId = null] = cells
  return {
    seq: Number(seq),
    transaction,
    relation: String(relation),
    id: isId(id) ? idValue(id) : null,
    before: { kind, store_id: storeId, to_store_id: toStoreId, price_list_id: priceListId },
  }
}

const apply = 'run "vitrine schema apply"'

// By code: what the log says.
export const plainReasons = {
  loading: 'its columns are being loaded',
  unreadable: 'the database could not be read; it is tried again',
  views: 'its relations are not all plain tables',
  no_journal: `the database has no journal: ${apply}`,
  foreign_journal: `the journal is of another server, from a dump that was restored: ${apply}`,
  unreadable_journal: `this role may not read ${journalTable}: ${apply}, or grant it`,
  triggers: `triggers of the journal are missing, disabled or changed: ${apply}`,
  unique_index: 'a relation has a unique index beside its key: REPLACE may remove rows that no trigger names',
  foreign_server: 'the server is not PostgreSQL itself',
  too_large: 'its columns do not fit into VITRINE_INDEX_MEMORY_MB',
  unusual_value: 'it holds a value that columns cannot hold exactly',
} as const

export type PlainReason = keyof typeof plainReasons
