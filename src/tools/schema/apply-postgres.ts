// The schema in PostgreSQL, while the tills are writing: indexes are built concurrently, one after the other, and one that a
// broken attempt left behind is built again. Views stay as they are: their indexes belong to the tables behind them.
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { quoteName } from '../../postgres/names.ts'
import { lookAt, placeOf } from '../../postgres/problems.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { settingsTable } from '../../settings/table.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { postgresSchema } from '../../sql/postgres-schema.ts'
import type { Applied, OnProgress } from './apply.ts'
import { useTrigrams } from './trigrams.ts'

// "vitrine schema" as two integers. Only tried for: to wait for it would hold up the very index build that holds it.
const lock = 'SELECT pg_try_advisory_lock(1986622324, 1935895661)'

export async function applyToPostgres(url: PostgresUrl, onProgress: OnProgress): Promise<Applied> {
  const setUp = sessionSetUp(url, { timeoutMs: 0 })
  const applied = await lookAt(settingsTable.databaseUrl.name, url, setUp, (connection) =>
    applyOver(connection, url, onProgress),
  )
  if ('problem' in applied) throw new OperatorError(applied.problem, 1)
  return applied
}

async function applyOver(connection: PostgresConnection, url: PostgresUrl, onProgress: OnProgress): Promise<Applied> {
  const [locked] = await connection.rows(lock)
  if (locked?.[0] !== true) throw new OperatorError('Another "schema apply" is at work on this database.', 1)
  const schema = quoteName(url.schema)
  // Where the schema is there already, no right to make one is asked for.
  const [there] = await connection.rows('SELECT to_regnamespace($1) IS NOT NULL', [schema])
  if (there?.[0] !== true) await connection.script(`CREATE SCHEMA IF NOT EXISTS ${schema}`)
  for (const relation of relations)
    for (const statement of postgresSchema.tables(relation)) await connection.script(statement)
  await useTrigrams(connection, url)

  const kinds = await relationKinds(connection)
  const tables = relations.filter(({ name }) => kinds.get(name) === 'r' || kinds.get(name) === 'm')
  const others = relations.filter((relation) => !tables.includes(relation)).map(({ name }) => name)
  for (const name of await brokenIndexes(connection))
    await connection.script(`DROP INDEX CONCURRENTLY IF EXISTS ${quoteName(name)}`)
  const indexes = tables.flatMap((relation) => [
    ...postgresSchema.indexes(relation),
    ...postgresSchema.searchIndex(relation),
  ])
  for (const [done, statement] of indexes.entries()) {
    onProgress({ what: 'indexes', done, total: indexes.length })
    await connection.script(statement.replace('CREATE INDEX', 'CREATE INDEX CONCURRENTLY'))
  }
  onProgress({ what: 'indexes', done: indexes.length, total: indexes.length })
  return {
    database: placeOf(url),
    statements: relations.length + 1 + indexes.length,
    remarks:
      others.length > 0
        ? [`Not indexed, because they are no plain tables: ${others.join(', ')}. Index what they read.`]
        : [],
  }
}

async function relationKinds(connection: PostgresConnection): Promise<Map<string, string>> {
  const rows = await connection.rows(
    `SELECT relname::text, relkind::text FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))`,
  )
  return new Map(rows.map(([name, kind]) => [String(name), String(kind)]))
}

async function brokenIndexes(connection: PostgresConnection): Promise<string[]> {
  const rows = await connection.rows(
    `SELECT c.relname::text FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relnamespace = to_regnamespace(quote_ident(current_schema()))`,
  )
  return rows.map(([name]) => String(name))
}
