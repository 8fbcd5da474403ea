// Reads the journal of a SQLite file. One transaction writes at a time, so the sequence of its rows is the order of commits.
import { hash } from 'node:crypto'
import { relations } from '../../contract/relations.ts'
import {
  mostJournalRows,
  namedIn,
  readJournalRow,
  timeIn,
  type Changes,
  type JournalReader,
  type PlainReason,
} from '../../finder/snapshot.ts'
import type { Sqlite, SqliteStatement } from '../../platform/sqlite.ts'
import { journalReading, journalTriggers } from '../../sql/journal-sqlite.ts'
import { journalTable } from '../../sql/journalled.ts'
import type { Row } from '../../sql/statement.ts'

interface SqliteJournal {
  // Random, made with the journal.
  readonly identity: string
  whyPlainFor(relations: readonly string[]): PlainReason | undefined
  point(): string
  // Undefined if the point is not one of this journal, or was pruned.
  since(point: string, relations: readonly string[]): { point: string; named: Changes['named'] } | undefined
  // Undefined if it does not name all writes.
  readonly reader: JournalReader | undefined
}

const names = relations.map(({ name }) => `'${name}'`).join(', ')
const tablesQuery = `SELECT count(*) AS tables FROM sqlite_schema
  WHERE type = 'table' AND lower(name) IN (${names}) AND sql NOT LIKE 'CREATE VIRTUAL %'`

// Whether all relations are tables. A view may change without a write (it may compare a date with today), so nothing of it is remembered.
export const areTables = (sqlite: Sqlite): boolean => sqlite.prepare(tablesQuery).get()?.['tables'] === relations.length

// The journal, or why there is no usable one.
export function openJournal(sqlite: Sqlite): SqliteJournal | { readonly whyPlain: PlainReason } {
  const isThere = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(journalTable)
  if (!isThere) return { whyPlain: 'no_journal' }
  const triggers = new Map(Array.from(sqlite.prepare(journalReading.triggers).all(), ({ name, sql }) => [name, sql]))
  if (journalTriggers().some(({ name, statement }) => triggers.get(name) !== statement)) return { whyPlain: 'triggers' }
  const replaced = sqlite.prepare(journalReading.silentlyReplaced).all()
  const [head, tagOf] = [bigIntegers(sqlite, journalReading.head), bigIntegers(sqlite, journalReading.tagOf)]
  const rows = bigIntegers(sqlite, journalReading.since)
  rows.setReturnArrays(true)
  const identity = String(bigIntegers(sqlite, journalReading.identity).get()?.['tag'])
  const point = () => {
    const { seq, tag } = head.get() ?? {}
    return `${String(seq)}:${String(tag)}`
  }
  return {
    identity,
    whyPlainFor: (names) =>
      replaced.some(({ relation }) => names.includes(String(relation))) ? 'unique_index' : undefined,
    point,
    since(before, names) {
      const now = point()
      if (now === before) return { point: now, named: new Map() }
      const [seq, tag] = before.split(':')
      if (String(tagOf.get(Number(seq))?.['tag']) !== tag) return undefined
      const named = namedIn(rows.all(Number(seq), JSON.stringify(names), mostJournalRows + 1) as unknown as Row[])
      return named && { point: now, named }
    },
    reader: replaced.length === 0 ? createReader(sqlite, point) : undefined,
  }
}

// A position is the place (the `seq` of the last row that was read), the head at that time (`seq:tag`), and the definitions of the
// relations, whose change may change rows without a trigger. The records were read as of the head: if its row is not there, the file was
// replaced or restored, and they may be newer than what it holds.
function createReader(sqlite: Sqlite, head: () => string): JournalReader {
  const definitions = sqlite.prepare(journalReading.definitions).all()
  const digest = hash('sha256', JSON.stringify(definitions), 'base64url').slice(0, 16)
  const [tagOf, after, about, oldest] = (['tagOf', 'after', 'about', 'oldest'] as const).map((name) => {
    const prepared = bigIntegers(sqlite, journalReading[name])
    prepared.setReturnArrays(true)
    return (...values: (string | number | null)[]) => prepared.all(...values) as unknown as Row[]
  }) as [Read, Read, Read, Read]
  const tag = (seq: string | undefined) => tagOf(Number(seq))[0]?.[0]
  const positionAt = (seq: unknown) => `${String(seq)} ${head()} ${digest}`
  const rowsOf = (found: readonly Row[]) => {
    const rest = ` ${head()} ${digest}`
    return found.map((row) => readJournalRow(row, String(row[0]) + rest, null))
  }
  return {
    end: async () => positionAt(head().split(':')[0]),
    oldestAt: async () => timeIn(oldest()[0]),
    async confirm(position) {
      const [place, known = '', definedBy] = position.split(' ')
      const [seq, headTag] = known.split(':')
      const isValid = definedBy === digest && String(tag(seq)) === headTag && tag(place) !== undefined
      return isValid ? positionAt(place) : undefined
    },
    async after(position, relations, limit) {
      const rows = rowsOf(after(placeOf(position), JSON.stringify(relations), limit))
      return { rows, end: positionAt(head().split(':')[0]) }
    },
    about: async (position, relations, ids) =>
      rowsOf(about(placeOf(position), JSON.stringify(relations), ids && `[${ids.join(',')}]`)),
  }
}

const placeOf = (position: string) => Number(position.split(' ')[0])

type Read = (...values: (string | number | null)[]) => Row[]

function bigIntegers(sqlite: Sqlite, text: string): SqliteStatement {
  const prepared = sqlite.prepare(text)
  prepared.setReadBigInts(true)
  return prepared
}
