// The names of columns in a header or an object → where their values go in a row, or what was probably meant.
import type { ColumnType, Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { nearest } from '../../platform/nearest.ts'
import { columnReader, type ColumnLimit, type ColumnReader, type StoredValue, type ValueOptions } from './values.ts'

export interface Column extends ColumnReader {
  readonly name: string
  // Its place in a row.
  readonly at: number
  readonly isKey: boolean
  readonly type: ColumnType
}

export const twice = 'The column is there twice; expected it once.'

export interface ReadOptions {
  readonly isExact: boolean
  readonly hasDecimalComma: boolean
  readonly limits: ReadonlyMap<string, ColumnLimit>
}

export function createColumns(relation: Relation, { isExact, hasDecimalComma, limits }: ReadOptions) {
  const names = Object.keys(relation.columns)
  const columns = names.map((name, at): Column => {
    const options: ValueOptions = { isExact, hasDecimalComma, limit: limits.get(name) }
    const type = columnType(relation, name)
    return { ...columnReader(relation, name, options), name, at, type, isKey: relation.key.includes(name) }
  })
  const byName = new Map(columns.map((column) => [column.name, column]))
  return {
    all: columns,
    keys: columns.filter(({ isKey }) => isKey),
    // Without regard to case: no two differ by that alone.
    find: (name: string) => byName.get(name.trim().toLowerCase()),
    unknown(name: string): string {
      const meant = nearest(name.trim(), names)
      const guess = meant === undefined ? `expected ${names.join(', ')}.` : `did you mean ${meant}?`
      return `${relation.name} has no such column; ${guess}`
    },
  }
}

export type Columns = ReturnType<typeof createColumns>

// What a format has to do: rows out of a block, faults told.
export interface RowSource {
  feed(text: string, isLast: boolean): void
}

export interface RowSink {
  row(line: number, values: StoredValue[]): void
  fault(line: number | null, column: string | null, message: string): void
}
