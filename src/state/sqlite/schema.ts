// The tables of the state in SQLite, as migrations. Each runs once, in order; a released one is never changed.
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { folderProblem } from '../../platform/files.ts'
import { fileProblem, inTransaction, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'

// "VITR": distinguishes our file from other SQLite databases.
const applicationId = 0x56495452

// Permissions that were given before their use was recorded count as used at the migration.
const migrations = [
  `CREATE TABLE company (only INTEGER PRIMARY KEY CHECK (only = 1), is_enabled INTEGER NOT NULL) STRICT;
   INSERT INTO company VALUES (1, 1);
   CREATE TABLE keys (
     access_key TEXT PRIMARY KEY, name TEXT NOT NULL, code_hash BLOB NOT NULL, permissions TEXT NOT NULL, stores TEXT,
     price_list INTEGER, rate INTEGER NOT NULL, is_disabled INTEGER NOT NULL, created_at INTEGER NOT NULL,
     revoked_at INTEGER
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
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE audit (
     id INTEGER PRIMARY KEY AUTOINCREMENT, at INTEGER NOT NULL, by TEXT NOT NULL, act TEXT NOT NULL, subject TEXT NOT NULL,
     details TEXT NOT NULL
   ) STRICT;
   CREATE INDEX audit_by_time ON audit (at);
   CREATE INDEX audit_by_subject ON audit (subject, id);
   CREATE TABLE usage (
     hour INTEGER NOT NULL, access_key TEXT NOT NULL, requests INTEGER NOT NULL, records INTEGER NOT NULL,
     refusals INTEGER NOT NULL, PRIMARY KEY (hour, access_key)
   ) STRICT, WITHOUT ROWID;`,
  `CREATE TABLE password (only INTEGER PRIMARY KEY CHECK (only = 1), salt BLOB NOT NULL, hash BLOB NOT NULL) STRICT;
   CREATE TABLE password_links (hash BLOB PRIMARY KEY, expires_at INTEGER NOT NULL) STRICT, WITHOUT ROWID;
   CREATE TABLE sessions (
     hash BLOB PRIMARY KEY, by TEXT NOT NULL, started_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;
   CREATE TABLE permission_use (
     access_key TEXT NOT NULL, permission TEXT NOT NULL, hour INTEGER NOT NULL, PRIMARY KEY (access_key, permission)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO permission_use SELECT access_key, '', max(hour) FROM usage GROUP BY access_key;
   INSERT INTO permission_use SELECT access_key, value, unixepoch() / 3600 * 3600000
     FROM keys, json_each('["' || replace(permissions, ' ', '","') || '"]') WHERE value <> '';`,
  `ALTER TABLE company ADD COLUMN token_key BLOB;
   UPDATE company SET token_key = randomblob(32);
   CREATE TABLE blocked_addresses (
     hour INTEGER NOT NULL, address TEXT NOT NULL, PRIMARY KEY (hour, address)
   ) STRICT, WITHOUT ROWID;`,
  // Columns are only added, never renamed: the previous version still serves until the new one has taken over. (So the column
  // `hour` of permission_use holds minutes from here on.)
  `ALTER TABLE keys ADD COLUMN old_code_hash BLOB;
   ALTER TABLE keys ADD COLUMN old_code_until INTEGER;
   ALTER TABLE keys ADD COLUMN expires_on TEXT;
   ALTER TABLE keys ADD COLUMN expires_at INTEGER;
   ALTER TABLE keys ADD COLUMN addresses TEXT;
   ALTER TABLE permission_use ADD COLUMN address TEXT;`,
  // The password that all administrators shared becomes an account. (The console of the previous version ends here; its API goes on.)
  `CREATE TABLE accounts (
     id TEXT PRIMARY KEY, name TEXT NOT NULL, role TEXT NOT NULL, salt BLOB NOT NULL, hash BLOB NOT NULL,
     created_at INTEGER NOT NULL, last_sign_in_at INTEGER
   ) STRICT, WITHOUT ROWID;
   INSERT INTO accounts SELECT 'administrator', 'administrator', 'administrator', salt, hash, unixepoch() * 1000, NULL
     FROM password;
   DROP TABLE password;
   DROP TABLE sessions;
   CREATE TABLE sessions (
     hash BLOB PRIMARY KEY, account TEXT NOT NULL, started_at INTEGER NOT NULL, expires_at INTEGER NOT NULL
   ) STRICT, WITHOUT ROWID;`,
  // Resources and causes of refusals were not counted before. (An instance of the previous version serves on, and keeps its counts in
  // memory.)
  `ALTER TABLE usage RENAME TO earlier_usage;
   CREATE TABLE usage (
     hour INTEGER NOT NULL, access_key TEXT NOT NULL, resource TEXT NOT NULL, outcome TEXT NOT NULL,
     requests INTEGER NOT NULL, records INTEGER NOT NULL, PRIMARY KEY (hour, access_key, resource, outcome)
   ) STRICT, WITHOUT ROWID;
   INSERT INTO usage SELECT hour, access_key, 'other', 'answered', requests - refusals, records FROM earlier_usage;
   INSERT INTO usage SELECT hour, access_key, 'other', 'bad_request', refusals, 0 FROM earlier_usage WHERE refusals > 0;
   DROP TABLE earlier_usage;`,
]

const pragma = (database: Sqlite, name: string) =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])

export const stateDatabase = (path: string) => `The state database ${path}`

// Why a state file cannot be used, if so. Changes nothing.
export function stateFileProblem(path: string): string | undefined {
  if (!existsSync(path)) return folderProblem(dirname(path))
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
const newer = (path: string) => `The state database ${path} was made by a newer version of Vitrine.`

// For a running service; at its start a missing file is created.
export function requireFile(path: string): void {
  if (!existsSync(path))
    throw new OperatorError(
      `${stateDatabase(path)} is missing. Put it back, or a backup of it: the service then goes on without a restart.`,
    )
}

export type EmptyFile = 'accepted' | 'refused'

// Runs before the first write: the file must be ours, or new.
export function checkOurs(database: Sqlite, path: string, empty: EmptyFile): void {
  const isEmpty = pragma(database, 'schema_version') === 0
  if (isEmpty && empty === 'refused') throw new OperatorError(`${stateDatabase(path)} is empty.`)
  if (!isEmpty && pragma(database, 'application_id') !== applicationId) throw new OperatorError(foreign(path))
  if (pragma(database, 'user_version') > migrations.length) throw new OperatorError(newer(path))
}

export function migrate(database: Sqlite): void {
  database.exec('PRAGMA journal_mode = WAL')
  // Checked before the transaction, because a file that is locked for writing can still be read.
  if (pragma(database, 'user_version') === migrations.length) return
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    const version = pragma(database, 'user_version')
    for (const migration of migrations.slice(version)) database.exec(migration)
    if (version === migrations.length) return
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`)
  })
}
