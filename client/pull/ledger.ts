// The bookkeeping of both kinds of mirror, in SQLite: the progress of each resource, and the ids of its records.
import { DatabaseSync } from 'node:sqlite'
import { makeFile } from './own-files.ts'
import type { MirrorProgress } from './store.ts'

export interface Ledger {
  readonly database: DatabaseSync
  readonly origin: string | null
  setOrigin(origin: string): void
  progressOf(name: string): MirrorProgress
  begin(name: string, shape: string): void
  // `write` runs in the same transaction.
  advance(name: string, ids: readonly number[], cursor: string, write: () => void): void
  // After everything was read again, removes records that were not found.
  settle(name: string, remove: (id: number) => void): void
  // The file is older than its records, or has another style.
  isStale(name: string, file: string, style: string): boolean
  setFresh(name: string, file: string, style: string): void
  shapes(): { readonly name: string; readonly shape: string }[]
  clear(): void
  countOf(name: string): number
  close(): void
}

const tables = `
  CREATE TABLE IF NOT EXISTS _pull_origin (origin TEXT NOT NULL);
  CREATE TABLE IF NOT EXISTS _pull_files (file TEXT PRIMARY KEY, version INTEGER NOT NULL) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS _pull_resources (
    name TEXT PRIMARY KEY,
    cursor TEXT,
    shape TEXT NOT NULL,
    generation INTEGER NOT NULL,
    is_reading_all INTEGER NOT NULL,
    version INTEGER NOT NULL
  ) WITHOUT ROWID;
  CREATE TABLE IF NOT EXISTS _pull_records (
    resource TEXT NOT NULL,
    id INTEGER NOT NULL,
    generation INTEGER NOT NULL,
    PRIMARY KEY (resource, id)
  ) WITHOUT ROWID`

// Another run writes to the same mirror.
export class IsBusy extends Error {}
// The file contains tables of another program.
export class IsForeign extends Error {}

export function openLedger(path: string): Ledger {
  for (const each of [`${path}.lock`, path]) makeFile(each)
  const lock = holdLock(`${path}.lock`)
  const database = new DatabaseSync(path)
  // First, because another program may be reading the mirror, or recovering it after a crash.
  database.exec('PRAGMA busy_timeout = 10000')
  if (isForeign(database)) {
    for (const each of [database, lock]) each.close()
    throw new IsForeign()
  }
  database.exec('PRAGMA journal_mode = WAL; PRAGMA synchronous = NORMAL')
  database.exec(tables)
  const inTransaction = (write: () => void) => {
    database.exec('BEGIN IMMEDIATE')
    try {
      write()
      database.exec('COMMIT')
    } catch (error) {
      // A full disk ends the transaction by itself.
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }
  const find = database.prepare('SELECT * FROM _pull_resources WHERE name = ?')
  const move = database.prepare(
    'UPDATE _pull_resources SET cursor = ?, version = version + ? WHERE name = ? RETURNING generation',
  )
  const note = database.prepare('INSERT OR REPLACE INTO _pull_records (resource, id, generation) VALUES (?, ?, ?)')
  const versionIn = (name: string, style: string) => `${String(find.get(name)?.['version'])} ${style}`.trim()
  const origin = database.prepare('SELECT origin FROM _pull_origin').get()?.['origin']
  return {
    database,
    origin: typeof origin === 'string' ? origin : null,
    setOrigin: (text) =>
      inTransaction(() => {
        database.exec('DELETE FROM _pull_origin')
        database.prepare('INSERT INTO _pull_origin (origin) VALUES (?)').run(text)
      }),
    progressOf(name) {
      const { cursor = null, shape = null } = (find.get(name) ?? {}) as Partial<MirrorProgress>
      return { cursor, shape }
    },
    begin: (name, shape) =>
      inTransaction(() => {
        database
          .prepare(
            `INSERT INTO _pull_resources (name, cursor, shape, generation, is_reading_all, version) VALUES (?, NULL, ?, 1, 1, 1)
             ON CONFLICT (name) DO UPDATE SET cursor = NULL, shape = excluded.shape, generation = generation + 1,
               is_reading_all = 1, version = version + 1`,
          )
          .run(name, shape)
      }),
    advance: (name, ids, cursor, write) =>
      inTransaction(() => {
        write()
        const generation = Number(move.get(cursor, ids.length > 0 ? 1 : 0, name)?.['generation'])
        for (const id of ids) note.run(name, id, generation)
      }),
    settle(name, remove) {
      const { generation, is_reading_all: isReadingAll } = find.get(name) ?? {}
      inTransaction(() => {
        if (isReadingAll === 1) {
          const gone = database
            .prepare('DELETE FROM _pull_records WHERE resource = ? AND generation < ? RETURNING id')
            .all(name, Number(generation))
          for (const { id } of gone) remove(Number(id))
        }
        const done = 'UPDATE _pull_resources SET version = version + is_reading_all, is_reading_all = 0 WHERE name = ?'
        database.prepare(done).run(name)
      })
    },
    isStale(name, file, style) {
      const written = database.prepare('SELECT version FROM _pull_files WHERE file = ?').get(file)
      return String(written?.['version']) !== versionIn(name, style)
    },
    setFresh(name, file, style) {
      const fresh = 'INSERT OR REPLACE INTO _pull_files (file, version) VALUES (?, ?)'
      database.prepare(fresh).run(file, versionIn(name, style))
    },
    shapes: () =>
      database
        .prepare('SELECT name, shape FROM _pull_resources')
        .all()
        .map(({ name, shape }) => ({ name: String(name), shape: String(shape) })),
    clear: () =>
      inTransaction(() =>
        database.exec('DELETE FROM _pull_resources; DELETE FROM _pull_records; DELETE FROM _pull_files'),
      ),
    countOf: (name) =>
      Number(database.prepare('SELECT count(*) AS count FROM _pull_records WHERE resource = ?').get(name)?.['count']),
    close() {
      database.close()
      lock.close()
    },
  }
}

function isForeign(database: DatabaseSync): boolean {
  const names = database.prepare("SELECT name FROM sqlite_master WHERE type = 'table'").all()
  return names.length > 0 && names.every(({ name }) => name !== '_pull_origin')
}

// A transaction holds the lock, so that it ends with the process. The file stays: if it were deleted, two processes could hold
// locks on different files of the same name.
function holdLock(path: string): DatabaseSync {
  const lock = new DatabaseSync(path)
  try {
    lock.exec('BEGIN EXCLUSIVE')
    return lock
  } catch (error) {
    lock.close()
    throw /locked/.test((error as Error).message) ? new IsBusy() : error
  }
}
