// Many rows into a table of SQLite, as fast as JavaScript can hand them over.
import type { Sqlite, SqliteStatement } from '../platform/sqlite.ts'

export interface Inserter {
  readonly one: SqliteStatement
  readonly several: SqliteStatement
  readonly rowsAtOnce: number
}

type Row = readonly (string | number | bigint | boolean | null)[]

// A call costs as much as storing a narrow row, so narrow rows go several at once; more values than this do not pay.
const VALUES_AT_ONCE = 96

// `insert` is the statement up to its values, of which each row has so many.
export function prepareInserter(database: Sqlite, insert: string, width: number): Inserter {
  const row = `(${Array.from({ length: width }, () => '?').join(', ')})`
  const rowsAtOnce = Math.max(1, Math.floor(VALUES_AT_ONCE / width))
  const prepare = (times: number) =>
    database.prepare(`${insert} VALUES ${Array.from({ length: times }, () => row).join(', ')}`)
  return { one: prepare(1), several: prepare(rowsAtOnce), rowsAtOnce }
}

// How many there were: fewer where the statement passes some over.
export function insertRows({ one, several, rowsAtOnce }: Inserter, rows: readonly Row[]): number {
  const values: (string | number | bigint | null)[] = []
  const whole = rows.length - (rows.length % rowsAtOnce)
  let count = 0
  rows.forEach((row, at) => {
    for (const value of row) values.push(typeof value === 'boolean' ? Number(value) : value)
    if (at < whole && (at + 1) % rowsAtOnce !== 0) return
    count += Number((at < whole ? several : one).run(...values).changes)
    values.length = 0
  })
  return count
}
