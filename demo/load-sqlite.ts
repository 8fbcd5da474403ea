// Makes the demo company in the database of a URL. A SQLite file is built beside its place and moved there: readers see the
// old company or the new one, and a failed attempt leaves nothing behind.
import { existsSync, closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { dirname } from 'node:path'
import { makeFolder, putInPlace } from '../src/platform/files.ts'
import { readSqliteHeader, openSqlite, type Sqlite } from '../src/platform/sqlite.ts'
import type { DatabaseUrl } from '../src/settings/types.ts'
import { createTally, type DemoPlace, type Loaded, type LoadOptions } from './place.ts'
import { findRelation } from '../src/contract/relations.ts'
import { quote } from '../src/sql/dialect.ts'
import { indexStatements, tableStatements } from '../src/sql/schema.ts'
import { sqliteSchema } from '../src/sql/sqlite-schema.ts'
import { prepareInsert, type InsertRows } from '../src/operate/insert-sqlite.ts'
import { eachWithProgress } from '../src/operate/progress.ts'
import { demoCompany } from './company.ts'

export async function demoPlace(url: DatabaseUrl): Promise<DemoPlace> {
  if (url.kind === 'sqlite') return filePlace(url.path)
  const { postgresPlace } = await import('./load-postgres.ts')
  return postgresPlace(url)
}

const filePlace = (path: string): DemoPlace => ({
  name: path,
  async holds() {
    if (!existsSync(path)) return 'nothing'
    if (!readSqliteHeader(path)) return 'something else'
    return isDemoFile(path) ? 'demo' : 'data'
  },
  async load(options) {
    makeFolder(dirname(path))
    return loadSqlite({ path, ...options })
  },
})

// "DEMO": marks the file of a demo company.
const demoId = 0x44454d4f

const isDemoFile = (path: string): boolean => readSqliteHeader(path)?.applicationId === demoId

// Nothing needs to survive a crash before the file is in its place.
const fastPragmas = `
  PRAGMA journal_mode = OFF;
  PRAGMA synchronous = OFF;
  PRAGMA locking_mode = EXCLUSIVE;
  PRAGMA cache_size = -65536;
  PRAGMA threads = 2;`

export async function loadSqlite({
  path,
  scale,
  seed,
  onProgress = () => {},
}: LoadOptions & { path: string }): Promise<Loaded> {
  const partial = `${path}.partial`
  removeAll(partial)
  try {
    const loaded = await build(partial, { scale, seed, onProgress })
    syncFile(partial)
    // SQLite must not replay the log of the old file into the new one.
    rmSync(`${path}-wal`, { force: true })
    rmSync(`${path}-shm`, { force: true })
    putInPlace(path, partial)
    return loaded
  } finally {
    removeAll(partial)
  }
}

async function build(partial: string, options: Required<LoadOptions>): Promise<Loaded> {
  const database = openSqlite(partial)
  try {
    database.exec(fastPragmas)
    for (const statement of tableStatements(sqliteSchema)) database.exec(statement)
    const loaded = insertAll(database, options)
    const statements = [...indexStatements(sqliteSchema), ...sqliteSchema.journal]
    await eachWithProgress('indexes', statements, options.onProgress, (statement) => database.exec(statement))
    database.exec(`PRAGMA application_id = ${demoId}; PRAGMA analysis_limit = 1000; ANALYZE; PRAGMA journal_mode = WAL`)
    return loaded
  } finally {
    database.close()
  }
}

function insertAll(database: Sqlite, { scale, seed, onProgress }: Required<LoadOptions>): Loaded {
  const inserts = new Map<string, InsertRows>()
  const loaded = createTally(scale, onProgress)
  database.exec('BEGIN')
  for (const batch of demoCompany({ scale, seed })) {
    let insert = inserts.get(batch.relation)
    if (!insert) inserts.set(batch.relation, (insert = prepareInto(database, batch.relation)))
    insert(batch.rows)
    loaded.add(batch)
  }
  database.exec('COMMIT')
  return loaded.result
}

function prepareInto(database: Sqlite, relation: string): InsertRows {
  const columns = Object.keys(findRelation(relation).columns).map(quote)
  return prepareInsert(database, `INSERT INTO ${quote(relation)} (${columns.join(', ')})`, columns.length)
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function removeAll(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
