// Checks the rows of one input and stages them. It reads to the end even after faults, so that all are reported.
import type { Relation } from '../../contract/relation.ts'
import type { Faults } from './files.ts'
import { createColumns, type ColumnOptions, type ImportColumns, type RowSink, type StoredValue } from './values.ts'

// Where the rows of a relation come from: a file, or a statement on another database.
export interface RowInput {
  // As faults name it.
  readonly name: string
  readonly relation: Relation
  readonly hasDecimalComma?: boolean
  readonly keepsUnknownCodes?: boolean
  // How faults call a row (default: a line).
  readonly rowWord?: 'row'
  // A stored key as its source has it, where that differs.
  keyText?(key: readonly unknown[]): Promise<string>
  // Takes rows with the key of an earlier row, of `count` such rows; without it, they are faults.
  takeDuplicates?(found: readonly Duplicate[], count: number): Promise<void>
  // Rows and faults go to the sink. After each step, the rows so far are staged.
  read(columns: ImportColumns, sink: RowSink, signal: AbortSignal): AsyncIterable<unknown>
}

// The values in the order of the contract's columns, and then the line of the row.
export type StagedRow = readonly StoredValue[]

export interface Duplicate {
  readonly line: number
  readonly firstLine: number
  readonly key: readonly unknown[]
  // The record that the row belongs to, in a child relation.
  readonly parent: unknown
}

// Holds the rows of one relation until all inputs are checked.
export interface Stage {
  add(rows: readonly StagedRow[]): Promise<void>
  // Called after the last row: rows with the key of an earlier row, at most `most` of them, and their count. The earlier row stays.
  duplicates(most: number): Promise<{ readonly first: readonly Duplicate[]; readonly count: number }>
}

interface ScanOptions extends Pick<ColumnOptions, 'isExact' | 'limits' | 'present'> {
  readonly faults: Faults
  readonly stage: Stage
  readonly signal: AbortSignal
}

const mostTaken = 1000

// Returns the number of rows.
export async function scanInput(input: RowInput, options: ScanOptions): Promise<number> {
  const { faults, stage, signal } = options
  const { name, relation, hasDecimalComma = false, keepsUnknownCodes } = input
  let rows: StagedRow[] = []
  let count = 0
  const sink: RowSink = {
    row(line, values) {
      count += 1
      values.push(line)
      rows.push(values)
    },
    fault: (line, column, message) => faults.add(name, line, column, message),
  }
  const columns = createColumns(relation, { ...options, hasDecimalComma, keepsUnknownCodes })
  for await (const _ of input.read(columns, sink, signal)) {
    signal.throwIfAborted()
    if (rows.length === 0) continue
    await stage.add(rows)
    rows = []
  }
  const { first, count: all } = await stage.duplicates(input.takeDuplicates ? mostTaken : faults.room)
  if (input.takeDuplicates) {
    await input.takeDuplicates(first, all)
    return count - all
  }
  const key = relation.key.join(', ')
  for (const { line, firstLine, key: values } of first) {
    const text = (await input.keyText?.(values)) ?? values.map(String).join(', ')
    const message = `${text} is the key of ${input.rowWord ?? 'line'} ${firstLine} too; expected each key once.`
    faults.add(name, line, key, message)
  }
  faults.count += all - first.length
  return count
}
