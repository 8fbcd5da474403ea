// Conditions of a plan → tests of rows by their codes. Equivalent to their SQL in src/sql/conditions.ts: null equals nothing.
import type { Condition } from '../catalogue/condition.ts'
import { allRows, rowOf, type Base, type CodeArray, type ValueColumn } from './columns.ts'
import { codeOf, dictionarySize, firstAtLeast } from './dictionary.ts'
import { textsWith } from './texts.ts'
import { idValue, valueOf, type Comparable } from './values.ts'

/** A row passes if at least one of its columns passes. */
export interface RowTest {
  readonly columns: readonly ColumnTest[]
  /** All rows that pass, where they are known: one range of an index, or ids. */
  readonly rows: Uint32Array | null
}

export interface ColumnTest {
  readonly codes: CodeArray
  /** By code: 1 if it passes. */
  readonly passes: Uint8Array
}

/** Conditions on the same column become one test, so that `from` and `to` are one range. */
export function testsOf(base: Base, conditions: readonly Condition[]): RowTest[] {
  const tests: RowTest[] = []
  const byColumn = new Map<ValueColumn, Uint8Array>()
  for (const condition of conditions) {
    const names = 'columns' in condition ? condition.columns : [condition.column]
    const [name = ''] = names
    if (condition.is === 'contains')
      tests.push({ columns: names.map((each) => textTest(base, each, condition.text)), rows: null })
    else if (names.length > 1)
      tests.push({ columns: names.map((each) => valueTest(valuesOf(base, each), condition)), rows: null })
    else if (name === 'id') tests.push(idTest(base, wantedBy(condition)))
    else {
      const column = valuesOf(base, name)
      byColumn.set(column, bothPass(valueTest(column, condition).passes, byColumn.get(column)))
    }
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

function valuesOf(base: Base, name: string): ValueColumn {
  const column = base.values[name]
  if (!column) throw new Error(`${base.collection.name} is not found by ${name}`)
  return column
}

function valueTest({ codes, dictionary }: ValueColumn, condition: Condition): ColumnTest {
  const passes = new Uint8Array(dictionarySize(dictionary) + 1)
  const pass = (value: Comparable, passing: 0 | 1 = 1) => {
    const code = codeOf(dictionary, value)
    if (code > 0) passes[code] = passing
  }
  const comparable = (value: number | string): Comparable => valueOf(dictionary.type, false, value) as Comparable
  switch (condition.is) {
    case 'equal':
    case 'in-stores':
      for (const value of wantedBy(condition)) pass(comparable(value))
      break
    case 'zero-or-empty':
      passes[0] = 1
      pass(0)
      break
    case 'one-of':
      for (const code of condition.codes) pass(dictionary.type === 'bool' ? Number(code === 1) : code)
      break
    case 'not':
      passes.fill(1)
      pass(condition.code, 0)
      break
    case 'from':
      passes.fill(1, firstAtLeast(dictionary, comparable(condition.time)))
      break
    case 'to':
      passes.fill(1, 1, firstAtLeast(dictionary, comparable(condition.time)))
      pass(comparable(condition.time))
      break
    case 'contains':
      throw new Error('texts are searched, not compared')
  }
  return { codes, passes }
}

function wantedBy(condition: Condition): readonly (number | string)[] {
  if (condition.is === 'equal') return [condition.value]
  if (condition.is === 'in-stores') return condition.stores
  throw new Error(`an id is not compared by ${condition.is}`)
}

// The code of a row is its number. (Only stores and price lists, of which there are few, are restricted by id.)
function idTest(base: Base, wanted: readonly (number | string)[]): RowTest {
  const rows = new Set(wanted.map((id) => rowOf(base, idValue(id))).filter((row) => row >= 0))
  const passes = new Uint8Array(base.ids.length)
  for (const row of rows) passes[row] = 1
  return { columns: [{ codes: allRows(base.ids.length), passes }], rows: Uint32Array.from(rows) }
}

function textTest(base: Base, name: string, text: string): ColumnTest {
  const column = base.texts[name]
  if (!column) throw new Error(`${base.collection.name} is not searched by ${name}`)
  return { codes: column.codes, passes: textsWith(column.texts, text) }
}

// The rows of the codes that pass, if these codes are consecutive.
function rangeOf({ index }: ValueColumn, passes: Uint8Array): Uint32Array | null {
  if (!index) return null
  const first = passes.indexOf(1)
  if (first === -1) return new Uint32Array(0)
  const end = passes.lastIndexOf(1) + 1
  if (passes.subarray(first, end).includes(0)) return null
  return index.rows.subarray(index.starts[first], index.starts[end])
}
