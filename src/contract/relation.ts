// The vocabulary of the source contract: what a relation of the point-of-sale database is made of.
// Only data: how a dialect writes a type, an index or a search index down is the business of src/sql.

import type { Codes } from './codes.ts'

export type ColumnType = 'int' | 'num' | 'text' | 'bool' | 'time' | 'day'

// A term of an index: a column by its name, or an amount as the service shows it (zero when the document is void).
export type IndexTerm = string | { readonly amount: string }

export interface Relation {
  readonly name: string
  readonly columns: Readonly<Record<string, ColumnType>>
  // What the numbers of a column stand for, where they are codes.
  readonly codes: Readonly<Record<string, Codes>>
  // `id` for all but the two relations whose key is a pair. Key columns are never null, all others may be.
  readonly key: readonly string[]
  // The column that names the record which a row is a part of: the invoice of a line.
  readonly parent?: string
  // Every index ends with `id`, so that ties are broken the same way everywhere.
  readonly indexes: readonly (readonly IndexTerm[])[]
  // The columns a caller can search for a part of: they get a trigram index.
  readonly search: readonly string[]
}

export const amount = (column: string): IndexTerm => ({ amount: column })
