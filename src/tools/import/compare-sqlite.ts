// Staged rows against those that are there, in SQLite: each gets its state. In steps, so that the program can be told to stop.
import { setImmediate as breathe } from 'node:timers/promises'
import type { Relation } from '../../contract/relation.ts'
import { quote } from '../../sql/dialect.ts'
import type { Sqlite } from '../../sqlite.ts'
import type { Counts } from './place.ts'
import { stageTable, states } from './stage-sqlite.ts'

export const sameKey = (relation: Relation, one: string, other: string) =>
  relation.key.map((name) => `${one}.${quote(name)} = ${other}.${quote(name)}`).join(' AND ')

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
  const stage = stageTable(relation)
  const table = `main.${quote(relation.name)}`
  if (isThere) {
    // Written with the staged value first: its collation counts, and it has none.
    const isSame = Object.keys(relation.columns)
      .map((name) => `s.${quote(name)} IS m.${quote(name)}`)
      .join(' AND ')
    const forget = `UPDATE ${stage} SET _state = ${states.new} WHERE _state <> ${states.new}`
    database.exec(forget)
    const mark = database.prepare(
      `UPDATE ${stage} AS s SET _state = CASE WHEN ${isSame} THEN ${states.same} ELSE ${states.changed} END\n` +
        `FROM ${table} m WHERE ${sameKey(relation, 'm', 's')} AND s.${quote(relation.key[0] ?? '')} BETWEEN ? AND ?`,
    )
    for await (const [from, to] of keyRanges(database, relation, signal)) mark.run(from, to)
  }
  const rows = database.prepare(`SELECT _state, count(*) AS n FROM ${stage} GROUP BY _state`).all()
  const countOf = (state: number) => Number(rows.find(({ _state }) => _state === state)?.['n'] ?? 0)
  const missing = `SELECT count(*) AS n FROM ${table} m WHERE ${isMissing(relation)}`
  return {
    new: countOf(states.new),
    changed: countOf(states.changed),
    unchanged: countOf(states.same),
    deleted: isThere && deletesMissing ? Number(database.prepare(missing).get()?.['n']) : 0,
  }
}

const rowsAtOnce = 20_000

// The keys of the staged rows, so many at a time, by the first column of the key.
export async function* keyRanges(
  database: Sqlite,
  relation: Relation,
  signal: AbortSignal,
): AsyncGenerator<[from: bigint, to: bigint]> {
  const key = quote(relation.key[0] ?? '')
  const stage = stageTable(relation)
  const ends = database.prepare(`SELECT min(${key}) AS first, max(${key}) AS last FROM ${stage}`)
  const next = database.prepare(`SELECT ${key} AS k FROM ${stage} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1 OFFSET ?`)
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
