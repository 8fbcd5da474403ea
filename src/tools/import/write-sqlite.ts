// Writes staged rows into the relations of a SQLite file, within the transaction that the caller has begun. Where much changes, indexes,
// search indexes and tallies are taken away first and made anew at the end, which others see as one step with the rows.
import { nameOf, tallies } from '../../catalogue/tallies.ts'
import type { Relation } from '../../contract/relation.ts'
import { searchedRelations } from '../../contract/relations.ts'
import { keptSearches } from '../../engine/sqlite/searches.ts'
import { keptTallies } from '../../engine/sqlite/tallies.ts'
import { quote } from '../../sql/dialect.ts'
import { indexName } from '../../sql/shared-terms.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { searchTriggers } from '../../sql/sqlite-search.ts'
import { tallyTriggers } from '../../sql/sqlite-tallies.ts'
import type { Sqlite } from '../../sqlite.ts'
import { eachWithProgress } from '../progress.ts'
import { run } from '../schema/apply-sqlite.ts'
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

// Takes away what is ours and in order, and tells how to make it again. What is not in order stays as it is: the service does not
// use it, and "schema apply" makes it anew.
function takeAway(database: Sqlite, relations: readonly Relation[]): string[] {
  if (relations.length === 0) return []
  const [keptCounts, keptWords] = [keptTallies(database), keptSearches(database)]
  const definition = database.prepare('SELECT sql FROM main.sqlite_schema WHERE name = ?')
  const indexes = relations.flatMap((relation) =>
    sqliteSchema.indexes(relation).flatMap((statement, at) => {
      const name = indexName(relation, relation.indexes[at] ?? [])
      const isOurs = definition.get(name)?.['sql'] === statement.replace('IF NOT EXISTS ', '')
      return isOurs ? [{ name, statement }] : []
    }),
  )
  const searched = relations.filter(({ name }) => keptWords.has(name))
  const counted = tallies.filter(
    (tally) => keptCounts.has(nameOf(tally)) && tally.relations.some((each) => relations.includes(each)),
  )
  const triggers = [...searched.flatMap(searchTriggers), ...counted.flatMap(tallyTriggers)]
  run(database, [
    ...indexes.map(({ name }) => `DROP INDEX main.${quote(name)}`),
    ...triggers.map(({ name }) => `DROP TRIGGER main.${quote(name)}`),
  ])
  return [
    ...indexes.map(({ statement }) => statement),
    ...searched.flatMap((relation) => sqliteSchema.searchIndex(relation)),
    ...counted.flatMap((tally) => sqliteSchema.tally(tally)),
    // All that was trusted is again: the schema has changed and is what it was.
    ...sqliteSchema.trust(
      tallies.filter((tally) => keptCounts.has(nameOf(tally))),
      searchedRelations.filter(({ name }) => keptWords.has(name)),
    ),
  ]
}
