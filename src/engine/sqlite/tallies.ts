// Which tallies a SQLite database keeps: all triggers of theirs are there, as they were made, and nothing can remove a row
// without telling them.
import { nameOf, tallies, type Tally } from '../../catalogue/tallies.ts'
import { tallyTriggers } from '../../sql/sqlite-tallies.ts'
import type { Sqlite } from '../../sqlite.ts'

export function keptTallies(sqlite: Sqlite): Set<string> {
  const rows = sqlite.prepare("SELECT name, sql FROM sqlite_schema WHERE type = 'trigger'").all()
  const triggers = new Map(rows.map(({ name, sql }) => [name, sql]))
  const isKept = (tally: Tally) =>
    tallyTriggers(tally).every(({ name, statement }) => triggers.get(name) === statement) &&
    !tally.relations.some(({ name }) => hasOtherKey(sqlite, name))
  return new Set(tallies.filter(isKept).map(nameOf))
}

// An INSERT OR REPLACE that meets another unique index than that of the id removes a row of another id, silently.
const hasOtherKey = (sqlite: Sqlite, relation: string) =>
  sqlite.prepare('SELECT 1 FROM pragma_index_list(?) WHERE "unique" AND origin <> \'pk\'').get(relation) !== undefined
