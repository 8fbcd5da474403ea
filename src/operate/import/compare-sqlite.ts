// Staged rows against those that are there, in SQLite: which are new, which have changed. In steps, so that the program can be told to stop.
import { setImmediate as breathe } from 'node:timers/promises'
import type { Relation } from '../../contract/relation.ts'
import { quote } from '../../sql/dialect.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { sameKey, type Counts } from './place.ts'
import { planTable, stageTable } from './stage-sqlite.ts'

export const isMissing = (relation: Relation) =>
  `NOT EXISTS (SELECT 1 FROM ${stageTable(relation)} s WHERE ${sameKey(relation, 's', 'm')})`

interface CompareOptions {
  readonly isThere: boolean
  readonly deletesMissing: boolean
  readonly signal: AbortSignal
}

export async function compareStaged(
  database: Sqlite,
  relation: Relation,
  { isThere, deletesMissing, signal }: CompareOptions,
): Promise<Counts> {
  const [stage, plan, table] = [stageTable(relation), planTable(relation), `main.${quote(relation.name)}`]
  const key = (row: string) => relation.key.map((name) => `${row}.${quote(name)}`)
  // Written with the staged value first: its collation counts, and it has none.
  const isSame = Object.keys(relation.columns).map((name) => `s.${quote(name)} IS m.${quote(name)}`)
  const isNew = isThere ? `${key('m')[0]} IS NULL` : 'true'
  const joined = isThere ? `LEFT JOIN ${table} m ON ${sameKey(relation, 'm', 's')}` : ''
  const differs = isThere ? ` AND (${isNew} OR NOT (${isSame.join(' AND ')}))` : ''
  database.exec(`DELETE FROM ${plan}`)
  const find = database.prepare(
    `INSERT INTO ${plan} SELECT ${key('s').join(', ')}, ${isNew} FROM ${stage} s ${joined}\n` +
      `WHERE ${key('s')[0]} BETWEEN ? AND ?${differs} ORDER BY ${key('s').join(', ')}`,
  )
  for await (const [from, to] of keyRanges(database, relation, stage, signal)) find.run(from, to)
  const count = (select: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${select}`).get()?.['n'])
  const added = count(`${plan} WHERE is_new`)
  const changed = count(`${plan} WHERE NOT is_new`)
  return {
    new: added,
    changed,
    unchanged: count(stage) - added - changed,
    deleted: isThere && deletesMissing ? count(`${table} m WHERE ${isMissing(relation)}`) : 0,
  }
}

const rowsAtOnce = 20_000

// The keys in a table, so many at a time, by the first column of the key.
export async function* keyRanges(
  database: Sqlite,
  relation: Relation,
  table: string,
  signal: AbortSignal,
): AsyncGenerator<[from: bigint, to: bigint]> {
  const key = quote(relation.key[0] ?? '')
  const ends = database.prepare(`SELECT min(${key}) AS first, max(${key}) AS last FROM ${table}`)
  const next = database.prepare(`SELECT ${key} AS k FROM ${table} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1 OFFSET ?`)
  for (const each of [ends, next]) each.setReadBigInts(true)
  const { first, last } = ends.get() as { first: bigint | null; last: bigint }
  for (let from = first; from !== null && from <= last;) {
    const to: bigint = (next.get(from, rowsAtOnce) as { k: bigint } | undefined)?.k ?? last
    yield [from, to]
    from = to + 1n
    await breathe()
    signal.throwIfAborted()
  }
}
