// Imports into a schema of PostgreSQL, in one session, whose temporary tables hold the staged rows. Readers see all of it or nothing and
// do not wait; writers wait while rows are written.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { addressOf, placeOf } from '../../platform/postgres/problems.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { settingsTable } from '../../settings/table.ts'
import { quote } from '../../sql/dialect.ts'
import { journalTable } from '../../sql/journalled.ts'
import { eachWithProgress, type OnProgress } from '../progress.ts'
import { makeTables, relationKinds } from '../schema/apply-postgres.ts'
import { findPostgresJournal, plainTables, withoutTriggers } from '../schema/journal.ts'
import { runBriefly, withRelationsLocked } from '../schema/postgres-locks.ts'
import {
  chosen,
  columnsIn,
  countChanges,
  isBulk,
  relationProblem,
  type ImportPlace,
  type PlaceOptions,
  type RelationChanges,
  type UsePlace,
} from './place.ts'
import { makeStage, stagedTables } from './stage-postgres.ts'
import { compareAll, writeAll } from './staged.ts'
import type { ColumnLimit } from './values.ts'

// A copy writes again and again: with so few changes, PostgreSQL clears up in its own time.
const mostUncleared = 1000

// Memory to join and sort many staged rows.
const moreMemory = `SET work_mem = '64MB'; SET maintenance_work_mem = '128MB'; SET temp_buffers = '64MB'`

export function withSchema<Result>(
  url: PostgresUrl,
  { isDryRun, signal, silenceMs }: PlaceOptions,
  use: UsePlace<Result>,
): Promise<Result> {
  const setUp = `${sessionSetUp(url, { timeoutMs: 0 })}; ${moreMemory}`
  const work = async (connection: PostgresConnection) => {
    const cancel = () => connection.cancel()
    signal.addEventListener('abort', cancel)
    try {
      return await use(await placeIn(connection, url, signal))
    } finally {
      signal.removeEventListener('abort', cancel)
    }
  }
  return withConnection(
    settingsTable.databaseUrl.name,
    url,
    setUp,
    (connection) => (isDryRun ? work(connection) : withRelationsLocked(connection, () => work(connection))),
    silenceMs,
  )
}

async function placeIn(connection: PostgresConnection, url: PostgresUrl, signal: AbortSignal): Promise<ImportPlace> {
  const kinds = await relationKinds(connection)
  const limits = await readLimits(connection, url)
  const isThere = ({ name }: Relation) => kinds.has(name)
  const lacksRelations = !relations.every(isThere)
  const namesOf = ({ name }: Relation) => new Set(limits.get(name)?.keys())
  const columnsOf = (relation: Relation) => columnsIn(relation, namesOf(relation))
  const tables = stagedTables(connection, { isThere, columnsOf }, signal)
  const compare: ImportPlace['compare'] = (staged, options) => compareAll(staged, tables, options)
  return {
    name: placeOf(url),
    engine: 'postgres',
    lacksRelations,
    problemOf: (relation) => relationProblem(relation, kinds.get(relation.name) === 'r', namesOf(relation)),
    columnsOf,
    limitsOf: ({ name }) => limits.get(name) ?? new Map(),
    stageFor: (relation) => makeStage(connection, relation, tables),
    stage: tables.stage,
    compare,
    rows: tables.rows,
    async write(staged, options) {
      const compared = await chosen(await compare(staged, options), options)
      // Unchanged relations are not locked.
      const changing = compared.filter((each) => countChanges(each) > 0)
      if (!lacksRelations && changing.length === 0) return compared
      const known = changing.filter(({ relation }) => isThere(relation))
      const { before, after } = withoutTriggers(await bulkOf(connection, known))
      signal.throwIfAborted()
      await runBriefly(connection, lockStatements(known), { end: 'SET LOCAL lock_timeout = 0', signal })
      let written: RelationChanges[]
      try {
        if (lacksRelations) await makeTables(connection, url)
        await connection.script(before.join('; '))
        // The relations are locked now, so this comparison is final.
        written = await compare(changing, options)
        await writeAll(written, tables, options)
        await connection.script(after.join('; '))
        signal.throwIfAborted()
        options.onCommit()
        await commit(connection, url)
      } catch (error) {
        if (connection.isConnected()) await connection.script('ROLLBACK').catch(() => {})
        throw error
      }
      const most = options.stampedAt === undefined ? 0 : mostUncleared
      const cleared = written.filter((each) => countChanges(each) > most).map(({ relation }) => relation.name)
      await vacuum(connection, cleared, options.onProgress).catch((error: Error) =>
        options.remark(
          `The rows are imported, but could not be vacuumed and analysed (${error.message}): PostgreSQL will do it by itself.`,
        ),
      )
      return compared.map((each) => written.find(({ relation }) => relation === each.relation) ?? each)
    },
  }
}

