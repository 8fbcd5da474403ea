// What keeps a PostgreSQL server from being used, as a sentence for the operator: what it said, and what helps.
import type { PostgresUrl } from '../settings/postgres-url.ts'
import { connectPostgres, PostgresFailure, type PostgresConnection } from './connection.ts'

export const placeOf = ({ host, port, database, schema }: PostgresUrl) =>
  `${schema} in the database ${database} at ${host.includes(':') ? `[${host}]` : host}:${port}`

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
const aboutTls =
  ' Name the authority of its certificate with sslrootcert=FILE in the URL; sslmode=require encrypts without checking it, sslmode=disable does without TLS.'

export function reachProblem(setting: string, url: PostgresUrl, failure: PostgresFailure): string {
  const { code = '', message } = failure
  const said = reasons[code] ?? (message === 'timeout expired' ? 'it does not answer' : message.replace(/\.$/, ''))
  const isTls = /certificate|SSL|TLS/i.test(message) || /CERT|TLS/.test(code)
  return `PostgreSQL at ${url.host}:${url.port} (${setting}) cannot be used: ${said}.${hints[code] ?? (isTls ? aboutTls : '')}`
}

// Looks at a server over a connection of its own; a sentence when there is no way to it.
export async function lookAt<Found>(
  setting: string,
  url: PostgresUrl,
  setUp: string,
  look: (connection: PostgresConnection) => Promise<Found>,
): Promise<Found | { readonly problem: string }> {
  let connection: PostgresConnection | undefined
  try {
    connection = await connectPostgres(url, { timeoutMs: connectTimeoutMs, setUp })
    return await look(connection)
  } catch (error) {
    if (error instanceof PostgresFailure) return { problem: reachProblem(setting, url, error) }
    throw error
  } finally {
    await connection?.close()
  }
}
