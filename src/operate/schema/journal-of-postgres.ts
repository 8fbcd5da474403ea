// The journal of a PostgreSQL schema, as it is found there: what is missing of it, or was changed.
import { relations } from '../../contract/relations.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { quote } from '../../sql/dialect.ts'
import {
  dropJournalTable,
  findJournalTriggers,
  isOwn,
  journalFunctions,
  journalReading,
  journalTriggerNames,
  makeJournalTable,
  makeJournalTriggers,
} from '../../sql/journal-postgres.ts'
import { journalTable } from '../../sql/journalled.ts'
import type { FoundJournal } from './journal-of-sqlite.ts'

const functionsQuery = `SELECT proname::text, prosrc FROM pg_catalog.pg_proc
  WHERE pronamespace = to_regnamespace(quote_ident(current_schema())) AND prosecdef AND proname = ANY ($1)`

const pruneQuery = `SELECT FROM pg_catalog.pg_trigger
  WHERE tgrelid = to_regclass($1) AND tgname = $2 AND tgenabled = 'A'`

// Relations that can have the triggers. (A partitioned table, a foreign one or one with heirs is written in other ways, too.)
export async function plainTables(connection: PostgresConnection): Promise<string[]> {
  const rows = await connection.rows(
    `SELECT c.relname::text FROM pg_catalog.pg_class c
     WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind = 'r' AND c.relname = ANY ($1)
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))`,
    [relations.map(({ name }) => name)],
  )
  return rows.map(([name]) => String(name))
}

export async function findJournal(connection: PostgresConnection, tables: readonly string[]): Promise<FoundJournal> {
  const [there] = await connection.rows('SELECT to_regclass($1) IS NOT NULL', [journalTable])
  if (there?.[0] !== true) return { isThere: false, faults: [journalTable] }
  const rows = await connection.rows(functionsQuery, [journalFunctions.map(({ name }) => name)])
  const sources = new Map(rows.map(([name, source]) => [name, source]))
  const named = new Set((await connection.rows(journalReading.named)).map(([name]) => name))
  const [prune] = await connection.rows(pruneQuery, [journalTable, `${journalTable}_prune`])
  // A role that may not read it cannot tell.
  const [may] = await connection.rows(`SELECT has_table_privilege($1, 'SELECT')`, [journalTable])
  const [own] = may?.[0] === true ? await connection.rows(`SELECT ${isOwn}`) : [[true]]
  return {
    isThere: true,
    faults: [
      // From a dump of another server: it is made anew.
      ...(own?.[0] === true ? [] : [journalTable]),
      ...(prune ? [] : [`${journalTable}_prune`]),
      ...journalFunctions.filter(({ name, source }) => sources.get(name) !== source).map(({ name }) => name),
      ...tables.filter((name) => !named.has(name)).flatMap(journalTriggerNames),
    ],
  }
}

// Each part in a transaction of its own.
export async function dropParts(connection: PostgresConnection): Promise<string[][]> {
  const triggers = await connection.rows(findJournalTriggers)
  return [...triggers.map(([statement]) => [String(statement)]), [...dropJournalTable]]
}

export const makeParts = (tables: readonly string[]): string[][] => [
  [...makeJournalTable],
  ...tables.map(makeJournalTriggers),
]

// For a bulk load, within one transaction: rows are written without being named one by one, then a row without an id says for each
// relation that all of it may have changed. Readers do not wait for these locks.
export function unwatched(tables: readonly string[]): { before: string[]; after: string[] } {
  const triggers = (how: string) =>
    tables.map((name) => `ALTER TABLE ${quote(name)} ${how} TRIGGER ${quote(journalTriggerNames(name)[0] ?? '')}`)
  return {
    before: triggers('DISABLE'),
    after: [
      ...triggers('ENABLE ALWAYS'),
      ...tables.map((name) => `INSERT INTO ${quote(journalTable)} (relation) VALUES ('${name}')`),
    ],
  }
}
