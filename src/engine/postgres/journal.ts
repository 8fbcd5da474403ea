// Reads the journal of a PostgreSQL database. Transactions do not commit in the order of their
// numbers, so a mark is a snapshot: the set of transactions that it shows. Changes since a mark
// are the rows that its snapshot could not see.
//
// A mark with the snapshot 90:95:92 shows all transactions before 90, and of those from 90 to 94
// all that had ended, which is all but 92. Journal rows of
//
//   91   were seen: 91 had committed
//   92   were not: 92 was still open, and has committed since
//   97   were not: 97 began later
//
// `xid >= 95 OR xid = ANY ('{92}')` finds the rows of 92 and 97. A rule by the greatest number
// (`xid > 94`) would lose those of 92 for ever. What if 92 stays open? Each later mark names it
// among the open ones, too, so its rows are found after it has committed.
import { hash } from 'node:crypto'
import { relations as allRelations } from '../../contract/relations.ts'
import { mostJournalRows, mostRowsLookedAt, namedIn, readJournalRow, timeIn, writtenIn } from '../../finder/snapshot.ts'
import type { JournalReader, Mark, PlainReason, Snapshot } from '../../finder/snapshot.ts'
import { createBoundedCache, type BoundedCache } from '../../platform/bounded-cache.ts'
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
  readonly known: Known
}

// Learnt over this connection, and forgotten with it: it does not survive the end of its server.
interface Known {
  // By relations: what the last look found in the catalogue, and what is asked to confirm it.
  readonly looks: Map<string, { readonly found: Row; readonly asked: Row }>
  // Snapshots with the tags of their newest rows.
  readonly tags: BoundedCache<string, true>
  // A standby that becomes a primary keeps its connections; a primary keeps its history.
  history?: string
}
const mostTags = 1000
// The column of a look that tells how many rows of the catalogue it is of.
const catalogueRows = 3

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
    known: { looks: new Map(), tags: createBoundedCache(mostTags) },
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

async function readState(connection: PostgresConnection, { identity, known }: Server, relations: readonly string[]) {
  const name = relations.join()
  const last = known.looks.get(name)
  const again = last && (await connection.rows(journalReading.lookAgain, last.asked))[0]
  const isKnown = again !== undefined && (again[0] === null || again[0] === last?.found[catalogueRows])
  const row = isKnown
    ? [...(last?.found ?? []), ...again.slice(1)]
    : ((await connection.rows(journalReading.look, [relations]))[0] ?? [])
  const [described, tables, functions, , shown, standby, floorId, tag, newest] = row
  const [catalogue, snapshot, isStandby] = [String(described), String(shown), standby === true]
  const [xmin = '', xmax = '', xip] = snapshot.split(':')
  // A relation that is not there may be made without a trace in the others. The snapshot of a standby does not list the transactions that
  // were running, so equal ones need not show the same.
  const isComplete = String(tables).split(',').length === relations.length + 1
  const asked = [isStandby ? '' : snapshot, xmin, tables ?? null, functions ?? null]
  if (isComplete) known.looks.set(name, { asked, found: row.slice(0, catalogueRows + 1) })
  else known.looks.delete(name)
  const fingerprint = `${catalogue} ${String(tag)}`
  // Rows up to this transaction may have been pruned.
  const floor = BigInt(String(floorId ?? 0))
  return {
    opening: `${identity} ${fingerprint}`,
    fingerprint,
    isStandby,
    // The catalogue was read anew, in a later snapshot than what was asked meanwhile.
    isLate: last !== undefined && !isKnown,
    // Whether the journal names every write to the relations. Without its floor, what it has lost is unknown.
    isNamed: catalogue.startsWith('t') && (floorId ?? null) !== null,
    // A crash empties a table that is not logged, and nothing names that; no connection survives it.
    isLogged: catalogue.startsWith('t t'),
    point: isStandby ? `${xmin}:${xmin}:` : `${xmin}:${xmax}:${xip}`,
    floor,
    // If not, a dump of another server was restored.
    isOwn: floor < BigInt(xmax) && BigInt(String(newest ?? 0)) < BigInt(xmax),
  }
}

// The part of a snapshot that reads the journal.
export const journalOf = (
  connection: PostgresConnection,
  server: Server,
): Pick<Snapshot, 'mark' | 'changesSince' | 'written' | 'journal'> => ({
  async mark(relations) {
    if (server.whyPlain !== undefined) return { whyPlain: server.whyPlain }
    const state = await readState(connection, server, relations)
    if (!state.isOwn) return { whyPlain: 'foreign_journal' }
    if (state.isNamed) return { mark: markOf(state) }
    return { whyPlain: (await areTables(connection)) ? 'triggers' : 'views' }
  },
  async changesSince(mark, relations) {
    if (server.whyPlain !== undefined) return undefined
    const [state, rows] = await Promise.all([
      readState(connection, server, relations),
      connection.rows(journalReading.since, [...bound(parseSnapshot(mark.point)), relations, mostJournalRows + 1]),
    ])
    const named = continues(mark, state) ? namedIn(rows) : undefined
    return named && { now: markOf(state), named }
  },
  async written(mark) {
    if (server.whyPlain !== undefined) return undefined
    const readRows = () =>
      connection.rows(journalReading.written, [...bound(parseSnapshot(mark.point)), mostRowsLookedAt + 1])
    // The rows are read last, if not in one snapshot: what came in between is named again by the next look.
    const [state, rows] = await Promise.all([readState(connection, server, relationNames), readRows()])
    const relations = continues(mark, state) ? writtenIn(state.isLate ? await readRows() : rows) : undefined
    return relations && { now: markOf(state), relations }
  },
  journal: () => openFeed(connection, server),
})

