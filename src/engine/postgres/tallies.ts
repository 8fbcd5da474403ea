// Which tallies a PostgreSQL database keeps, of those that the role may read.
import { nameOf, tallies, type Tally } from '../../catalogue/tallies.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { quote } from '../../sql/dialect.ts'
import { isTallied, tallyTables } from '../../sql/postgres-tallies.ts'

interface FoundTallies {
  readonly kept: Set<string>
  // There, and not to be trusted.
  readonly stale: readonly string[]
}

const relationsOf = ({ relations }: Tally) => relations.map(({ name }) => name)

export const keptTallies = async (connection: PostgresConnection): Promise<Set<string>> =>
  (await findTallies(connection)).kept

export async function findTallies(connection: PostgresConnection): Promise<FoundTallies> {
  const names = tallies.flatMap((tally) => [...relationsOf(tally), ...tallyTables(tally)])
  const rows = await connection.rows(
    `SELECT name FROM unnest($1::text[]) AS u (name)
     WHERE has_table_privilege(to_regclass(quote_ident(name)), 'SELECT')`,
    [names],
  )
  const readable = new Set(rows.map(([name]) => name))
  const isReadable = (some: readonly string[]) => some.every((name) => readable.has(name))
  // Another version may have made the counts without all that belongs to them now.
  const there = tallies.filter((tally) => isReadable([...relationsOf(tally), ...tallyTables(tally).slice(0, 1)]))
  const kept = new Set<string>()
  for (const tally of there.filter((each) => isReadable(tallyTables(each)))) {
    const [row] = await connection.rows(`SELECT ${isTallied(tally)} FROM (SELECT 1) ${quote('one')}`)
    if (row?.[0] === true) kept.add(nameOf(tally))
  }
  return { kept, stale: there.map(nameOf).filter((name) => !kept.has(name)) }
}
