// `schema apply` and `schema remove` on a SQLite file, while tills write to it.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { absentColumns, lackingColumns } from '../../engine/missing-parts.ts'
import { posDatabase, readColumns } from '../../engine/sqlite/check.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../platform/files.ts'
import { dropJournal, journalReading, keepRows, makeJournal } from '../../sql/journal-sqlite.ts'
import { sqliteSchema, sqliteTypes } from '../../sql/sqlite-schema.ts'
import { fileProblem, hasLog, openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'
import { eachWithProgress } from '../progress.ts'
import { findSqliteJournal } from './journal.ts'
import {
  announcePlan,
  columnSteps,
  copyMarksTable,
  indexSteps,
  journalSteps,
  lackingRemark,
  lengthSteps,
  relationsStay,
  refuseCopy,
  removeJournal,
  tableSteps,
  type SchemaCommand,
  type SchemaOptions,
  type SchemaPlan,
  type SchemaResult,
  type SchemaStep,
} from './plan.ts'

// Tills wait while our transaction is open. A pause is longer than the tenth of a second after which SQLite tries a lock again.
const longestTransactionMs = 100
const pauseMs = 150

export async function changeFile(path: string, command: SchemaCommand, options: SchemaOptions): Promise<SchemaResult> {
  const isNew = !existsSync(path)
  if (isNew && command === 'remove') throw new OperatorError(`There is no ${path}.`, 1)
  makeFolder(dirname(path))
  let database: Sqlite | undefined
  try {
    if (!isNew && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
    const open = (database = openSqlite(path))
    if (command === 'apply') useWal(open, path, options.remark)
    open.exec('BEGIN IMMEDIATE')
    let begunAt = performance.now()
    const plan = command === 'apply' ? planToApply(open, path, options.journalRows) : planToRemove(open)
    announcePlan(plan, options)
    const parts = plan.steps.flatMap((step) => step.parts)
    await eachWithProgress('steps', parts, options.onProgress, async (statements) => {
      if (performance.now() - begunAt > longestTransactionMs) {
        await pauseForTills(open)
        begunAt = performance.now()
      }
      run(open, statements)
    })
    open.exec('COMMIT')
    return { database: path, steps: plan.steps.map(({ summary }) => summary) }
  } catch (error) {
    const problem = fileProblem(posDatabase(path), error)
    throw problem === undefined ? error : new OperatorError(problem, 1)
  } finally {
    // Rolls back an open transaction.
    database?.close()
  }
}

async function pauseForTills(database: Sqlite): Promise<void> {
  const version = () => database.prepare('PRAGMA schema_version').get()?.['schema_version']
  const before = version()
  database.exec('COMMIT')
  await wait(pauseMs)
  database.exec('BEGIN IMMEDIATE')
  if (version() !== before)
    throw new OperatorError('Another program changed the schema meanwhile. Run the command again.', 1)
}

// Readers and writers then do not wait for each other.
export function useWal(database: Sqlite, path: string, remark: (text: string) => void): void {
  if (hasLog(database)) return
  const isUsed = database.prepare('SELECT 1 FROM main.sqlite_schema LIMIT 1').get() !== undefined
  database.exec('PRAGMA journal_mode = WAL')
  if (isUsed)
    remark(
      `${path} has write-ahead logging (WAL) from now on, for all programs that use it: readers and writers do not wait for each other.`,
    )
}

export const run = (database: Sqlite, statements: readonly string[]) => {
  for (const statement of statements) database.exec(statement)
}

// A table that lacks a required column is reported before anything is changed: rows without a status or a store would be wrong.
function planToApply(database: Sqlite, path: string, journalRows: number | undefined): SchemaPlan {
  const columnsOf = readColumns(database)
  const lacking = lackingColumns(path, columnsOf)
  if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
  const missing = relations.filter(({ name }) => columnsOf(name).size === 0)
  const isThere = tablesOf(database)
  const tables = relations.filter((relation) => isThere(relation) || missing.includes(relation))
  const others = relations.filter((relation) => !tables.includes(relation)).map(({ name }) => name)
  const incomplete = Object.groupBy(absentColumns(columnsOf, 'not required'), ({ relation }) =>
    isThere(relation) ? 'tables' : 'others',
  )
  const journal = findSqliteJournal(database, (relation) => tables.includes(relation))
  const silent = database.prepare(journalReading.silentlyReplaced).all()
  return {
    steps: [
      ...tableSteps(missing, (relation) => sqliteSchema.tables(relation)),
      ...columnSteps(incomplete.tables ?? [], sqliteTypes),
      ...parentIndexSteps(database, tables),
      ...journalSteps(journal, tables.length, [[...dropJournal, ...makeJournal(tables)]]),
      ...lengthSteps(journal, journalRows, keepRows),
    ],
    remarks: [
      ...(others.length > 0 ? [`Not in the journal, because they are no tables: ${others.join(', ')}.`] : []),
      ...lackingRemark(incomplete.others ?? []),
      ...silent.map(
        ({ relation }) =>
          `${String(relation)} has another unique index than its key, by which INSERT OR REPLACE can remove rows unseen: its lists are found by plain SQL.`,
      ),
    ],
  }
}

// The parts of a record are found by this index. Any index that begins with the parent's id will do.
function parentIndexSteps(database: Sqlite, tables: readonly Relation[]): SchemaStep[] {
  const firstColumns = database.prepare(
    `SELECT lower(x.name) AS name FROM pragma_index_list(?) i JOIN pragma_index_info(i.name) x ON x.seqno = 0 WHERE NOT i.partial`,
  )
  const isTaken = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?')
  const lacking = tables.filter(
    ({ name, parent }) => parent !== undefined && !firstColumns.all(name).some((row) => row['name'] === parent),
  )
  return indexSteps(
    lacking,
    (name) => isTaken.get(name) !== undefined,
    (relation) => sqliteSchema.indexes(relation),
  )
}

function planToRemove(database: Sqlite): SchemaPlan {
  if (database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?').get(copyMarksTable)) throw refuseCopy()
  const journal = database
    .prepare(`SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'trigger') AND name LIKE 'vitrine~_%' ESCAPE '~'`)
    .get()
  return { steps: journal ? [{ summary: removeJournal, parts: [dropJournal] }] : [], remarks: [relationsStay] }
}

export function tablesOf(database: Sqlite): (relation: Relation) => boolean {
  const rows = database.prepare("SELECT lower(name) AS name FROM sqlite_schema WHERE type = 'table'").all()
  const names = new Set(rows.map(({ name }) => name))
  return ({ name }) => names.has(name)
}
