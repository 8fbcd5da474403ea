// The journal in a connected database: which parts of it are missing or were changed, and the statements that make it.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { allMark, journalTable } from '../../sql/journalled.ts'
import { journalReading as sqliteReading, journalTriggers } from '../../sql/journal-sqlite.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { quote } from '../../sql/dialect.ts'
import { pruner } from '../../sql/journal-pruning.ts'
import {
  dropJournalTable,
  findJournalTriggers,
  isOwn,
  journalFunctions,
  journalReading as postgresReading,
  journalTriggerNames,
  makeJournalTable,
  makeJournalTriggers,
  ownTriggers,
} from '../../sql/journal-postgres.ts'

export interface JournalState {
  readonly isThere: boolean
  // The names of tables, triggers and functions that are missing or were changed.
  readonly faults: readonly string[]
  // How many rows it keeps at most; undefined if that cannot be read.
  readonly keptRows?: number | undefined
  // How many rows it has, and the time of the oldest in seconds since 1970. Only of a journal without faults.
  readonly reach?: { readonly rows: number; readonly since: number | null }
}

export function findSqliteJournal(database: Sqlite, isTable: (relation: Relation) => boolean): JournalState {
  const there = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?").get(journalTable)
  if (!there) return { isThere: false, faults: [journalTable] }
  const rows = database.prepare(sqliteReading.triggers).all()
  const found = new Map(rows.map(({ name, sql }) => [name, sql]))
  const faults = journalTriggers(relations.filter(isTable)).filter(
    ({ name, statement }) => found.get(name) !== statement,
  )
  const isBegun = database.prepare(sqliteReading.identity).get() !== undefined
  const faultNames = [...(isBegun ? [] : [journalTable]), ...faults.map(({ name }) => name)]
  const values = (statement: string) => Object.values(database.prepare(statement).get() ?? {})
  const [kept] = values(sqliteReading.keptRows)
  return {
    isThere: true,
    faults: faultNames,
    keptRows: Number(kept) || undefined,
    ...(faultNames.length === 0 ? { reach: reachOf(values(sqliteReading.reach)) } : {}),
  }
}

const reachOf = ([rows, since]: readonly unknown[]) => ({
  rows: Number(rows),
  since: since === null ? null : Number(since),
})

const functionsQuery = `SELECT proname::text, prosrc FROM pg_catalog.pg_proc
  WHERE pronamespace = to_regnamespace(quote_ident(current_schema())) AND prosecdef AND proname = ANY ($1)`

// → the journal's own triggers, and its sequence
const ownQuery = `SELECT tgname::text FROM pg_catalog.pg_trigger WHERE tgrelid = to_regclass($1) AND tgenabled = 'A'
  UNION ALL SELECT relname::text FROM pg_catalog.pg_class WHERE oid = to_regclass($2) AND relkind = 'S'`

// Relations that can have the triggers. Partitioned, foreign and inherited tables can be written without firing them.
export async function plainTables(connection: PostgresConnection): Promise<string[]> {
  const rows = await connection.rows(
    `SELECT c.relname::text FROM pg_catalog.pg_class c
     WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema())) AND c.relkind = 'r' AND c.relname = ANY ($1)
       AND NOT EXISTS (SELECT FROM pg_catalog.pg_inherits i WHERE c.oid IN (i.inhrelid, i.inhparent))`,
    [relations.map(({ name }) => name)],
  )
  return rows.map(([name]) => String(name))
}

export async function findPostgresJournal(
  connection: PostgresConnection,
  tables: readonly string[],
): Promise<JournalState> {
  const [there] = await connection.rows('SELECT to_regclass($1) IS NOT NULL', [journalTable])
  if (there?.[0] !== true) return { isThere: false, faults: [journalTable] }
  const rows = await connection.rows(functionsQuery, [journalFunctions.map(({ name }) => name)])
  const sources = new Map(rows.map(([name, source]) => [name, source]))
  const named = new Set((await connection.rows(postgresReading.named)).map(([name]) => name))
  const own = new Set((await connection.rows(ownQuery, [journalTable, pruner])).map(([name]) => name))
  // A role that may not read the journal cannot check this.
  const [may] = await connection.rows(`SELECT has_table_privilege($1, 'SELECT')`, [journalTable])
  const isReadable = may?.[0] === true
  const [row] = isReadable
    ? await connection.rows(`SELECT ${isOwn}, EXISTS (${postgresReading.keptRows})`)
    : [[true, true]]
  const [kept] = isReadable ? await connection.rows(postgresReading.keptRows) : []
  const faults = [
    // Restored from a dump of another server, or emptied while its triggers were off.
    ...(row?.every((is) => is === true) ? [] : [journalTable]),
    ...[...ownTriggers, pruner].filter((name) => !own.has(name)),
    ...journalFunctions.filter(({ name, source }) => sources.get(name) !== source).map(({ name }) => name),
    ...tables.filter((name) => !named.has(name)).flatMap(journalTriggerNames),
  ]
  const [reach] = isReadable && faults.length === 0 ? await connection.rows(postgresReading.reach) : []
  return {
    isThere: true,
    faults,
    keptRows: Number(kept?.[0]) || undefined,
    ...(reach ? { reach: reachOf(reach) } : {}),
  }
}

// Each part runs in its own transaction.
export async function dropParts(connection: PostgresConnection): Promise<string[][]> {
  const triggers = await connection.rows(findJournalTriggers)
  return [...triggers.map(([statement]) => [String(statement)]), [...dropJournalTable]]
}

export const makeParts = (tables: readonly string[]): string[][] => [
  [...makeJournalTable],
  ...tables.map(makeJournalTriggers),
]

// For a bulk load within one transaction: the triggers are off, and afterwards one journal row without an id for each
// relation says that all of it may have changed. Readers do not wait for these locks.
export function withoutTriggers(tables: readonly string[]): { before: string[]; after: string[] } {
  const triggers = (how: string) =>
    tables.map((name) => `ALTER TABLE ${quote(name)} ${how} TRIGGER ${quote(journalTriggerNames(name)[0] ?? '')}`)
  return {
    before: triggers('DISABLE'),
    after: [
      ...triggers('ENABLE ALWAYS'),
      ...tables.map((name) => `INSERT INTO ${quote(journalTable)} (relation, kind) VALUES ('${name}', '${allMark}')`),
    ],
  }
}
