// The schema in PostgreSQL, while the tills are writing: indexes are built concurrently, one after the other, and one that a
// broken attempt left behind is built again. Views stay as they are: their indexes belong to the tables behind them.
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import { lackingColumns } from '../../engine/missing-parts.ts'
import { readColumns } from '../../engine/postgres/check.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { placeOf } from '../../postgres/problems.ts'
import { makeSchema } from '../../postgres/schema-access.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { withConnection } from '../../postgres/with-connection.ts'
import { settingsTable } from '../../settings/table.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { concurrentSchema, postgresSchema } from '../../sql/postgres-schema.ts'
import { eachWithProgress } from '../progress.ts'
import type { Applied, ApplyOptions } from './apply.ts'
import { dropBroken, rebuildSearch, renameMisplaced, shortenLists } from './indexes-postgres.ts'
import { lockRelations } from './lock.ts'
import { makeTallies } from './tallies-postgres.ts'
import { useTrigrams } from './trigrams.ts'
import { tellWaiting } from './waiting.ts'

export async function applyToPostgres(url: PostgresUrl, options: ApplyOptions): Promise<Applied> {
  const setting = settingsTable.databaseUrl.name
  const setUp = sessionSetUp(url, { timeoutMs: 0 })
  return withConnection(setting, url, setUp, async (connection) => {
    const [row] = await connection.rows('SELECT pg_backend_pid()')
    const done = new AbortController()
    // Only remarks come of it: without a second connection there are none.
    const watching = withConnection(setting, url, setUp, (watcher) =>
      tellWaiting(watcher, Number(row?.[0]), options.remark, done.signal),
    ).catch(() => {})
    try {
      return await applyOver(connection, url, options)
    } finally {
      done.abort()
      await watching
    }
  })
}

async function applyOver(
  connection: PostgresConnection,
  url: PostgresUrl,
  { onProgress, remark, rebuild = false }: ApplyOptions,
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
  await dropBroken(connection, tables)
  await renameMisplaced(connection, tables, remark)
  const indexes = [
    ...tables.flatMap((relation) => [...concurrentSchema.indexes(relation), ...concurrentSchema.searchIndex(relation)]),
    ...(rebuild ? rebuildSearch(tables) : []),
  ]
  await eachWithProgress('indexes', indexes, onProgress, (statement) => connection.script(statement))
  const isCounted = (name: string) => kinds.get(name) === 'r'
  const counted = await makeTallies(connection, url, isCounted, { onProgress, rebuild })
  await shortenLists(connection, tables, remark)
  return { database: placeOf(url), statements: relations.length + indexes.length + counted }
}

// Within a transaction: a table that was there and lacks columns is told of before anything is made.
export async function makeTables(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  await makeSchema(connection, url)
  for (const relation of relations)
    for (const statement of postgresSchema.tables(relation)) await connection.script(statement)
  const columns = await readColumns(connection, url)
  const lacking = lackingColumns(placeOf(url), (relation) => new Set(columns.get(relation)?.keys()))
  if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
}

// By name: a table is "r", a view "v".
export async function relationKinds(connection: PostgresConnection): Promise<Map<string, string>> {
  const rows = await connection.rows(
    `SELECT relname::text, relkind::text FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident(current_schema()))`,
  )
  return new Map(rows.map(([name, kind]) => [String(name), String(kind)]))
}
