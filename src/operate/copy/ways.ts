// How each relation is read in a round: whole, or from its latest `updated_at` on, or with the records that its rows belong to. And the
// statements for it.
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import type { Staged } from '../import/place.ts'
import { parentOf } from '../import/staged.ts'
import type { CopyInput } from './input.ts'

// How a relation is read in this round.
export interface Way extends Staged {
  readonly how: string
  // The latest `updated_at` so far: rows are read from there.
  readonly mark?: string
  // Only the children of the rows read from this relation.
  readonly childrenOf?: Relation
}

// The relation whose rows a relation of lines or payments is read with.
export const copiedWith = (relation: Relation): Relation | undefined =>
  relation.parent === undefined ? undefined : parentOf(relation)?.relation

// In the contract's order: a parent comes before its children.
export function waysOf(names: ReadonlySet<string>, marks: ReadonlyMap<string, string>): Way[] {
  const ways: Way[] = []
  for (const relation of relations) {
    if (!names.has(relation.name)) continue
    const mark = marks.get(relation.name)
    const parent = copiedWith(relation)
    const isParentByTime = ways.some((way) => way.relation === parent && way.mark !== undefined)
    if (mark !== undefined) ways.push({ relation, deletes: 'none', how: `since ${withOverlap(mark)}`, mark })
    else if (parent && isParentByTime)
      ways.push({ relation, deletes: 'children of staged rows', how: `with ${parent.name}`, childrenOf: parent })
    else ways.push({ relation, deletes: 'all', how: 'whole' })
  }
  return ways
}

// Longer than most transactions, and than the hour that local times repeat in autumn. The next whole round finds rows that were
// committed even later.
const overlapMs = 70 * 60_000

export const withOverlap = (mark: string) =>
  new Date(Date.parse(`${mark}Z`) - overlapMs).toISOString().slice(0, 19).replace('T', ' ')

// The condition reaches the tables inside, because planners look through such a subquery.
export const within = (select: string, condition: string) =>
  `SELECT * FROM (\n${select}\n) AS copied WHERE copied.${condition}`

// The rows that are kept out are read, too, whatever their time; none is read twice.
export const selectsSince = (select: string, time: string, again: readonly string[]) => [
  within(select, `updated_at >= '${time}'`),
  ...inChunks(again).map((ids) =>
    within(select, `id IN (${ids}) AND (copied.updated_at < '${time}' OR copied.updated_at IS NULL)`),
  ),
]

const idsAtOnce = 500

export function inChunks(ids: readonly string[]): string[] {
  const chunks: string[] = []
  for (let at = 0; at < ids.length; at += idsAtOnce) chunks.push(ids.slice(at, at + idsAtOnce).join(', '))
  return chunks
}

// A mark in the future would hide all changes until then.
export function markOf({ mark }: Way, input: CopyInput | undefined, now: string): string | undefined {
  const times = [mark, input?.latest()].filter((time) => time !== undefined).toSorted()
  const latest = times.at(-1)
  return latest !== undefined && latest > now ? now : latest
}
