// A selection: the rows that pass all conditions, in list order. Its length is the total of the list; a page is a slice of it.
import type { Condition } from '../catalogue/condition.ts'
import { onceFor } from '../query/once-for.ts'
import type { Order } from '../query/plan.ts'
import type { Base } from './columns.ts'
import { testsOf, type ColumnTest, type RowTest } from './conditions.ts'
import { compareRows, inOrder } from './orders.ts'

// Checking 16 rows in list order costs as much as sorting one match.
const scanCostRatio = 16

export function select(base: Base, conditions: readonly Condition[], order: readonly Order[]): Uint32Array {
  const rowCount = base.ids.length
  const tests = testsOf(base, conditions)
  const narrowest = tests.reduce<RowTest | undefined>(
    (best, test) => (test.rows && test.rows.length < (best?.rows?.length ?? rowCount) ? test : best),
    undefined,
  )
  const others = tests.filter((test) => test !== narrowest)
  const isFew = (count: number) => count * scanCostRatio < rowCount
  if (narrowest?.rows) {
    const found = others.reduce(keepPassing, narrowest.rows.slice())
    if (isFew(found.length)) return found.toSorted(compareRows(base, order))
    const marks = new Uint8Array(rowCount)
    for (const row of found) marks[row] = 1
    return inOrder(base, order, marks, found.length)
  }
  const marks = markPassing(others, rowCount)
  const count = countMarks(marks)
  return isFew(count) ? markedRows(marks, count).toSorted(compareRows(base, order)) : inOrder(base, order, marks, count)
}

function keepPassing(rows: Uint32Array, { columns }: RowTest): Uint32Array {
  const [only] = columns
  let count = 0
  if (only && columns.length === 1) {
    for (const row of rows) if (passes(only, row)) rows[count++] = row
  } else {
    for (const row of rows) if (columns.some((column) => passes(column, row))) rows[count++] = row
  }
  return rows.subarray(0, count)
}

const passes = ({ codes, passes }: ColumnTest, row: number) => passes[codes[row] as number] === 1

// Column by column in row order: reading codes in list order would miss the CPU cache at every row.
function markPassing(tests: readonly RowTest[], rowCount: number): Uint8Array {
  const marks = new Uint8Array(rowCount).fill(1)
  for (const { columns } of tests) {
    const [only] = columns
    if (only && columns.length === 1) {
      const { codes, passes } = only
      for (let row = 0; row < rowCount; row += 1)
        marks[row] = (marks[row] as number) & (passes[codes[row] as number] as number)
    } else {
      const any = anyPasses(columns, rowCount)
      for (let row = 0; row < rowCount; row += 1) marks[row] = (marks[row] as number) & (any[row] as number)
    }
  }
  return marks
}

// By row: 1 if one of the columns passes.
function anyPasses(columns: readonly ColumnTest[], rowCount: number): Uint8Array {
  const any = new Uint8Array(rowCount)
  for (const { codes, passes } of columns) {
    if (!passes.includes(1)) continue
    for (let row = 0; row < rowCount; row += 1)
      any[row] = (any[row] as number) | (passes[codes[row] as number] as number)
  }
  return any
}

function markedRows(marks: Uint8Array, count: number): Uint32Array {
  const rows = new Uint32Array(count)
  let end = 0
  for (let row = marks.indexOf(1); row !== -1; row = marks.indexOf(1, row + 1)) rows[end++] = row
  return rows
}

function countMarks(marks: Uint8Array): number {
  let count = 0
  for (let row = 0; row < marks.length; row += 1) count += marks[row] as number
  return count
}

export type RememberedSelections = ReturnType<typeof createRememberedSelections>

/** The most recently used selections, within a bound in bytes. */
export function createRememberedSelections(mostBytes: number) {
  // In order of last use.
  const known = new Map<string, Uint32Array>()
  let bytes = 0

  return {
    select(base: Base, conditions: readonly Condition[], order: readonly Order[]): Uint32Array {
      const key = JSON.stringify([numberOf(base), conditions, order])
      const found = known.get(key)
      const selection = found ?? select(base, conditions, order)
      if (found) known.delete(key)
      else if (bytesOf(key, selection) > mostBytes) return selection
      else bytes += bytesOf(key, selection)
      known.set(key, selection)
      for (const [oldest, rows] of known) {
        if (bytes <= mostBytes) break
        bytes -= bytesOf(oldest, rows)
        known.delete(oldest)
      }
      return selection
    },
    bytes: () => bytes,
  }
}

const bytesOf = (key: string, selection: Uint32Array) => key.length * 2 + selection.byteLength

// Row numbers are valid in one base only. Selections of a replaced base are not found again, and are the first to be evicted.
let lastNumber = 0
const numberOf = onceFor((_base: Base) => (lastNumber += 1))
