// Looks at a PostgreSQL database before the service starts on it: can it be reached and read, does it hold the relations,
// and do their columns have types the service can read?
import { relations } from '../../contract/relations.ts'
import type { ColumnType } from '../../contract/relation.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { quoteName } from '../../postgres/names.ts'
import { placeOf } from '../../postgres/problems.ts'
import { closedProblem, schemaAccess } from '../../postgres/schema-access.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { problemOr, withConnection } from '../../postgres/with-connection.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { postgresTypes } from '../../sql/postgres-schema.ts'
import { missingParts } from '../missing-parts.ts'

// The first is what the schema of the contract has; views may have the others.
const readable: Record<ColumnType, readonly string[]> = {
  int: ['int8', 'int4', 'int2'],
  num: ['numeric', 'float8', 'float4', 'int8', 'int4', 'int2'],
  text: ['text', 'varchar'],
  bool: ['bool'],
  time: ['timestamp'],
  day: ['date'],
}

interface Column {
  readonly type: string
  readonly isReadable: boolean
}

const checkTimeoutMs = 10_000

export async function checkPostgres(setting: string, url: PostgresUrl): Promise<string[]> {
  const setUp = sessionSetUp(url, { timeoutMs: checkTimeoutMs, isReadOnly: true })
  const look = withConnection(setting, url, setUp, async (connection) => ({
    access: await schemaAccess(connection, url),
    columns: await readColumns(connection, url),
  }))
  const found = await problemOr(look)
  if ('problem' in found) return [found.problem]
  const { access, columns } = found
  if (access === 'closed') return [closedProblem(url)]
  if (access === 'absent')
    return [
      `There is no schema ${url.schema} in the database ${url.database}: name another in ${setting} (?schema=…), or make it with "npx vitrine schema apply" or "npx vitrine demo".`,
    ]
  const where = `in ${placeOf(url)}`
  const missing = missingParts(placeOf(url), (relation) => new Set(columns.get(relation)?.keys()))
  return [...missing, ...forbidden(where, url, columns), ...unreadable(where, columns)]
}

type Columns = Map<string, Map<string, Column>>

// A domain is what it is made of.
export async function readColumns(connection: PostgresConnection, { schema }: PostgresUrl): Promise<Columns> {
  const rows = await connection.rows(
    `SELECT c.relname::text, a.attname::text, coalesce(b.typname, t.typname)::text,
       has_column_privilege(c.oid, a.attnum, 'SELECT')
     FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
       LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f')`,
    [schema],
  )
  const columns: Columns = new Map()
  for (const [relation, column, type, isReadable] of rows) {
    const known = columns.get(String(relation)) ?? new Map<string, Column>()
    columns.set(String(relation), known.set(String(column), { type: String(type), isReadable: isReadable === true }))
  }
  return columns
}

function forbidden(where: string, { user, schema }: PostgresUrl, columns: Columns): string[] {
  const closed = relations.filter(({ name, columns: wanted }) =>
    Object.keys(wanted).some((column) => columns.get(name)?.get(column)?.isReadable === false),
  )
  if (closed.length === 0) return []
  const isAll = closed.length === relations.length
  const names = isAll ? 'the relations' : closed.map(({ name }) => name).join(', ')
  const grant = `GRANT SELECT ON ALL TABLES IN SCHEMA ${quoteName(schema)} TO ${quoteName(user)}`
  return [`The role ${user} may not read ${names} ${where}: ${grant}.`]
}

function unreadable(where: string, columns: Columns): string[] {
  return relations.flatMap(({ name, columns: wanted }) =>
    Object.entries(wanted).flatMap(([column, type]) => {
      const found = columns.get(name)?.get(column)
      if (!found || readable[type].includes(found.type)) return []
      const must = `${name}.${column} ${where} is ${found.type}: it must be ${readable[type].join(' or ')}.`
      return [`${must} In a view, ${remedy(type, found.type)}.`]
    }),
  )
}

const remedy = (wanted: ColumnType, found: string) =>
  found === 'timestamptz'
    ? `your_column AT TIME ZONE 'your/zone' is`
    : `CAST(your_column AS ${postgresTypes[wanted]}) is`
