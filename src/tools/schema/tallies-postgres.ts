// Makes the tallies that a PostgreSQL database does not keep yet, while the tills are writing.
import { nameOf, tallies, type Tally } from '../../catalogue/tallies.ts'
import { keptTallies } from '../../engine/postgres/tallies.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { postgresTallySteps } from '../../sql/postgres-tallies.ts'
import { eachWithProgress, type OnProgress } from '../progress.ts'

export async function makeTallies(
  connection: PostgresConnection,
  isTable: (relation: string) => boolean,
  onProgress: OnProgress,
): Promise<number> {
  const kept = await keptTallies(connection)
  const missing = tallies.filter(
    (tally) => !kept.has(nameOf(tally)) && tally.relations.every(({ name }) => isTable(name)),
  )
  await eachWithProgress('tallies', missing, onProgress, (tally) => makeTally(connection, tally))
  return missing.length
}

// Writers wait while the triggers are made, not while rows are counted: that sees one snapshot.
async function makeTally(connection: PostgresConnection, tally: Tally): Promise<void> {
  const { make, fill, lockKey } = postgresTallySteps(tally)
  await connection.script(`BEGIN; ${make.join(';\n')}; COMMIT`)
  await connection.script(`SELECT pg_advisory_lock(${lockKey})`)
  await connection.script(`BEGIN ISOLATION LEVEL REPEATABLE READ; ${fill.join(';\n')}; COMMIT`)
  await connection.script(`SELECT pg_advisory_unlock(${lockKey})`)
}
