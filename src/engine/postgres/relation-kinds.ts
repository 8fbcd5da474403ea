// Whether all relations are ordinary tables. What others compute or keep elsewhere (views, foreign tables, policies) may change without a
// transaction here.
import { relations } from '../../contract/relations.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'

const tablesQuery = `SELECT count(*) = ${relations.length} FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_am a ON a.oid = c.relam AND a.amname = 'heap'
  WHERE c.oid IN (${relations.map(({ name }) => `to_regclass('${name}')`).join(', ')})
    AND c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relrowsecurity`

export async function areTables(connection: PostgresConnection): Promise<boolean> {
  const [row] = await connection.rows(tablesQuery)
  return row?.[0] === true
}
