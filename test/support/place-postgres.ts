// A world's data and state in schemas of its own, on the server that all tests share.
import { findRelation } from '../../src/contract/relations.ts'
import { startEngine } from '../../src/engine/open.ts'
import type { CopyValue } from '../../src/platform/postgres/copy.ts'
import { connectPostgres, type PostgresConnection } from '../../src/platform/postgres/connection.ts'
import { parsePostgresUrl, type PostgresUrl } from '../../src/platform/postgres/url.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements, tableStatements } from '../../src/sql/schema.ts'
import { migrateState } from '../../src/state/postgres/schema.ts'
import { createPostgresState } from '../../src/state/postgres/state.ts'
import { lackingSchema } from './lacking.ts'
import type { Place, PlaceOptions } from './place.ts'
import type { Cell, Rows } from './pos.ts'
import { newSchema, sharedPostgresUrl } from './postgres.ts'
import { writingWith } from './writing-with.ts'

export async function makePostgresPlace({ rows, hasJournal, lacks }: PlaceOptions): Promise<Place> {
  const data = await urlOf(newSchema('pos'))
  const tills = await connectTills(data)
  const schema = lackingSchema(postgresSchema, lacks)
  await makePostgresPos(tills, data.schema, rows, (hasJournal ? schemaStatements : tableStatements)(schema))
  return {
    ...(await stateBeside(tills, data.schema)),
    startEngine: (options) => startEngine(data, options),
    ...writingWith((sql) => tills.script(`BEGIN; ${sql}; COMMIT`)),
  }
}

// The tills' own connection; also makes and removes the schemas.
export const connectTills = (data: PostgresUrl) =>
  connectPostgres(data, { timeoutMs: 30_000, setUp: `SET search_path = ${data.schema}, public` })

// The state in a schema of its own, and the end of all of them.
export async function stateBeside(
  tills: PostgresConnection,
  ...schemas: readonly string[]
): Promise<Omit<Place, 'startEngine' | 'write' | 'keepWriting'>> {
  const state = await urlOf(newSchema('state'))
  await migrateState(state)
  return {
    startState: async (clock) => createPostgresState({ url: state, clock, connections: 4, timeoutMs: 5000 }),
    openState: async (clock) => createPostgresState({ url: state, clock, connections: 1, timeoutMs: 5000 }),
    readState: () => dump(tills, state.schema),
    async lockState() {
      const lock = await connectPostgres(state, { timeoutMs: 5000, setUp: `SET search_path = ${state.schema}` })
      await lock.script('BEGIN; LOCK TABLE company, keys, tokens, windows, failures')
      return () => lock.close()
    },
    async remove() {
      await tills.script([...schemas, state.schema].map((name) => `DROP SCHEMA IF EXISTS ${name} CASCADE`).join('; '))
      await tills.close()
    },
  }
}

export async function urlOf(schema: string): Promise<PostgresUrl> {
  const parsed = parsePostgresUrl(await sharedPostgresUrl(), schema, '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.value
}

export async function makePostgresPos(
  connection: PostgresConnection,
  schema: string,
  rows: Rows,
  statements: readonly string[],
): Promise<void> {
  await connection.script(`CREATE SCHEMA ${schema}; ${statements.join(';')}`)
  for (const [name, list] of Object.entries(rows)) {
    const { columns } = findRelation(name)
    const unknown = list.flatMap((row) => Object.keys(row)).filter((column) => !(column in columns))
    if (unknown.length > 0) throw new Error(`${name} has no ${unknown.join(', ')}`)
    const cells = list.map((row) =>
      Object.entries(columns).map(([column, type]) => toPostgres(type, row[column] ?? null)),
    )
    if (cells.length > 0) await connection.copy(`"${name}"`, cells)
  }
}

// What SQLite keeps as text or number where PostgreSQL has a type; its empty dates are nothing at all there.
function toPostgres(type: string, cell: Cell): CopyValue {
  if (cell === null) return null
  if (type === 'bool') return Boolean(cell)
  if (type === 'time' || type === 'day') return String(cell) < '0001' ? null : cell
  return cell
}

async function dump(connection: PostgresConnection, schema: string): Promise<string> {
  const tables = await connection.rows('SELECT tablename::text FROM pg_tables WHERE schemaname = $1', [schema])
  const texts: string[] = []
  for (const [table] of tables)
    for (const row of await connection.rows(`SELECT * FROM ${schema}.${String(table)}`))
      for (const cell of row)
        texts.push((cell instanceof Uint8Array ? Buffer.from(cell) : Buffer.from(String(cell))).toString('latin1'))
  return texts.join('\n')
}
