// What has changed since a base was made: the rows of it that are void, and a small base of the rows that were read again. A page
// of both together is found without listing everything before it.
import type { Condition } from '../catalogue/condition.ts'
import type { Order } from '../query/plan.ts'
import { createBuilder, idOf, rowOf, type Base, type Part, type Row } from './columns.ts'
import { compareAcross, compareRows, type CompareRows } from './orders.ts'
import { mergeBases } from './rebase.ts'
import type { RememberedSelections } from './remembered-selections.ts'
import { select } from './selections.ts'
import { shared } from './texts.ts'
import type { Id } from './values.ts'

export interface Overlay {
  readonly base: Base
  /** Rows of the base that no longer count, ascending. */
  readonly masked: Uint32Array
  /** What takes their place. No id of it is that of a row of the base that still counts. */
  readonly rows: Base
}

export interface Page {
  readonly offset: number
  readonly limit: number
}

export const emptyOverlay = (base: Base): Overlay => ({
  base,
  masked: new Uint32Array(new SharedArrayBuffer(0)),
  rows: createBuilder(base.collection).finish(),
})

/** The records of these ids are now the given rows; an id without a row is gone. */
export function extendOverlay(
  { base, masked, rows: known }: Overlay,
  ids: readonly Id[],
  rows: Readonly<Partial<Record<Part, readonly Row[]>>>,
): Overlay {
  const builder = createBuilder(base.collection)
  builder.add('archived', rows.archived ?? [])
  builder.add('recent', rows.recent ?? [])
  const additions = builder.finish()
  const named = [...ids, ...additions.ids]
  return {
    base,
    masked: withRowsOf(base, named, masked),
    rows: mergeBases(known, withRowsOf(known, named), additions),
  }
}

function withRowsOf(base: Base, ids: readonly Id[], known: Iterable<number> = []): Uint32Array {
  const rows = new Set(known)
  for (const id of ids) {
    const row = rowOf(base, id)
    if (row >= 0) rows.add(row)
  }
  return shared(Uint32Array.from(rows).toSorted())
}

export function findPage(
  base: Base,
  overlay: Overlay,
  conditions: readonly Condition[],
  order: readonly Order[],
  { offset, limit }: Page,
  remembered: RememberedSelections,
): { total: number; ids: Id[] } {
  const selection = remembered.select(base, conditions, order)
  const gaps = gapsIn(selection, overlay.masked, compareRows(base, order))
  const kept = selection.length - gaps.length
  const keptRow = (at: number) => selection[at + gapsBefore(gaps, at)] as number
  const added = overlay.rows.ids.length > 0 ? select(overlay.rows, conditions, order) : new Uint32Array(0)
  const total = kept + added.length
  const compare = compareAcross(base, overlay.rows, order)
  const isKeptFirst = (keptAt: number, addedAt: number) => compare(keptRow(keptAt), added[addedAt] as number) < 0

  let addedAt = addedBefore(Math.min(offset, total), kept, added.length, isKeptFirst)
  const ids: Id[] = []
  for (let at = offset; at < Math.min(offset + limit, total); at += 1) {
    const keptAt = at - addedAt
    if (addedAt === added.length || (keptAt < kept && isKeptFirst(keptAt, addedAt)))
      ids.push(idOf(base, keptRow(keptAt)))
    else ids.push(idOf(overlay.rows, added[addedAt++] as number))
  }
  return { total, ids }
}

// Where the masked rows are in the selection. A row is where its order says, or it was not selected.
function gapsIn(selection: Uint32Array, masked: Uint32Array, compare: CompareRows): Uint32Array {
  const gaps = new Uint32Array(masked.length)
  let count = 0
  for (const row of masked) {
    const place = firstWhere(0, selection.length, (at) => compare(selection[at] as number, row) >= 0)
    if (selection[place] === row) gaps[count++] = place
  }
  return gaps.subarray(0, count).toSorted()
}

// How many gaps come before the row that is in this place once the gaps are closed.
const gapsBefore = (gaps: Uint32Array, place: number) =>
  firstWhere(0, gaps.length, (at) => (gaps[at] as number) - at > place)

// How many of the first rows of the merged list are added ones.
const addedBefore = (
  offset: number,
  kept: number,
  added: number,
  isKeptFirst: (keptAt: number, addedAt: number) => boolean,
) => firstWhere(Math.max(0, offset - kept), Math.min(added, offset), (at) => isKeptFirst(offset - at - 1, at))

// The first number from which on it is so, or the end.
function firstWhere(start: number, end: number, isSo: (at: number) => boolean): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (isSo(middle)) high = middle
    else low = middle + 1
  }
  return low
}
