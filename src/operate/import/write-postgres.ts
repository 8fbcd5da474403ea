// Writes staged rows into the relations of a PostgreSQL schema, in one transaction. Who reads sees all of it or nothing and waits for
// nothing; who writes waits until it is done.
import type { Relation } from '../../contract/relation.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../platform/postgres/connection.ts'
import { addressOf } from '../../platform/postgres/problems.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { quote } from '../../sql/dialect.ts'
import { journalTable } from '../../sql/journalled.ts'
import { eachWithProgress, type OnProgress } from '../progress.ts'
import { makeTables } from '../schema/apply-postgres.ts'
import { insist } from '../schema/insist.ts'
import { findJournal, plainTables, unwatched } from '../schema/journal-of-postgres.ts'
import { changesOf, isBulk, sameKey, type Compared, type Counts, type WriteOptions } from './place.ts'
import { stageTable } from './stage-postgres.ts'

const planTable = ({ name }: Relation) => `pg_temp.${quote(`import_${name}_plan`)}`

const isMissing = (relation: Relation) =>
  `NOT EXISTS (SELECT FROM ${stageTable(relation)} s WHERE ${sameKey(relation, 's', 'm')})`

// By its line, each row that is new or has changed.
export async function compareStaged(
  connection: PostgresConnection,
  relation: Relation,
  { isThere, deletesMissing }: { readonly isThere: boolean; readonly deletesMissing: boolean },
): Promise<Counts> {
  const [stage, plan, table] = [stageTable(relation), planTable(relation), quote(relation.name)]
  const columns = (row: string) => Object.keys(relation.columns).map((name) => `${row}.${quote(name)}`)
  const rowOf = (row: string) => `ROW(${columns(row).join(', ')})`
  const first = quote(relation.key[0] ?? '')
  const select = isThere
    ? `SELECT s._line, m.${first} IS NULL AS is_new FROM ${stage} s LEFT JOIN ${table} m ON ${sameKey(relation, 'm', 's')}\n` +
      `WHERE m.${first} IS NULL OR ${rowOf('s')} IS DISTINCT FROM ${rowOf('m')}`
    : `SELECT _line, true AS is_new FROM ${stage}`
  await connection.script(
    `DROP TABLE IF EXISTS ${plan}; CREATE TABLE ${plan} AS ${select}; CREATE INDEX ON ${plan} (_line); ANALYZE ${plan}`,
  )
  const [row = []] = await connection.rows(
    `SELECT (SELECT count(*) FROM ${stage}), count(*) FILTER (WHERE is_new), count(*) FILTER (WHERE NOT is_new),\n` +
      `  ${isThere && deletesMissing ? `(SELECT count(*) FROM ${table} m WHERE ${isMissing(relation)})` : '0'} FROM ${plan}`,
  )
  const [all = 0, added = 0, changed = 0, deleted = 0] = row.map(Number)
  return { new: added, changed, unchanged: all - added - changed, deleted }
}

interface WritePlace {
  readonly connection: PostgresConnection
  readonly url: PostgresUrl
  readonly isThere: (relation: Relation) => boolean
  readonly lacksRelations: boolean
}

export async function writeStaged(
  place: WritePlace,
  compared: readonly Compared[],
  options: WriteOptions,
): Promise<Compared[]> {
  const { connection, url, isThere, lacksRelations } = place
  // What was as it is in the files is left alone, and nobody waits for it.
  const changing = compared.filter((each) => changesOf(each) > 0)
  const known = changing.filter(({ relation }) => isThere(relation))
  const bulk = await bulkOf(connection, known)
  const { signal } = options
  signal.throwIfAborted()
  await insist(connection, known.length === 0 ? [] : [lockStatement(known.map(({ relation }) => relation))], {
    end: 'SET LOCAL lock_timeout = 0',
    signal,
  })
  try {
    if (lacksRelations) await makeTables(connection, url)
    const written = await writeLocked(place, changing, bulk, options)
    signal.throwIfAborted()
    options.onCommit()
    await commit(connection, url)
    return compared.map((each) => written.find(({ relation }) => relation === each.relation) ?? each)
  } catch (error) {
    if (connection.isConnected()) await connection.script('ROLLBACK').catch(() => {})
    throw error
  }
}

