// Reads the journal of a SQLite file. One transaction writes at a time, so the sequence of its rows is the order of commits.
import type { PlainReason } from '../../finder/plain-reasons.ts'
import type { Changes } from '../../finder/snapshot.ts'
import type { Id } from '../../sql/arrays.ts'
import { journalReading, journalTriggers } from '../../sql/journal-sqlite.ts'
import { journalTable } from '../../sql/journalled.ts'
import type { Sqlite, SqliteStatement } from '../../platform/sqlite.ts'

interface SqliteJournal {
  // Random, made with the journal.
  readonly identity: string
  whyPlainFor(relations: readonly string[]): PlainReason | undefined
  mark(): string
  // What was written since a mark; undefined where the mark is not one of this journal, or was pruned.
  since(
    mark: string,
    relations: readonly string[],
  ): { readonly now: string; readonly named: Changes['named'] } | undefined
}

// Beyond so many rows it takes longer to read them than to load the columns anew.
const mostRows = 50_000

// The journal, or why there is none that can be relied on.
export function openJournal(sqlite: Sqlite): SqliteJournal | { readonly whyPlain: PlainReason } {
  const isThere = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(journalTable)
  if (!isThere) return { whyPlain: 'no_journal' }
  const found = new Map(
    sqlite
      .prepare(journalReading.triggers)
      .all()
      .map(({ name, sql }) => [name, sql]),
  )
  if (journalTriggers().some(({ name, statement }) => found.get(name) !== statement)) return { whyPlain: 'triggers' }
  const replaced = sqlite.prepare(journalReading.silentlyReplaced).all()
  const [head, tagOf] = [bigIntegers(sqlite, journalReading.head), bigIntegers(sqlite, journalReading.tagOf)]
  const rows = bigIntegers(sqlite, journalReading.since)
  rows.setReturnArrays(true)
  const identity = String(bigIntegers(sqlite, journalReading.identity).get()?.['tag'])
  const mark = () => {
    const { seq, tag } = head.get() ?? {}
    return `${String(seq)}:${String(tag)}`
  }
  return {
    identity,
    whyPlainFor: (names) =>
      replaced.some(({ relation }) => names.includes(String(relation))) ? 'unique_index' : undefined,
    mark,
    since(before, relations) {
      const now = mark()
      if (now === before) return { now, named: nothing }
      const [seq, tag] = before.split(':')
      if (String(tagOf.get(Number(seq))?.['tag']) !== tag) return undefined
      const written = rows.all(Number(seq), JSON.stringify(relations), mostRows + 1) as unknown as (readonly [
        string,
        unknown,
      ])[]
      // A row without an id: everything may have changed.
      if (written.length > mostRows || written.some(([, id]) => typeof id !== 'bigint')) return undefined
      const byRelation = Map.groupBy(written, ([relation]) => relation)
      return { now, named: new Map(Array.from(byRelation, ([name, own]) => [name, own.map(([, id]) => idOf(id))])) }
    },
  }
}

const nothing: Changes['named'] = new Map()
const idOf = (id: unknown): Id => (Number.isSafeInteger(Number(id)) ? Number(id) : (id as bigint))

function bigIntegers(sqlite: Sqlite, text: string): SqliteStatement {
  const prepared = sqlite.prepare(text)
  prepared.setReadBigInts(true)
  return prepared
}
