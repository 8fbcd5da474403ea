// Search indexes need the extension pg_trgm, which may be in another schema of the database than the relations.
import type { PostgresConnection } from '../../postgres/connection.ts'
import { quoteName } from '../../postgres/names.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { makeExtension } from '../../sql/postgres-schema.ts'

export async function useTrigrams(connection: PostgresConnection, { schema }: PostgresUrl): Promise<void> {
  await connection.script(makeExtension)
  const [row] = await connection.rows(
    `SELECT n.nspname::text FROM pg_catalog.pg_extension e JOIN pg_catalog.pg_namespace n ON n.oid = e.extnamespace
     WHERE e.extname = 'pg_trgm'`,
  )
  await connection.script(`SET search_path = ${quoteName(schema)}, ${quoteName(String(row?.[0]))}`)
}
