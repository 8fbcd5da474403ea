// A world's data and state in a database of its own, on the server that all tests share.
import { randomBytes } from 'node:crypto'
import { findRelation } from '../../src/contract/relations.ts'
import { startEngine } from '../../src/engine/open.ts'
import type { CopyValue } from '../../src/platform/postgres/copy.ts'
import { connectPostgres, type PostgresConnection } from '../../src/platform/postgres/connection.ts'
import { parsePostgresUrl, type PostgresUrl } from '../../src/platform/postgres/url.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements, tableStatements } from '../../src/sql/schema.ts'
import { migrateState } from '../../src/state/postgres/schema.ts'
import { createPostgresState } from '../../src/state/postgres/state.ts'
import type { Place, PlaceOptions } from './place.ts'
import type { Cell, Rows } from './pos.ts'
import { copyTemplate, dropDatabase, sharedPostgresUrl } from './postgres.ts'
import { writingWith } from './writing-with.ts'

export async function makePostgresPlace({ rows, hasJournal }: PlaceOptions): Promise<Place> {
  const statements = (hasJournal ? schemaStatements : tableStatements)(postgresSchema)
  const { data, tills, ...state } = await makePlaceWithState('pos', `CREATE SCHEMA pos; ${statements.join(';')}`)
  await copyRows(tills, rows)
  return {
    ...state,
    startEngine: (options) => startEngine(data, options),
    ...writingWith((sql) => tills.script(`BEGIN; ${sql}; COMMIT`)),
  }
}

/** A database with what a script makes, and the state in a schema beside that; the tills' connection uses the schema given. */
export async function makePlaceWithState(schema: string, script: string) {
  const database = await copyTemplate(script, async (template) => {
    await migrateState(await urlOf('state', template))
    const connection = await connectTills(await urlOf(schema, template))
    await connection.script(script)
    await connection.close()
  })
  const [data, state] = [await urlOf(schema, database), await urlOf('state', database)]
  const tills = await connectTills(data)
  // Each state has a random key of its own.
  await tills.rows('UPDATE state.company SET token_key = $1', [randomBytes(32)])
  return {
    data,
    tills,
    ...placeOfState(state, tills),
    async remove() {
      await tills.close()
      await dropDatabase(database)
    },
  }
}

const connectTills = (data: PostgresUrl) =>
  connectPostgres(data, { timeoutMs: 30_000, setUp: `SET search_path = ${data.schema}, public` })

const placeOfState = (
  url: PostgresUrl,
  tills: PostgresConnection,
): Pick<Place, 'startState' | 'openState' | 'readState' | 'lockState'> => ({
  startState: async (clock) => createPostgresState({ url, clock, connections: 4, timeoutMs: 5000 }),
  openState: async (clock) => createPostgresState({ url, clock, connections: 1, timeoutMs: 5000 }),
  readState: () => dump(tills, url.schema),
  async lockState() {
    const lock = await connectPostgres(url, { timeoutMs: 5000, setUp: `SET search_path = ${url.schema}` })
    await lock.script('BEGIN; LOCK TABLE company, keys, tokens, windows, failures')
    return () => lock.close()
  },
})

/** In the database that the server's URL names where none is given. */
export async function urlOf(schema: string, database?: string): Promise<PostgresUrl> {
  const parsed = parsePostgresUrl(await sharedPostgresUrl(), schema, '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  return { ...parsed.value, ...(database === undefined ? {} : { database }) }
}

export async function makePostgresPos(
  connection: PostgresConnection,
  schema: string,
  rows: Rows,
  statements: readonly string[],
): Promise<void> {
  await connection.script(`CREATE SCHEMA ${schema}; ${statements.join(';')}`)
  await copyRows(connection, rows)
}

async function copyRows(connection: PostgresConnection, rows: Rows): Promise<void> {
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
