// The journal of a PostgreSQL server as the change feed reads it. Transactions do not commit in the order of their numbers, so a position
// holds two snapshots: everything that A shows was read, and what B shows is being read, from a place in the order of the journal's key
// on. When nothing of B is left, A becomes B, and B the snapshot that is asked.
import { hash } from 'node:crypto'
import { relations as allRelations } from '../../contract/relations.ts'
import { readJournalRow, timeIn, type JournalReader, type JournalRow } from '../../finder/snapshot.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { journalReading } from '../../sql/journal-postgres.ts'
import { parsePoint, readState, showsAll, type SeenTransactions, type Server } from './journal.ts'

interface Position {
  readonly read: SeenTransactions
  readonly reading: SeenTransactions
  // The key (xid, seq) of the last row that was read.
  readonly place: readonly [xid: string, seq: string]
  readonly history: string
}

// A position must stay short. If more transactions are running, those from the next one on count as not seen: they come later.
const mostRunning = 6
const names = allRelations.map(({ name }) => name)

export async function openFeed(connection: PostgresConnection, server: Server): Promise<JournalReader | undefined> {
  if (server.whyPlain !== undefined) return undefined
  const [state, [row]] = await Promise.all([
    readState(connection, server, names),
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
