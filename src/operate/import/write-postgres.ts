// Stages rows in temporary tables of a PostgreSQL session, by COPY, and writes them into the relations in one transaction.
// Readers see all of it or nothing and do not wait; writers wait until it is done.
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { PostgresFailure, type PostgresConnection } from '../../platform/postgres/connection.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresTypes } from '../../sql/postgres-schema.ts'
import type { Stage } from './scan.ts'
import { OperatorError } from '../../errors.ts'
import { addressOf } from '../../platform/postgres/problems.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { journalTable } from '../../sql/journalled.ts'
import { eachWithProgress, type OnProgress } from '../progress.ts'
import { makeTables } from '../schema/apply-postgres.ts'
import { runBriefly } from '../schema/postgres-locks.ts'
import { findPostgresJournal, plainTables, withoutTriggers } from '../schema/journal.ts'
import {
  comparable,
  compareAll,
  countChanges,
  isBulk,
  isMissing,
  rowProgress,
  sameKey,
  writeStatements,
  type CompareOptions,
  type Comparison,
  type Counts,
  type RelationChanges,
  type Staged,
  type StageTables,
  type WriteOptions,
} from './place.ts'

// The plan has the lines of new and changed rows.
const tables: StageTables = {
  stage: ({ name }) => `pg_temp.${quote(`import_${name}`)}`,
  plan: ({ name }) => `pg_temp.${quote(`import_${name}_plan`)}`,
  table: ({ name }) => quote(name),
  inPlan: () => 's._line = p._line',
}

const uniqueViolation = '23505'

export async function makeStage(connection: PostgresConnection, relation: Relation, isThere: boolean): Promise<Stage> {
  const table = tables.stage(relation)
  const names = Object.keys(relation.columns)
  const columns = names.map(quote).join(', ')
  const key = relation.key.map(quote).join(', ')
  // The types of the relation, or of the contract if it does not exist yet.
  const definitions = names.map((name) => `${quote(name)} ${postgresTypes[columnType(relation, name)]}`)
  await connection.script(
    isThere
      ? `CREATE TABLE ${table} AS SELECT ${columns}, NULL::bigint AS _line FROM ${quote(relation.name)} WITH NO DATA`
      : `CREATE TABLE ${table} (${definitions.join(', ')}, _line bigint)`,
  )
  const into = `${table} (${columns}, _line)`
  // The next batch is read while the server stores this one.
  let copying: Promise<void> = Promise.resolve()
  return {
    async add(rows) {
      await copying
      copying = connection.copy(into, rows)
      // The next call awaits it and throws its error.
      copying.catch(() => {})
    },
    async duplicates(most) {
      await copying
      try {
        await connection.script(
          `ALTER TABLE ${table} ADD PRIMARY KEY (${key}); CREATE INDEX ON ${table} (_line); ANALYZE ${table}`,
        )
        return { first: [], count: 0 }
      } catch (error) {
        if (!(error instanceof PostgresFailure) || error.code !== uniqueViolation) throw error
      }
      const again =
        `SELECT ${key}, _line, first, count(*) OVER () FROM (\n` +
        `  SELECT ${key}, _line, min(_line) OVER (PARTITION BY ${key}) AS first FROM ${table}) s\n` +
        `WHERE _line <> first ORDER BY _line LIMIT greatest($1::bigint, 1)`
      const rows = await connection.rows(again, [most])
      const first = rows.map((row) => ({
        key: row.slice(0, relation.key.length),
        line: Number(row.at(-3)),
        firstLine: Number(row.at(-2)),
      }))
      return { first: first.slice(0, most), count: Number(rows[0]?.at(-1) ?? 0) }
    },
  }
}

export const comparisonIn = (connection: PostgresConnection, isThere: Comparison['isThere']): Comparison => ({
  tables,
  isThere,
  compare: (...given) => compareStaged(connection, ...given),
  addChanged(relation, where) {
    const plan = tables.plan(relation)
    const isNew = `NOT EXISTS (SELECT FROM ${plan} p WHERE p._line = s._line)`
    return connection.affect(
      `INSERT INTO ${plan} SELECT s._line, false FROM ${tables.stage(relation)} s WHERE ${where} AND ${isNew}`,
    )
  },
})

async function compareStaged(
  connection: PostgresConnection,
  staged: Staged,
  isThere: boolean,
  { stampedAt }: CompareOptions,
): Promise<Counts> {
  const { relation, deletes } = staged
  const [stage, plan, table] = [tables.stage(relation), tables.plan(relation), tables.table(relation)]
  const names = Object.keys(relation.columns)
  const stagedRow = `ROW(${names.map((name) => comparable(name, stampedAt)).join(', ')})`
  const row = `ROW(${names.map((name) => `m.${quote(name)}`).join(', ')})`
  const first = quote(relation.key[0] ?? '')
  const select = isThere
    ? `SELECT s._line, m.${first} IS NULL AS is_new FROM ${stage} s LEFT JOIN ${table} m ON ${sameKey(relation, 'm', 's')}\n` +
      `WHERE m.${first} IS NULL OR ${stagedRow} IS DISTINCT FROM ${row}`
    : `SELECT _line, true AS is_new FROM ${stage}`
  await connection.script(
    `DROP TABLE IF EXISTS ${plan}; CREATE TABLE ${plan} AS ${select}; CREATE INDEX ON ${plan} (_line); ANALYZE ${plan}`,
  )
  const deleted =
    isThere && deletes !== 'none' ? `(SELECT count(*) FROM ${table} m WHERE ${isMissing(staged, tables)})` : '0'
  const [counted = []] = await connection.rows(
    `SELECT (SELECT count(*) FROM ${stage}), count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new), ${deleted} FROM ${plan}`,
  )
  const [all = 0, added = 0, changed = 0, missing = 0] = counted.map(Number)
  return { new: added, changed, unchanged: all - added - changed, deleted: missing }
}

