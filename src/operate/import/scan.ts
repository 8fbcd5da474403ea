// One file → rows that are checked and handed to the stage, a block of the file at a time. It is read to its end whatever is wrong
// with it, so that everything wrong is told at once.
import type { Faults } from './faults.ts'
import { textBlocks } from './blocks.ts'
import { createColumns, type ReadOptions, type RowSink } from './columns.ts'
import { csvRows } from './csv-rows.ts'
import type { SourceFile } from './files.ts'
import { ndjsonRows } from './ndjson.ts'
import type { StoredValue } from './values.ts'

// The values in the order of the contract's columns, and at the end the line on which they begin.
export type StagedRow = readonly StoredValue[]

export interface Duplicate {
  readonly line: number
  readonly firstLine: number
  readonly key: readonly unknown[]
}

// Where rows of one relation are kept until all files are known to be right.
export interface Stage {
  add(rows: readonly StagedRow[]): Promise<void>
  // After the last row: those whose key an earlier one has, up to so many, and how many there are.
  duplicates(most: number): Promise<{ readonly first: readonly Duplicate[]; readonly count: number }>
}

interface ScanOptions extends ReadOptions {
  readonly faults: Faults
  readonly stage: Stage
  readonly onBytes: (count: number) => void
  readonly signal: AbortSignal
}

// How many rows the file has.
export async function scanFile(file: SourceFile, options: ScanOptions): Promise<number> {
  const { faults, stage, onBytes, signal } = options
  let rows: StagedRow[] = []
  let count = 0
  const fault = (line: number | null, column: string | null, message: string) =>
    faults.add(file.name, line, column, message)
  const sink: RowSink = {
    row(line, values) {
      count += 1
      values.push(line)
      rows.push(values)
    },
    fault,
  }
  const isCsv = file.format === 'csv'
  const columns = createColumns(file.relation, { ...options, hasDecimalComma: isCsv && options.hasDecimalComma })
  const source = isCsv ? csvRows(columns, sink) : ndjsonRows(columns, sink)
  const onFault = (line: number | null, message: string) => fault(line, null, message)
  for await (const { text, isLast } of textBlocks(file, { onBytes, onFault, signal })) {
    signal.throwIfAborted()
    source.feed(text, isLast)
    if (rows.length === 0) continue
    await stage.add(rows)
    rows = []
  }
  const { first, count: all } = await stage.duplicates(faults.room)
  const key = file.relation.key.join(', ')
  for (const { line, firstLine, key: values } of first)
    fault(line, key, `${values.map(String).join(', ')} is the key of line ${firstLine} too; expected each key once.`)
  faults.addOthers(all - first.length)
  return count
}
