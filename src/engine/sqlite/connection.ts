// A read-only connection to the POS database, with its statements prepared once, reopened by itself when the file
// was replaced. It stays in a reader thread: node:sqlite is synchronous.
import { sqlite as sqliteDialect } from '../../sql/sqlite.ts'
import { sqliteFinding } from '../../sql/sqlite-finding.ts'
import type { Dialect } from '../../sql/dialect.ts'
import type { Statement } from '../../sql/statement.ts'
import type { SqliteStatement } from '../../sqlite.ts'
import { usualFarInto } from '../engine.ts'
import type { Cell, Row } from '../json.ts'
import type { Run } from '../run.ts'
import type { Stale } from '../stale.ts'
import { createContains } from './contains.ts'
import { rememberFrequencies } from './frequencies.ts'
import { openPos } from './pos-file.ts'
import { areTables } from './relation-kinds.ts'
import { rememberRows } from './remembered.ts'
import { keptSearches, staleSearches, usableSearches } from './searches.ts'
import { keptTallies, staleTallies } from './tallies.ts'

export interface Connection {
  readonly dialect: Dialect
  readonly stale: Stale
  readonly run: Run
  // What is read is in tables, all of it.
  readonly areTables: boolean
  // Begins to read within one snapshot; false when the tables or triggers are not what they were when it was opened, or when it is
  // another file.
  readonly begin: () => boolean
  readonly end: () => void
  readonly file: string
  readonly isCurrent: () => boolean
  // Whether all that was read since it began is of the same file.
  readonly isUntouched: () => boolean
  readonly close: () => void
}

// Statements differ by the shape of the request only; the bound keeps odd combinations from piling up.
const mostStatements = 500

export function connect(path: string, lockTimeoutMs: number, farInto = usualFarInto): Connection {
  const { sqlite, dataVersion, schemaVersion, file, isCurrent, isCopied, isUntouched } = openPos(path, lockTimeoutMs)
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
    const rows = ({ text, values }: Statement) => readRows(prepare(text), values)
    const remembered = rememberRows(rows)
    const isAllTables = areTables(sqlite)
    const [tallies, searches] = [keptTallies(sqlite), keptSearches(sqlite)]
    const usable = usableSearches(sqlite, searches)
    const finding = sqliteFinding({
      searchIndexes: usable,
      frequencyOf: rememberFrequencies(sqlite, farInto + 1),
      few: farInto,
    })
    return {
      dialect: sqliteDialect(finding, tallies),
      stale: { tallies: staleTallies(sqlite, tallies), searches: staleSearches(sqlite, searches) },
      run: { rows, counts: isAllTables ? (statement) => remembered.rows(statement) : rows },
      areTables: isAllTables,
      begin() {
        sqlite.exec('BEGIN')
        // Reading it begins the snapshot.
        const version = Number(dataVersion.get()?.['data_version'])
        if (isCopied(version)) return false
        return remembered.isCurrent(version) || readSchemaVersion() === opened
      },
      end: () => sqlite.isTransaction && sqlite.exec('COMMIT'),
      file,
      isCurrent: () => isCurrent() && !usable.isOdd(),
      isUntouched,
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
