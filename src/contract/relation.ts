// The types of the source contract: a relation of the point-of-sale database, as data. src/sql writes it in a dialect.
import type { Codes } from './codes.ts'

export type ColumnType = 'int' | 'num' | 'text' | 'bool' | 'time' | 'day'

export interface Relation {
  readonly name: string
  readonly columns: Readonly<Record<string, ColumnType>>
  // By column: the labels of its codes.
  readonly codes: Readonly<Record<string, Codes>>
  // `id`, or a pair of columns in two relations. Key columns are never null; all others may be, and most may be missing (`isRequired`).
  readonly key: readonly string[]
  // In a child relation: the column with the id of the parent, such as the invoice of a line.
  readonly parent?: string
}
