// Checks one file, block by block, and stages its rows. It reads to the end even after faults, so that all are reported.
import type { Faults, SourceFile } from './files.ts'
import { textBlocks } from './blocks.ts'
import { createColumns, type ColumnOptions, type RowSink, type StoredValue } from './values.ts'
import { csvRows } from './csv.ts'
import { ndjsonRows } from './ndjson.ts'

// The values in the order of the contract's columns, and then the line of the row.
export type StagedRow = readonly StoredValue[]

export interface Duplicate {
  readonly line: number
  readonly firstLine: number
  readonly key: readonly unknown[]
}

// Holds the rows of one relation until all files are checked.
export interface Stage {
  add(rows: readonly StagedRow[]): Promise<void>
  // Called after the last row: rows with the key of an earlier row, at most `most` of them, and their count.
  duplicates(most: number): Promise<{ readonly first: readonly Duplicate[]; readonly count: number }>
}

interface ScanOptions extends ColumnOptions {
  readonly faults: Faults
  readonly stage: Stage
  readonly onBytes: (count: number) => void
  readonly signal: AbortSignal
}

// Returns the number of rows.
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