// Whoever loses the connection here cannot know what the server has made of it.
async function commit(connection: PostgresConnection, url: PostgresUrl): Promise<void> {
  try {
    await connection.script('COMMIT')
  } catch (error) {
    if (connection.isConnected()) throw error
    throw new OperatorError(
      `The connection to PostgreSQL at ${addressOf(url)} was lost as the import was committed (${(error as Error).message}): ` +
        'it is not known whether the rows are in. Import again: if they are, nothing changes.',
      1,
    )
  }
}

// In one order, always: of two who lock, none then waits for the other in a circle.
const lockStatement = (locked: readonly Relation[]) =>
  `LOCK TABLE ${locked
    .map(({ name }) => quote(name))
    .toSorted()
    .join(', ')} IN SHARE ROW EXCLUSIVE MODE`

// Names of relations in which so much changes that the journal says of the whole relation that it may have changed. That takes the
// rights of their owner; without them, records are named one by one.
async function bulkOf(connection: PostgresConnection, changing: readonly Compared[]): Promise<string[]> {
  const bulk: string[] = []
  for (const each of changing) {
    const [row] = await connection.rows(`SELECT count(*) FROM ${quote(each.relation.name)}`)
    if (isBulk(changesOf(each), Number(row?.[0]) + each.counts.new)) bulk.push(each.relation.name)
  }
  const tables = await plainTables(connection)
  if (bulk.length === 0 || (await findJournal(connection, tables)).faults.length > 0) return []
  const [row] = await connection.rows(
    `SELECT bool_and(pg_has_role(relowner, 'USAGE')) FROM pg_catalog.pg_class WHERE oid = ANY ($1::regclass[])`,
    [[...bulk, journalTable]],
  )
  return row?.[0] === true ? bulk.filter((name) => tables.includes(name)) : []
}

async function writeLocked(
  { connection, isThere }: WritePlace,
  changing: readonly Compared[],
  bulk: readonly string[],
  { deletesMissing, onProgress, signal }: WriteOptions,
): Promise<Compared[]> {
  const { before, after } = unwatched(bulk)
  await connection.script(before.join('; '))
  const total = changing.reduce((sum, each) => sum + changesOf(each), 0)
  let done = 0
  const onRows = (count: number) => {
    done += count
    onProgress({ what: 'writing', done, total: Math.max(done, total) })
    signal.throwIfAborted()
  }
  const written: Compared[] = []
  for (const { relation } of changing) {
    // Nobody writes any more: what is found now stays.
    const counts = await compareStaged(connection, relation, { isThere: isThere(relation), deletesMissing })
    await writeRelation(connection, relation, counts, onRows)
    written.push({ relation, counts })
  }
  await connection.script(after.join('; '))
  return written
}

const linesAtOnce = 50_000

async function writeRelation(
  connection: PostgresConnection,
  relation: Relation,
  counts: Counts,
  onRows: (count: number) => void,
): Promise<void> {
  const [stage, plan, table] = [stageTable(relation), planTable(relation), quote(relation.name)]
  // First of all: what takes the place of a row may be like it.
  if (counts.deleted > 0) onRows(await connection.affect(`DELETE FROM ${table} m WHERE ${isMissing(relation)}`))
  const [row] = await connection.rows(`SELECT max(_line) FROM ${plan}`)
  const names = Object.keys(relation.columns)
  const columns = names.map(quote).join(', ')
  const sets = names.filter((name) => !relation.key.includes(name)).map((name) => `${quote(name)} = s.${quote(name)}`)
  for (let from = 0; from <= Number(row?.[0] ?? -1); from += linesAtOnce) {
    const among = (alias: string) => `${alias}._line >= ${from} AND ${alias}._line < ${from + linesAtOnce}`
    const chosen = `s._line = p._line AND ${among('s')} AND ${among('p')}`
    if (counts.changed > 0)
      onRows(
        await connection.affect(
          `UPDATE ${table} m SET ${sets.join(', ')} FROM ${stage} s, ${plan} p\n` +
            `WHERE ${chosen} AND NOT p.is_new AND ${sameKey(relation, 'm', 's')}`,
        ),
      )
    if (counts.new > 0)
      onRows(
        await connection.affect(
          `INSERT INTO ${table} (${columns}) SELECT ${columns} FROM ${stage} s JOIN ${plan} p ON ${chosen} WHERE p.is_new`,
        ),
      )
  }
}

// What was replaced is cleared away, and the planner told of what there is now. After the end: nobody waits for it.
export async function tidy(
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
