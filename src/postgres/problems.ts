// What keeps a PostgreSQL server from doing what is asked, as a sentence for the operator: what it said, and what helps.
import type { PostgresUrl } from '../settings/postgres-url.ts'
import { connectPostgres, PostgresFailure, type PostgresConnection } from './connection.ts'

const addressOf = ({ host, port }: PostgresUrl) => {
  if (host.startsWith('/')) return host
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

export const placeOf = (url: PostgresUrl) =>
  `the schema ${url.schema} of the database ${url.database} at ${addressOf(url)}`

const connectTimeoutMs = 5000

const reasons: Readonly<Record<string, string>> = {
  ECONNREFUSED: 'nothing listens there',
  ENOENT: 'there is no such socket',
  ENOTFOUND: 'there is no host of that name',
  EAI_AGAIN: 'the name of the host cannot be looked up',
}

const hints: Readonly<Record<string, string>> = {
  '28P01': ' Check user and password.',
  '28000': ' Check user, password and pg_hba.conf.',
  '3D000': ' Make it with CREATE DATABASE.',
  '53300': ' Raise max_connections, or run fewer instances or VITRINE_READERS.',
}
const withoutTls = ' sslmode=disable in the URL does without TLS.'
const aboutTls =
  ' Name the authority of its certificate with sslrootcert=FILE in the URL; sslmode=require encrypts without checking it, sslmode=disable does without TLS.'

// insufficient_privilege: what to grant, by what was refused.
function rightsHint({ user, database, schema }: PostgresUrl, message: string): string {
  if (message.includes('extension'))
    return ` Have a superuser run CREATE EXTENSION pg_trgm, or GRANT CREATE ON DATABASE "${database}" TO "${user}".`
  if (message.includes('for database'))
    return ` GRANT CREATE ON DATABASE "${database}" TO "${user}", or CREATE SCHEMA "${schema}" AUTHORIZATION "${user}".`
  if (message.includes('for schema')) return ` GRANT USAGE, CREATE ON SCHEMA "${schema}" TO "${user}".`
  return ''
}

export function reachProblem(setting: string, url: PostgresUrl, failure: PostgresFailure): string {
  const { code = '', message } = failure
  const said = reasons[code] ?? message.replace(/\.$/, '')
  const isTls = /certificate|SSL|TLS/i.test(message) || /CERT|TLS/.test(code)
  const tlsHint = message.includes('does not support SSL') ? withoutTls : isTls ? aboutTls : ''
  return `PostgreSQL at ${addressOf(url)} (${setting}) cannot be used: ${said}.${hints[code] ?? tlsHint}`
}

// The server was reached, and refused a statement.
function statementProblem(setting: string, url: PostgresUrl, failure: PostgresFailure): string {
  const { code = '', message, detail } = failure
  const more = detail?.replaceAll('\n', '; ').replace(/\.$/, '') ?? ''
  const said = `${message}${more ? ` (${more.length > 300 ? `${more.slice(0, 300)}…` : more})` : ''}`
  const hint = code === '42501' ? rightsHint(url, message) : ''
  return `PostgreSQL at ${addressOf(url)} (${setting}) refuses: ${said}.${hint}`
}

// Texts of every language must fit in.
async function encodingProblem(connection: PostgresConnection, url: PostgresUrl): Promise<string | undefined> {
  const [row] = await connection.rows('SHOW server_encoding')
  if (row?.[0] === 'UTF8') return undefined
  return `The database ${url.database} at ${addressOf(url)} has the encoding ${String(row?.[0])}: it must be UTF8.`
}

// Looks at a server over a connection of its own; a sentence when there is no way to it, or it refuses something.
export async function lookAt<Found>(
  setting: string,
  url: PostgresUrl,
  setUp: string,
  look: (connection: PostgresConnection) => Promise<Found>,
): Promise<Found | { readonly problem: string }> {
  let connection: PostgresConnection | undefined
  try {
    connection = await connectPostgres(url, { timeoutMs: connectTimeoutMs, setUp })
    const problem = await encodingProblem(connection, url)
    return problem === undefined ? await look(connection) : { problem }
  } catch (error) {
    if (!(error instanceof PostgresFailure)) throw error
    return { problem: (connection?.isConnected() ? statementProblem : reachProblem)(setting, url, error) }
  } finally {
    await connection?.close()
  }
}
