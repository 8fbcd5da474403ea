// A statement: its text and the values of its placeholders, in their order.
import type { Bind, Dialect, Value } from './dialect.ts'

export interface Statement {
  readonly text: string
  readonly values: readonly Value[]
}

// Composes a statement; whatever is not a constant of ours goes through `bind`.
export function statement(dialect: Dialect, compose: (bind: Bind) => string): Statement {
  const values: Value[] = []
  const text = compose((value) => {
    values.push(value)
    return dialect.placeholder(values.length, value)
  })
  return { text, values }
}

// What a statement gives.
export type Cell = string | number | bigint | boolean | null | Uint8Array
export type Row = readonly Cell[]
