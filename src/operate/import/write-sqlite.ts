// Writes staged rows into the relations of a SQLite file, within the caller's transaction. If much changes, indexes and the
// journal are dropped first and made again at the end.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import { dropJournal, makeJournal } from '../../sql/journal-sqlite.ts'
import { parentIndexName } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { eachWithProgress } from '../progress.ts'
import { run, tablesOf } from '../schema/apply-sqlite.ts'
import { findSqliteJournal } from '../schema/journal.ts'
import { keyRanges, tables } from './stage-sqlite.ts'
import {
  countChanges,
  isBulk,
  isMissing,
  rowProgress,
  writeStatements,
  type RelationChanges,
  type WriteOptions,
} from './place.ts'

export async function writeStaged(
  database: Sqlite,
  compared: readonly RelationChanges[],
  options: WriteOptions,
): Promise<void> {
  const { onProgress, signal } = options
  const changing = compared.filter((each) => countChanges(each) > 0)
  const bulk = changing.filter((each) => isBulk(countChanges(each), rowsOf(database, each.relation) + each.counts.new))
  const rebuilt = dropForBulk(
    database,
    bulk.map(({ relation }) => relation),
  )
  const onRows = rowProgress(changing, options)
  for (const each of changing) await writeRelation(database, each, options, onRows)
  await eachWithProgress('indexes', rebuilt, onProgress, async (statement) => {
    signal.throwIfAborted()
    database.exec(statement)
    // A signal may have arrived.
    await new Promise(setImmediate)
  })
}

const rowsOf = (database: Sqlite, relation: Relation) =>
  Number(database.prepare(`SELECT count(*) AS n FROM ${tables.table(relation)}`).get()?.['n'])

async function writeRelation(
  database: Sqlite,
  changes: RelationChanges,
  { signal, stampedAt }: WriteOptions,
  onRows: (count: number) => void,
): Promise<void> {
  const { relation, counts } = changes
  // Deleted rows first, because a new row may have the same unique values.
  if (counts.deleted > 0) {
    const remove = `DELETE FROM ${tables.table(relation)} AS m WHERE ${isMissing(changes, tables)}`
    onRows(Number(database.prepare(remove).run().changes))
  }
  const chosen = `p.${quote(relation.key[0] ?? '')} BETWEEN ? AND ?`
  const steps = writeStatements(changes, tables, stampedAt, chosen).map((statement) => database.prepare(statement))
  if (steps.length === 0) return
  for await (const [from, to] of keyRanges(database, relation, tables.plan(relation), signal))
    for (const step of steps) onRows(Number(step.run(from, to).changes))
}

// Drops our indexes and an intact journal, and returns the statements that make them again. A new journal invalidates
// everything that was cached with the old one.
function dropForBulk(database: Sqlite, bulk: readonly Relation[]): string[] {
  if (bulk.length === 0) return []
  const definition = database.prepare('SELECT sql FROM main.sqlite_schema WHERE name = ?')
  const indexes = bulk.flatMap((relation) =>
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
