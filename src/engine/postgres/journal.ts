// Reads the journal of a PostgreSQL database. Transactions do not commit in the order of their numbers, so a mark is a snapshot: the set of
// transactions that it shows. Changes since a mark are the rows that its snapshot could not see.
import { relations as allRelations } from '../../contract/relations.ts'
import { mostJournalRows, namedIn, type Changes, type Mark, type PlainReason } from '../../finder/snapshot.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { journalReading } from '../../sql/journal-postgres.ts'
import { journalTable } from '../../sql/journalled.ts'

// The server that a connection reached.
export interface Server {
  // Its address, its start and the database: another server gives the same numbers to other transactions.
  readonly identity: string
  readonly isGenuine: boolean
  readonly areTables: boolean
  readonly isStandby: boolean
  // Why the journal cannot be read at all.
  readonly whyPlain: PlainReason | undefined
}

// A server that is only compatible with PostgreSQL may number transactions in another way: it is not genuine.
const serverQuery = `SELECT concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time(), current_database()),
  version() ~ '^PostgreSQL [0-9.]+ ' AND version() !~ '-YB-'
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname IN ('citus', 'spock', 'bdr')),
  pg_is_in_recovery(), to_regclass('${journalTable}') IS NOT NULL,
  coalesce(has_table_privilege(to_regclass('${journalTable}'), 'SELECT'), false)`

export async function readServer(connection: PostgresConnection): Promise<Server> {
  const [[found], isAllTables] = await Promise.all([
    ifKnown(connection.rows(serverQuery), []),
    ifKnown(areTables(connection), false),
  ])
  const [identity, isGenuine, isStandby, isThere, isReadable] = found ?? []
  const whyPlain = (): PlainReason | undefined => {
    if (isGenuine !== true) return 'foreign_server'
    if (isThere !== true) return isAllTables ? 'no_journal' : 'views'
    return isReadable === true ? undefined : 'unreadable_journal'
  }
  return {
    identity: String(identity),
    isGenuine: isGenuine === true,
    areTables: isAllTables,
    isStandby: isStandby === true,
    whyPlain: whyPlain(),
  }
}

const tablesQuery = `SELECT count(*) = ${allRelations.length} FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_am a ON a.oid = c.relam AND a.amname = 'heap'
  WHERE c.oid IN (${allRelations.map(({ name }) => `to_regclass('${name}')`).join(', ')})
    AND c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relrowsecurity`

// Whether all relations are ordinary tables. Others (views, foreign tables, policies) may change without a transaction here.
async function areTables(connection: PostgresConnection): Promise<boolean> {
  const [row] = await connection.rows(tablesQuery)
  return row?.[0] === true
}

// Servers that are only compatible refuse such queries as unknown.
const ifKnown = <Result>(asked: Promise<Result>, otherwise: Result): Promise<Result> =>
  asked.catch((error: unknown) => {
    if (error instanceof PostgresFailure && /^(42|0A)/.test(error.code ?? '')) return otherwise
    throw error
  })

export async function readState(connection: PostgresConnection, server: Server, relations: readonly string[]) {
  const [row = []] = await connection.rows(journalReading.look, [relations])
  const [fingerprint, isNamed, snapshot, isStandby, floor, isOwn] = row
  const [xmin, xmax, xip] = String(snapshot).split(':')
  return {
    opening: `${server.identity} ${String(fingerprint)}`,
    fingerprint: String(fingerprint),
    isStandby: isStandby === true,
    // Whether the journal names every write to the relations.
    isNamed: isNamed === true,
    // The snapshot of a standby does not list the transactions that were running.
    point: isStandby === true ? `${xmin}:${xmin}:` : `${xmin}:${xmax}:${xip}`,
    // Rows up to this transaction may have been pruned.
    floor: BigInt(String(floor)),
    // If not, a dump of another server was restored.
    isOwn: isOwn === true,
  }
}

export async function readMark(
  connection: PostgresConnection,
  server: Server,
  relations: readonly string[],
): Promise<{ readonly mark: Mark } | { readonly whyPlain: PlainReason }> {
  if (server.whyPlain !== undefined) return { whyPlain: server.whyPlain }
  const { opening, isNamed, point, isOwn } = await readState(connection, server, relations)
  if (!isOwn) return { whyPlain: 'foreign_journal' }
  if (isNamed) return { mark: { opening, point } }
  return { whyPlain: (await areTables(connection)) ? 'triggers' : 'views' }
}

export async function readChanges(
  connection: PostgresConnection,
  server: Server,
  mark: Mark,
  relations: readonly string[],
): Promise<Changes | undefined> {
  if (server.whyPlain !== undefined) return undefined
  const [xmin = '', xmax, xip] = mark.point.split(':')
  const [{ opening, point, floor }, rows] = await Promise.all([
    readState(connection, server, relations),
    connection.rows(journalReading.since, [xmax, `{${xip}}`, relations, mostJournalRows + 1]),
  ])
  if (opening !== mark.opening || floor >= BigInt(xmin)) return undefined
  // If the mark is later than this snapshot, the base shows rows that the snapshot does not.
  if (point !== mark.point && !showsAll(parsePoint(point), parsePoint(mark.point))) return undefined
  const named = namedIn(rows)
  return named && { now: { opening, point }, named }
}

// What a snapshot shows: every transaction below `xmax` except the running ones.
export interface SeenTransactions {
  readonly xmax: string
  readonly running: readonly string[]
}

export function parsePoint(point: string): SeenTransactions {
  const [, xmax = '', xip = ''] = point.split(':')
  return { xmax, running: xip === '' ? [] : xip.split(',') }
}

// Whether a snapshot shows everything that another one shows.
export function showsAll(one: SeenTransactions, other: SeenTransactions): boolean {
  const isHiddenInOther = (xid: string) => BigInt(xid) >= BigInt(other.xmax) || other.running.includes(xid)
  return BigInt(one.xmax) >= BigInt(other.xmax) && one.running.every(isHiddenInOther)
}
