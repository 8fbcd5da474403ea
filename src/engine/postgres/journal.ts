// Reads the journal of a PostgreSQL database. Transactions do not commit in the order of their numbers, so a mark is a snapshot: the set of
// transactions that it shows. Changes since a mark are the rows that its snapshot could not see.
import { hash } from 'node:crypto'
import { relations as allRelations } from '../../contract/relations.ts'
import { mostJournalRows, namedIn, readJournalRow, timeIn } from '../../finder/snapshot.ts'
import type { JournalReader, JournalRow, PlainReason, Snapshot } from '../../finder/snapshot.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { journalReading } from '../../sql/journal-postgres.ts'
import { journalTable } from '../../sql/journalled.ts'

const relationNames = allRelations.map(({ name }) => name)

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

const tablesQuery = `SELECT count(*) = ${relationNames.length} FROM pg_catalog.pg_class c
  JOIN pg_catalog.pg_am a ON a.oid = c.relam AND a.amname = 'heap'
  WHERE c.oid IN (${relationNames.map((name) => `to_regclass('${name}')`).join(', ')})
    AND c.relkind = 'r' AND NOT c.relhassubclass AND NOT c.relrowsecurity`

// Whether all relations are ordinary tables. Others (views, foreign tables, policies) may change without a transaction here.
async function areTables(connection: PostgresConnection): Promise<boolean> {
  const [row] = await connection.rows(tablesQuery)
  return row?.[0] === true
}

// Servers that are only compatible refuse such queries as unknown.
export const ifKnown = <Result>(asked: Promise<Result>, otherwise: Result): Promise<Result> =>
  asked.catch((error: unknown) => {
    if (error instanceof PostgresFailure && /^(42|0A)/.test(error.code ?? '')) return otherwise
    throw error
  })

