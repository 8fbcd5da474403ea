// The changes since a base was made: its masked rows, which no longer count, and a small base
// of the rows that replace them. A page of both together is found without listing all records
// before it.
//
// The base of columns.ts, after 9 was deleted, 12 has got the total 60 and 15 is new with 30:
//
//   masked        1  2       rows of the base: 9 and 12
//   rows.ids     12 15       12 as it is now; a deleted id has no row
//
// A list by total, the greatest first: the base alone gives the rows 0 2 1 (50, 20, none). The
// masked rows stand at the places 1 and 2 of it, so one row is kept: 7. The small base gives
// 12 15 (60, 30). The total is 1 + 2; merged, the ids are 12 7 15. What if page 2 of one record
// is asked for? Of the one row before it a binary search finds that it is an added one.
import type { Condition } from '../catalogue/condition.ts'
import type { Order } from '../query/plan.ts'
import type { Id, Row } from '../sql/statement.ts'
import { createBuilder, idOf, rowOf, type Base } from './columns.ts'
import { mergeBases } from './merge.ts'
import { compareAcross, compareRows, type CompareRows } from './orders.ts'
import { select, type RememberedSelections } from './selections.ts'
import { shared } from './texts.ts'
import { firstWhere } from './values.ts'

export interface Overlay {
  readonly base: Base
  /** Row numbers of the base, ascending. */
  readonly masked: Uint32Array
  /** Has no id of an unmasked row of the base. */
  readonly rows: Base
}

export const emptyOverlay = (base: Base): Overlay => ({
  base,
  masked: new Uint32Array(new SharedArrayBuffer(0)),
  rows: createBuilder(base.collection).finish(),
})

export const overlaySize = ({ masked, rows }: Overlay) => masked.length + rows.ids.length

/** The records of these ids are now the given rows; an id without a row no longer exists. */
export function extendOverlay(
  { base, masked, rows: known }: Overlay,
  ids: readonly Id[],
  { recent, archived }: { readonly recent: readonly Row[]; readonly archived: readonly Row[] },
): Overlay {
  const builder = createBuilder(base.collection)
  builder.add('archived', archived)
  builder.add('recent', recent)
  return {
    base,
    masked: shared(Uint32Array.from(new Set([...masked, ...rowsOf(base, ids)])).toSorted()),
    rows: mergeBases(known, rowsOf(known, ids), builder.finish()),
  }
}

const rowsOf = (base: Base, ids: readonly Id[]) => ids.map((id) => rowOf(base, id)).filter((row) => row >= 0)

/** A new base with the changes, made without the database. It equals a base built from the same records. */
export const rebase = (overlay: Overlay): Base =>
  overlaySize(overlay) === 0 ? overlay.base : mergeBases(overlay.base, overlay.masked, overlay.rows)

/** The total of a list, and the ids of the page that begins after `offset` records. */
export function findPage(
  { base, masked, rows }: Overlay,
  conditions: readonly Condition[],
  order: readonly Order[],
  { offset, limit }: { readonly offset: number; readonly limit: number },
  remembered: RememberedSelections,
): { total: number; ids: Id[] } {
  const selection = remembered.select(base, conditions, order)
  const gaps = gapsIn(selection, masked, compareRows(base, order))
  const kept = selection.length - gaps.length
  const keptRow = (at: number) => selection[at + gapsBefore(gaps, at)] as number
  const added = rows.ids.length > 0 ? select(rows, conditions, order) : new Uint32Array(0)
  const total = kept + added.length
  const compare = compareAcross(base, rows, order)
  const isKeptFirst = (keptAt: number, addedAt: number) => compare(keptRow(keptAt), added[addedAt] as number) < 0

  // How many of the rows before the page are added ones.
  const start = Math.min(offset, total)
  const [least, most] = [Math.max(0, start - kept), Math.min(added.length, start)]
  let addedAt = firstWhere(least, most, (at) => isKeptFirst(start - at - 1, at))
  const ids: Id[] = []
  for (let at = offset; at < Math.min(offset + limit, total); at += 1) {
    const keptAt = at - addedAt
    if (addedAt === added.length || (keptAt < kept && isKeptFirst(keptAt, addedAt)))
      ids.push(idOf(base, keptRow(keptAt)))
    else ids.push(idOf(rows, added[addedAt++] as number))
  }
  return { total, ids }
}

// The places of the masked rows in the selection. A row is at the place that its order gives, or it is not selected.
function gapsIn(selection: Uint32Array, masked: Uint32Array, compare: CompareRows): Uint32Array {
  const gaps = new Uint32Array(masked.length)
  let count = 0
  for (const row of masked) {
    const place = firstWhere(0, selection.length, (at) => compare(selection[at] as number, row) >= 0)
    if (selection[place] === row) gaps[count++] = place
  }
  return gaps.subarray(0, count).toSorted()
}

// How many gaps come before the row that has this place once the gaps are closed.
const gapsBefore = (gaps: Uint32Array, place: number) =>
  firstWhere(0, gaps.length, (at) => (gaps[at] as number) - at > place)
