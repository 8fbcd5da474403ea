// The schema in a SQLite file, in turns with the tills. Tallies and search indexes that cannot be trusted are made anew, whole.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { nameOf, tallies } from '../../catalogue/tallies.ts'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { lackingColumns } from '../../engine/missing-parts.ts'
import { posDatabase, readColumns } from '../../engine/sqlite/check.ts'
import { keptSearches } from '../../engine/sqlite/searches.ts'
import { keptTallies } from '../../engine/sqlite/tallies.ts'
import { isViewsFile } from '../../engine/sqlite/views-file.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../files.ts'
import { quote } from '../../sql/dialect.ts'
import { tableStatements } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { fillSearch, makeSearch, numberCells } from '../../sql/sqlite-search.ts'
import { fileProblem, openSqlite, readSqliteHeader, type Sqlite } from '../../sqlite.ts'
import { eachWithProgress } from '../progress.ts'
import type { Applied, ApplyOptions } from './apply.ts'
import { dropMisplaced } from './misplaced-sqlite.ts'
import { inTurns, type Turn } from './turns.ts'

export async function applyToFile(path: string, options: ApplyOptions): Promise<Applied> {
  makeFolder(dirname(path))
  let database: Sqlite | undefined
  try {
    if (existsSync(path) && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
    if (existsSync(path) && isViewsFile(path))
      throw new OperatorError(`${path} shows another file through views: there is nothing to make in it.`)
    database = openSqlite(path, { lockTimeoutMs: 5000 })
    // Readers then never hold up the point-of-sale system's writers, nor they the readers.
    database.exec('PRAGMA journal_mode = WAL')
    const statements = await inTurns(database, (turn, open) => applyOver(open, path, turn, options))
    return { database: path, statements }
  } catch (error) {
    const problem = fileProblem(posDatabase(path), error)
    throw problem === undefined ? error : new OperatorError(problem, 1)
  } finally {
    database?.close()
  }
}

async function applyOver(
  database: Sqlite,
  path: string,
  turn: Turn,
  { onProgress, remark, rebuild = false }: ApplyOptions,
): Promise<number> {
  // Before anything changes the schema.
  const [keptCounts, keptWords] = rebuild
    ? [new Set<string>(), new Set<string>()]
    : await turn(() => [keptTallies(database), keptSearches(database)])
  const tables = tableStatements(sqliteSchema)
  await turn(() => makeTables(database, path, tables))
  const isTable = tablesOf(database)
  const indexed = relations.filter(isTable)
  const others = relations.filter((relation) => !isTable(relation)).map(({ name }) => name)
  if (others.length > 0) remark(`Not indexed, because they are no tables: ${others.join(', ')}. Index what they read.`)
  await turn(() => dropMisplaced(database, indexed, remark))
  const indexes = indexed.flatMap((relation) => sqliteSchema.indexes(relation))
  await eachWithProgress('indexes', indexes, onProgress, (statement) => turn(() => database.exec(statement)))

  const searched = indexed.filter(({ search }) => search.length > 0)
  const unsearched = searched.filter(({ name }) => !keptWords.has(name))
  await eachWithProgress('search indexes', unsearched, onProgress, (relation) => indexWords(database, relation, turn))
  const counted = tallies.filter((tally) => tally.relations.every(isTable))
  const uncounted = counted.filter((tally) => !keptCounts.has(nameOf(tally)))
  let statements = tables.length + indexes.length + unsearched.length
  await eachWithProgress('tallies', uncounted, onProgress, async (tally) => {
    const making = sqliteSchema.tally(tally)
    await turn(() => run(database, making))
    statements += making.length
  })
  await turn(() => run(database, sqliteSchema.trust(counted, searched)))
  return statements
}

export const run = (database: Sqlite, statements: readonly string[]) => {
  for (const statement of statements) database.exec(statement)
}

// A table that was there and lacks columns is told of before anything is made.
function makeTables(database: Sqlite, path: string, tables: readonly string[]): void {
  run(database, tables)
  const lacking = lackingColumns(path, readColumns(database))
  if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
}

export function tablesOf(database: Sqlite): (relation: Relation) => boolean {
  const rows = database.prepare("SELECT lower(name) AS name FROM sqlite_schema WHERE type = 'table'").all()
  const names = new Set(rows.map(({ name }) => name))
  return ({ name }) => names.has(name)
}

const rowsAtOnce = 5000

// The triggers are there from the first moment on, so that what the tills write meanwhile is in the index as it is; the rows that
// were there before follow, some at a time. (Their combinations of traits are numbered first, in one go: once some have a number, it is
// theirs.)
async function indexWords(database: Sqlite, relation: Relation, turn: Turn): Promise<void> {
  await turn(() => run(database, [...makeSearch(relation), numberCells(relation)]))
  const table = quote(relation.name)
  const first = database.prepare(`SELECT min("id") AS id FROM ${table}`)
  const last = database.prepare(
    `SELECT max("id") AS id FROM (SELECT "id" FROM ${table} WHERE "id" >= ? ORDER BY "id" LIMIT ${rowsAtOnce})`,
  )
  const fill = fillSearch(relation, ' WHERE "id" BETWEEN ? AND ?').map((each) => database.prepare(each))
  const fillRest = fillSearch(relation, ' WHERE "id" >= ?').map((each) => database.prepare(each))
  for (const each of [first, last]) each.setReadBigInts(true)
  let from = await turn(() => first.get()?.['id'] ?? null)
  while (from !== null) {
    const begin = from
    from = await turn(() => {
      const end = last.get(begin)?.['id'] ?? null
      if (typeof end === 'bigint') for (const each of fill) each.run(begin, end)
      // A table that is not strict may hold anything.
      else for (const each of fillRest) each.run(begin)
      return typeof end === 'bigint' ? end + 1n : null
    })
  }
}
