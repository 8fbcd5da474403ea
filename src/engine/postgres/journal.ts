// Reads the journal of a PostgreSQL database. Transactions do not commit in the order of their numbers, so a mark is a snapshot: the set of
// transactions that it shows. What was written since is what that snapshot could not see.
import type { PlainReason } from '../../finder/plain-reasons.ts'
import type { Changes, Mark } from '../../finder/snapshot.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import type { Id } from '../../sql/arrays.ts'
import { journalReading } from '../../sql/journal-postgres.ts'
import { journalTable } from '../../sql/journalled.ts'
import { areTables } from './relation-kinds.ts'

// What a connection reached.
export interface Server {
  // Its address, its start and the database: other servers give the same numbers to other transactions.
  readonly identity: string
  readonly isGenuine: boolean
  readonly areTables: boolean
  // Why the journal cannot be read at all.
  readonly whyPlain: PlainReason | undefined
}

// Engines that speak like PostgreSQL keep their transactions in other ways.
const serverQuery = `SELECT concat_ws(' ', inet_server_addr(), inet_server_port(), pg_postmaster_start_time(), current_database()),
  version() ~ '^PostgreSQL [0-9.]+ ' AND version() !~ '-YB-'
    AND NOT EXISTS (SELECT FROM pg_catalog.pg_extension WHERE extname IN ('citus', 'spock', 'bdr')),
  to_regclass('${journalTable}') IS NOT NULL,
  coalesce(has_table_privilege(to_regclass('${journalTable}'), 'SELECT'), false)`

export async function readServer(connection: PostgresConnection): Promise<Server> {
  const [[found], isAllTables] = await Promise.all([
    ifKnown(connection.rows(serverQuery), []),
    ifKnown(areTables(connection), false),
  ])
  const [identity, isGenuine, isThere, isReadable] = found ?? []
  return {
    identity: String(identity),
    isGenuine: isGenuine === true,
    areTables: isAllTables,
    whyPlain: whyPlain(isGenuine === true, isThere === true, isReadable === true, isAllTables),
  }
}

// Engines that only speak like PostgreSQL refuse such questions as unknown.
const ifKnown = <Result>(asked: Promise<Result>, otherwise: Result): Promise<Result> =>
  asked.catch((error: unknown) => {
    if (error instanceof PostgresFailure && /^(42|0A)/.test(error.code ?? '')) return otherwise
    throw error
  })

function whyPlain(
  isGenuine: boolean,
  isThere: boolean,
  isReadable: boolean,
  areAllTables: boolean,
): PlainReason | undefined {
  if (!isGenuine) return 'foreign_server'
  if (!isThere) return areAllTables ? 'no_journal' : 'views'
  return isReadable ? undefined : 'unreadable_journal'
}

// Beyond so many rows it takes longer to read them than to load the columns anew.
const mostRows = 50_000

interface Look {
  readonly opening: string
  // Whether every write to the relations is named.
  readonly isNamed: boolean
  // xmin:xmax:xip,…
  readonly point: string
  // Up to this transaction, rows may have been pruned.
  readonly floor: bigint
  // Written by this server, and not by one whose dump was restored.
  readonly isOwn: boolean
}

async function look(connection: PostgresConnection, server: Server, relations: readonly string[]): Promise<Look> {
  const [row = []] = await connection.rows(journalReading.look, [relations])
  const [fingerprint, isNamed, snapshot, isStandby, floor, isOwn] = row
  const [xmin, xmax, xip] = String(snapshot).split(':')
  return {
    opening: `${server.identity} ${String(fingerprint)}`,
    isNamed: isNamed === true,
    // The snapshots of a standby do not list the transactions that were running.
    point: isStandby === true ? `${xmin}:${xmin}:` : `${xmin}:${xmax}:${xip}`,
    floor: BigInt(String(floor)),
    isOwn: isOwn === true,
  }
}

export async function readMark(
  connection: PostgresConnection,
  server: Server,
  relations: readonly string[],
): Promise<{ readonly mark: Mark } | { readonly whyPlain: PlainReason }> {
  if (server.whyPlain !== undefined) return { whyPlain: server.whyPlain }
  const { opening, isNamed, point, isOwn } = await look(connection, server, relations)
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
    look(connection, server, relations),
    connection.rows(journalReading.since, [xmax, `{${xip}}`, relations, mostRows + 1]),
  ])
  if (opening !== mark.opening || floor >= BigInt(xmin) || rows.length > mostRows) return undefined
  // The mark is later than this snapshot: the base would show rows that the snapshot does not.
  if (point !== mark.point && !showsAll(point, mark.point)) return undefined
  // TRUNCATE names no id: everything may have changed.
  if (rows.some(([, id]) => id === null)) return undefined
  const byRelation = Map.groupBy(rows, ([relation]) => String(relation))
  const named = new Map(Array.from(byRelation, ([name, own]) => [name, own.map(([, id]) => id as Id)]))
  return { now: { opening, point }, named }
}

// Whether a snapshot shows everything that another one shows.
function showsAll(one: string, other: string): boolean {
  const [, xmax = '', xip = ''] = one.split(':')
  const [, otherMax = '', otherXip = ''] = other.split(':')
  const isHiddenInBoth = (xid: string) => BigInt(xid) >= BigInt(otherMax) || otherXip.split(',').includes(xid)
  return BigInt(xmax) >= BigInt(otherMax) && xip.split(',').every((xid) => xid === '' || isHiddenInBoth(xid))
}
