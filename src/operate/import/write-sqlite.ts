// Writes staged rows into the relations of a SQLite file, within the transaction that the caller has begun. Where much changes, indexes
// and the journal are taken away first and made anew at the end, which others see as one step with the rows.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import { dropJournal, makeJournal } from '../../sql/journal-sqlite.ts'
import { parentIndexName } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { eachWithProgress } from '../progress.ts'
import { run, tablesOf } from '../schema/apply-sqlite.ts'
import { findJournal } from '../schema/journal-of-sqlite.ts'
import { isMissing, keyRanges } from './compare-sqlite.ts'
import { changesOf, isBulk, sameKey, type Compared, type WriteOptions } from './place.ts'
import { planTable, stageTable } from './stage-sqlite.ts'

export async function writeStaged(
  database: Sqlite,
  compared: readonly Compared[],
  { onProgress, signal }: Pick<WriteOptions, 'onProgress' | 'signal'>,
): Promise<void> {
  const changing = compared.filter((each) => changesOf(each) > 0)
  const bulk = changing.filter((each) => isBulk(changesOf(each), rowsOf(database, each.relation) + each.counts.new))
  const rebuilt = takeAway(
    database,
    bulk.map(({ relation }) => relation),
  )
  const total = changing.reduce((sum, each) => sum + changesOf(each), 0)
  let done = 0
  const onRows = (count: number) => {
    done += count
    onProgress({ what: 'writing', done, total })
  }
  for (const each of changing) await writeRelation(database, each, signal, onRows)
  await eachWithProgress('indexes', rebuilt, onProgress, async (statement) => {
    signal.throwIfAborted()
    database.exec(statement)
    // Somebody may have asked to stop.
    await new Promise(setImmediate)
  })
}

const rowsOf = (database: Sqlite, { name }: Relation) =>
  Number(database.prepare(`SELECT count(*) AS n FROM main.${quote(name)}`).get()?.['n'])

async function writeRelation(
  database: Sqlite,
  { relation, counts }: Compared,
  signal: AbortSignal,
  onRows: (count: number) => void,
): Promise<void> {
  const table = `main.${quote(relation.name)}`
  const [plan, stage] = [planTable(relation), stageTable(relation)]
  const names = Object.keys(relation.columns)
  const columns = names.map(quote).join(', ')
  const chosen = `p.${quote(relation.key[0] ?? '')} BETWEEN ? AND ?`
  // First of all: what takes the place of a row may be like it.
  if (counts.deleted > 0)
    onRows(Number(database.prepare(`DELETE FROM ${table} AS m WHERE ${isMissing(relation)}`).run().changes))
  const sets = names.filter((name) => !relation.key.includes(name)).map((name) => `${quote(name)} = s.${quote(name)}`)
  const steps = [
    ...(counts.changed > 0
      ? [
          `UPDATE ${table} AS m SET ${sets.join(', ')} FROM ${plan} p CROSS JOIN ${stage} s\n` +
            `WHERE ${sameKey(relation, 's', 'p')} AND ${sameKey(relation, 'm', 'p')} AND NOT p.is_new AND ${chosen}`,
        ]
      : []),
    ...(counts.new > 0
      ? [
          `INSERT INTO ${table} (${columns}) SELECT ${names.map((name) => `s.${quote(name)}`).join(', ')}\n` +
            `FROM ${plan} p CROSS JOIN ${stage} s ON ${sameKey(relation, 's', 'p')} WHERE p.is_new AND ${chosen}`,
        ]
      : []),
  ].map((statement) => database.prepare(statement))
  if (steps.length === 0) return
  for await (const [from, to] of keyRanges(database, relation, plan, signal))
    for (const step of steps) onRows(Number(step.run(from, to).changes))
}

// Takes away the indexes that are ours and the journal, if it is in order, and tells how to make them again. The journal is then
// another one: whatever was remembered of the old one is void.
function takeAway(database: Sqlite, bulk: readonly Relation[]): string[] {
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
  const isWhole = findJournal(database, isTable).faults.length === 0
  run(database, [...indexes.map(({ name }) => `DROP INDEX main.${quote(name)}`), ...(isWhole ? dropJournal : [])])
  return [...indexes.map(({ statement }) => statement), ...(isWhole ? makeJournal(relations.filter(isTable)) : [])]
}
