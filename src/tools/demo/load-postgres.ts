// Makes the demo company in a schema of PostgreSQL, within one transaction: whoever reads sees either what was there or the
// new company, and a failed attempt leaves nothing behind.
import { tallies } from '../../catalogue/tallies.ts'
import { findRelation, relations } from '../../contract/relations.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { placeOf } from '../../postgres/problems.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { withConnection } from '../../postgres/with-connection.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { settingsTable } from '../../settings/table.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresSchema } from '../../sql/postgres-schema.ts'
import { tallyTables, triggerNames } from '../../sql/postgres-tallies.ts'
import { eachWithProgress } from '../progress.ts'
import { demoCompany } from './company.ts'
import { makeTables } from '../schema/apply-postgres.ts'
import { lockRelations } from '../schema/lock.ts'
import { useTrigrams } from '../schema/trigrams.ts'
import type { DemoPlace, Loaded, LoadOptions } from './place.ts'
import { createTally } from './tally.ts'

// Tells the demo company from a company's own data.
const mark = 'Demo company of Vitrine'

export function postgresPlace(url: PostgresUrl): DemoPlace {
  const overConnection = <Found>(use: (connection: PostgresConnection) => Promise<Found>) =>
    withConnection(settingsTable.databaseUrl.name, url, sessionSetUp(url, { timeoutMs: 0 }), use)
  return {
    name: placeOf(url),
    async holds() {
      const { kinds, names, comment } = await overConnection((connection) => lookAtSchema(connection, url.schema))
      if (kinds.length === 0) return 'nothing'
      if (kinds.some((kind) => kind !== 'r')) return 'something else'
      if (comment === mark) return 'demo'
      // As "schema apply" leaves them: there is nothing to be lost.
      const isEmpty = await overConnection((connection) => areEmpty(connection, names))
      return isEmpty ? 'nothing' : 'data'
    },
    load: (options) => overConnection((connection) => load(connection, url, options)),
  }
}

// Which kinds of relations of the contract there are, and what is said of the first of them.
async function lookAtSchema(connection: PostgresConnection, schema: string) {
  const names = relations.map(({ name }) => name)
  const rows = await connection.rows(
    `SELECT relkind::text, obj_description(oid, 'pg_class'), relname::text FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relname = ANY ($2)
     ORDER BY relname <> $3`,
    [schema, names, names[0]],
  )
  const found = rows.map(([kind, , name]) => ({ kind: String(kind), name: String(name) }))
  return { kinds: found.map(({ kind }) => kind), names: found.map(({ name }) => name), comment: rows[0]?.[1] ?? null }
}

async function areEmpty(connection: PostgresConnection, names: readonly string[]): Promise<boolean> {
  const [row] = await connection.rows(
    `SELECT NOT (${names.map((name) => `EXISTS (SELECT FROM ${quote(name)})`).join(' OR ')})`,
  )
  return row?.[0] === true
}

// Rows are replaced, not tables: whoever reads sees the old ones until the end, and waits for nothing.
async function load(connection: PostgresConnection, url: PostgresUrl, options: LoadOptions): Promise<Loaded> {
  await lockRelations(connection)
  await connection.script('BEGIN')
  await makeTables(connection, url)
  await stopTallies(connection)
  for (const { name } of relations) await connection.script(`DELETE FROM ${quote(name)}`)
  const loaded = await fill(connection, url, options)
  await connection.script(`COMMENT ON TABLE ${quote(relations[0]?.name ?? '')} IS '${mark}'; COMMIT`)
  const names = [...relations.map(({ name }) => name), ...tallies.flatMap(tallyTables)]
  await connection.script(`VACUUM (ANALYZE) ${names.map(quote).join(', ')}`)
  return loaded
}

async function fill(
  connection: PostgresConnection,
  url: PostgresUrl,
  { scale, seed, onProgress = () => {} }: LoadOptions,
): Promise<Loaded> {
  const loaded = createTally(scale, onProgress)
  for (const batch of demoCompany({ scale, seed })) {
    const columns = Object.keys(findRelation(batch.relation).columns).map(quote)
    await connection.copy(`${quote(batch.relation)} (${columns.join(', ')})`, batch.rows)
    loaded.add(batch)
  }
  await useTrigrams(connection, url)
  const indexes = relations.flatMap((each) => [...postgresSchema.indexes(each), ...postgresSchema.searchIndex(each)])
  const tallied = tallies.flatMap((each) => postgresSchema.tally(each))
  await eachWithProgress('indexes', [...indexes, ...tallied], onProgress, (statement) => connection.script(statement))
  return loaded.result
}

// All rows are replaced and counted anew at the end: row by row would take minutes.
async function stopTallies(connection: PostgresConnection): Promise<void> {
  for (const { relations: counted } of tallies)
    for (const { name } of counted)
      for (const trigger of triggerNames(name))
        await connection.script(`DROP TRIGGER IF EXISTS ${quote(trigger)} ON ${quote(name)}`)
}