interface WritePlace {
  readonly connection: PostgresConnection
  readonly url: PostgresUrl
  readonly isThere: (relation: Relation) => boolean
  readonly lacksRelations: boolean
}

export async function writeStaged(
  place: WritePlace,
  compared: readonly RelationChanges[],
  options: WriteOptions,
): Promise<RelationChanges[]> {
  const { connection, url, isThere, lacksRelations } = place
  // Unchanged relations are not locked.
  const changing = compared.filter((each) => countChanges(each) > 0)
  const known = changing.filter(({ relation }) => isThere(relation))
  const bulk = await bulkOf(connection, known)
  const { signal } = options
  signal.throwIfAborted()
  await runBriefly(connection, known.length === 0 ? [] : [lockStatement(known.map(({ relation }) => relation))], {
    end: 'SET LOCAL lock_timeout = 0',
    signal,
  })
  try {
    if (lacksRelations) await makeTables(connection, url)
    const done = await writeLocked(place, changing, bulk, options)
    signal.throwIfAborted()
    options.onCommit()
    await commit(connection, url)
    return compared.map((each) => done.find(({ relation }) => relation === each.relation) ?? each)
  } catch (error) {
    if (connection.isConnected()) await connection.script('ROLLBACK').catch(() => {})
    throw error
  }
}

// If the connection is lost here, the outcome of the transaction is unknown.
async function commit(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  try {
    await connection.script('COMMIT')
  } catch (error) {
    if (connection.isConnected()) throw error
    throw new OperatorError(
      `The connection to PostgreSQL at ${addressOf(url)} was lost during the commit (${(error as Error).message}): ` +
        'it is unknown whether the rows were imported. Import again: if they were, nothing changes.',
      1,
    )
  }
}

// Always in the same order, to avoid deadlocks.
const lockStatement = (locked: readonly Relation[]) =>
  `LOCK TABLE ${locked
    .map(({ name }) => quote(name))
    .toSorted()
    .join(', ')} IN SHARE ROW EXCLUSIVE MODE`

// Relations with so many changes that the journal notes the whole relation. This requires the owner's rights; without them,
// the triggers note each record.
async function bulkOf(connection: PostgresConnection, changing: readonly RelationChanges[]): Promise<string[]> {
  const bulk: string[] = []
  for (const each of changing) {
    const [row] = await connection.rows(`SELECT count(*) FROM ${quote(each.relation.name)}`)
    if (isBulk(countChanges(each), Number(row?.[0]) + each.counts.new)) bulk.push(each.relation.name)
  }
  const tables = await plainTables(connection)
  if (bulk.length === 0 || (await findPostgresJournal(connection, tables)).faults.length > 0) return []
  const [row] = await connection.rows(
    `SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_catalog.pg_class WHERE oid = ANY ($1::regclass[])`,
    [[...bulk, journalTable]],
  )
  return row?.[0] === true ? bulk.filter((name) => tables.includes(name)) : []
}

async function writeLocked(
  { connection, isThere }: WritePlace,
  changing: readonly RelationChanges[],
  bulk: readonly string[],
  options: WriteOptions,
): Promise<RelationChanges[]> {
  const { before, after } = withoutTriggers(bulk)
  await connection.script(before.join('; '))
  const onRows = rowProgress(changing, options)
  // The relations are locked now, so this comparison is final.
  const compared = await compareAll(changing, comparisonIn(connection, isThere), options)
  for (const each of compared) await writeRelation(connection, each, options.stampedAt, onRows)
  await connection.script(after.join('; '))
  return compared
}

const linesAtOnce = 50_000

async function writeRelation(
  connection: PostgresConnection,
  changes: RelationChanges,
  stampedAt: string | undefined,
  onRows: (count: number) => void,
): Promise<void> {
  const { relation, counts } = changes
  // Deleted rows first, because a new row may have the same unique values.
  if (counts.deleted > 0)
    onRows(await connection.affect(`DELETE FROM ${tables.table(relation)} m WHERE ${isMissing(changes, tables)}`))
  const [row] = await connection.rows(`SELECT max(_line) FROM ${tables.plan(relation)}`)
  for (let from = 0; from <= Number(row?.[0] ?? -1); from += linesAtOnce) {
    const among = (alias: string) => `${alias}._line >= ${from} AND ${alias}._line < ${from + linesAtOnce}`
    for (const statement of writeStatements(changes, tables, stampedAt, `${among('s')} AND ${among('p')}`))
      onRows(await connection.affect(statement))
  }
}

// Runs after the commit, so that writers do not wait for it.
export async function vacuum(
  connection: PostgresConnection,
  relations: readonly Relation[],
  onProgress: OnProgress,
): Promise<void> {
  const names = relations.map(({ name }) => name)
  await eachWithProgress('clearing up', names, onProgress, async (name) => {
    const [row] = await connection.rows('SELECT to_regclass(quote_ident($1)) IS NOT NULL', [name])
    if (row?.[0] === true) await connection.script(`VACUUM (ANALYZE) ${quote(name)}`)
  })
}
