// Copies from a SQLite file.
import { existsSync } from 'node:fs'
import { setImmediate as pause } from 'node:timers/promises'
import { OperatorError } from '../../errors.ts'
import { fileProblem, openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'
import {
  centsBelow,
  quoteText,
  rowsAtOnce,
  SourceFailure,
  SourceTimeout,
  type NumberKind,
  type SourceBatch,
  type SourceColumn,
  type SourceOptions,
  type UseSource,
} from './source.ts'

type SqliteCell = string | number | bigint | null | Uint8Array

export async function withSqliteSource<Result>(
  path: string,
  { timeoutMs, signal }: SourceOptions,
  use: UseSource<Result>,
): Promise<Result> {
  if (!existsSync(path)) throw new OperatorError(`There is no file ${path} to copy from.`, 1)
  if (!readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`, 1)
  let sqlite: Sqlite | undefined
  try {
    const opened = (sqlite = openSqlite(path, { readOnly: true }))
    // The first read begins the snapshot.
    opened.exec('BEGIN; SELECT count(*) FROM sqlite_schema')
    return await use({
      quoteText,
      async *batches(select) {
        const endsAt = performance.now() + timeoutMs
        try {
          const statement = opened.prepare(select)
          statement.setReadBigInts(true)
          statement.setReturnArrays(true)
          const given = statement.columns().map(({ name, type }) => ({ name, numberKind: numberKindOf(type) }))
          const rows = statement.iterate() as unknown as Iterable<SqliteCell[]>
          for (const cells of inBatches(rows)) {
            yield batchOf(given, cells)
            // A signal may have arrived.
            await pause()
            signal.throwIfAborted()
            if (performance.now() > endsAt) throw new SourceTimeout(timeoutMs)
          }
        } catch (error) {
          if ((error as { errcode?: number }).errcode === undefined) throw error
          throw new SourceFailure((error as Error).message)
        }
      },
    })
  } catch (error) {
    const problem = error instanceof OperatorError ? undefined : fileProblem(`The source ${path}`, error)
    throw problem === undefined ? error : new OperatorError(problem, 1)
  } finally {
    sqlite?.close()
  }
}

// At least one batch.
function* inBatches(rows: Iterable<SqliteCell[]>): Iterable<SqliteCell[][]> {
  let batch: SqliteCell[][] = []
  let isFirst = true
  for (const row of rows) {
    batch.push(row)
    if (batch.length < rowsAtOnce) continue
    yield batch
    batch = []
    isFirst = false
  }
  if (isFirst || batch.length > 0) yield batch
}

// In SQLite each value has a type, not the column.
function batchOf(
  given: readonly Pick<SourceColumn, 'name' | 'numberKind'>[],
  rows: readonly SqliteCell[][],
): SourceBatch {
  const areTexts = given.map((_, at) => rows.map((row) => typeof row[at] === 'string' || row[at] instanceof Uint8Array))
  const columns = given.map((column, at) => ({
    ...column,
    isText: areTexts[at]?.includes(true) ?? false,
    areTexts: areTexts[at] ?? [],
    isBytes: rows.some((row) => row[at] instanceof Uint8Array),
    centsBelow: rows.some((row) => typeof row[at] === 'number') ? centsBelow.double : undefined,
  }))
  return { columns, rows: rows.map((row) => row.map(cellText)) }
}

// By the declared type, which only a column of a table has.
function numberKindOf(type: string | null): NumberKind | undefined {
  if (type === null) return undefined
  if (/int/i.test(type)) return 'whole'
  if (/real|floa|doub/i.test(type)) return 'double'
  return /dec|num/i.test(type) ? 'decimal' : undefined
}

function cellText(cell: SqliteCell): string | null {
  if (cell instanceof Uint8Array) return Buffer.from(cell).toString('hex')
  return cell === null ? null : String(cell)
}