async function readState(connection: PostgresConnection, server: Server, relations: readonly string[]) {
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

// The part of a snapshot that reads the journal.
export const journalOf = (
  connection: PostgresConnection,
  server: Server,
): Pick<Snapshot, 'mark' | 'changesSince' | 'journal'> => ({
  async mark(relations) {
    if (server.whyPlain !== undefined) return { whyPlain: server.whyPlain }
    const { opening, isNamed, point, isOwn } = await readState(connection, server, relations)
    if (!isOwn) return { whyPlain: 'foreign_journal' }
    if (isNamed) return { mark: { opening, point } }
    return { whyPlain: (await areTables(connection)) ? 'triggers' : 'views' }
  },
  async changesSince(mark, relations) {
    if (server.whyPlain !== undefined) return undefined
    const [xmin = ''] = mark.point.split(':')
    const seen = parsePoint(mark.point)
    const [{ opening, point, floor }, rows] = await Promise.all([
      readState(connection, server, relations),
      connection.rows(journalReading.since, [...bound(seen), relations, mostJournalRows + 1]),
    ])
    if (opening !== mark.opening || floor >= BigInt(xmin)) return undefined
    // If the mark is later than this snapshot, the base shows rows that the snapshot does not.
    if (point !== mark.point && !showsAll(parsePoint(point), seen)) return undefined
    const named = namedIn(rows)
    return named && { now: { opening, point }, named }
  },
  journal: () => openFeed(connection, server),
})

// What a snapshot shows: every transaction below `xmax` except the running ones.
interface SeenTransactions {
  readonly xmax: string
  readonly running: readonly string[]
}

function parsePoint(point: string): SeenTransactions {
  const [, xmax = '', xip = ''] = point.split(':')
  return { xmax, running: xip === '' ? [] : xip.split(',') }
}

// Whether a snapshot shows everything that another one shows.
function showsAll(one: SeenTransactions, other: SeenTransactions): boolean {
  const isHiddenInOther = (xid: string) => BigInt(xid) >= BigInt(other.xmax) || other.running.includes(xid)
  return BigInt(one.xmax) >= BigInt(other.xmax) && one.running.every(isHiddenInOther)
}

// The change feed reads the journal from a position on, which holds two snapshots: everything that A shows was read, and what B shows is
// being read, from a place in the order of the journal's key on. When nothing of B is left, A becomes B, and B the snapshot that is asked.
interface Position {
  readonly read: SeenTransactions
  readonly reading: SeenTransactions
  // The key (xid, seq) of the last row that was read.
  readonly place: readonly [xid: string, seq: string]
  readonly history: string
}

// A position must stay short. If more transactions are running, those from the next one on count as not seen: they come later.
const mostRunning = 6

async function openFeed(connection: PostgresConnection, server: Server): Promise<JournalReader | undefined> {
  if (server.whyPlain !== undefined) return undefined
  const [state, [row]] = await Promise.all([
    readState(connection, server, relationNames),
    connection.rows(journalReading.history),
  ])
  if (state.isStandby || !state.isNamed || !state.isOwn) return undefined
  const history = hash('sha256', `${String(row?.[0])} ${state.fingerprint}`, 'base64url').slice(0, 16)
  const now = shortened(parsePoint(state.point))
  const begin = (seen: SeenTransactions, reading = seen): Position => ({
    read: seen,
    reading,
    place: [oldestUnseen(seen), '0'],
    history,
  })

  const readRows = async ({ read, reading, place }: Position, relations: readonly string[], limit: number) =>
    connection.rows(journalReading.after, [...bound(read), ...bound(reading), ...place, relations, limit])

  return {
    end: async () => write(begin(now)),
    oldestAt: async () => timeIn((await connection.rows(journalReading.oldest))[0]),
    async confirm(text) {
      const position = parse(text)
      const isKept = state.floor < BigInt(oldestUnseen(position.read))
      const isPast = showsAll(parsePoint(state.point), position.reading)
      return position.history === history && isKept && isPast ? text : undefined
    },
    async after(text, relations, limit) {
      const rows: JournalRow[] = []
      let position = parse(text)
      for (;;) {
        const isAllRead = isSame(position.read, position.reading)
        const { read, reading } = position
        for (const cells of isAllRead ? [] : await readRows(position, relations, limit - rows.length)) {
          position = { read, reading, place: [String(cells[0]), String(cells[1])], history }
          rows.push(readJournalRow(cells.slice(1), write(position), String(cells[0])))
        }
        if (rows.length >= limit || isSame(position.reading, now)) break
        position = begin(position.reading, now)
      }
      return { rows, end: write(begin(now)) }
    },
    async about(text, relations, ids) {
      const rows = await connection.rows(journalReading.about, [...bound(parse(text).read), relations, ids])
      return rows.map((cells) => readJournalRow(cells.slice(1), text, String(cells[0])))
    },
  }
}

function shortened({ xmax, running }: SeenTransactions): SeenTransactions {
  const sorted = running.toSorted((one, other) => Number(BigInt(one) - BigInt(other)))
  return { xmax: sorted[mostRunning] ?? xmax, running: sorted.slice(0, mostRunning) }
}

const bound = ({ xmax, running }: SeenTransactions) => [xmax, `{${running.join()}}`]
const oldestUnseen = ({ xmax, running }: SeenTransactions) => running[0] ?? xmax
const pointOf = ({ xmax, running }: SeenTransactions) => `:${xmax}:${running.join()}`
const isSame = (one: SeenTransactions, other: SeenTransactions) => pointOf(one) === pointOf(other)

const write = ({ read, reading, place, history }: Position) =>
  [pointOf(read), isSame(read, reading) ? '' : pointOf(reading), place.join(':'), history].join(' ')

function parse(text: string): Position {
  const [read = '', reading = '', place = '', history = ''] = text.split(' ')
  const [xid = '', seq = ''] = place.split(':')
  return { read: parsePoint(read), reading: parsePoint(reading === '' ? read : reading), place: [xid, seq], history }
}