const markOf = ({ opening, point }: Mark): Mark => ({ opening, point })

// Whether the journal names everything that a snapshot shows and a mark does not. If the mark is later than the snapshot, a base shows
// rows that the snapshot does not.
function continues(mark: Mark, { opening, point, floor, isNamed }: Awaited<ReturnType<typeof readState>>): boolean {
  const [xmin = ''] = mark.point.split(':')
  if (!isNamed || opening !== mark.opening || floor >= BigInt(xmin)) return false
  return point === mark.point || showsAll(parseSnapshot(point), parseSnapshot(mark.point))
}

async function openFeed(connection: PostgresConnection, server: Server): Promise<JournalReader | undefined> {
  if (server.whyPlain !== undefined) return undefined
  const { known } = server
  const [state, [row], life] = await Promise.all([
    readState(connection, server, relationNames),
    connection.rows(journalReading.newest),
    known.history ?? connection.rows(journalReading.history).then(([found]) => found?.[0] ?? undefined),
  ])
  if (state.isStandby || !state.isNamed || !state.isLogged || !state.isOwn) return undefined
  if (life !== undefined) known.history = String(life)
  const history = hash('sha256', `${String(life)} ${state.fingerprint}`, 'base64url').slice(0, 16)
  const present = parseSnapshot(state.point)
  const now = upTo(present, BigInt(String(row?.[1] ?? 0)), state.floor)
  const tagsOf = async (seen: SeenTransactions) =>
    tagsIn(isSame(seen, now) ? row : (await connection.rows(journalReading.tags, bound(seen)))[0])
  const note = (seen: SeenTransactions, tags: string) => known.tags.set(tagged(seen, tags), true)
  const begin = async (reading: SeenTransactions, read = reading, given?: string): Promise<Position> => {
    const tags = given ?? (await tagsOf(reading))
    note(reading, tags)
    return { read, reading, place: [oldestUnseen(read), '0'], tags, history }
  }
  // When nothing of B is left.
  const following = ({ reading, tags }: Position) => {
    const next = shortened(now, reading)
    return begin(next, reading, isSame(next, reading) ? tags : undefined)
  }

  return {
    end: async () => writePosition(await begin(shortened(now))),
    oldestAt: async () => timeIn((await connection.rows(journalReading.oldest))[0]),
    async confirm(text) {
      const position = parsePosition(text)
      const isPast = position?.history === history && showsAll(present, position.reading)
      if (!isPast) return { expired: 'replaced' }
      const { read, reading, tags } = position
      if (state.floor >= BigInt(oldestUnseen(read))) return { expired: 'pruned' }
      if (known.tags.get(tagged(reading, tags))) return { position: text }
      if ((await tagsOf(reading)) !== tags) return { expired: 'replaced' }
      note(reading, tags)
      return { position: text }
    },
    async after(text, { relations, oneByOne, limit }) {
      const asked = parse(text)
      const position = isSame(asked.read, asked.reading) ? await following(asked) : asked
      const { read, reading, place } = position
      const positionAt = (xid: string, seq: number) => writePosition({ ...position, place: [xid, String(seq)] })
      const bounds = [...bound(read), ...bound(reading)]
      const found = isSame(read, reading)
        ? []
        : await connection.rows(journalReading.after, [...bounds, ...place, relations, limit, oneByOne])
      const last = found.at(-1)
      const [count = 0, lastSeq = 0] = last?.slice(rowCells).map(Number) ?? []
      const isAllRead = count < limit
      const next = await following(position)
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

// What a snapshot shows of the journal ends with its newest row. Numbers beyond it may be given again by a server that crashed or was put
// back, and then to transactions that write.
function upTo({ xmax, running }: SeenTransactions, newest: bigint, floor: bigint): SeenTransactions {
  const end = 1n + (newest > floor ? newest : floor)
  return end < BigInt(xmax)
    ? { xmax: String(end), running: running.filter((xid) => BigInt(xid) < end) }
    : { xmax, running }
}

const tagsIn = (row: Row | undefined) => BigInt(String(row?.[0] ?? 0)).toString(36)

// Of a position that was confirmed.
const parse = (confirmed: string) => parsePosition(confirmed) as Position

const readRow = (cells: Row) => readJournalRow(cells.slice(1), String(cells[0]))

const bound = ({ xmax, running }: SeenTransactions) => [xmax, `{${running.join()}}`]
const tagged = (seen: SeenTransactions, tags: string) => [...bound(seen), tags].join(' ')
