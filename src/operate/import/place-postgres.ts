// Imports into a schema of PostgreSQL, in one session, whose temporary tables hold the staged rows.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { placeOf } from '../../platform/postgres/problems.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import { withConnection } from '../../platform/postgres/with-connection.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { settingsTable } from '../../settings/table.ts'
import { relationKinds } from '../schema/apply-postgres.ts'
import { lockRelations, unlockRelations } from '../schema/postgres-locks.ts'
import {
  compareAll,
  countChanges,
  relationProblem,
  type ImportPlace,
  type PlaceOptions,
  type UsePlace,
} from './place.ts'
import { comparisonIn, makeStage, vacuum, writeStaged } from './write-postgres.ts'
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
    if (!isDryRun) await lockRelations(connection)
    const cancel = () => connection.cancel()
    signal.addEventListener('abort', cancel)
    try {
      return await use(await placeIn(connection, url))
    } finally {
      signal.removeEventListener('abort', cancel)
      // A pending request to cancel may hit this statement.
      if (connection.isUsable()) await unlockRelations(connection).catch(() => {})
    }
  }
  return withConnection(settingsTable.databaseUrl.name, url, setUp, work, silenceMs)
}

async function placeIn(connection: PostgresConnection, url: PostgresUrl): Promise<ImportPlace> {
  const kinds = await relationKinds(connection)
  const limits = await readLimits(connection, url)
  const isThere = ({ name }: Relation) => kinds.has(name)
  const lacksRelations = !relations.every(isThere)
  const compare: ImportPlace['compare'] = (staged, options) =>
    compareAll(staged, comparisonIn(connection, isThere), options)
  return {
    name: placeOf(url),
    engine: 'postgres',
    lacksRelations,
    problemOf: (relation) =>
      relationProblem(relation, kinds.get(relation.name) === 'r', new Set(limits.get(relation.name)?.keys())),
    limitsOf: ({ name }) => limits.get(name) ?? new Map(),
    stageFor: (relation) => makeStage(connection, relation, isThere(relation)),
    compare,
    rows: (statement, values) => connection.rows(statement, values),
    async write(staged, options) {
      const compared = await compare(staged, options)
      if (!lacksRelations && compared.every((each) => countChanges(each) === 0)) return compared
      const written = await writeStaged({ connection, url, isThere, lacksRelations }, compared, options)
      const most = options.stampedAt === undefined ? 0 : mostUncleared
      const cleared = written.filter((each) => countChanges(each) > most).map(({ relation }) => relation)
      await vacuum(connection, cleared, options.onProgress).catch((error: Error) =>
        options.remark(
          `The rows are imported, but could not be vacuumed and analysed (${error.message}): PostgreSQL will do it by itself.`,
        ),
      )
      return written
    },
  }
}

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
