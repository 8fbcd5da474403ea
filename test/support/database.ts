// A whole database on the shared server for one test: extensions, locks and index builds of others do not reach it. With
// it, roles that may do less than the superuser, and commands run against it.
import { randomBytes } from 'node:crypto'
import { join } from 'node:path'
import { Client } from 'pg'
import { newSchema, sharedPostgresUrl } from './postgres.ts'
import { cleanEnvironment, repository, runVitrine, startProcess } from './process.ts'
import type { Ended, Settings, Started } from './process.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type Row = Record<string, any>

export interface Session {
  readonly pid: number
  query(text: string, values?: readonly unknown[]): Promise<Row[]>
  end(): Promise<void>
}

export interface Database extends Session {
  /** Of the superuser. */
  readonly url: string
  readonly name: string
  /** The URL for a schema of it, or for another user. */
  at(schema: string, role?: Role): string
  connect(role?: Role): Promise<Session>
  /** A role that may connect and nothing else. It goes with the database. */
  makeRole(): Promise<Role>
  drop(): Promise<void>
}

export interface Role {
  readonly name: string
  readonly password: string
}

const made = new Set<Database>()

export async function makeDatabase({ encoding = 'UTF8' } = {}): Promise<Database> {
  const name = newSchema('database')
  const server = await connectTo(await sharedPostgresUrl())
  // template0 accepts no connections, so tests may copy it at the same time.
  const other = encoding === 'UTF8' ? '' : `ENCODING '${encoding}' LOCALE_PROVIDER libc LOCALE 'C'`
  await server.query(`CREATE DATABASE ${name} TEMPLATE template0 ${other}`)
  const url = new URL(await sharedPostgresUrl())
  url.pathname = name
  const own = await connectTo(url.href)
  const roles: string[] = []
  const at = (schema: string, role?: Role) => {
    const changed = new URL(url)
    if (role) Object.assign(changed, { username: role.name, password: role.password })
    // Written as every tool reads it: a blank as %20.
    changed.search = `schema=${encodeURIComponent(schema)}`
    return changed.href
  }
  const database: Database = {
    ...own,
    url: url.href,
    name,
    at,
    connect: (role) => connectTo(at('public', role)),
    async makeRole() {
      const role = { name: newSchema('role'), password: randomBytes(8).toString('hex') }
      roles.push(role.name)
      await server.query(`CREATE ROLE ${role.name} LOGIN PASSWORD '${role.password}'`)
      return role
    },
    async drop() {
      if (!made.delete(database)) return
      await own.end()
      await server.query(`DROP DATABASE ${name} WITH (FORCE)`)
      for (const role of roles) await server.query(`DROP ROLE ${role}`)
      await server.end()
    },
  }
  made.add(database)
  return database
}

/** For `after`. */
export async function dropDatabases(): Promise<void> {
  await Promise.all([...made].map((database) => database.drop()))
}

async function connectTo(address: string): Promise<Session> {
  const url = new URL(address)
  url.search = ''
  const client = new Client(url.href)
  // If a test ends the session on the server, the next query fails.
  client.on('error', () => {})
  await client.connect()
  const query = async (text: string, values?: readonly unknown[]) =>
    (await client.query<Row>(text, values && [...values])).rows
  const [backend] = await query('SELECT pg_backend_pid() AS pid')
  return { pid: Number(backend?.['pid']), query, end: () => client.end() }
}

/** Settings with data in PostgreSQL, for commands that do not look at the state. */
export const dataAt = (url: string): Settings => ({ VITRINE_DATABASE_URL: url, VITRINE_STATE_URL: 'sqlite:unused.db' })

export const runOn = (url: string, ...words: string[]): Promise<Ended> => runVitrine(words, dataAt(url))

/** The same while it runs. */
export const startOn = (url: string, ...words: string[]): Started =>
  startProcess(process.execPath, [join(repository, 'bin', 'vitrine.mjs'), ...words], {
    env: cleanEnvironment(dataAt(url)),
  })
