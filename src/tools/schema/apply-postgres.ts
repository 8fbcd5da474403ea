// The schema in PostgreSQL, while the tills are writing: indexes are built concurrently, one after the other, and one that a
// broken attempt left behind is built again. Views stay as they are: their indexes belong to the tables behind them.
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { lackingColumns } from '../../engine/missing-parts.ts'
import { readColumns } from '../../engine/postgres/check.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { quoteName } from '../../postgres/names.ts'
import { lookAt, placeOf } from '../../postgres/problems.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { settingsTable } from '../../settings/table.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { indexName, searchIndexName } from '../../sql/shared-terms.ts'
import { postgresSchema } from '../../sql/postgres-schema.ts'
import type { Applied, ApplyOptions } from './apply.ts'
import { lockRelations } from './lock.ts'
import { useTrigrams } from './trigrams.ts'
import { tellWaiting } from './waiting.ts'

export async function applyToPostgres(url: PostgresUrl, options: ApplyOptions): Promise<Applied> {
  const over = <Found>(look: (connection: PostgresConnection) => Promise<Found>) =>
    lookAt(settingsTable.databaseUrl.name, url, sessionSetUp(url, { timeoutMs: 0 }), look)
  const applied = await over((connection) => over((watcher) => applyWatched(connection, watcher, url, options)))
  if ('problem' in applied) throw new OperatorError(applied.problem, 1)
  return applied
}

async function applyWatched(
  connection: PostgresConnection,
  watcher: PostgresConnection,
  url: PostgresUrl,
  options: ApplyOptions,
): Promise<Applied> {
  const [row] = await connection.rows('SELECT pg_backend_pid()')
  const done = new AbortController()
  const watching = tellWaiting(watcher, Number(row?.[0]), options.remark, done.signal).catch(() => {})
  try {
    return await applyOver(connection, url, options)
  } finally {
    done.abort()
    await watching
  }
}

async function applyOver(
  connection: PostgresConnection,
  url: PostgresUrl,
  { onProgress, remark }: ApplyOptions,
): Promise<Applied> {
  await lockRelations(connection)
  await connection.script('BEGIN')
  await makeTables(connection, url)
  await connection.script('COMMIT')
  await useTrigrams(connection, url)
  const kinds = await relationKinds(connection)
  const isTable = ({ name }: Relation) => kinds.get(name) === 'r' || kinds.get(name) === 'm'
  const tables = relations.filter(isTable)
  const others = relations.filter((relation) => !isTable(relation)).map(({ name }) => name)
  if (others.length > 0)
    remark(`Not indexed, because they are no plain tables: ${others.join(', ')}. Index what they read.`)
  for (const name of await brokenIndexes(connection, tables))
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
  return { database: placeOf(url), statements: relations.length + 1 + indexes.length }
}

// Within a transaction: a table that was there and lacks columns is told of before anything is made.
export async function makeTables(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  const schema = quoteName(url.schema)
  // Where the schema is there already, no right to make one is asked for.
  const [there] = await connection.rows('SELECT to_regnamespace($1) IS NOT NULL', [schema])
  if (there?.[0] !== true) await connection.script(`CREATE SCHEMA ${schema}`)
  for (const relation of relations)
    for (const statement of postgresSchema.tables(relation)) await connection.script(statement)
  const columns = await readColumns(connection, url)
  const lacking = lackingColumns(placeOf(url), (relation) => new Set(columns.get(relation)?.keys()))
  if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
}

async function relationKinds(connection: PostgresConnection): Promise<Map<string, string>> {
  const rows = await connection.rows(
    `SELECT relname::text, relkind::text FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))`,
  )
  return new Map(rows.map(([name, kind]) => [String(name), String(kind)]))
}

// Our own alone: another may be under construction by somebody else.
async function brokenIndexes(connection: PostgresConnection, tables: readonly Relation[]): Promise<string[]> {
  const ours = tables.flatMap((relation) => [
    ...relation.indexes.map((terms) => indexName(relation, terms)),
    ...relation.search.map((name) => searchIndexName(relation, name)),
  ])
  const rows = await connection.rows(
    `SELECT c.relname::text FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
     WHERE NOT i.indisvalid AND c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relname = ANY ($1)`,
    [ours],
  )
  return rows.map(([name]) => String(name))
}
