// Makes the demo company in a schema of PostgreSQL, within one transaction: readers see the old data or the new company, and
// a failed attempt leaves nothing behind.
import { findRelation, relations } from '../src/contract/relations.ts'
import type { PostgresConnection } from '../src/platform/postgres/connection.ts'
import { placeOf } from '../src/platform/postgres/problems.ts'
import { sessionSetUp } from '../src/platform/postgres/session.ts'
import { withConnection } from '../src/platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../src/platform/postgres/url.ts'
import { settingsTable } from '../src/settings/table.ts'
import { quote } from '../src/sql/dialect.ts'
import { indexStatements } from '../src/sql/schema.ts'
import { postgresSchema } from '../src/sql/postgres-schema.ts'
import { eachWithProgress } from '../src/operate/progress.ts'
import { demoCompany } from './company.ts'
import { makeTables } from '../src/operate/schema/apply-postgres.ts'
import {
  dropParts,
  findPostgresJournal,
  makeParts,
  plainTables,
  withoutTriggers,
} from '../src/operate/schema/journal.ts'
import { withRelationsLocked } from '../src/operate/schema/postgres-locks.ts'
import { createTally, type DemoPlace, type Loaded, type LoadOptions } from './place.ts'

// Marks a demo company.
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
      // Empty tables, as "schema apply" makes them.
      const isEmpty = await overConnection((connection) => areEmpty(connection, names))
      return isEmpty ? 'nothing' : 'data'
    },
    load: (options) =>
      overConnection((connection) => withRelationsLocked(connection, () => load(connection, url, options))),
  }
}

// The kinds of existing relations of the contract, and the comment on the first.
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

// Replaces rows, not tables, so that readers do not wait.
async function load(connection: PostgresConnection, url: PostgresUrl, options: LoadOptions): Promise<Loaded> {
  await connection.script('BEGIN')
  await makeTables(connection, url)
  const journal = await replaceJournal(connection)
  await connection.script(journal.before.join('; '))
  for (const { name } of relations) await connection.script(`DELETE FROM ${quote(name)}`)
  const loaded = await fill(connection, options)
  await connection.script(journal.after.join('; '))
  await connection.script(`COMMENT ON TABLE ${quote(relations[0]?.name ?? '')} IS '${mark}'; COMMIT`)
  await connection.script(`VACUUM (ANALYZE) ${relations.map(({ name }) => quote(name)).join(', ')}`)
  return loaded
}

async function fill(
  connection: PostgresConnection,
  { scale, seed, onProgress = () => {} }: LoadOptions,
): Promise<Loaded> {
  const loaded = createTally(scale, onProgress)
  for (const batch of demoCompany({ scale, seed })) {
    const columns = Object.keys(findRelation(batch.relation).columns).map(quote)
    await connection.copy(`${quote(batch.relation)} (${columns.join(', ')})`, batch.rows)
    loaded.add(batch)
  }
  await eachWithProgress('indexes', indexStatements(postgresSchema), onProgress, (statement) =>
    connection.script(statement),
  )
  return loaded.result
}

// The journal of every single row would take minutes. An intact journal notes at the end that everything may have changed; any
// other is made again.
async function replaceJournal(connection: PostgresConnection): Promise<{ before: string[]; after: string[] }> {
  const tables = await plainTables(connection)
  const { faults } = await findPostgresJournal(connection, tables)
  if (faults.length === 0) return withoutTriggers(tables)
  return { before: (await dropParts(connection)).flat(), after: makeParts(tables).flat() }
}
