// Imports into a SQLite file. Tills wait only while rows are written; readers never wait.
import { existsSync, rmSync, statSync } from 'node:fs'
import { dirname } from 'node:path'
import { setImmediate as pause } from 'node:timers/promises'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { posDatabase, readColumns } from '../../engine/sqlite/check.ts'
import { isViewsFile } from '../../engine/sqlite/views-file.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../platform/files.ts'
import { tableStatements } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { fileProblem, openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'
import { run, tablesOf, useWal } from '../schema/apply-sqlite.ts'
import { comparisonIn, makeStage, writingTemporary } from './stage-sqlite.ts'
import {
  compareAll,
  countChanges,
  relationProblem,
  type RelationChanges,
  type ImportPlace,
  type PlaceOptions,
  type Staged,
  type UsePlace,
  type WriteOptions,
} from './place.ts'
import { writeStaged } from './write-sqlite.ts'

const lockTimeoutMs = 10_000
const constraint = 19

export async function withFile<Result>(
  path: string,
  { isDryRun }: PlaceOptions,
  use: UsePlace<Result>,
): Promise<Result> {
  const isNew = !existsSync(path)
  if (!isNew && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
  if (!isNew && isViewsFile(path))
    throw new OperatorError(`${path} shows another file through views: import into the file that they read.`)
  if (isNew && !isDryRun) makeFolder(dirname(path))
  let database: Sqlite | undefined
  try {
    database = openSqlite(isNew && isDryRun ? ':memory:' : path, { lockTimeoutMs })
    database.exec('PRAGMA cache_size = -65536; PRAGMA temp.cache_size = -65536; PRAGMA threads = 2')
    return await use(placeIn(database, path))
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

function placeIn(database: Sqlite, path: string): ImportPlace {
  const columnsOf = readColumns(database)
  const isTable = tablesOf(database)
  const isThere = ({ name }: Relation) => columnsOf(name).size > 0
  const lacksRelations = !relations.every(isThere)
  const versionOf = () => database.prepare('PRAGMA main.data_version').get()?.['data_version']
  const compare: ImportPlace['compare'] = (staged, options) =>
    writingTemporary(() => compareAll(staged, comparisonIn(database, isThere), options), { readsFile: true })

  // Tills wait from here on.
  const writeLocked = async (
    staged: readonly Staged[],
    options: WriteOptions,
    known: () => RelationChanges[] | undefined,
  ) => {
    database.exec('BEGIN IMMEDIATE')
    try {
      if (lacksRelations) run(database, tableStatements(sqliteSchema))
      const compared = known() ?? (await compare(staged, options))
      await writeStaged(database, compared, options)
      // A signal may have arrived.
      await pause()
      options.signal.throwIfAborted()
      options.onCommit()
      database.exec('COMMIT')
      return compared
    } catch (error) {
      if (database.isTransaction) database.exec('ROLLBACK')
      throw error
    }
  }

  return {
    name: path,
    engine: 'sqlite',
    lacksRelations,
    problemOf: (relation) => relationProblem(relation, isTable(relation), columnsOf(relation.name)),
    limitsOf: () => new Map(),
    stageFor: async (relation) => makeStage(database, relation),
    compare,
    async rows(statement, values) {
      const prepared = database.prepare(statement)
      prepared.setReturnArrays(true)
      return prepared.all(...values) as unknown as readonly unknown[][]
    },
    async write(staged, options) {
      const version = versionOf()
      const compared = await compare(staged, options)
      if (!lacksRelations && compared.every((each) => countChanges(each) === 0)) return compared
      useWal(database, path, options.remark)
      // If the file has not changed since, the comparison is still valid.
      const written = await writeLocked(staged, options, () => (versionOf() === version ? compared : undefined))
      shortenLog(database)
      return written
    },
  }
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
