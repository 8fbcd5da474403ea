// Which tallies a PostgreSQL database keeps, of those that the role may read.
import { nameOf, tallies } from '../../catalogue/tallies.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { quote } from '../../sql/dialect.ts'
import { isTallied, tallyTables } from '../../sql/postgres-tallies.ts'

interface FoundTallies {
  readonly kept: Set<string>
  // There, and not to be trusted.
  readonly stale: readonly string[]
}

export const keptTallies = async (connection: PostgresConnection): Promise<Set<string>> =>
  (await findTallies(connection)).kept

export async function findTallies(connection: PostgresConnection): Promise<FoundTallies> {
  const names = tallies.flatMap((tally) => [...tally.relations.map(({ name }) => name), ...tallyTables(tally)])
  const rows = await connection.rows(
    `SELECT name FROM unnest($1::text[]) AS u (name)
     WHERE has_table_privilege(to_regclass(quote_ident(name)), 'SELECT')`,
    [names],
  )
  const readable = new Set(rows.map(([name]) => name))
  const there = tallies.filter((tally) =>
    [...tally.relations.map(({ name }) => name), ...tallyTables(tally)].every((name) => readable.has(name)),
  )
  const kept = new Set<string>()
  for (const tally of there) {
    const [row] = await connection.rows(`SELECT ${isTallied(tally)} FROM (SELECT 1) ${quote('one')}`)
    if (row?.[0] === true) kept.add(nameOf(tally))
  }
  return { kept, stale: there.map(nameOf).filter((name) => !kept.has(name)) }
}
