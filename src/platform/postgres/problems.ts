// Failures of a PostgreSQL server as sentences for the operator: what the server said, and what helps.
import { serverProblem } from '../server-url.ts'
import type { PostgresUrl } from './url.ts'
import type { PostgresFailure } from './connection.ts'
import { quoteName } from './names.ts'

export const addressOf = ({ host, port }: PostgresUrl) => {
  if (host.startsWith('/')) return host
  return `${host.includes(':') ? `[${host}]` : host}:${port}`
}

export const placeOf = (url: PostgresUrl) =>
  `the schema ${url.schema} of the database ${url.database} at ${addressOf(url)}`

const hints: Readonly<Record<string, string>> = {
  '28P01': ' Check user and password.',
  '28000': ' Check user, password and pg_hba.conf.',
  '3D000': ' Make it with CREATE DATABASE.',
  '53300': ' Raise max_connections, or run fewer instances or VITRINE_READERS.',
}

// For insufficient_privilege: the missing grant, if the server's messages are in English.
function rightsHint({ user, database, schema }: PostgresUrl, message: string): string {
  if (message.includes('for database'))
    return ` GRANT CREATE ON DATABASE ${quoteName(database)} TO ${quoteName(user)}, or CREATE SCHEMA ${quoteName(schema)} AUTHORIZATION ${quoteName(user)}.`
  if (message.includes('for schema'))
    return ` Run it as the owner of the schema, or GRANT USAGE, CREATE ON SCHEMA ${quoteName(schema)} TO ${quoteName(user)}.`
  return ` Let the owner grant it to ${quoteName(user)}.`
}

export function reachProblem(setting: string, url: PostgresUrl, failure: PostgresFailure): string {
  const { code = '', message } = failure
  const { said, hint } = serverProblem(message, code)
  // The library's message for a missing password.
  if (message.includes('SASL'))
    return `PostgreSQL at ${addressOf(url)} (${setting}) wants a password: give it in the URL.`
  return `PostgreSQL at ${addressOf(url)} (${setting}) cannot be used: ${said}.${hints[code] ?? hint}`
}

// The server was reached, and refused a statement.
export function statementProblem(setting: string, url: PostgresUrl, failure: PostgresFailure): string {
  const { code = '', message, detail } = failure
  const more = detail?.replaceAll('\n', '; ').replace(/\.$/, '') ?? ''
  const said = `${message}${more ? ` (${more.length > 300 ? `${more.slice(0, 300)}…` : more})` : ''}`
  const hint = code === '42501' ? rightsHint(url, message) : ''
  return `PostgreSQL at ${addressOf(url)} (${setting}) refuses: ${said}.${hint}`
}

// Other encodings cannot hold every language.
export const encodingProblem = (url: PostgresUrl, encoding: string) =>
  `The database ${url.database} at ${addressOf(url)} has the encoding ${encoding}: it must be UTF8.`

export const versionProblem = (url: PostgresUrl, version: number, oldest: number) =>
  `PostgreSQL at ${addressOf(url)} is version ${version}: ${oldest} or newer is needed.`
