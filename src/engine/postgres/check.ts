// Checks a PostgreSQL database before the service starts: can it be reached and read, does it have the relations, and do their columns
// have types that the service can read?
import { relations } from '../../contract/relations.ts'
import type { ColumnType } from '../../contract/relation.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { placeOf } from '../../platform/postgres/problems.ts'
import { closedProblem, grantSelect, schemaAccess } from '../../platform/postgres/schema-access.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { problemOr, withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { postgresTypes } from '../../sql/postgres-schema.ts'
import { absentColumns, missingParts, type ColumnsOf, type Inspection } from '../missing-parts.ts'

// The schema of the contract has the first type; views may have the others.
export const readable: Record<ColumnType, readonly string[]> = {
  int: ['int8', 'int4', 'int2'],
  num: ['numeric', 'float8', 'float4', 'int8', 'int4', 'int2'],
  text: ['text', 'varchar'],
  bool: ['bool'],
  time: ['timestamp'],
  day: ['date'],
}

interface StoredColumn {
  readonly type: string
  readonly isReadable: boolean
}

const checkTimeoutMs = 10_000

export async function inspectPostgres(setting: string, url: PostgresUrl): Promise<Inspection> {
  const setUp = sessionSetUp(url, { timeoutMs: checkTimeoutMs, isReadOnly: true })
  const look = withConnection(setting, url, setUp, async (connection) => ({
    problem: await schemaProblem(connection, setting, url),
    columns: await readColumns(connection, url),
  }))
  const found = await problemOr(look)
  if (found.problem !== undefined || !('columns' in found)) return { problems: [String(found.problem)], lacking: [] }
  const { columns } = found
  const where = `in ${placeOf(url)}`
  const columnsOf = namesIn(columns)
  return {
    problems: [
      ...missingParts(placeOf(url), columnsOf),
      ...forbidden(where, url, columns),
      ...mistyped(where, columns),
    ],
    lacking: absentColumns(columnsOf, 'not required'),
  }
}

export async function schemaProblem(
  connection: PostgresConnection,
  setting: string,
  url: PostgresUrl,
): Promise<string | undefined> {
  const access = await schemaAccess(connection, url)
  if (access === 'closed') return closedProblem(url)
  if (access === 'open') return undefined
  return `There is no schema ${url.schema} in the database ${url.database}: name another in ${setting} (?schema=…), or make it with "npx vitrine schema apply" or "npx vitrine demo".`
}

type StoredColumns = ReadonlyMap<string, ReadonlyMap<string, StoredColumn>>

export const namesIn =
  (columns: StoredColumns): ColumnsOf =>
  (relation) =>
    new Set(columns.get(relation)?.keys())

// Of the relations of the contract. Of a domain, its base type.
export async function readColumns(connection: PostgresConnection, { schema }: PostgresUrl): Promise<StoredColumns> {
  const rows = await connection.rows(
    `SELECT c.relname::text, a.attname::text, coalesce(b.typname, t.typname)::text,
       has_column_privilege(c.oid, a.attnum, 'SELECT')
     FROM pg_catalog.pg_class c
       JOIN pg_catalog.pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
       JOIN pg_catalog.pg_type t ON t.oid = a.atttypid
       LEFT JOIN pg_catalog.pg_type b ON b.oid = t.typbasetype
       JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
     WHERE n.nspname = $1 AND c.relkind IN ('r', 'p', 'v', 'm', 'f') AND c.relname = ANY ($2)`,
    [schema, relations.map(({ name }) => name)],
  )
  const columns = new Map<string, Map<string, StoredColumn>>()
  for (const [relation, column, type, isReadable] of rows) {
    const known = columns.get(String(relation)) ?? new Map<string, StoredColumn>()
    columns.set(String(relation), known.set(String(column), { type: String(type), isReadable: isReadable === true }))
  }
  return columns
}

function forbidden(where: string, url: PostgresUrl, columns: StoredColumns): string[] {
  const closed = relations.filter(({ name, columns: wanted }) =>
    Object.keys(wanted).some((column) => columns.get(name)?.get(column)?.isReadable === false),
  )
  if (closed.length === 0) return []
  const names = closed.length === relations.length ? 'the relations' : closed.map(({ name }) => name).join(', ')
  return [`The role ${url.user} may not read ${names} ${where}: ${grantSelect(url)}.`]
}

// Columns with a type that the service cannot read.
const mistyped = (where: string, columns: StoredColumns): string[] =>
  relations.flatMap(({ name, columns: all }) =>
    Object.entries(all).flatMap(([column, wanted]) => {
      const type = columns.get(name)?.get(column)?.type
      if (type === undefined || readable[wanted].includes(type)) return []
      const allowed = readable[wanted].join(' or ')
      return [`${name}.${column} ${where} is ${type}: it must be ${allowed}. In a view, ${remedy(wanted, type)}.`]
    }),
  )

const remedy = (wanted: ColumnType, found: string) =>
  found === 'timestamptz'
    ? `your_column AT TIME ZONE 'your/zone' is`
    : `CAST(your_column AS ${postgresTypes[wanted]}) is`
