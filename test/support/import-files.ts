// Rows as files that can be imported, and what is in a database afterwards.
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { relations } from '../../src/contract/relations.ts'
import type { DatabaseUrl } from '../../src/settings/types.ts'
import { importFolder, type ImportOptions } from '../../src/operate/import/run.ts'
import type { Cell, Rows } from './pos.ts'

export type Format = 'csv' | 'csv.gz' | 'ndjson' | 'ndjson.gz'
type Row = Readonly<Record<string, Cell>>

export interface Writing {
  readonly format?: Format
  readonly separator?: string
  readonly end?: string
  readonly mark?: string
}

/** One file of a relation, with all its columns. */
export function writeFile(folder: string, name: string, rows: readonly Row[], writing: Writing = {}): void {
  const { format = 'csv', separator = ',', end = '\r\n', mark = '' } = writing
  const columns = Object.keys(relations.find((each) => each.name === name)?.columns ?? {})
  const lines = format.startsWith('csv')
    ? [columns, ...rows.map((row) => columns.map((column) => csvCell(row[column] ?? null, separator)))].map((cells) =>
        cells.join(separator),
      )
    : rows.map((row) => jsonLine(row, columns))
  const text = mark + lines.map((line) => line + end).join('')
  writeFileSync(join(folder, `${name}.${format}`), format.endsWith('.gz') ? gzipSync(text) : text)
}

export function writeFiles(folder: string, rows: Rows, writing: (at: number) => Writing = () => ({})): void {
  Object.entries(rows).forEach(([name, list], at) => writeFile(folder, name, list, writing(at)))
}

function csvCell(cell: Cell, separator: string): string {
  if (cell === null) return ''
  if (typeof cell !== 'string') return String(cell)
  return cell === '' || cell.includes(separator) || /["\r\n]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell
}

// Integers beyond JavaScript's own keep their digits.
const jsonLine = (row: Row, columns: readonly string[]) =>
  `{${columns.map((name) => `${JSON.stringify(name)}:${typeof row[name] === 'bigint' ? row[name] : JSON.stringify(row[name] ?? null)}`).join(',')}}`

/** As the command does it, without a process. */
export function runImport(url: DatabaseUrl, folder: string, options: Partial<ImportOptions> = {}) {
  return importFolder(url, folder, {
    deletesMissing: false,
    isDryRun: false,
    hasDecimalComma: false,
    mostFaults: 100,
    onProgress() {},
    remark() {},
    onCommit() {},
    signal: new AbortController().signal,
    ...options,
  })
}
