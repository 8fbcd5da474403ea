// The journal of a SQLite file, as it is found there: what is missing of it, or was changed.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { journalTable } from '../../sql/journalled.ts'
import { journalReading, journalTriggers } from '../../sql/journal-sqlite.ts'
import type { Sqlite } from '../../platform/sqlite.ts'

export interface FoundJournal {
  readonly isThere: boolean
  // Names of tables, triggers and functions.
  readonly faults: readonly string[]
}

export function findJournal(database: Sqlite, isTable: (relation: Relation) => boolean): FoundJournal {
  const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(journalTable)
  if (!there) return { isThere: false, faults: [journalTable] }
  const rows = database.prepare(journalReading.triggers).all()
  const found = new Map(rows.map(({ name, sql }) => [name, sql]))
  const faults = journalTriggers(relations.filter(isTable)).filter(
    ({ name, statement }) => found.get(name) !== statement,
  )
  const isBegun = database.prepare(journalReading.identity).get() !== undefined
  return { isThere: true, faults: [...(isBegun ? [] : [journalTable]), ...faults.map(({ name }) => name)] }
}
