// The one door to node:sqlite (whose class is about to be renamed): connections for POS data, state and the tools.
import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { DatabaseSync, type StatementSync } from 'node:sqlite'

export type Sqlite = DatabaseSync
export type SqliteStatement = StatementSync

export interface OpenOptions {
  readonly readOnly?: boolean
  // How long a statement waits for a lock of another connection.
  readonly lockTimeoutMs?: number
}

export function openSqlite(path: string, { readOnly = false, lockTimeoutMs = 0 }: OpenOptions = {}): Sqlite {
  // Extensions and double-quoted strings stay off: a misspelt column is an error, not a text.
  return new DatabaseSync(path, { readOnly, timeout: lockTimeoutMs, enableDoubleQuotedStringLiterals: false })
}

// By its first bytes, without opening it; an empty file is a database that nothing was written to yet.
export function isSqliteFile(path: string): boolean {
  if (!statSync(path).isFile()) return false
  const file = openSync(path, 'r')
  try {
    const start = Buffer.alloc(16)
    const length = readSync(file, start)
    return length === 0 || start.toString('latin1') === 'SQLite format 3\0'
  } finally {
    closeSync(file)
  }
}

export function inTransaction<Result>(database: Sqlite, begin: 'BEGIN' | 'BEGIN IMMEDIATE', run: () => Result): Result {
  database.exec(begin)
  try {
    const result = run()
    database.exec('COMMIT')
    return result
  } catch (error) {
    if (database.isTransaction) database.exec('ROLLBACK')
    throw error
  }
}
