// Which tallies a SQLite database keeps: all tables and triggers of theirs are there, as they were made, and nothing can remove
// a row without telling them.
import { nameOf, tallies, type Tally } from '../../catalogue/tallies.ts'
import { tallyTables, tallyTriggers } from '../../sql/sqlite-tallies.ts'
import type { Sqlite } from '../../sqlite.ts'

export function keptTallies(sqlite: Sqlite): Set<string> {
  const rows = sqlite.prepare('SELECT name, sql FROM sqlite_schema').all()
  const there = new Map(rows.map(({ name, sql }) => [name, sql]))
  const isKept = (tally: Tally) =>
    tallyTables(tally).every((name) => there.has(name)) &&
    tallyTriggers(tally).every(({ name, statement }) => there.get(name) === statement) &&
    !tally.relations.some(({ name }) => hasOtherKey(sqlite, name))
  return new Set(tallies.filter(isKept).map(nameOf))
}

// An INSERT OR REPLACE that meets another unique index than that of the id removes a row of another id, silently.
const hasOtherKey = (sqlite: Sqlite, relation: string) =>
  sqlite
    .prepare(
      `SELECT 1 FROM pragma_index_list(?) i WHERE i."unique"
         AND NOT (i.origin = 'pk' AND (SELECT group_concat(name) FROM pragma_index_info(i.name)) = 'id')`,
    )
    .get(relation) !== undefined
