// A new base from an old one, the rows of it that are void, and the rows that take their place: column by column, without the
// database. The result is what a base built from those rows would be.
import { collectTexts, idOf, packColumn, packIds, type Base, type Column, type SearchedColumn } from './columns.ts'
import { dictionarySize, mergeDictionaries } from './dictionary.ts'

// Of an overlay: the rows of its base that are void, and those that take their place.
interface Replacement {
  readonly masked: Uint32Array
  readonly rows: Base
}

export const rebase = (base: Base, { masked, rows }: Replacement): Base => mergeBases(base, masked, rows)

/** The masked rows are ascending; no other row of the base has an id of the additions. */
export function mergeBases(base: Base, masked: Uint32Array, additions: Base): Base {
  const rowCount = base.ids.length
  const rows = mergedRows(base, masked, additions)
  return {
    collection: base.collection,
    ids: packIds(rows.length, (at) => {
      const row = rows[at] as number
      return row < rowCount ? idOf(base, row) : idOf(additions, row - rowCount)
    }),
    values: mapEach(base.values, (column, name) => mergeColumn(rows, column, additions.values[name] as Column)),
    texts: mapEach(base.texts, (column, name) =>
      collectTexts(rows, [column, additions.texts[name] as SearchedColumn], rowCount),
    ),
  }
}

const mapEach = <Part, Result>(parts: Readonly<Record<string, Part>>, map: (part: Part, name: string) => Result) =>
  Object.fromEntries(Object.entries(parts).map(([name, part]) => [name, map(part, name)]))

// In the order of ids: rows of the base, and those of the additions counted on from there.
function mergedRows(base: Base, masked: Uint32Array, additions: Base): Uint32Array {
  const rowCount = base.ids.length
  const rows = new Uint32Array(rowCount - masked.length + additions.ids.length)
  let end = 0
  let nextMasked = 0
  let added = 0
  for (let row = 0; row < rowCount; row += 1) {
    if (masked[nextMasked] === row) {
      nextMasked += 1
      continue
    }
    while (added < additions.ids.length && idOf(additions, added) < idOf(base, row)) rows[end++] = rowCount + added++
    rows[end++] = row
  }
  while (added < additions.ids.length) rows[end++] = rowCount + added++
  return rows
}

function mergeColumn(rows: Uint32Array, first: Column, second: Column): Column {
  const rowCount = first.codes.length
  const isUsed = new Uint8Array(dictionarySize(first.dictionary) + 1)
  const isUsedToo = new Uint8Array(dictionarySize(second.dictionary) + 1)
  for (const row of rows) {
    if (row < rowCount) isUsed[first.codes[row] as number] = 1
    else isUsedToo[second.codes[row - rowCount] as number] = 1
  }
  const merged = mergeDictionaries(first.dictionary, isUsed, second.dictionary, isUsedToo)
  const codes = rows.map(
    (row) =>
      (row < rowCount
        ? merged.codes[first.codes[row] as number]
        : merged.codesToo[second.codes[row - rowCount] as number]) as number,
  )
  return packColumn({ dictionary: merged.dictionary, codes }, first.index !== null)
}
