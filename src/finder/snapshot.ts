// What the finder needs of a database: one snapshot of it, and what the journal has named since an earlier one.
import type { Id } from '../sql/arrays.ts'
import type { Row, Statement } from '../sql/statement.ts'
import type { PlainReason } from './plain-reasons.ts'

// A point in the history of a database. Only the engine that made it can read `point`.
export interface Mark {
  // The database, its schema and its journal: marks with different ones cannot be compared.
  readonly opening: string
  readonly point: string
}

export interface Changes {
  // Where the snapshot stands that was asked.
  readonly now: Mark
  // The ids that the journal has named since, by relation.
  readonly named: ReadonlyMap<string, readonly Id[]>
}

export type Rows = readonly Row[] | Promise<readonly Row[]>

export interface Snapshot {
  rows(statement: Statement): Rows
  // Where these relations stand, or why no journal names all that is written to them.
  mark(relations: readonly string[]): Promise<{ readonly mark: Mark } | { readonly whyPlain: PlainReason }>
  // What these relations' triggers have written since the mark; undefined: nobody can tell, whatever is as old as the mark is void.
  changesSince(mark: Mark, relations: readonly string[]): Promise<Changes | undefined>
}
