// Whether a schema exists and what the role may do in it. Reads pg_namespace, because a schema without USAGE cannot be found by its
// name.
import type { PostgresConnection } from './connection.ts'
import type { PostgresUrl } from './url.ts'
import { quoteName } from './names.ts'
import { placeOf } from './problems.ts'

export async function schemaAccess(
  connection: PostgresConnection,
  { schema }: PostgresUrl,
): Promise<'absent' | 'closed' | 'open'> {
  const [row] = await connection.rows(
    `SELECT has_schema_privilege(oid, 'USAGE') FROM pg_catalog.pg_namespace WHERE nspname = $1`,
    [schema],
  )
  if (!row) return 'absent'
  return row[0] === true ? 'open' : 'closed'
}

// Whether the role may create tables in the schema, or the schema itself if it is missing.
export async function mayCreate(connection: PostgresConnection, { schema }: PostgresUrl): Promise<boolean> {
  const [row] = await connection.rows(
    `SELECT coalesce(
       (SELECT has_schema_privilege(oid, 'CREATE') FROM pg_catalog.pg_namespace WHERE nspname = $1),
       has_database_privilege(current_database(), 'CREATE'))`,
    [schema],
  )
  return row?.[0] === true
}

// Not CREATE SCHEMA IF NOT EXISTS, which needs the right to create one even if it exists.
export async function makeSchema(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  if ((await schemaAccess(connection, url)) === 'absent')
    await connection.script(`CREATE SCHEMA ${quoteName(url.schema)}`)
}

export const closedProblem = (url: PostgresUrl) =>
  `The role ${url.user} may not look into ${placeOf(url)}: GRANT USAGE ON SCHEMA ${quoteName(url.schema)} TO ${quoteName(url.user)}.`

export const grantSelect = ({ schema, user }: PostgresUrl) =>
  `GRANT SELECT ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${quoteName(user)}`
