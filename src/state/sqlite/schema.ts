// The tables of the state in SQLite, as migrations. Each runs once, in order; a released one is never changed. Later ones only add
// columns and tables, because an instance of the version before serves on until the new one has taken over.
import { existsSync, statSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { folderProblem } from '../../platform/files.ts'
import { fileProblem, inTransaction, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'

// "VITR": distinguishes our file from other SQLite databases.
export const applicationId = 0x56495452

// Times are milliseconds since 1970. `hour` of permission_use is the beginning of a minute.
export const migrations: readonly string[] = [
  `CREATE TABLE company (
     only INTEGER PRIMARY KEY CHECK (only = 1), is_enabled INTEGER NOT NULL, token_key BLOB
   ) STRICT;
   INSERT INTO company VALUES (1, 1, randomblob(32));
   CREATE TABLE keys (
     access_key TEXT PRIMARY KEY, name TEXT NOT NULL, code_hash BLOB NOT NULL, permissions TEXT NOT NULL, stores TEXT,
     price_list INTEGER, rate INTEGER NOT NULL, is_disabled INTEGER NOT NULL, created_at INTEGER NOT NULL,
     revoked_at INTEGER, old_code_hash BLOB, old_code_until INTEGER, expires_on TEXT, expires_at INTEGER, addresses TEXT
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE tokens (
     hash BLOB PRIMARY KEY, access_key TEXT NOT NULL, permissions TEXT NOT NULL, expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE INDEX tokens_by_key ON tokens (access_key);
   CREATE INDEX tokens_by_expiry ON tokens (expires_at);
   CREATE TABLE windows (name TEXT PRIMARY KEY, started_at INTEGER NOT NULL, count INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE failures (
     address TEXT NOT NULL, key_hash BLOB NOT NULL, started_at INTEGER NOT NULL, count INTEGER NOT NULL,
     blocked_until INTEGER, PRIMARY KEY (address, key_hash)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE blocked_addresses (
     hour INTEGER NOT NULL, address TEXT NOT NULL, PRIMARY KEY (hour, address)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, by TEXT NOT NULL, act TEXT NOT NULL, subject TEXT NOT NULL,
     details TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_by_time ON audit (at);
   CREATE INDEX audit_by_subject ON audit (subject, id);
   CREATE TABLE usage (
     hour INTEGER NOT NULL, access_key TEXT NOT NULL, resource TEXT NOT NULL, outcome TEXT NOT NULL,
     requests INTEGER NOT NULL, records INTEGER NOT NULL, PRIMARY KEY (hour, access_key, resource, outcome)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE permission_use (
     access_key TEXT NOT NULL, permission TEXT NOT NULL, hour INTEGER NOT NULL, address TEXT,
     PRIMARY KEY (access_key, permission)
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE accounts (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, salt BLOB NOT NULL, hash BLOB NOT NULL,
     created_at INTEGER NOT NULL, last_sign_in_at INTEGER
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE password_links (hash BLOB PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE sessions (
     hash BLOB PRIMARY KEY, account TEXT NOT NULL, started_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
]

const pragma = (database: Sqlite, name: string) =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])

export const stateDatabase = (path: string) => `The state database ${path}`

// Why a state file cannot be used, if so. Changes nothing.
export function stateFileProblem(path: string): string | undefined {
  const found = statSync(path, { throwIfNoEntry: false })
  if (!found?.size && existsSync(logAside(path))) return gone(path)
  if (!found) return folderProblem(dirname(path))
  try {
    const header = readSqliteHeader(path)
    if (!header || (header.hasTables && header.applicationId !== applicationId)) return foreign(path)
    return header.userVersion > migrations.length ? newer(path) : undefined
  } catch (error) {
    return fileProblem(stateDatabase(path), error) ?? `${stateDatabase(path)} cannot be read: ${String(error)}.`
  }
}

const foreign = (path: string) =>
  `The state cannot be kept in ${path}: ${basename(path)} is not a state database of Vitrine; VITRINE_STATE_URL must name a file of its own.`
const gone = (path: string) =>
  `${stateDatabase(path)} is missing or empty. Put a backup of it in its place, or remove ${logAside(path)} to begin with an empty state.`
const newer = (path: string) => `The state database ${path} was made by a newer version of Vitrine.`

// Where a service that ended because its state was exchanged has put the log.
export const logAside = (path: string) => `${path}-wal.left`

export type EmptyFile = 'accepted' | 'refused'

// Runs before the first write: the file must be ours, or new.
export function checkOurs(database: Sqlite, path: string, empty: EmptyFile): void {
  const isEmpty = pragma(database, 'schema_version') === 0
  if (isEmpty && empty === 'refused') throw new OperatorError(`${stateDatabase(path)} is empty.`)
  if (!isEmpty && pragma(database, 'application_id') !== applicationId) throw new OperatorError(foreign(path))
  if (pragma(database, 'user_version') > migrations.length) throw new OperatorError(newer(path))
}

export function migrate(database: Sqlite, all = migrations): void {
  database.exec('PRAGMA journal_mode = WAL')
  // Checked before the transaction, because a file that is locked for writing can still be read.
  if (pragma(database, 'user_version') === all.length) return
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    // Another process may have migrated it meanwhile.
    const missing = all.slice(pragma(database, 'user_version'))
    for (const migration of missing) database.exec(migration)
    if (missing.length > 0)
      database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${all.length}`)
  })
}
