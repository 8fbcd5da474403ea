// Makes the demo company as a SQLite file. It is built beside its place and moved there whole: whoever opens the file
// sees either the old company or the new one, and a failed attempt leaves nothing behind.
import { closeSync, fsyncSync, openSync, rmSync } from 'node:fs'
import { findRelation } from '../src/contract/relations.ts'
import { putInPlace } from '../src/platform/files.ts'
import { quote } from '../src/sql/dialect.ts'
import { indexStatements, tableStatements } from '../src/sql/schema.ts'
import { sqliteSchema } from '../src/sql/sqlite-schema.ts'
import { readSqliteHeader, openSqlite, type Sqlite } from '../src/platform/sqlite.ts'
import { insertRows, prepareInserter, type Inserter } from '../src/operate/insert-sqlite.ts'
import { eachWithProgress } from '../src/operate/progress.ts'
import { demoCompany } from './company.ts'
import type { Loaded, LoadOptions } from './place.ts'
import { createTally } from './tally.ts'

// "DEMO": tells the demo company from a company's own data.
const demoId = 0x44454d4f

export const isDemoFile = (path: string): boolean => readSqliteHeader(path)?.applicationId === demoId

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
    // A log of the file that is replaced must never be read into the new one.
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
  const inserters = new Map<string, Inserter>()
  const loaded = createTally(scale, onProgress)
  database.exec('BEGIN')
  for (const batch of demoCompany({ scale, seed })) {
    let inserter = inserters.get(batch.relation)
    if (!inserter) inserters.set(batch.relation, (inserter = prepareInto(database, batch.relation)))
    insertRows(inserter, batch.rows)
    loaded.add(batch)
  }
  database.exec('COMMIT')
  return loaded.result
}

function prepareInto(database: Sqlite, relation: string): Inserter {
  const columns = Object.keys(findRelation(relation).columns).map(quote)
  return prepareInserter(database, `INSERT INTO ${quote(relation)} (${columns.join(', ')})`, columns.length)
}

function syncFile(path: string): void {
  const file = openSync(path, 'r+')
  fsyncSync(file)
  closeSync(file)
}

function removeAll(path: string): void {
  for (const suffix of ['', '-journal', '-wal', '-shm']) rmSync(path + suffix, { force: true })
}
