// A SQLite file as a source: one read-only connection whose statements are prepared once. It is reopened after any failure, or when the
// file was replaced or its schema changed. Each has a thread of its own, because node:sqlite is synchronous.
import type { Snapshot } from '../../finder/snapshot.ts'
import { quote } from '../../sql/dialect.ts'
import { createCompletion } from '../../sql/lacking-columns.ts'
import { sqlite as dialect } from '../../sql/sqlite.ts'
import { showRow, type Cell, type Row, type Statement } from '../../sql/statement.ts'
import { createBoundedCache } from '../../platform/bounded-cache.ts'
import type { Sqlite, SqliteStatement } from '../../platform/sqlite.ts'
import { absentColumns, type ColumnsOf } from '../missing-parts.ts'
import type { OnConnected, PosSource } from '../source.ts'
import { recordsAmong } from './any-ids.ts'
import { readColumns } from './check.ts'
import { areTables, openJournal } from './journal.ts'
import { openPos } from './pos-file.ts'

// Statements differ by the shape of the request. Bounds the memory that unusual combinations take.
const mostStatements = 500
const mostAttempts = 3

// `rowsShown`: rows without a usable id are no records; only a check looks at them.
export function createSqliteSource(
  path: string,
  lockTimeoutMs: number,
  onConnected: OnConnected,
  rowsShown: 'records' | 'all' = 'records',
): PosSource {
  let open: ReturnType<typeof connect> | undefined

  const disconnect = () => {
    try {
      open?.close()
    } finally {
      open = undefined
    }
  }

  const begin = () => {
    if (open && !open.isCurrent()) disconnect()
    for (let attempt = 0; attempt < mostAttempts; attempt += 1) {
      open ??= connect(path, lockTimeoutMs, onConnected, rowsShown)
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

function connect(path: string, lockTimeoutMs: number, onConnected: OnConnected, rowsShown: 'records' | 'all') {
  const pos = openPos(path, lockTimeoutMs)
  const { sqlite, dataVersion, schemaVersion, file } = pos
  try {
    sqlite.function('contains', { varargs: true, deterministic: true }, createContains())
    // Enters JavaScript, where a thread that is being ended stops.
    sqlite.function('keep_going', () => 1)
    const readSchemaVersion = () => schemaVersion.get()?.['schema_version']
    const schemaAtOpening = readSchemaVersion()
    // Valid until the schema changes, when the file is opened again.
    const isAllTables = areTables(sqlite)
    // Looked at when the first statement comes: the listener's thread reads the journal alone.
    const lookAtColumns = () => {
      const lacking = absentColumns(readableColumns(sqlite), 'not required')
      const which = isAllTables && rowsShown === 'records' ? recordsAmong(sqlite) : undefined
      return createCompletion(dialect, lacking, nameOf, which)
    }
    let complete: ReturnType<typeof lookAtColumns> | undefined
    const prepared = createBoundedCache<string, SqliteStatement>(mostStatements)
    const prepare = (text: string) => {
      const known = prepared.get(text)
      if (known) return known
      complete ??= lookAtColumns()
      const made = sqlite.prepare(complete(text))
      made.setReturnArrays(true)
      return prepared.set(text, made)
    }
    const found = isAllTables
      ? openJournal(sqlite, `${file} ${String(schemaAtOpening)}`)
      : { whyPlain: 'views' as const }
    const journal = 'whyPlain' in found ? undefined : found
    const hasFeed = journal?.namesAll === true
    onConnected({ areTables: isAllTables, mustConfirm: false, hasJournal: journal !== undefined, hasFeed })
    let lastVersion = Number.NaN
    const snapshot: Snapshot = {
      // A file may be put back to an earlier moment without a trace in the journal of later ones.
      get database() {
        return `${file} ${journal?.point()}`
      },
      rows: ({ text, values }) => readRows(prepare(text), values),
      shown: ({ text, values }, form) => readRows(prepare(text), values).map((row) => showRow(form, row)),
      mark: async (relations) => ('whyPlain' in found ? found : found.mark(relations)),
      changesSince: async (mark, relations) => journal?.changesSince(mark, relations),
      written: async (mark) => journal?.written(mark),
      journal: async () => journal?.reader(),
    }
    return {
      snapshot,
      // False if the schema or the file has changed since it was opened.
      begin(): boolean {
        sqlite.exec('BEGIN')
        // Reading it begins the snapshot.
        const version = Number(dataVersion.get()?.['data_version'])
        if (pos.isCopied(version)) return false
        if (version === lastVersion) return true
        lastVersion = version
        journal?.forgetPoint()
        return readSchemaVersion() === schemaAtOpening
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

const nameOf = (relation: string) => `main.${quote(relation)}`

// A view over a table that is gone has none: a statement that reads it will say so.
function readableColumns(sqlite: Sqlite): ColumnsOf {
  const columnsOf = readColumns(sqlite)
  return (relation) => {
    try {
      return columnsOf(relation)
    } catch {
      return new Set()
    }
  }
}

// node:sqlite throws at an integer beyond 2^53. The statement is then read again with bigints.
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

// contains(text, column, …): whether one of the columns contains the literal text. Case is folded by simple case folding of Unicode, as a
// regular expression with the flags i and u does; accents count. Nothing after a NUL is searched.
function createContains() {
  let searched: unknown
  let pattern = /(?!)/u
  return (text: unknown, ...columns: unknown[]): 0 | 1 => {
    if (text !== searched) {
      searched = text
      pattern = new RegExp(RegExp.escape(String(text)), 'iu')
    }
    return columns.some((column) => typeof column === 'string' && pattern.test(column.split('\0', 1)[0] ?? '')) ? 1 : 0
  }
}
