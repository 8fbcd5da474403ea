// Rows of statements, remembered for as long as nobody writes: SQLite tells exactly whether somebody has.
import type { Statement } from '../../sql/statement.ts'
import type { Row } from '../json.ts'

const mostRemembered = 5000
// Longer ones are not: memory is for many.
const mostRows = 500

export function rememberRows(read: (statement: Statement) => Row[]) {
  const known = new Map<string, Row[]>()
  let version = Number.NaN
  return {
    // Whether nothing was written since the version that was last named; else all is forgotten.
    isCurrent(current: number): boolean {
      if (current === version) return true
      known.clear()
      version = current
      return false
    },
    rows(statement: Statement): Row[] {
      const key = `${statement.text}\n${JSON.stringify(statement.values)}`
      const found = known.get(key)
      if (found) return found
      if (known.size >= mostRemembered) known.clear()
      const rows = read(statement)
      if (rows.length <= mostRows) known.set(key, rows)
      return rows
    },
  }
}