// Always in the same order, to avoid deadlocks.
function lockStatements(changing: readonly RelationChanges[]): string[] {
  const names = changing.map(({ relation }) => quote(relation.name)).toSorted()
  return names.length === 0 ? [] : [`LOCK TABLE ${names.join(', ')} IN SHARE ROW EXCLUSIVE MODE`]
}

// Relations with so many changes that the journal notes the whole relation. This requires the owner's rights; without them,
// the triggers note each record.
async function bulkOf(connection: PostgresConnection, changing: readonly RelationChanges[]): Promise<string[]> {
  const bulk: string[] = []
  for (const each of changing) {
    const [row] = await connection.rows(`SELECT count(*) FROM ${quote(each.relation.name)}`)
    if (isBulk(each, Number(row?.[0]))) bulk.push(each.relation.name)
  }
  const tables = await plainTables(connection)
  if (bulk.length === 0 || (await findPostgresJournal(connection, tables)).faults.length > 0) return []
  const [row] = await connection.rows(
    `SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_catalog.pg_class WHERE oid = ANY ($1::regclass[])`,
    [[...bulk, journalTable]],
  )
  return row?.[0] === true ? bulk.filter((name) => tables.includes(name)) : []
}

// If the connection is lost here, the outcome of the transaction is unknown.
async function commit(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  try {
    await connection.script('COMMIT')
  } catch (error) {
    if (connection.isConnected()) throw error
    throw new OperatorError(
      `The connection to PostgreSQL at ${addressOf(url)} was lost during the commit (${(error as Error).message}): ` +
        'it is unknown whether the rows were imported. Import again: if they were, nothing changes.',
      1,
    )
  }
}

// Runs after the commit, so that writers do not wait for it.
const vacuum = (connection: PostgresConnection, names: readonly string[], onProgress: OnProgress): Promise<void> =>
  eachWithProgress('clearing up', names, onProgress, async (name) => {
    const [row] = await connection.rows('SELECT to_regclass(quote_ident($1)) IS NOT NULL', [name])
    if (row?.[0] === true) await connection.script(`VACUUM (ANALYZE) ${quote(name)}`)
  })

// Limits of columns in tables that Vitrine did not make. For a domain, its base type counts.
async function readLimits(
  connection: PostgresConnection,
  { schema }: PostgresUrl,
): Promise<Map<string, Map<string, ColumnLimit>>> {
  const rows = await connection.rows(
    `SELECT table_name::text, column_name::text, udt_name::text, character_maximum_length::int,
       numeric_precision::int, numeric_scale::int
     FROM information_schema.columns WHERE table_schema = $1`,
    [schema],
  )
  const limits = new Map<string, Map<string, ColumnLimit>>()
  for (const [table, column, type, length, precision, scale] of rows) {
    const known = limits.get(String(table)) ?? new Map<string, ColumnLimit>()
    limits.set(String(table), known.set(String(column), limitOf(String(type), length, precision, scale)))
  }
  return limits
}

function limitOf(type: string, length: unknown, precision: unknown, scale: unknown): ColumnLimit {
  if (type === 'int2' || type === 'int4') return { isWhole: true, bits: type === 'int2' ? 16 : 32 }
  if (type === 'int8') return { isWhole: true }
  if (type === 'numeric' && typeof precision === 'number') return { digits: precision - Number(scale ?? 0) }
  return typeof length === 'number' ? { length } : {}
}
