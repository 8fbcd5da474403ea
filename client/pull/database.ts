// A database that holds a mirror, in SQLite or PostgreSQL. Both understand the statements of this folder; `?` stands for a value.
import { DatabaseSync, type StatementSync } from 'node:sqlite'
import type { FieldDescription } from '../client.ts'
import { wait } from '../wait.ts'
import { makeFile } from './own-files.ts'

export type Row = Readonly<Record<string, unknown>>

export interface MirrorDatabase {
  // Runs one statement.
  readonly rows: (sql: string, ...values: readonly (string | number | null)[]) => Promise<readonly Row[]>
  // Adds rows. With `key`, a row with the same key is replaced.
  readonly insert: (
    table: string,
    columns: readonly string[],
    rows: readonly Row[],
    key?: readonly string[],
  ) => Promise<void>
  // Removes the rows whose `column` has one of these values.
  readonly remove: (table: string, column: string, values: readonly (string | number)[]) => Promise<void>
  readonly columns: (table: string) => Promise<readonly string[]>
  readonly typeOf: (field: Pick<FieldDescription, 'type' | 'format'>) => string
  readonly comment: (table: string, column: string | null, text: string) => Promise<void>
  readonly inTransaction: <Result>(work: () => Promise<Result>) => Promise<Result>
  readonly close: () => Promise<void>
}

// Another run writes to the same mirror.
export class IsBusy extends Error {
  override readonly message = 'another run writes to it'
}
// The place contains tables of another program.
export class IsForeign extends Error {}

// The table by which a mirror is recognised.
export const markTable = '_pull_mirror'

export function refuseForeign(tables: readonly string[]): void {
  if (tables.length > 0 && !tables.includes(markTable)) throw new IsForeign()
}

export const quoted = (name: string) => `"${name.replaceAll('"', '""')}"`

// The end of an INSERT that replaces the row with the same key.
export function orReplace(columns: readonly string[], key: readonly string[] | undefined): string {
  if (!key) return ''
  const others = columns
    .filter((column) => !key.includes(column))
    .map((column) => `${quoted(column)} = excluded.${quoted(column)}`)
  return `ON CONFLICT (${key.map(quoted).join(', ')}) DO ${others.length > 0 ? `UPDATE SET ${others.join(', ')}` : 'NOTHING'}`
}

const lockTries = 25
const lockPauseMs = 200

// Tries for a few seconds, because a run that was just killed still holds its lock for a moment.
export async function waitForLock(tryLock: () => boolean | Promise<boolean>): Promise<void> {
  for (let tries = 0; !(await tryLock()); tries++) {
    if (tries >= lockTries) throw new IsBusy()
    await wait(lockPauseMs)
  }
}

export interface SqliteMirror extends MirrorDatabase {
  readonly sqlite: DatabaseSync
}

export async function openSqliteMirror(path: string): Promise<SqliteMirror> {
  makeFile(path)
  const sqlite = new DatabaseSync(path)
  try {
    // Before any statement: another program may be reading the mirror, or recovering it after a crash.
    sqlite.exec('PRAGMA busy_timeout = 10000')
    // Before the lock is made, so that nothing is left beside the database of another program.
    refuseForeign(namesIn(sqlite, "SELECT name FROM sqlite_master WHERE type = 'table'"))
    sqlite.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
    return sqliteMirror(sqlite, await holdLock(`${path}.lock`))
  } catch (error) {
    sqlite.close()
    throw error
  }
}

const namesIn = (sqlite: DatabaseSync, sql: string, ...values: string[]) =>
  sqlite
    .prepare(sql)
    .all(...values)
    .map(({ name }) => String(name))

const sqliteTypes: Readonly<Record<string, string>> = { integer: 'INTEGER', number: 'REAL', boolean: 'INTEGER' }

function sqliteMirror(sqlite: DatabaseSync, lock: DatabaseSync): SqliteMirror {
  const prepared = new Map<string, StatementSync>()
  const prepare = (sql: string) => {
    const statement = prepared.get(sql) ?? sqlite.prepare(sql)
    prepared.set(sql, statement)
    return statement
  }
  return {
    sqlite,
    rows: async (sql, ...values) => sqlite.prepare(sql).all(...values),
    async insert(table, columns, rows, key) {
      const marks = columns.map(() => '?').join(', ')
      const statement = prepare(
        `INSERT INTO ${quoted(table)} (${columns.map(quoted).join(', ')}) VALUES (${marks}) ${orReplace(columns, key)}`,
      )
      for (const row of rows) statement.run(...columns.map((column) => cellOf(row[column])))
    },
    async remove(table, column, values) {
      const statement = prepare(`DELETE FROM ${quoted(table)} WHERE ${quoted(column)} = ?`)
      for (const value of values) statement.run(value)
    },
    columns: async (table) => namesIn(sqlite, 'SELECT name FROM pragma_table_info(?)', table),
    typeOf: ({ type }) => sqliteTypes[type] ?? 'TEXT',
    // SQLite has no comments.
    async comment() {},
    async inTransaction(work) {
      sqlite.exec('BEGIN IMMEDIATE')
      try {
        const result = await work()
        sqlite.exec('COMMIT')
        return result
      } catch (error) {
        // A full disk ends the transaction by itself.
        if (sqlite.isTransaction) sqlite.exec('ROLLBACK')
        throw error
      }
    },
    async close() {
      sqlite.close()
      lock.close()
    },
  }
}

const cellOf = (value: unknown) =>
  typeof value === 'boolean' ? Number(value) : ((value ?? null) as string | number | null)

// A transaction holds the lock, so that it ends with the process. The file stays: if it were deleted, two processes could hold
// locks on different files of the same name.
async function holdLock(path: string): Promise<DatabaseSync> {
  makeFile(path)
  const lock = new DatabaseSync(path)
  try {
    await waitForLock(() => {
      try {
        lock.exec('BEGIN EXCLUSIVE')
        return true
      } catch (error) {
        if (/locked/.test((error as Error).message)) return false
        throw error
      }
    })
    return lock
  } catch (error) {
    lock.close()
    throw error
  }
}
