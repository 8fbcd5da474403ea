// Where a page begins in a list that goes along one axis and is cut on another, such as a range of days in the order of ids.
// The tally has each axis by itself, so the records are counted, piece by piece along the list, until the page is reached.
// What was counted is remembered for as long as the tally says that nothing in the piece has changed: whoever reads such a
// list page by page has each piece counted once (by each reader), also while tills write.
import type { Condition } from '../catalogue/condition.ts'
import { nameOf, type Axis } from '../catalogue/tallies.ts'
import { totalStatement } from '../sql/records.ts'
import { bucketsStatement, within } from '../sql/tallies.ts'
import { boundOf } from './bounds.ts'
import type { Version } from './pieces.ts'
import type { Question } from './question.ts'

interface Place {
  readonly bound: Condition
  readonly skip: number
}

export async function locateAcross(
  { dialect, resource, tally, traits, run, pieces: memory }: Question,
  conditions: readonly Condition[],
  axis: Axis,
  position: number,
  descending: boolean,
): Promise<Place | undefined> {
  const pieces = memory.of(JSON.stringify([nameOf(tally), axis.column, conditions]))

  const piecesWithin = async (bucket: string, level: number) => {
    const stretch = within(axis, axis.lengths[level] ?? 0, bucket)
    const rows = await run.counts(bucketsStatement(dialect, tally, traits, stretch, descending), tally)
    return rows.map(([place, , version]) => ({ bucket: String(place), version: version as Version | null }))
  }

  const count = async (bucket: string) => {
    const bounds = [boundOf(axis, bucket, false), boundOf(axis, bucket, true)]
    const piece = { conditions: [...conditions, ...bounds], along: axis.column }
    const [row] = await run.rows(totalStatement(dialect, resource, piece))
    return Number(row?.[0])
  }

  // Those that are not known are counted together: where the database is another process, they cost little more than one.
  const countAll = async (list: readonly { readonly bucket: string; readonly version: Version | null }[]) =>
    Promise.all(
      list.map(async ({ bucket, version }) => {
        const known = pieces.get(bucket, version)
        if (known !== undefined) return known
        const n = await count(bucket)
        pieces.set(bucket, version, n)
        return n
      }),
    )

  // The place, if it is within; else how many records of the list are.
  const seek = async (parent: string, level: number, skip: number): Promise<Place | number> => {
    const list = await piecesWithin(parent, level)
    const counts = level === axis.lengths.length - 1 ? await countAll(list) : undefined
    let before = 0
    for (const [at, { bucket, version }] of list.entries()) {
      let n = counts?.[at] ?? pieces.get(bucket, version)
      const isHere = n !== undefined && skip - before < n
      if (counts && isHere) return { bound: boundOf(axis, bucket, descending), skip: skip - before }
      if (n === undefined || isHere) {
        const inner = await seek(bucket, level + 1, skip - before)
        if (typeof inner !== 'number') return inner
        pieces.set(bucket, version, (n = inner))
      }
      before += n
    }
    return before
  }

  // Empty values have no place on the axis.
  const top = await piecesWithin('', 0)
  if (top.some(({ bucket }) => bucket === '')) return undefined
  const found = await seek('', 0, position)
  return typeof found === 'number' ? undefined : found
}
