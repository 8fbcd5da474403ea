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
import { keyRanges, planTable, stageTable } from './stage-sqlite.ts'
import { countChanges, isBulk, isMissing, sameKey, written, type RelationChanges, type WriteOptions } from './place.ts'

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
  const total = changing.reduce((sum, each) => sum + countChanges(each), 0)
  let done = 0
  const onRows = (count: number) => {
    done += count
    onProgress({ what: 'writing', done, total })
  }
  for (const each of changing) await writeRelation(database, each, options, onRows)
  await eachWithProgress('indexes', rebuilt, onProgress, async (statement) => {
    signal.throwIfAborted()
    database.exec(statement)
    // A signal may have arrived.
    await new Promise(setImmediate)
  })
}

const rowsOf = (database: Sqlite, { name }: Relation) =>
  Number(database.prepare(`SELECT count(*) AS n FROM main.${quote(name)}`).get()?.['n'])

async function writeRelation(
  database: Sqlite,
  changes: RelationChanges,
  { signal, stampedAt }: WriteOptions,
  onRows: (count: number) => void,
): Promise<void> {
  const { relation, counts } = changes
  const table = `main.${quote(relation.name)}`
  const [plan, stage] = [planTable(relation), stageTable(relation)]
  const names = Object.keys(relation.columns)
  const columns = names.map(quote).join(', ')
  const chosen = `p.${quote(relation.key[0] ?? '')} BETWEEN ? AND ?`
  // Deleted rows first, because a new row may have the same unique values.
  if (counts.deleted > 0)
    onRows(Number(database.prepare(`DELETE FROM ${table} AS m WHERE ${isMissing(changes, stageTable)}`).run().changes))
  const sets = names
    .filter((name) => !relation.key.includes(name))
    .map((name) => `${quote(name)} = ${written(name, stampedAt)}`)
  const steps = [
    ...(counts.changed > 0
      ? [
          `UPDATE ${table} AS m SET ${sets.join(', ')} FROM ${plan} p CROSS JOIN ${stage} s\n` +
            `WHERE ${sameKey(relation, 's', 'p')} AND ${sameKey(relation, 'm', 'p')} AND NOT p.is_new AND ${chosen}`,
        ]
      : []),
    ...(counts.new > 0
      ? [
          `INSERT INTO ${table} (${columns}) SELECT ${names.map((name) => written(name, stampedAt)).join(', ')}\n` +
            `FROM ${plan} p CROSS JOIN ${stage} s ON ${sameKey(relation, 's', 'p')} WHERE p.is_new AND ${chosen}`,
        ]
      : []),
  ].map((statement) => database.prepare(statement))
  if (steps.length === 0) return
  for await (const [from, to] of keyRanges(database, relation, plan, signal))
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
