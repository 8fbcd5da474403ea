// Which search indexes a SQLite database keeps: tables and triggers are there as they were made, and the schema has not changed since.
// Rows that nobody told them of (an INSERT OR REPLACE that met another unique index) make them name too many: totals are taken from
// them only where there is no such index, as tallies are.
import type { Relation } from '../../contract/relation.ts'
import { searchedRelations } from '../../contract/relations.ts'
import { hasOdd, isSearchTrusted, searchTable, searchTables, searchTriggers } from '../../sql/sqlite-search.ts'
import type { Sqlite } from '../../sqlite.ts'

export function keptSearches(sqlite: Sqlite): Set<string> {
  const rows = sqlite.prepare('SELECT name, sql FROM sqlite_schema').all()
  const there = new Map(rows.map(({ name, sql }) => [name, sql]))
  const isKept = (relation: Relation) =>
    Object.entries(searchTables(relation)).every(([name, statement]) => there.get(name) === statement) &&
    searchTriggers(relation).every(({ name, statement }) => there.get(name) === statement) &&
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

interface UsableSearches {
  has(relation: string): boolean
  // Whether something was written that has no place in one of them: it is not used from then on, and whoever opens the file anew
  // is told.
  isOdd(): boolean
}

export function usableSearches(sqlite: Sqlite, kept: ReadonlySet<string>): UsableSearches {
  const marks = new Map(
    searchedRelations.filter(({ name }) => kept.has(name)).map((each) => [each.name, sqlite.prepare(hasOdd(each))]),
  )
  let isOdd = false
  return {
    has(relation) {
      const mark = marks.get(relation)
      if (!mark) return false
      const isUsable = mark.get() === undefined
      isOdd ||= !isUsable
      return isUsable
    },
    isOdd: () => isOdd,
  }
}
