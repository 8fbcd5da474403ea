// Imports into a SQLite file. Tills wait only while rows are written; readers never wait.
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { posDatabase, readColumns } from '../../engine/sqlite/check.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../platform/files.ts'
import { fileProblem, openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'
import { quote } from '../../sql/dialect.ts'
import { dropJournal, makeJournal } from '../../sql/journal-sqlite.ts'
import { parentIndexName, tableStatements } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { eachWithProgress } from '../progress.ts'
import { run, tablesOf, useWal } from '../schema/apply-sqlite.ts'
import { findSqliteJournal } from '../schema/journal.ts'
import { makeStage, stagedTables, writingTemporary } from './stage-sqlite.ts'
import { compareAll, writeAll } from './staged.ts'
import { chosen, columnsIn, countChanges, isBulk, relationProblem } from './place.ts'
import type { ImportPlace, PlaceOptions, RelationChanges, UsePlace } from './place.ts'

const lockTimeoutMs = 10_000
const constraint = 19

export async function withFile<Result>(
  path: string,
  { isDryRun, signal }: PlaceOptions,
  use: UsePlace<Result>,
): Promise<Result> {
  const isNew = !existsSync(path)
  if (!isNew && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
  if (isNew && !isDryRun) makeFolder(dirname(path))
  let database: Sqlite | undefined
  try {
    database = openSqlite(isNew && isDryRun ? ':memory:' : path, { lockTimeoutMs })
    database.exec('PRAGMA cache_size = -65536; PRAGMA temp.cache_size = -65536; PRAGMA threads = 2')
    return await use(placeIn(database, path, signal))
  } catch (error) {
    const problem = fileProblem(posDatabase(path), error)
    if (problem === undefined) throw error
    const { errcode, message } = error as { errcode?: number; message: string }
    const isRefused = ((errcode ?? 0) & 0xff) === constraint
    throw new OperatorError(isRefused ? `${posDatabase(path)} refuses: ${message}.` : problem, 1)
  } finally {
    database?.close()
    if (isNew && !isDryRun && existsSync(path) && statSync(path).size === 0) rmSync(path)
  }
}

function placeIn(database: Sqlite, path: string, signal: AbortSignal): ImportPlace {
  const columnsOf = readColumns(database)
  const isTable = tablesOf(database)
  const isThere = ({ name }: Relation) => columnsOf(name).size > 0
  const lacksRelations = !relations.every(isThere)
  const present = (relation: Relation) => columnsIn(relation, columnsOf(relation.name))
  const tables = stagedTables(database, { isThere, columnsOf: present }, signal)
  const versionOf = () => database.prepare('PRAGMA main.data_version').get()?.['data_version']
  const compare: ImportPlace['compare'] = (staged, options) =>
    writingTemporary({ readsFile: true }, () => compareAll(staged, tables, options))
  return {
    name: path,
    engine: 'sqlite',
    lacksRelations,
    problemOf: (relation) => relationProblem(relation, isTable(relation), columnsOf(relation.name)),
    columnsOf: present,
    limitsOf: () => new Map(),
    stageFor: async (relation) => makeStage(database, relation),
    stage: tables.stage,
    compare,
    rows: tables.rows,
    async write(staged, options) {
      const version = versionOf()
      let compared = await chosen(await compare(staged, options), options)
      if (!lacksRelations && compared.every((each) => countChanges(each) === 0)) return compared
      useWal(database, path, options.remark)
      // Tills wait from here on.
      database.exec('BEGIN IMMEDIATE')
      try {
        if (lacksRelations) run(database, tableStatements(sqliteSchema))
        // If the file has not changed since, the comparison is still valid.
        if (versionOf() !== version) compared = await compare(compared, options)
        const changing = compared.filter((each) => countChanges(each) > 0)
        const rebuilt = dropForBulk(database, changing)
        await writeAll(changing, tables, options)
        await eachWithProgress('indexes', rebuilt, options.onProgress, async (statement) => {
          database.exec(statement)
          await checkSignal(signal)
        })
        await checkSignal(signal)
        options.onCommit()
        database.exec('COMMIT')
      } catch (error) {
        if (database.isTransaction) database.exec('ROLLBACK')
        throw error
      }
      shortenLog(database)
      return compared
    },
  }
}

const rowsOf = (database: Sqlite, { name }: Relation) =>
  Number(database.prepare(`SELECT count(*) AS n FROM main.${quote(name)}`).get()?.['n'])

// A signal may have arrived.
async function checkSignal(signal: AbortSignal): Promise<void> {
  await pause()
  signal.throwIfAborted()
}

// If much changes, drops our indexes and an intact journal, and returns the statements that make them again. A new journal invalidates
// everything that was cached with the old one.
function dropForBulk(database: Sqlite, changing: readonly RelationChanges[]): string[] {
  const bulk = changing.filter((each) => isBulk(each, rowsOf(database, each.relation)))
  if (bulk.length === 0) return []
  const definition = database.prepare('SELECT sql FROM main.sqlite_schema WHERE name = ?')
  const indexes = bulk.flatMap(({ relation }) =>
    sqliteSchema.indexes(relation).flatMap((statement) => {
      const name = parentIndexName(relation)
      const isOurs = definition.get(name)?.['sql'] === statement.replace('IF NOT EXISTS ', '')
      return isOurs ? [{ name, statement }] : []
    }),
  )
  const isTable = tablesOf(database)
  const isWhole = findSqliteJournal(database, isTable).faults.length === 0
  run(database, [...indexes.map(({ name }) => `DROP INDEX main.${quote(name)}`), ...(isWhole ? dropJournal : [])])
  return [...indexes.map(({ statement }) => statement), ...(isWhole ? makeJournal(relations.filter(isTable)) : [])]
}

// The log has grown to the size of the import. It can be truncated only while nothing reads.
function shortenLog(database: Sqlite): void {
  database.exec('PRAGMA busy_timeout = 0')
  try {
    database.exec('PRAGMA wal_checkpoint(TRUNCATE)')
  } catch {
    // It stays large, which does no harm.
  }
}
