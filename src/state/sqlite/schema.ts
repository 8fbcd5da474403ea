// The tables of the state in SQLite, as migrations: each runs once, in order; one that was released is never changed.
import { existsSync } from 'node:fs'
import { basename, dirname } from 'node:path'
import { OperatorError } from '../../errors.ts'
import { folderProblem } from '../../platform/files.ts'
import { fileProblem, inTransaction, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'

// "VITR": tells our file from any other SQLite database.
const applicationId = 0x56495452

// What keys were given before it was written down what they use counts as used just now.
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
  // Columns are added and none is renamed: the version before goes on serving until the next one has taken over. (So the column
  // `hour` of permission_use holds the minute from now on.)
  `ALTER TABLE keys ADD COLUMN old_code_hash BLOB;
   ALTER TABLE keys ADD COLUMN old_code_until INTEGER;
   ALTER TABLE keys ADD COLUMN expires_on TEXT;
   ALTER TABLE keys ADD COLUMN expires_at INTEGER;
   ALTER TABLE keys ADD COLUMN addresses TEXT;
   ALTER TABLE permission_use ADD COLUMN address TEXT;`,
]

const pragma = (database: Sqlite, name: string) =>
  Number(Object.values(database.prepare(`PRAGMA ${name}`).get() ?? {})[0])

export const stateDatabase = (path: string) => `The state database ${path}`

// What is wrong with a state file, without making or changing anything; undefined when it can be used.
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

// For a service that runs: at its start a missing file is made.
export function requireFile(path: string): void {
  if (!existsSync(path))
    throw new OperatorError(
      `${stateDatabase(path)} is missing. Put it back, or a backup of it: the service then goes on without a restart.`,
    )
}

export type Empty = 'begun with' | 'refused'

// Nothing is written before the file is known to be ours, or new.
export function checkOurs(database: Sqlite, path: string, empty: Empty): void {
  const isEmpty = pragma(database, 'schema_version') === 0
  if (isEmpty && empty === 'refused') throw new OperatorError(`${stateDatabase(path)} is empty.`)
  if (!isEmpty && pragma(database, 'application_id') !== applicationId) throw new OperatorError(foreign(path))
  if (pragma(database, 'user_version') > migrations.length) throw new OperatorError(newer(path))
}

export function migrate(database: Sqlite): void {
  database.exec('PRAGMA journal_mode = WAL')
  // A file that somebody has locked for writing can be read all the same.
  if (pragma(database, 'user_version') === migrations.length) return
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    const version = pragma(database, 'user_version')
    for (const migration of migrations.slice(version)) database.exec(migration)
    if (version === migrations.length) return
    database.exec(`PRAGMA application_id = ${applicationId}; PRAGMA user_version = ${migrations.length}`)
  })
}
