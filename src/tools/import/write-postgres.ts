// Writes staged rows into the relations of a PostgreSQL schema, in one transaction. Who reads sees all of it or nothing and waits for
// nothing; who writes waits until it is done.
import { nameOf, tallies, type Tally } from '../../catalogue/tallies.ts'
import type { Relation } from '../../contract/relation.ts'
import { keptTallies } from '../../engine/postgres/tallies.ts'
import { OperatorError } from '../../errors.ts'
import type { PostgresConnection } from '../../postgres/connection.ts'
import { addressOf } from '../../postgres/problems.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { quote } from '../../sql/dialect.ts'
import { postgresTallySteps, tallyTables, triggerNames } from '../../sql/postgres-tallies.ts'
import { eachWithProgress, type OnProgress } from '../progress.ts'
import { makeTables } from '../schema/apply-postgres.ts'
import { insist } from '../schema/insist.ts'
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
  const recounted = await talliesOf(connection, known)
  const locked = new Set([...known.map(({ relation }) => relation), ...recounted.flatMap(({ relations }) => relations)])
  const { signal } = options
  signal.throwIfAborted()
  await insist(connection, locked.size === 0 ? [] : [lockStatement([...locked])], {
    end: 'SET LOCAL lock_timeout = 0',
    signal,
  })
  try {
    if (lacksRelations) await makeTables(connection, url)
    const written = await writeLocked(place, changing, recounted, options)
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

// Those in which so much changes that all is counted anew.
async function talliesOf(connection: PostgresConnection, changing: readonly Compared[]): Promise<Tally[]> {
  const bulk = new Set<Relation>()
  for (const each of changing) {
    const [row] = await connection.rows(`SELECT count(*) FROM ${quote(each.relation.name)}`)
    if (isBulk(changesOf(each), Number(row?.[0]) + each.counts.new)) bulk.add(each.relation)
  }
  if (bulk.size === 0) return []
  const kept = await keptTallies(connection)
  return tallies.filter((tally) => kept.has(nameOf(tally)) && tally.relations.some((each) => bulk.has(each)))
}

async function writeLocked(
  { connection, isThere }: WritePlace,
  changing: readonly Compared[],
  recounted: readonly Tally[],
  { deletesMissing, onProgress, signal }: WriteOptions,
): Promise<Compared[]> {
  const triggers = (how: string) =>
    recounted
      .flatMap(({ relations }) => relations)
      .map(({ name }) => `ALTER TABLE ${quote(name)} ${how} TRIGGER ${quote(triggerNames(name)[0])}`)
  if (recounted.length > 0) await connection.script(triggers('DISABLE').join('; '))
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
  if (recounted.length > 0) await connection.script(triggers('ENABLE ALWAYS').join('; '))
  const fill = recounted.flatMap((tally) => postgresTallySteps(tally).fill)
  await eachWithProgress('counting', fill, onProgress, (statement) => {
    signal.throwIfAborted()
    return connection.script(statement)
  })
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
  const counted = tallies.filter((tally) => tally.relations.some((each) => relations.includes(each)))
  const names = [...relations.map(({ name }) => name), ...counted.flatMap(tallyTables)]
  await eachWithProgress('clearing up', names, onProgress, async (name) => {
    const [row] = await connection.rows('SELECT to_regclass(quote_ident($1)) IS NOT NULL', [name])
    if (row?.[0] === true) await connection.script(`VACUUM (ANALYZE) ${quote(name)}`)
  })
}
