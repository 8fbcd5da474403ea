// Opens a PostgreSQL database for `vitrine check`, and reads its shape. Failures to open it become a sentence.
import { findRunning, holdOf } from '../../engine/postgres/feed-hold.ts'
import { schemaProblem, readable, readColumns } from '../../engine/postgres/check.ts'
import { placeOf } from '../../platform/postgres/problems.ts'
import { problemOr, withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { settingsTable } from '../../settings/table.ts'
import {
  QueryTimeout,
  QueryRefused,
  type DatabaseShape,
  type CheckedDatabase,
  type ColumnShape,
  type RelationShape,
} from './database.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { postgres } from '../../sql/postgres.ts'
import { statement } from '../../sql/statement.ts'
import { relations } from '../../contract/relations.ts'
import { journalTable } from '../../sql/journalled.ts'
import { findPostgresJournal, plainTables } from '../schema/journal.ts'

export async function withPostgres<Result>(
  url: PostgresUrl,
  timeoutMs: number,
  check: (database: CheckedDatabase, shape: DatabaseShape) => Promise<Result>,
): Promise<{ database: string } & ({ result: Result } | { problem: string })> {
  const setting = settingsTable.databaseUrl.name
  const opened = await problemOr(
    withConnection(setting, url, sessionSetUp(url, { timeoutMs, isReadOnly: true }), async (connection) => {
      const problem = await schemaProblem(connection, setting, url)
      if (problem !== undefined) return { problem }
      return { result: await check(checkedPostgres(connection, timeoutMs), await postgresShape(connection, url)) }
    }),
  )
  return { database: placeOf(url), ...opened }
}

// Classes of temporary errors: conflicts, missing resources, objects in use, intervention by an operator.
const temporaryErrors = /^(40|53|55|57)/

const checkedPostgres = (connection: PostgresConnection, timeoutMs: number): CheckedDatabase => ({
  dialect: postgres,
  timeoutMs,
  isOpen: () => connection.isConnected(),
  async rows(compose) {
    const { text, values } = statement(postgres, compose)
    try {
      return await connection.rows(text, values)
    } catch (error) {
      if (!(error instanceof PostgresFailure) || !connection.isConnected()) throw error
      throw error.isLate || temporaryErrors.test(error.code ?? '')
        ? new QueryTimeout()
        : new QueryRefused(error.message)
    }
  },
  close: () => connection.close(),
})

// pg_class.relkind
const kinds: Readonly<Record<string, string>> = {
  r: 'table',
  p: 'partitioned table',
  v: 'view',
  m: 'materialized view',
  f: 'foreign table',
}

// Relations with their kind, and the columns of each complete unique index without nulls.
const kindsQuery = `
  SELECT c.relname::text, c.relkind::text,
    (SELECT json_agg(k.names) FROM pg_catalog.pg_index i CROSS JOIN LATERAL (
       SELECT json_agg(a.attname ORDER BY a.attname) AS names, bool_and(a.attnotnull) AS filled, count(*) AS columns
       FROM pg_catalog.pg_attribute a WHERE a.attrelid = c.oid AND a.attnum = ANY (i.indkey[0:i.indnkeyatts - 1])) k
     WHERE i.indrelid = c.oid AND i.indisunique AND i.indisvalid AND i.indpred IS NULL
       AND k.filled AND k.columns = i.indnkeyatts)::text
  FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace
  WHERE n.nspname = $1 AND c.relname = ANY ($2)`

async function postgresShape(connection: PostgresConnection, url: PostgresUrl): Promise<DatabaseShape> {
  const columns = await readColumns(connection, url)
  const rows = await connection.rows(kindsQuery, [url.schema, relations.map(({ name }) => name)])
  const known = new Map(rows.map(([name, ...rest]) => [name, rest]))
  const found = relations.flatMap((relation): [string, RelationShape][] => {
    const own = columns.get(relation.name)
    const [code, unique] = known.get(relation.name) ?? []
    if (!own || code === undefined) return []
    const kind = kinds[String(code)] ?? String(code)
    const keys = (typeof unique === 'string' ? JSON.parse(unique) : []) as string[][]
    const shapes = [...own].map(([name, { type, isReadable }]): [string, ColumnShape] => {
      const wanted = relation.columns[name]
      return [name, { type, isReadable, isRight: wanted === undefined || readable[wanted].includes(type) }]
    })
    const isTable = kind === 'table' || kind === 'materialized view'
    const isKeyed = keys.some((names) => names.join() === relation.key.toSorted().join())
    return [[relation.name, { isTable, kind, columns: new Map(shapes), isKeyed, isStrict: true }]]
  })
  const journal = await findPostgresJournal(connection, await plainTables(connection))
  const running = await findRunning((text) => connection.rows(text))
  const [right] = await connection.rows(`SELECT has_table_privilege(to_regclass($1), 'SELECT')`, [journalTable])
  const isReadable = right?.[0] === true
  // How long those run whose beginning the role may not see is unknown.
  const feedHold = running && holdOf(running, () => Number.POSITIVE_INFINITY)
  return { relations: new Map(found), broken: new Map(), journal: { ...journal, isReadable }, feedHold }
}
