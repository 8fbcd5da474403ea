// How many rows of a relation a search index names: counted when first asked for, as far as it matters, and seldom again. It only
// helps to choose how a text is looked for.
import type { Relation } from '../../contract/relation.ts'
import { quote } from '../../sql/dialect.ts'
import type { FrequencyOf } from '../../sql/sqlite-finding.ts'
import { searchTable } from '../../sql/sqlite-search.ts'
import type { Sqlite, SqliteStatement } from '../../sqlite.ts'

const mostRemembered = 10_000
const forgetAfterMs = 600_000

// From `most` on they are all alike.
export function rememberFrequencies(sqlite: Sqlite, most: number): FrequencyOf {
  const known = new Map<string, number>()
  let since = performance.now()
  const statements = new Map<string, SqliteStatement>()
  const statementOf = (relation: Relation) => {
    let statement = statements.get(relation.name)
    if (!statement) {
      const table = quote(searchTable(relation))
      statement = sqlite.prepare(
        `SELECT count(*) AS n FROM (SELECT 1 FROM ${table} WHERE ${table} MATCH ? LIMIT ${most})`,
      )
      statements.set(relation.name, statement)
    }
    return statement
  }
  return (relation, match) => {
    const key = `${relation.name} ${match}`
    let rows = known.get(key)
    if (rows === undefined) {
      if (known.size >= mostRemembered || performance.now() - since > forgetAfterMs) {
        known.clear()
        since = performance.now()
      }
      rows = Number(statementOf(relation).get(match)?.['n'])
      known.set(key, rows)
    }
    return rows
  }
}
