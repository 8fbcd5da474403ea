// Reads the journal of a PostgreSQL database. Transactions do not commit in the order of their numbers, so a mark is a snapshot: the set of
// transactions that it shows. Changes since a mark are the rows that its snapshot could not see.
import { hash } from 'node:crypto'
import { relations as allRelations } from '../../contract/relations.ts'
import { mostJournalRows, namedIn, readJournalRow, timeIn } from '../../finder/snapshot.ts'
import type { JournalReader, PlainReason, Snapshot } from '../../finder/snapshot.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { journalReading, rowCells } from '../../sql/journal-postgres.ts'
import { journalTable } from '../../sql/journalled.ts'
import type { Row } from '../../sql/statement.ts'
import { isSame, oldestUnseen, parsePosition, parseSnapshot, shortened, showsAll, writePosition } from './position.ts'
import type { Position, SeenTransactions } from './position.ts'

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
const ifKnown = <Result>(asked: Promise<Result>, otherwise: Result): Promise<Result> =>
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
    const seen = parseSnapshot(mark.point)
    const [{ opening, point, floor }, rows] = await Promise.all([
      readState(connection, server, relations),
      connection.rows(journalReading.since, [...bound(seen), relations, mostJournalRows + 1]),
    ])
    if (opening !== mark.opening || floor >= BigInt(xmin)) return undefined
    // If the mark is later than this snapshot, the base shows rows that the snapshot does not.
    if (point !== mark.point && !showsAll(parseSnapshot(point), seen)) return undefined
    const named = namedIn(rows)
    return named && { now: { opening, point }, named }
  },
  journal: () => openFeed(connection, server),
})

async function openFeed(connection: PostgresConnection, server: Server): Promise<JournalReader | undefined> {
  if (server.whyPlain !== undefined) return undefined
  const [state, [row]] = await Promise.all([
    readState(connection, server, relationNames),
    connection.rows(journalReading.history),
  ])
  if (state.isStandby || !state.isNamed || !state.isOwn) return undefined
  const history = hash('sha256', `${String(row?.[0])} ${state.fingerprint}`, 'base64url').slice(0, 16)
  const now = parseSnapshot(state.point)
  const begin = (read: SeenTransactions, reading = read): Position => ({
    read,
    reading,
    place: [oldestUnseen(read), '0'],
    history,
  })
  // When nothing of B is left.
  const following = ({ reading }: Position) => begin(reading, shortened(now, reading))

  return {
    end: async () => writePosition(begin(shortened(now))),
    oldestAt: async () => timeIn((await connection.rows(journalReading.oldest))[0]),
    async confirm(text) {
      const position = parsePosition(text)
      if (!position) return undefined
      const isKept = state.floor < BigInt(oldestUnseen(position.read))
      const isPast = showsAll(now, position.reading)
      return position.history === history && isKept && isPast ? text : undefined
    },
    async after(text, { relations, oneByOne, limit }) {
      const asked = parse(text)
      const position = isSame(asked.read, asked.reading) ? following(asked) : asked
      const { read, reading, place } = position
      const positionAt = (xid: string, seq: number) =>
        writePosition({ read, reading, place: [xid, String(seq)], history })
      const bounds = [...bound(read), ...bound(reading)]
      const found = isSame(read, reading)
        ? []
        : await connection.rows(journalReading.after, [...bounds, ...place, relations, limit, oneByOne])
      const last = found.at(-1)
      const [count = 0, lastSeq = 0] = last?.slice(rowCells).map(Number) ?? []
      const isAllRead = count < limit
      const next = following(position)
      return {
        rows: found.map(readRow),
        end: isAllRead ? writePosition(next) : positionAt(String(last?.[0]), lastSeq),
        isEnd: isAllRead && isSame(reading, next.reading),
        positionAt: ({ transaction, seq }, side) => positionAt(String(transaction), side === 'after' ? seq : seq - 1),
      }
    },
    async about(text, relations, ids) {
      const { read, reading } = parse(text)
      const values = [...bound(read), ...bound(reading), relations, ids]
      return (await connection.rows(journalReading.about, values)).map(readRow)
    },
  }
}

// Of a position that was confirmed.
const parse = (confirmed: string) => parsePosition(confirmed) as Position

const readRow = (cells: Row) => readJournalRow(cells.slice(1), String(cells[0]))

const bound = ({ xmax, running }: SeenTransactions) => [xmax, `{${running.join()}}`]
