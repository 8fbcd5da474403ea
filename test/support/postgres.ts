// The PostgreSQL server that tests share, and schemas on it that a test has for itself.
import { randomBytes } from 'node:crypto'
import { Client } from 'pg'
import { startPostgres } from './postgres-server.ts'

export { startPostgres, type PostgresOptions, type PostgresServer } from './postgres-server.ts'

// The types do not know these two methods.
type Connection = Client & { ref(): void; unref(): void }
// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Row = Record<string, any>

export interface Schema {
  /** The server's URL with `schema=NAME`. */
  readonly url: string
  readonly name: string
  /** As the superuser, in this schema; one statement at a time of the whole process, so no transactions over several. */
  query(text: string, values?: readonly unknown[]): Promise<Row[]>
  drop(): Promise<void>
}

let shared: Promise<string> | undefined
let made = 0
const schemas = new Map<string, Schema>()
let connection: Promise<Connection> | undefined
let queue: Promise<unknown> = Promise.resolve()

/** What the runner, or a person with a server of his own, gave; else a server that goes with this process. */
export function sharedPostgresUrl(): Promise<string> {
  shared ??= process.env['VITRINE_TEST_POSTGRES_URL']
    ? Promise.resolve(process.env['VITRINE_TEST_POSTGRES_URL'])
    : startPostgres().then(({ url }) => url)
  return shared
}

/** A name that no other test has, in this process or another. */
export function newSchema(prefix = 'test'): string {
  made += 1
  return `${prefix}_${process.pid}_${made}_${randomBytes(4).toString('hex')}`
}

export async function makeSchema(prefix?: string): Promise<Schema> {
  const name = newSchema(prefix)
  const url = new URL(await sharedPostgresUrl())
  url.searchParams.set('schema', name)
  const schema: Schema = {
    url: url.href,
    name,
    query: (text, values) =>
      inTurn(async (client) => {
        await client.query(`SET search_path TO ${name}`)
        const { rows } = await client.query<Row>(text, values && [...values])
        return rows
      }),
    async drop() {
      if (!schemas.delete(name)) return
      await inTurn((client) => client.query(`DROP SCHEMA IF EXISTS ${name} CASCADE`))
      if (schemas.size === 0) await inTurn(disconnect)
    },
  }
  schemas.set(name, schema)
  await inTurn((client) => client.query(`CREATE SCHEMA ${name}`))
  return schema
}

/** For `after`: drops every schema that this process made and still has. */
export async function dropSchemas(): Promise<void> {
  await Promise.all([...schemas.values()].map((schema) => schema.drop()))
}

/** The one connection keeps the process alive only while it is at work. */
function inTurn<Value>(work: (client: Connection) => Promise<Value>): Promise<Value> {
  const done = queue.then(async () => {
    const client = await (connection ??= connect())
    client.ref()
    try {
      return await work(client)
    } finally {
      client.unref()
    }
  })
  queue = done.catch(() => {})
  return done
}

async function connect(): Promise<Connection> {
  const client = new Client(await sharedPostgresUrl()) as Connection
  // A lost connection is opened again for the next statement.
  client.on('error', () => (connection = undefined))
  await client.connect().catch((error: unknown) => {
    connection = undefined
    throw error
  })
  return client
}

async function disconnect(client: Connection): Promise<void> {
  // Another schema may have been made while this was waiting.
  if (schemas.size > 0) return
  connection = undefined
  await client.end()
}
