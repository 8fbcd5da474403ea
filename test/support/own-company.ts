// A company's data on a PostgreSQL server that a test has for itself, and a look at that server while a service uses it.
import { findRelation, relations } from '../../src/contract/relations.ts'
import type { PostgresRow } from '../../src/platform/postgres/cells.ts'
import { connectPostgres, type PostgresConnection } from '../../src/platform/postgres/connection.ts'
import { quoteName } from '../../src/platform/postgres/names.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { tableStatements } from '../../src/sql/schema.ts'
import { makePostgresPos } from './place-postgres.ts'
import type { Rows } from './pos.ts'

/** A URL with other parts: `user`, `password`, `database`, `hostname` and `port` in their places, the rest as parameters. */
export function urlWith(url: string, parts: Readonly<Record<string, string>>): string {
  const changed = new URL(url)
  for (const [name, value] of Object.entries(parts))
    if (name === 'user') changed.username = encodeURIComponent(value)
    else if (name === 'password') changed.password = encodeURIComponent(value)
    else if (name === 'database') changed.pathname = encodeURIComponent(value)
    else if (name === 'port' || name === 'hostname') changed[name] = value
    else changed.searchParams.set(name, value)
  // A plus is a plus in these URLs.
  changed.search = changed.search.replaceAll('+', '%20')
  return changed.href
}

/** As the user of the URL, with its schema as the search path. */
export async function connectTo(url: string): Promise<PostgresConnection> {
  const parsed = parsePostgresUrl(url, 'public', '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  const setUp = `SET search_path = ${quoteName(parsed.value.schema)}, public`
  return connectPostgres(parsed.value, { timeoutMs: 30_000, setUp })
}

export async function queryOf(url: string, text: string, values: readonly unknown[] = []): Promise<PostgresRow[]> {
  const connection = await connectTo(url)
  try {
    return await connection.rows(text, values)
  } finally {
    await connection.close()
  }
}

export async function scriptOn(url: string, text: string): Promise<void> {
  const connection = await connectTo(url)
  try {
    await connection.script(text)
  } finally {
    await connection.close()
  }
}

/** The relations of the contract with these rows, in the schema that the URL names and that is not there yet. */
export async function makeCompanyAt(url: string, rows: Rows): Promise<void> {
  const schema = new URL(url).searchParams.get('schema') ?? 'public'
  const connection = await connectTo(url)
  try {
    await makePostgresPos(connection, quoteName(schema), rows, tableStatements(postgresSchema))
  } finally {
    await connection.close()
  }
}

export const asleep = (seconds: number) => `pg_sleep(${seconds})`
export const atWork = 'generate_series(1, 100000) one, generate_series(1, 1000000) other'

/** A view in the place of a relation: it has three rows, which take their time. */
export async function slowDown(url: string, relation: string, how: string): Promise<void> {
  const columns = Object.entries(findRelation(relation).columns).map(([name, type]) => {
    const value = { int: '1', bool: 'true', num: '1.5', text: `'Word'`, time: 'NULL::timestamp', day: 'NULL::date' }[
      type
    ]
    return `${name === 'id' ? 'n' : value} AS "${name}"`
  })
  await scriptOn(
    url,
    `DROP TABLE "${relation}";
     CREATE VIEW "${relation}" AS SELECT ${columns.join(', ')} FROM generate_series(1, 3) n, ${how}`,
  )
}

/** A new role that may do nothing but read the relations, and the URL it reads them with. */
export async function makeReader(url: string, role: string, password = 'read-me'): Promise<string> {
  const { pathname, searchParams } = new URL(url)
  const schema = quoteName(searchParams.get('schema') ?? 'public')
  await scriptOn(
    url,
    `CREATE ROLE ${role} LOGIN PASSWORD '${password}';
     GRANT CONNECT ON DATABASE ${quoteName(decodeURIComponent(pathname.slice(1)))} TO ${role};
     GRANT USAGE ON SCHEMA ${schema} TO ${role};
     GRANT SELECT ON ${relations.map(({ name }) => `${schema}."${name}"`).join(', ')} TO ${role}`,
  )
  return urlWith(url, { user: role, password })
}

/** The statements that a role's sessions run at this moment. */
export const runningOf = (url: string, role: string): Promise<PostgresRow[]> =>
  queryOf(url, `SELECT pid, query FROM pg_stat_activity WHERE usename = $1 AND state = 'active'`, [role])
