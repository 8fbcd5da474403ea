// Inserts many rows into a SQLite table, several with each statement.
import type { Sqlite } from '../platform/sqlite.ts'

type InsertedRow = readonly (string | number | bigint | boolean | null)[]
// Returns the number of inserted rows, which is lower if the statement ignores some.
export type InsertRows = (rows: readonly InsertedRow[]) => number

// A call costs as much as storing a narrow row. Statements with more values are not faster.
const valuesAtOnce = 96

// `insert` is the statement before VALUES, and `width` the number of its columns.
export function prepareInsert(database: Sqlite, insert: string, width: number): InsertRows {
  const row = `(${Array.from({ length: width }, () => '?').join(', ')})`
  const rowsAtOnce = Math.max(1, Math.floor(valuesAtOnce / width))
  const prepare = (times: number) =>
    database.prepare(`${insert} VALUES ${Array.from({ length: times }, () => row).join(', ')}`)
  const [one, several] = [prepare(1), prepare(rowsAtOnce)]
  return (rows) => {
    const values: (string | number | bigint | null)[] = []
    const whole = rows.length - (rows.length % rowsAtOnce)
    let count = 0
    rows.forEach((each, at) => {
      for (const value of each) values.push(typeof value === 'boolean' ? Number(value) : value)
      if (at < whole && (at + 1) % rowsAtOnce !== 0) return
      count += Number((at < whole ? several : one).run(...values).changes)
      values.length = 0
    })
    return count
  }
}
