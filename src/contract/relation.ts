// The vocabulary of the source contract: what a relation of the point-of-sale database is made of.
// Only data: how a dialect writes a type or an index down is the business of src/sql.

import type { Codes } from './codes.ts'

export type ColumnType = 'int' | 'num' | 'text' | 'bool' | 'time' | 'day'

export interface Relation {
  readonly name: string
  readonly columns: Readonly<Record<string, ColumnType>>
  // What the numbers of a column stand for, where they are codes.
  readonly codes: Readonly<Record<string, Codes>>
  // `id` for all but the two relations whose key is a pair. Key columns are never null, all others may be.
  readonly key: readonly string[]
  // The column that names the record which a row is a part of: the invoice of a line.
  readonly parent?: string
}
