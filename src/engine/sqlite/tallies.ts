// Which tallies a SQLite database keeps: all tables and triggers of theirs are there, as they were made, the schema has not changed
// since, and nothing can remove a row without telling them.
import { nameOf, tallies, type Tally } from '../../catalogue/tallies.ts'
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { isTrusted, tallyTables, tallyTriggers } from '../../sql/sqlite-tallies.ts'
import type { Sqlite } from '../../sqlite.ts'

export function keptTallies(sqlite: Sqlite): Set<string> {
  const rows = sqlite.prepare('SELECT name, sql FROM sqlite_schema').all()
  const there = new Map(rows.map(({ name, sql }) => [name, sql]))
  const isKept = (tally: Tally) =>
    tallyTables(tally).every((name) => there.has(name)) &&
    tallyTriggers(tally).every(({ name, statement }) => there.get(name) === statement) &&
    tally.relations.every((relation) => isAsDeclared(sqlite, relation, tally) && !hasOtherKey(sqlite, relation.name)) &&
    sqlite.prepare(isTrusted(tally)).get() !== undefined
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

// Counts compare as the contract's own columns do: a status stored as text, or a currency that folds case, would be counted apart
// from how it is listed. And the id is what a row is known by.
function isAsDeclared(sqlite: Sqlite, relation: Relation, { traits }: Tally): boolean {
  const columns = sqlite.prepare('SELECT name, type, pk, "notnull" FROM pragma_table_info(?)').all(relation.name)
  const id = columns.find(({ name }) => name === 'id')
  const keys = columns.filter(({ pk }) => Number(pk) > 0).map(({ name }) => name)
  const definition = sqlite.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(relation.name)?.['sql']
  const isText = (column: string) =>
    /CHAR|CLOB|TEXT/i.test(String(columns.find(({ name }) => name === column)?.['type']))
  return (
    keys.join() === 'id' &&
    // Another key than a row's own number may be empty.
    (/^INTEGER$/i.test(String(id?.['type'])) || id?.['notnull'] === 1) &&
    !/\bCOLLATE\b/i.test(String(definition)) &&
    traits.every((column) => isText(column) === (columnType(relation, column) === 'text'))
  )
}

// Those that are there and not kept: whoever runs the service is told.
export function staleTallies(sqlite: Sqlite, kept: ReadonlySet<string>): string[] {
  const isThere = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return tallies.map(nameOf).filter((name) => !kept.has(name) && isThere.get(`${name}_tally`) !== undefined)
}
