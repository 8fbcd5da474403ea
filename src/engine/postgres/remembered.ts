// Counts of tallies, remembered for as long as the tally stays as it is. Its version is read in the request's own snapshot:
// what is remembered is exactly what would be read.
import { nameOf, type Tally } from '../../catalogue/tallies.ts'
import { tallyVersion } from '../../sql/postgres-tallies.ts'
import type { Statement } from '../../sql/statement.ts'
import type { Row } from '../json.ts'
import type { Run } from '../run.ts'

type Read = (statement: Statement) => Promise<readonly Row[]>

interface Remembered {
  version: string
  readonly rows: Map<string, readonly Row[]>
}

const mostRemembered = 2000
const mostRows = 500

export function rememberCounts() {
  const tallies = new Map<string, Remembered>()
  // The statements of one request.
  return (read: Read): Run => {
    const versions = new Map<string, Promise<string | null>>()
    const versionOf = (tally: Tally) => {
      const name = nameOf(tally)
      let version = versions.get(name)
      if (!version) {
        version = read({ text: tallyVersion(tally), values: [] }).then(([row]) => (row?.[0] ?? null) as string | null)
        versions.set(name, version)
      }
      return version
    }
    return {
      rows: read,
      async counts(statement, tally) {
        const version = tally && (await versionOf(tally))
        if (!tally || !version) return read(statement)
        let known = tallies.get(nameOf(tally))
        // Two requests may see two versions at the same time: the last one stays.
        if (known?.version !== version || known.rows.size >= mostRemembered)
          tallies.set(nameOf(tally), (known = { version, rows: new Map() }))
        const key = `${statement.text} ${JSON.stringify(statement.values)}`
        const found = known.rows.get(key)
        if (found) return found
        const rows = await read(statement)
        if (rows.length <= mostRows) known.rows.set(key, rows)
        return rows
      },
    }
  }
}
