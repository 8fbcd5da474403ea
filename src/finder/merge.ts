// Two bases of one collection become one, without the database. The values of a column are in order in both, so they are merged and
// the codes of the rows renumbered. Nothing is sorted again: a few changes of a large base cost little more than a copy of it.
import type { Id } from '../sql/statement.ts'
import {
  gather,
  packColumn,
  packSearched,
  type Base,
  type CodeArray,
  type SearchedColumn,
  type ValueColumn,
} from './columns.ts'
import {
  asTexts,
  dictionarySize,
  firstAtLeast,
  isNumbers,
  valueAt,
  type Dictionary,
  type Ranked,
} from './dictionary.ts'
import { createInterner, joinTexts, pickTexts, pickUsed, shared, textAt, textCount, type TextTable } from './texts.ts'
import { compareValues } from './values.ts'

/** The rows of the first base that are not masked, and all of the second. No id may be in both. */
export function mergeBases(first: Base, masked: Iterable<number>, second: Base): Base {
  const { collection } = first
  const rows = mergedRows(first, masked, second)
  const result = {
    collection,
    ids: mergedIds(first, second, rows),
    values: {} as Record<string, ValueColumn>,
    texts: {} as Record<string, SearchedColumn>,
  }
  for (const { column, isIndexed } of collection.values) {
    const [a, b] = [first.values[column] as ValueColumn, second.values[column] as ValueColumn]
    result.values[column] = packColumn(mergedValues(a, b, rows), isIndexed)
  }
  for (const column of collection.texts) {
    const [a, b] = [first.texts[column] as SearchedColumn, second.texts[column] as SearchedColumn]
    const codes = mergedCodes(rows, a.codes, b.codes, codesInBoth(a.texts, b.texts))
    result.texts[column] = packSearched(pickUsed(joinTexts(a.texts, b.texts), codes))
  }
  return result
}

/** In the order of their ids. Those of the second base are counted on from those of the first. */
function mergedRows(first: Base, masked: Iterable<number>, second: Base): Uint32Array {
  const count = first.ids.length
  const isMasked = new Uint8Array(count)
  for (const row of masked) isMasked[row] = 1
  const rows = new Uint32Array(count + second.ids.length)
  let end = 0
  let next = 0
  for (let row = 0; row < count; row += 1) {
    if (isMasked[row] === 1) continue
    while (next < second.ids.length && (second.ids[next] as Id) < (first.ids[row] as Id)) rows[end++] = count + next++
    rows[end++] = row
  }
  while (next < second.ids.length) rows[end++] = count + next++
  return rows.subarray(0, end)
}

function mergedIds({ ids: a }: Base, { ids: b }: Base, rows: Uint32Array): Base['ids'] {
  if (a instanceof Float64Array && b instanceof Float64Array) return shared(gather(joined(a, b), rows))
  const ids = gather(BigInt64Array.from([...a, ...b], BigInt), rows)
  return shared(ids.every((id) => Number.isSafeInteger(Number(id))) ? Float64Array.from(ids, Number) : ids)
}

function joined(a: Float64Array, b: Float64Array): Float64Array {
  const list = new Float64Array(a.length + b.length)
  list.set(a)
  list.set(b, a.length)
  return list
}

/** By row; the codes of the second base become the given ones. */
const mergedCodes = (rows: Uint32Array, first: CodeArray, second: CodeArray, given: Uint32Array) =>
  rows.map((row) => (row < first.length ? first[row] : given[second[row - first.length] as number]) as number)

function mergedValues(first: ValueColumn, second: ValueColumn, rows: Uint32Array): Ranked {
  const [a, b] = ofOneKind(first.dictionary, second.dictionary)
  const { type } = a
  const [sizeA, sizeB] = [dictionarySize(a), dictionarySize(b)]
  // By code of the second: its code among those of both, and the first code of the other dictionary that it comes before.
  const inBoth = new Uint32Array(sizeB + 1)
  const places = new Uint32Array(sizeB + 1)
  for (let code = 1; code <= sizeB; code += 1) {
    const value = valueAt(b, code)
    const place = firstAtLeast(a, value)
    const isKnown = place <= sizeA && compareValues(type, valueAt(a, place), value) === 0
    inBoth[code] = isKnown ? place : sizeA + code
    places[code] = place
  }
  const codes = mergedCodes(rows, first.codes, second.codes, inBoth)

  const isUsed = new Uint8Array(sizeA + sizeB + 1)
  for (const code of codes) isUsed[code] = 1
  const picks = new Uint32Array(sizeA + sizeB)
  const ranks = new Uint32Array(sizeA + sizeB + 1)
  let count = 0
  const pick = (code: number) => {
    if (isUsed[code] === 0) return
    picks[count] = code
    ranks[code] = count += 1
  }
  let next = 1
  for (let code = 1; code <= sizeA + 1; code += 1) {
    for (; next <= sizeB && places[next] === code; next += 1) if ((inBoth[next] as number) > sizeA) pick(sizeA + next)
    if (code <= sizeA) pick(code)
  }
  return {
    dictionary: { type, values: pickValues(a, b, picks.subarray(0, count)) },
    codes: codes.map((code) => ranks[code] as number),
  }
}

const ofOneKind = (a: Dictionary, b: Dictionary): [Dictionary, Dictionary] =>
  isNumbers(a.values) === isNumbers(b.values) ? [a, b] : [asTexts(a), asTexts(b)]

function pickValues({ values: a }: Dictionary, { values: b }: Dictionary, picks: Uint32Array): Dictionary['values'] {
  if (!isNumbers(a) || !isNumbers(b)) return pickTexts(joinTexts(a as TextTable, b as TextTable), picks)
  return shared(
    gather(
      joined(a, b),
      picks.map((code) => code - 1),
    ),
  )
}

/** By code of the second table: its code once both are joined, which is that of an equal text of the first where there is one. */
function codesInBoth(first: TextTable, second: TextTable): Uint32Array {
  const interner = createInterner()
  const codes = new Uint32Array(textCount(second) + 1)
  for (let code = 1; code < codes.length; code += 1) codes[interner.add(textAt(second, code))] = textCount(first) + code
  for (let code = 1; code <= textCount(first); code += 1) {
    const known = interner.find(first, code)
    if (known > 0) codes[known] = code
  }
  return codes
}
