// Reads the journal of a SQLite file. One transaction writes at a time, so the sequence of its rows is the order of commits.
import { hash } from 'node:crypto'
import { relations } from '../../contract/relations.ts'
import { mostJournalRows, mostRowsLookedAt, namedIn, readJournalRow, timeIn, writtenIn } from '../../finder/snapshot.ts'
import type { JournalReader, PlainReason, Snapshot } from '../../finder/snapshot.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { journalReading, journalTriggers, rowCells } from '../../sql/journal-sqlite.ts'
import { journalTable } from '../../sql/journalled.ts'
import type { Row } from '../../sql/statement.ts'

interface SqliteJournal {
  readonly mark: Snapshot['mark']
  readonly changesSince: Snapshot['changesSince']
  readonly written: Snapshot['written']
  // Whether it names the writes to every relation.
  readonly namesAll: boolean
  // Undefined if not.
  reader(): JournalReader | undefined
  // Its last row, by which every mark of this snapshot is told.
  point(): string
  // To be called whenever the file was written.
  forgetPoint(): void
}

const ours = journalTriggers()
const names = relations.map(({ name }) => `'${name}'`).join(', ')
const tablesQuery = `SELECT count(*) AS tables FROM sqlite_schema
  WHERE type = 'table' AND lower(name) IN (${names}) AND sql NOT LIKE 'CREATE VIRTUAL %'`

// Whether all relations are tables. A view may change without a write (it may compare a date with today), so nothing of it is remembered.
export const areTables = (sqlite: Sqlite): boolean => sqlite.prepare(tablesQuery).get()?.['tables'] === relations.length

// The journal, or why there is no usable one. `file` identifies the file and its schema.
export function openJournal(sqlite: Sqlite, file: string): SqliteJournal | { readonly whyPlain: PlainReason } {
  const isThere = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(journalTable)
  if (!isThere) return { whyPlain: 'no_journal' }
  const triggers = new Map(Array.from(sqlite.prepare(journalReading.triggers).all(), ({ name, sql }) => [name, sql]))
  if (ours.some(({ name, statement }) => triggers.get(name) !== statement)) return { whyPlain: 'triggers' }
  const replaced = sqlite.prepare(journalReading.silentlyReplaced).all()
  const namesAll = replaced.length === 0
  let reader: JournalReader | undefined
  const [head, tagOf, since] = [reading(sqlite, 'head'), reading(sqlite, 'tagOf'), reading(sqlite, 'since')]
  const written = reading(sqlite, 'written')
  const opening = `${file} ${String(reading(sqlite, 'identity')()[0]?.[0])}`
  let known: string | undefined
  const point = () => (known ??= (head()[0] ?? []).join(':'))
  return {
    async mark(names) {
      const isSilent = replaced.some(({ relation }) => names.includes(String(relation)))
      return isSilent ? { whyPlain: 'unique_index' } : { mark: { opening, point: point() } }
    },
    async changesSince(mark, names) {
      if (mark.opening !== opening) return undefined
      const now = { opening, point: point() }
      if (now.point === mark.point) return { now, named: new Map() }
      const [seq, tag] = mark.point.split(':')
      if (String(tagOf(Number(seq))[0]?.[0]) !== tag) return undefined
      const named = namedIn(since(Number(seq), JSON.stringify(names), mostJournalRows + 1))
      return named && { now, named }
    },
    async written(mark) {
      if (mark.opening !== opening) return undefined
      // The file was not written.
      if (known === mark.point) return { now: mark, relations: [] }
      const [seq, tag] = mark.point.split(':')
      if (String(tagOf(Number(seq))[0]?.[0]) !== tag) return undefined
      const found = writtenIn(written(Number(seq), mostRowsLookedAt + 1))
      return found && { now: { opening, point: point() }, relations: found }
    },
    point,
    namesAll,
    reader: () => (namesAll ? (reader ??= createReader(sqlite, point)) : undefined),
    forgetPoint: () => (known = undefined),
  }
}

// A position is the place (the `seq` of the last row that was read), the head at that time (`seq:tag`), and the definitions of the
// relations, whose change may change rows without a trigger. The records were read as of the head: if its row is not there, the file was
// replaced or restored, and they may be newer than what it holds.
function createReader(sqlite: Sqlite, head: () => string): JournalReader {
  const definitions = sqlite.prepare(journalReading.definitions).all()
  const digest = hash('sha256', JSON.stringify(definitions), 'base64url').slice(0, 16)
  const [tagOf, after, afterOnce] = [reading(sqlite, 'tagOf'), reading(sqlite, 'after'), reading(sqlite, 'afterOnce')]
  const [about, oldest, oldestSeq] = [reading(sqlite, 'about'), reading(sqlite, 'oldest'), reading(sqlite, 'oldestSeq')]
  const tag = (seq: string | undefined) => tagOf(Number(seq))[0]?.[0]
  const positionAt = (seq: unknown) => `${String(seq)} ${head()} ${digest}`
  const end = () => positionAt(head().split(':')[0])
  return {
    end: async () => end(),
    oldestAt: async () => timeIn(oldest()[0]),
    async confirm(position) {
      const [place, known = '', definedBy] = position.split(' ')
      const [seq, headTag] = known.split(':')
      const headNow = tag(seq)
      if (definedBy === digest && String(headNow) === headTag && tag(place) !== undefined)
        return { position: positionAt(place) }
      const isGone = headNow === undefined && Number(seq) < Number(oldestSeq()[0]?.[0])
      return { expired: definedBy === digest && (isGone || String(headNow) === headTag) ? 'pruned' : 'replaced' }
    },
    async after(position, { relations, oneByOne, limit }) {
      const asked = [placeOf(position), JSON.stringify(relations), limit] as const
      const found = limit > fewRows ? afterOnce(...asked, JSON.stringify(oneByOne)) : after(...asked)
      const [read = found.length, last = Number(found.at(-1)?.[0])] = found.at(-1)?.slice(rowCells).map(Number) ?? []
      const isEnd = read < limit
      return {
        rows: found.map((row) => readJournalRow(row, null)),
        end: isEnd ? end() : positionAt(last),
        isEnd,
        positionAt: ({ seq }, side) => positionAt(side === 'after' ? seq : seq - 1),
      }
    },
    about: async (position, relations, ids) =>
      about(placeOf(position), JSON.stringify(relations), `[${ids.join(',')}]`).map((row) => readJournalRow(row, null)),
  }
}

// To fold rows that say the same takes longer than it saves when no more are read.
const fewRows = 1000

const placeOf = (position: string) => Number(position.split(' ')[0])

function reading(sqlite: Sqlite, name: keyof typeof journalReading) {
  const prepared = sqlite.prepare(journalReading[name])
  prepared.setReadBigInts(true)
  prepared.setReturnArrays(true)
  return (...values: (string | number | null)[]) => prepared.all(...values) as unknown as Row[]
}
