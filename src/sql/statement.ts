// A statement: its text and the values of its placeholders, in order. And the rows that it gives.
import type { ColumnType } from '../contract/relation.ts'
import { createBoundedCache } from '../platform/bounded-cache.ts'
import type { Bind, BoundValue, Dialect } from './dialect.ts'

export interface Statement {
  readonly text: string
  readonly values: readonly BoundValue[]
}

export type Cell = string | number | bigint | boolean | null | Uint8Array
export type Row = readonly Cell[]
// A bigint if it is beyond 2^53.
export type Id = number | bigint

// Everything that is not a constant of ours goes through `bind`.
export function statement(dialect: Dialect, compose: (bind: Bind) => string): Statement {
  const values: BoundValue[] = []
  const text = compose((value) => {
    values.push(value)
    return dialect.placeholder(values.length, value)
  })
  return { text, values }
}

// Bounds the memory that unusual combinations take.
const mostCompiled = 1000
// Stand for the value in a compiled statement. No plan holds them.
const marks = { number: -(2 ** 60), string: '\0' }

// Composes a statement once for all plans of a shape, which differ in one value: composing takes longer than running.
export function createCompiler() {
  const known = createBoundedCache<string, Statement>(mostCompiled)
  return <Value extends number | string>(
    shape: string,
    value: Value,
    compose: (value: Value) => Statement,
  ): Statement => {
    const type = typeof value as 'number' | 'string'
    const mark = marks[type] as Value
    const key = `${type} ${shape}`
    const compiled = known.get(key) ?? known.set(key, compose(mark))
    return { text: compiled.text, values: compiled.values.map((each) => (each === mark ? value : each)) }
  }
}

// How the rows of a statement are shown as JSON. A run is cells that are shown one after the other, written as one text.
export interface RowForm {
  // The number of leading cells that are also kept as values.
  readonly kept: number
  // The first cell that may be shown.
  readonly from: number
  // The cells from there on; null: not shown.
  readonly cells: readonly (ShownCell | null)[]
}

export interface ShownCell {
  // Before the value: the name of its field.
  readonly key: string
  readonly type: ColumnType
  // By code.
  readonly labels: ReadonlyMap<Cell, string> | undefined
  readonly write: (cell: Cell) => string
  // The last one before an array or a sum.
  readonly endsRun: boolean
}

export interface ShownRow {
  readonly kept: Row
  readonly runs: readonly string[]
}

export function showRow({ from, cells }: RowForm, row: Row): ShownRow {
  const runs: string[] = []
  let text = ''
  for (let at = 0; at < cells.length; at += 1) {
    const cell = cells[at]
    if (!cell) continue
    text += cell.key + cell.write(row[from + at] ?? null)
    if (!cell.endsRun) continue
    runs.push(text)
    text = ''
  }
  return { kept: row, runs }
}
