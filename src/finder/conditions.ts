// Conditions of a plan → tests of rows by their codes. Equivalent to their SQL in src/sql/conditions.ts: null equals nothing.
import type { Condition } from '../catalogue/condition.ts'
import { rowOf, type Base, type Codes, type Column } from './columns.ts'
import { codeOf, dictionarySize, firstAtLeast } from './dictionary.ts'
import { textsWith } from './texts.ts'
import { idValue, valueOf, type Comparable } from './values.ts'

/** A row passes if at least one of its columns passes. */
export interface RowTest {
  readonly columns: readonly ColumnTest[]
  /** All rows that pass, where one range of an index holds exactly these. */
  readonly rows: Uint32Array | null
}

export interface ColumnTest {
  /** Null: the row number is the code. */
  readonly codes: Codes | null
  /** By code: 1 if it passes. */
  readonly passes: Uint8Array
}

/** Conditions on the same column become one test, so that `from` and `to` are one range. */
export function testsOf(base: Base, conditions: readonly Condition[]): RowTest[] {
  const tests: RowTest[] = []
  const byColumn = new Map<Column, Uint8Array>()
  for (const condition of conditions) {
    const column = 'column' in condition ? base.values[condition.column] : undefined
    const test = testOf(base, condition)
    const passes = test.columns[0]?.passes
    if (!column || !passes) tests.push(test)
    else byColumn.set(column, bothPass(passes, byColumn.get(column)))
  }
  for (const [column, passes] of byColumn)
    tests.push({ columns: [{ codes: column.codes, passes }], rows: rangeOf(column, passes) })
  return tests
}

function bothPass(passes: Uint8Array, others: Uint8Array | undefined): Uint8Array {
  if (others)
    for (let code = 0; code < passes.length; code += 1)
      passes[code] = (passes[code] as number) & (others[code] as number)
  return passes
}

function testOf(base: Base, condition: Condition): RowTest {
  switch (condition.is) {
    case 'equal':
      return equalsOneOf(base, [condition.column], [condition.value])
    case 'zero-or-empty':
      return columnTest(base, condition.column, (passes, column) => {
        passes[0] = 1
        passCode(passes, column, 0)
      })
    case 'one-of':
      return columnTest(base, condition.column, (passes, column) => {
        const isBool = column.dictionary.type === 'bool'
        for (const code of condition.codes) passCode(passes, column, isBool ? Number(code === 1) : code)
      })
    case 'not':
      return columnTest(base, condition.column, (passes, column) => {
        passes.fill(1)
        const code = codeOf(column.dictionary, condition.code)
        if (code > 0) passes[code] = 0
      })
    case 'from':
      return columnTest(base, condition.column, (passes, column) => {
        passes.fill(1, firstAtLeast(column.dictionary, comparable(column, condition.time)))
      })
    case 'to':
      return columnTest(base, condition.column, (passes, column) => {
        const time = comparable(column, condition.time)
        passes.fill(1, 1, firstAtLeast(column.dictionary, time))
        passCode(passes, column, time)
      })
    case 'contains':
      return { columns: condition.columns.map((name) => contains(base, name, condition.text)), rows: null }
    case 'in-stores':
      return equalsOneOf(base, condition.columns, condition.stores)
  }
}

function equalsOneOf(base: Base, names: readonly string[], wanted: readonly (number | string)[]): RowTest {
  const tests = names.map((name) =>
    name === 'id'
      ? idTest(base, wanted)
      : columnTest(base, name, (passes, column) => {
          for (const value of wanted) passCode(passes, column, comparable(column, value))
        }),
  )
  return {
    columns: tests.flatMap(({ columns }) => columns),
    rows: tests.length === 1 ? (tests[0]?.rows ?? null) : null,
  }
}

function idTest(base: Base, wanted: readonly (number | string)[]): RowTest {
  const rows = new Set(wanted.map((id) => rowOf(base, idValue(id))).filter((row) => row >= 0))
  const passes = new Uint8Array(base.ids.length)
  for (const row of rows) passes[row] = 1
  return { columns: [{ codes: null, passes }], rows: Uint32Array.from(rows) }
}

function columnTest(base: Base, name: string, fill: (passes: Uint8Array, column: Column) => void): RowTest {
  const column = base.values[name]
  if (!column) throw new Error(`${base.collection.name} is not found by ${name}`)
  const passes = new Uint8Array(dictionarySize(column.dictionary) + 1)
  fill(passes, column)
  return { columns: [{ codes: column.codes, passes }], rows: rangeOf(column, passes) }
}

function contains(base: Base, name: string, text: string): ColumnTest {
  const column = base.texts[name]
  if (!column) throw new Error(`${base.collection.name} is not searched by ${name}`)
  return { codes: column.codes, passes: textsWith(column.texts, text) }
}

function passCode(passes: Uint8Array, { dictionary }: Column, value: Comparable): void {
  const code = codeOf(dictionary, value)
  if (code > 0) passes[code] = 1
}

function comparable({ dictionary }: Column, value: number | string): Comparable {
  const comparable = valueOf(dictionary.type, false, value)
  if (comparable === null) throw new Error('nothing is compared with null')
  return comparable
}

// The rows of the codes that pass, if these codes are consecutive.
function rangeOf({ index }: Column, passes: Uint8Array): Uint32Array | null {
  if (!index) return null
  const first = passes.indexOf(1)
  if (first === -1) return new Uint32Array(0)
  const end = passes.lastIndexOf(1) + 1
  if (passes.subarray(first, end).includes(0)) return null
  return index.rows.subarray(index.starts[first], index.starts[end])
}
