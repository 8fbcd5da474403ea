// A SQLite file as a source: one read-only connection with its statements prepared once, reopened when the file was replaced, its schema
// was changed, or anything failed. It stays in a thread of its own: node:sqlite is synchronous.
import type { Mark } from '../../finder/snapshot.ts'
import { sqlite as dialect } from '../../sql/sqlite.ts'
import type { Cell, Row, Statement } from '../../sql/statement.ts'
import type { SqliteStatement } from '../../platform/sqlite.ts'
import type { OnOpened, Source, SourceSnapshot } from '../source.ts'
import { createContains } from './contains.ts'
import { openJournal } from './journal.ts'
import { openPos } from './pos-file.ts'
import { areTables } from './relation-kinds.ts'

interface SqliteSourceOptions {
  readonly path: string
  readonly lockTimeoutMs: number
  readonly onOpened: OnOpened
}

interface Connection {
  readonly snapshot: SourceSnapshot
  // False when the schema or the file is not what it was when it was opened.
  readonly begin: () => boolean
  readonly end: () => void
  readonly isCurrent: () => boolean
  readonly close: () => void
}

// Statements differ by the shape of the request only; the bound keeps odd combinations from piling up.
const mostStatements = 500
const mostAttempts = 3

export function createSqliteSource({ path, lockTimeoutMs, onOpened }: SqliteSourceOptions): Source {
  let open: Connection | undefined

  const disconnect = () => {
    try {
      open?.close()
    } finally {
      open = undefined
    }
  }

  const begin = (): Connection => {
    if (open && !open.isCurrent()) disconnect()
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      open ??= connect(path, lockTimeoutMs, onOpened)
      if (open.begin()) return open
      disconnect()
    }
    throw new Error('the tables change faster than they can be looked at')
  }

  return {
    dialect,
    async within(work) {
      try {
        const connection = begin()
        const result = await work(connection.snapshot)
        connection.end()
        return result
      } catch (error) {
        disconnect()
        throw error
      }
    },
    close: async () => disconnect(),
  }
}

function connect(path: string, lockTimeoutMs: number, onOpened: OnOpened): Connection {
  const pos = openPos(path, lockTimeoutMs)
  const { sqlite, dataVersion, schemaVersion, file } = pos
  try {
    sqlite.function('contains', { varargs: true, deterministic: true }, createContains())
    // Does nothing but enter JavaScript: that is where a thread that is being stopped notices it.
    sqlite.function('keep_going', () => 1)
    const prepared = new Map<string, SqliteStatement>()
    const prepare = (text: string) => {
      const known = prepared.get(text)
      if (known) return known
      if (prepared.size >= mostStatements) prepared.clear()
      const made = sqlite.prepare(text)
      made.setReturnArrays(true)
      prepared.set(text, made)
      return made
    }
    const readSchemaVersion = () => schemaVersion.get()?.['schema_version']
    const opened = readSchemaVersion()
    const isAllTables = areTables(sqlite)
    const found = isAllTables ? openJournal(sqlite) : { whyPlain: 'views' as const }
    const journal = 'whyPlain' in found ? undefined : found
    const opening = `${file} ${String(opened)} ${journal?.identity}`
    onOpened({ areTables: isAllTables, mustConfirm: false, hasJournal: journal !== undefined })
    // Nobody has written since the last snapshot: what was read of the journal then still holds.
    let lastVersion = Number.NaN
    let lastPoint: string | undefined
    const snapshot: SourceSnapshot = {
      rows: ({ text, values }) => readRows(prepare(text), values),
      async mark(relations) {
        if ('whyPlain' in found) return found
        const whyPlain = found.whyPlainFor(relations)
        return whyPlain === undefined ? { mark: { opening, point: (lastPoint = found.mark()) } } : { whyPlain }
      },
      async changesSince(mark: Mark, relations) {
        if (!journal || mark.opening !== opening) return undefined
        if (mark.point === lastPoint) return { now: mark, named: new Map() }
        const changes = journal.since(mark.point, relations)
        if (!changes) return undefined
        lastPoint = changes.now
        return { now: { opening, point: changes.now }, named: changes.named }
      },
      version: async () => file,
    }
    return {
      snapshot,
      begin() {
        sqlite.exec('BEGIN')
        // Reading it begins the snapshot.
        const version = Number(dataVersion.get()?.['data_version'])
        if (pos.isCopied(version)) return false
        if (version === lastVersion) return true
        lastVersion = version
        lastPoint = undefined
        return readSchemaVersion() === opened
      },
      end: () => sqlite.exec('COMMIT'),
      isCurrent: pos.isCurrent,
      close: () => sqlite.close(),
    }
  } catch (error) {
    sqlite.close()
    throw error
  }
}

// An integer beyond 2^53 makes node:sqlite throw: the rare statement that meets one is read again with big integers.
function readRows(statement: SqliteStatement, values: Statement['values']): Row[] {
  try {
    return statement.all(...values) as unknown as Row[]
  } catch (error) {
    if (!(error instanceof RangeError)) throw error
    statement.setReadBigInts(true)
    try {
      return (statement.all(...values) as unknown as Row[]).map((row) => row.map(toNumberIfSafe))
    } finally {
      statement.setReadBigInts(false)
    }
  }
}

const toNumberIfSafe = (cell: Cell) =>
  typeof cell === 'bigint' && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell
