// Indexes in PostgreSQL that have one of our names and are not what is wanted: left behind by a broken attempt, taken along by a
// table that was renamed, or of an older make.
import { tallies } from '../../catalogue/tallies.ts'
import type { Relation } from '../../contract/relation.ts'
import { PostgresFailure, type PostgresConnection } from '../../postgres/connection.ts'
import { quoteName } from '../../postgres/names.ts'
import { shortList } from '../../sql/postgres-trigrams.ts'
import { wordsIndex } from '../../sql/postgres-words.ts'
import { indexName, searchIndexName } from '../../sql/shared-terms.ts'
import { insist } from './insist.ts'

const searchNames = (relation: Relation) => relation.search.map((name) => searchIndexName(relation, name))
const namesOf = (relation: Relation) => [
  ...relation.indexes.map((terms) => indexName(relation, terms)),
  ...searchNames(relation),
]

const ourIndexes = `
  FROM pg_catalog.pg_index i JOIN pg_catalog.pg_class c ON c.oid = i.indexrelid
  WHERE c.relnamespace = to_regnamespace(quote_ident(current_schema()))`

// Our own alone: another may be under construction by somebody else. "ccnew" and "ccold" are what a broken rebuild leaves.
export async function dropBroken(connection: PostgresConnection, tables: readonly Relation[]): Promise<void> {
  const names = tables.flatMap(namesOf).flatMap((name) => [name, `${name}_ccnew`, `${name}_ccold`])
  const rows = await connection.rows(
    `SELECT c.relname::text ${ourIndexes} AND NOT i.indisvalid AND c.relname = ANY ($1)`,
    [names],
  )
  for (const [name] of rows) await connection.script(`DROP INDEX CONCURRENTLY IF EXISTS ${quoteName(String(name))}`)
}

// An index that belongs to another table gets another name, so that the relation can have its own; to whom it is of use is not ours
// to say.
export async function renameMisplaced(
  connection: PostgresConnection,
  tables: readonly Relation[],
  remark: (text: string) => void,
): Promise<void> {
  const wanted = tables.flatMap((relation) => namesOf(relation).map((name) => [name, relation.name] as const))
  const rows = await connection.rows(
    `SELECT c.relname::text, i.indrelid::regclass::text, '_of_' || i.indrelid ${ourIndexes} AND EXISTS (
       SELECT FROM unnest($1::text[], $2::text[]) AS w (name, relation)
       WHERE w.name = c.relname AND to_regclass(quote_ident(w.relation)) <> i.indrelid)`,
    [wanted.map(([name]) => name), wanted.map(([, relation]) => relation)],
  )
  const ofTables = Map.groupBy(rows, ([, table, ending]) => `${String(table)}: ${String(ending)}`)
  for (const [place, found] of ofTables) {
    const names = found.map(([name]) => String(name))
    const ending = String(found[0]?.[2])
    for (const name of names)
      await connection.script(`ALTER INDEX ${quoteName(name)} RENAME TO ${quoteName(name + ending)}`)
    remark(`Indexes with the names of ours belong to ${place} was put after ${names.join(', ')}.`)
  }
}

// While others read and write.
export const rebuildSearch = (tables: readonly Relation[]) =>
  tables.flatMap(searchNames).map((name) => `REINDEX INDEX CONCURRENTLY ${quoteName(name)}`)

// To change an index takes a lock that whoever reads its table keeps us from having.
const patienceMs = 10_000

// Those that somebody has given settings of their own stay as they are. The list is emptied first: the next till would have to.
// Everything is there without it: what cannot be changed is only told of.
export async function shortenLists(
  connection: PostgresConnection,
  tables: readonly Relation[],
  remark: (text: string) => void,
): Promise<void> {
  const names = [...tables.flatMap(searchNames), ...tallies.map(wordsIndex)]
  const rows = await connection.rows(
    `SELECT c.relname::text ${ourIndexes} AND c.reloptions IS NULL AND c.relname = ANY ($1)
       AND c.relam = (SELECT oid FROM pg_catalog.pg_am WHERE amname = 'gin') ORDER BY 1`,
    [names],
  )
  // For all of them together; each is tried once at least.
  const signal = AbortSignal.timeout(patienceMs)
  const left: { readonly name: string; readonly why: string }[] = []
  for (const name of rows.map(([each]) => String(each))) {
    try {
      await connection.rows('SELECT gin_clean_pending_list($1::regclass)', [quoteName(name)])
      await insist(connection, [`ALTER INDEX ${quoteName(name)} SET (${shortList})`], { signal })
    } catch (error) {
      const isRefused = error instanceof PostgresFailure
      if (!isRefused && !signal.aborted) throw error
      left.push({ name, why: isRefused ? error.message : 'somebody reads the table all the time' })
    }
  }
  for (const [why, some] of Map.groupBy(left, (each) => each.why))
    remark(
      `Searches stay slower than they could be (${why}): ${some.map(({ name }) => name).join(', ')}. Run it again once that has changed.`,
    )
}
