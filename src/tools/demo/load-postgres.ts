// Makes the demo company in a schema of PostgreSQL, within one transaction: whoever reads sees either what was there or the
// new company, and a failed attempt leaves nothing behind.
import { findRelation, relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { copyRows } from '../../postgres/copy.ts'
import { lookAt, placeOf } from '../../postgres/problems.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { settingsTable } from '../../settings/table.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresSchema } from '../../sql/postgres-schema.ts'
import { indexStatements } from '../../sql/schema.ts'
import { demoCompany, documentCount } from './company.ts'
import { makeTables } from '../schema/apply-postgres.ts'
import { lockRelations } from '../schema/lock.ts'
import { useTrigrams } from '../schema/trigrams.ts'
import type { DemoPlace, Loaded, LoadOptions } from './place.ts'

// Tells the demo company from a company's own data.
const mark = 'Demo company of Vitrine'

export function postgresPlace(url: PostgresUrl): DemoPlace {
  const overConnection = async <Found extends object>(look: (connection: PostgresConnection) => Promise<Found>) => {
    const found = await lookAt(settingsTable.databaseUrl.name, url, sessionSetUp(url, { timeoutMs: 0 }), look)
    if ('problem' in found) throw new OperatorError(found.problem, 1)
    return found
  }
  return {
    name: placeOf(url),
    async holds() {
      const { kinds, comment } = await overConnection((connection) => lookAtSchema(connection, url.schema))
      if (kinds.length === 0) return 'nothing'
      if (kinds.some((kind) => kind !== 'r')) return 'something else'
      return comment === mark ? 'demo' : 'data'
    },
    load: (options) => overConnection((connection) => load(connection, url, options)),
  }
}

// Which kinds of relations of the contract there are, and what is said of the first of them.
async function lookAtSchema(connection: PostgresConnection, schema: string) {
  const names = relations.map(({ name }) => name)
  const rows = await connection.rows(
    `SELECT relkind::text, obj_description(oid, 'pg_class') FROM pg_catalog.pg_class
     WHERE relnamespace = to_regnamespace(quote_ident($1)) AND relname = ANY ($2)
     ORDER BY relname <> $3`,
    [schema, names, names[0]],
  )
  return { kinds: rows.map(([kind]) => String(kind)), comment: rows[0]?.[1] ?? null }
}

// Rows are replaced, not tables: whoever reads sees the old ones until the end, and waits for nothing.
async function load(connection: PostgresConnection, url: PostgresUrl, options: LoadOptions): Promise<Loaded> {
  await lockRelations(connection)
  await connection.script('BEGIN')
  await makeTables(connection, url)
  for (const { name } of relations) await connection.script(`DELETE FROM ${quote(name)}`)
  const loaded = await fill(connection, url, options)
  await connection.script(`COMMENT ON TABLE ${quote(relations[0]?.name ?? '')} IS '${mark}'; COMMIT`)
  await connection.script(`VACUUM (ANALYZE) ${relations.map(({ name }) => quote(name)).join(', ')}`)
  return loaded
}

async function fill(
  connection: PostgresConnection,
  url: PostgresUrl,
  { scale, seed, onProgress = () => {} }: LoadOptions,
): Promise<Loaded> {
  const rows: Record<string, number> = {}
  const total = documentCount(scale)
  let documents = 0
  for (const batch of demoCompany({ scale, seed })) {
    const columns = Object.keys(findRelation(batch.relation).columns).map(quote)
    await copyRows(connection, `${quote(batch.relation)} (${columns.join(', ')})`, batch.rows)
    rows[batch.relation] = (rows[batch.relation] ?? 0) + batch.rows.length
    if (batch.documents === 0) continue
    documents += batch.documents
    onProgress({ what: 'documents', done: documents, total })
  }
  await useTrigrams(connection, url)
  const statements = indexStatements(postgresSchema)
  for (const [done, statement] of statements.entries()) {
    onProgress({ what: 'indexes', done, total: statements.length })
    await connection.script(statement)
  }
  onProgress({ what: 'indexes', done: statements.length, total: statements.length })
  return { documents, rows }
}
