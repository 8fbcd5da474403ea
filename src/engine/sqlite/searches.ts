// Which search indexes a SQLite database keeps: table and triggers are there as they were made, and the schema has not changed since.
// Rows that nobody told them of (an INSERT OR REPLACE that met another unique index) only make them name too many.
import type { Relation } from '../../contract/relation.ts'
import { searchedRelations } from '../../contract/relations.ts'
import {
  hasOdd,
  isSearchTrusted,
  makeSearchTable,
  searchCellTable,
  searchTable,
  searchTriggers,
} from '../../sql/sqlite-search.ts'
import type { Sqlite } from '../../sqlite.ts'

export function keptSearches(sqlite: Sqlite): Set<string> {
  const rows = sqlite.prepare('SELECT name, sql FROM sqlite_schema').all()
  const there = new Map(rows.map(({ name, sql }) => [name, sql]))
  const isKept = (relation: Relation) =>
    there.get(searchTable(relation)) === makeSearchTable(relation) &&
    there.has(searchCellTable(relation)) &&
    searchTriggers(relation).every(({ name, statement }) => there.get(name) === statement) &&
    sqlite.prepare(hasOdd(relation)).get() === undefined &&
    isTrusted(sqlite, relation)
  return new Set(searchedRelations.filter(isKept).map(({ name }) => name))
}

// SQLITE_ERROR, SQLITE_CORRUPT: what the index is made of is not whole.
const broken = new Set([1, 11])

function isTrusted(sqlite: Sqlite, relation: Relation): boolean {
  try {
    return sqlite.prepare(isSearchTrusted(relation)).get() !== undefined
  } catch (error) {
    if (broken.has(Number((error as { errcode?: number }).errcode) & 0xff)) return false
    throw error
  }
}

// Those that are there and not kept: whoever runs the service is told.
export function staleSearches(sqlite: Sqlite, kept: ReadonlySet<string>): string[] {
  const isThere = sqlite.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  return searchedRelations
    .filter((relation) => !kept.has(relation.name) && isThere.get(searchTable(relation)) !== undefined)
    .map(({ name }) => name)
}

// Those that are kept, as long as nothing is written that has no place in them.
export function usableSearches(sqlite: Sqlite, kept: ReadonlySet<string>): Pick<ReadonlySet<string>, 'has'> {
  const odd = new Map(
    searchedRelations.filter(({ name }) => kept.has(name)).map((each) => [each.name, sqlite.prepare(hasOdd(each))]),
  )
  return { has: (name) => odd.has(name) && odd.get(name)?.get() === undefined }
}
