// Makes the tallies that a PostgreSQL database does not keep yet, or all of them, while the tills are writing.
import { nameOf, tallies, type Tally } from '../../catalogue/tallies.ts'
import { readColumns } from '../../engine/postgres/check.ts'
import { keptTallies } from '../../engine/postgres/tallies.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { quote } from '../../sql/dialect.ts'
import { addChanges, postgresTallySteps, strayTriggers, tallyColumns } from '../../sql/postgres-tallies.ts'
import { eachWithProgress, type OnProgress } from '../progress.ts'
import { insist } from './insist.ts'

export async function makeTallies(
  connection: PostgresConnection,
  url: PostgresUrl,
  isTable: (relation: string) => boolean,
  { onProgress, rebuild }: { readonly onProgress: OnProgress; readonly rebuild: boolean },
): Promise<number> {
  const kept = rebuild ? new Set<string>() : await keptTallies(connection)
  // Nobody folds who writes in another isolation than the usual one.
  for (const tally of tallies.filter((each) => kept.has(nameOf(each))))
    await connection.script(`SELECT ${quote(`${nameOf(tally)}_tally_fold`)}()`)
  const missing = tallies.filter(
    (tally) => !kept.has(nameOf(tally)) && tally.relations.every(({ name }) => isTable(name)),
  )
  if (missing.length === 0) return 0
  const columns = await readColumns(connection, url)
  await eachWithProgress('tallies', missing, onProgress, async (tally) => {
    const changes = Object.entries(tallyColumns(tally)).flatMap(([name, wanted]) => {
      const found = columns.get(name)
      if (!found || haveSame(wanted, [...found.keys()])) return []
      return [haveSame(wanted, [...found.keys(), 'changes']) ? addChanges(name) : `DROP TABLE ${quote(name)}`]
    })
    await makeTally(connection, tally, changes)
  })
  return missing.length
}

const haveSame = (some: readonly string[], others: readonly string[]) =>
  some.toSorted().join() === others.toSorted().join()

// `changes` gives tables of another make the columns they have now, or drops them.
async function makeTally(connection: PostgresConnection, tally: Tally, changes: readonly string[]): Promise<void> {
  const { dropTriggers, makeTables, makeTriggers, fill, lockKey } = postgresTallySteps(tally)
  for (const statements of dropTriggers) await insist(connection, statements)
  for (const [drop] of await connection.rows(strayTriggers(tally))) await insist(connection, [String(drop)])
  if (changes.length > 0) await insist(connection, changes)
  await connection.script(`BEGIN; ${makeTables.join(';\n')}; COMMIT`)
  for (const statements of makeTriggers) await insist(connection, statements)
  await connection.script(`SELECT pg_advisory_lock(${lockKey})`)
  await connection.script(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${fill.join(';\n')}; COMMIT`)
  await connection.script(`SELECT pg_advisory_unlock(${lockKey})`)
}
