// `schema apply` and `schema remove` on a SQLite file, in turns with the tills.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { lackingColumns } from '../../engine/missing-parts.ts'
import { posDatabase, readColumns } from '../../engine/sqlite/check.ts'
import { isViewsFile } from '../../engine/sqlite/views-file.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../platform/files.ts'
import { dropJournal, journalReading, makeJournal } from '../../sql/journal-sqlite.ts'
import { parentIndexName } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { fileProblem, hasLog, openSqlite, readSqliteHeader, type Sqlite } from '../../platform/sqlite.ts'
import { eachWithProgress } from '../progress.ts'
import { earlierInSqlite } from './earlier-versions.ts'
import { findJournal } from './journal-of-sqlite.ts'
import { earlierStep, tellPlan, type Change, type Changed, type ChangeOptions, type Plan, type Step } from './plan.ts'
import { inTurns } from './turns.ts'

export async function changeFile(path: string, what: Change, options: ChangeOptions): Promise<Changed> {
  const isNew = !existsSync(path)
  if (isNew && what === 'remove') throw new OperatorError(`There is no ${path}.`, 1)
  makeFolder(dirname(path))
  let database: Sqlite | undefined
  try {
    if (!isNew && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
    if (!isNew && isViewsFile(path))
      throw new OperatorError(`${path} shows another file through views: there is nothing of ours in it.`)
    database = openSqlite(path, { lockTimeoutMs: 5000 })
    if (what === 'apply') keepLog(database, isNew, options.remark)
    const steps = await inTurns(database, async (turn, open) => {
      const { steps, remarks } = await turn(() => (what === 'apply' ? planToApply(open, path) : planToRemove(open)))
      tellPlan({ steps, remarks }, options)
      const parts = steps.flatMap((step) => step.parts)
      await eachWithProgress('steps', parts, options.onProgress, (statements) => turn(() => run(open, statements)))
      return steps
    })
    return { database: path, steps: steps.map(({ says }) => says) }
  } catch (error) {
    const problem = fileProblem(posDatabase(path), error)
    throw problem === undefined ? error : new OperatorError(problem, 1)
  } finally {
    database?.close()
  }
}

// Readers then never hold up the point-of-sale system's writers, nor they the readers.
function keepLog(database: Sqlite, isNew: boolean, remark: (text: string) => void): void {
  if (hasLog(database)) return
  if (!isNew) remark('Switch to write-ahead logging (WAL), so that readers and writers do not wait for each other.')
  database.exec('PRAGMA journal_mode = WAL')
}

export const run = (database: Sqlite, statements: readonly string[]) => {
  for (const statement of statements) database.exec(statement)
}

// A table that was there and lacks columns is told of before anything is made.
function planToApply(database: Sqlite, path: string): Plan {
  const columnsOf = readColumns(database)
  const lacking = lackingColumns(path, columnsOf)
  if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
  const missing = relations.filter(({ name }) => columnsOf(name).size === 0)
  const isThere = tablesOf(database)
  const isTable = (relation: Relation) => isThere(relation) || missing.includes(relation)
  const others = relations.filter((relation) => !isTable(relation)).map(({ name }) => name)
  const silent = database.prepare(journalReading.silentlyReplaced).all()
  return {
    steps: [
      ...stepFor(
        'relations',
        missing,
        ({ name }) => name,
        (relation) => sqliteSchema.tables(relation),
      ),
      ...earlierSteps(database),
      ...parentIndexes(database, relations.filter(isTable)),
      ...journalSteps(database, relations.filter(isTable)),
    ],
    remarks: [
      ...(others.length > 0 ? [`Not in the journal, because they are no tables: ${others.join(', ')}.`] : []),
      ...silent.map(
        ({ relation }) =>
          `${String(relation)} has another unique index than its key, by which INSERT OR REPLACE can remove rows unseen: its lists are found by plain SQL.`,
      ),
    ],
  }
}

export const stepFor = <Item>(
  what: string,
  items: readonly Item[],
  nameOf: (item: Item) => string,
  make: (item: Item) => string[],
): Step[] =>
  items.length === 0
    ? []
    : [{ says: `Make ${items.length} ${what}: ${items.map(nameOf).join(', ')}.`, parts: items.map(make) }]

// The parts of a record are found by it. Any index that begins with it will do.
function parentIndexes(database: Sqlite, tables: readonly Relation[]): Step[] {
  const firstColumns = database.prepare(
    `SELECT lower(x.name) AS name FROM pragma_index_list(?) i JOIN pragma_index_info(i.name) x ON x.seqno = 0 WHERE NOT i.partial`,
  )
  const isTaken = database.prepare('SELECT 1 FROM sqlite_schema WHERE name = ?')
  const lacking = tables.filter(
    ({ name, parent }) => parent !== undefined && !firstColumns.all(name).some((found) => found['name'] === parent),
  )
  return indexSteps(
    lacking,
    (name) => isTaken.get(name) !== undefined,
    (relation) => sqliteSchema.indexes(relation),
  )
}

// A table that was renamed keeps its indexes, and the name of an index is one for the whole database: then it gets another.
export function indexSteps(
  lacking: readonly Relation[],
  isTaken: (name: string) => boolean,
  make: (relation: Relation) => string[],
): Step[] {
  const nameFor = (relation: Relation) => {
    const name = parentIndexName(relation)
    return isTaken(name) ? `vitrine_${name}` : name
  }
  return stepFor('indexes', lacking, nameFor, (relation) =>
    make(relation).map((statement) => statement.replace(`"${parentIndexName(relation)}"`, `"${nameFor(relation)}"`)),
  )
}

function journalSteps(database: Sqlite, tables: readonly Relation[]): Step[] {
  const { isThere, faults } = findJournal(database, (relation) => tables.includes(relation))
  if (faults.length === 0) return []
  const why = isThere ? ` anew, because these are missing or were changed: ${faults.join(', ')}` : ''
  const says = `Make the journal${why}: the table vitrine_journal, and triggers on ${tables.length} relations that write into it which records changed.`
  return [{ says, parts: [[...dropJournal, ...makeJournal(tables)]] }]
}

const earlierSteps = (database: Sqlite): Step[] => {
  const rows = database.prepare('SELECT type, name, sql FROM sqlite_schema WHERE sql IS NOT NULL').all()
  const objects = rows.map(({ type, name, sql }) => ({ type: String(type), name: String(name), sql: String(sql) }))
  return earlierInSqlite(objects).map(earlierStep)
}

function planToRemove(database: Sqlite): Plan {
  const journal = database
    .prepare(`SELECT 1 FROM sqlite_schema WHERE type IN ('table', 'trigger') AND name LIKE 'vitrine~_%' ESCAPE '~'`)
    .get()
  return {
    steps: [...(journal ? [{ says: removeJournal, parts: [dropJournal] }] : []), ...earlierSteps(database)],
    remarks: [staysWhole],
  }
}

export const removeJournal = 'Remove the journal: the table vitrine_journal, and its triggers on the relations.'
export const staysWhole =
  'The relations stay as they are, with their rows, keys and the indexes by which the parts of a record are found.'

export function tablesOf(database: Sqlite): (relation: Relation) => boolean {
  const rows = database.prepare("SELECT lower(name) AS name FROM sqlite_schema WHERE type = 'table'").all()
  const names = new Set(rows.map(({ name }) => name))
  return ({ name }) => names.has(name)
}
