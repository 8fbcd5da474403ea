// The order of a list: by the codes of its columns, then by id. A sort field is the column of the same name.
import type { Order } from '../query/plan.ts'
import { idOf, sortByCode, type Base, type ValueColumn } from './columns.ts'
import { dictionarySize, valueAt } from './dictionary.ts'
import { compareValues } from './values.ts'

export type CompareRows = (a: number, b: number) => number

interface SortKey {
  readonly column: ValueColumn
  readonly sign: 1 | -1
}

const signOf = ({ descending }: Order) => (descending ? -1 : 1)

function sortKeysOf(base: Base, order: readonly Order[]): { keys: SortKey[]; idSign: 1 | -1 } {
  const last = order.at(-1)
  if (last?.field !== 'id') throw new Error('an order ends with the id')
  const keys = order.slice(0, -1).map((each): SortKey => {
    const column = base.values[each.field]
    if (!column) throw new Error(`${base.collection.name} is not sorted by ${each.field}`)
    return { column, sign: signOf(each) }
  })
  return { keys, idSign: signOf(last) }
}

export function compareRows(base: Base, order: readonly Order[]): CompareRows {
  const { keys, idSign } = sortKeysOf(base, order)
  const [only] = keys
  if (only && keys.length === 1) {
    const { sign, column } = only
    const { codes } = column
    return (a, b) => sign * ((codes[a] as number) - (codes[b] as number)) || idSign * (a - b)
  }
  return (a, b) => {
    for (const { column, sign } of keys) {
      const difference = (column.codes[a] as number) - (column.codes[b] as number)
      if (difference !== 0) return sign * difference
    }
    return idSign * (a - b)
  }
}

/** Compares rows of two bases of one collection by their values: codes of different dictionaries do not compare. */
export function compareAcross(first: Base, second: Base, order: readonly Order[]): CompareRows {
  const a = sortKeysOf(first, order)
  const b = sortKeysOf(second, order)
  return (rowA, rowB) => {
    for (const [at, { column, sign }] of a.keys.entries()) {
      const difference = compareCells(column, rowA, (b.keys[at] as SortKey).column, rowB)
      if (difference !== 0) return sign * difference
    }
    const idA = idOf(first, rowA)
    const idB = idOf(second, rowB)
    return idA < idB ? -a.idSign : idA > idB ? a.idSign : 0
  }
}

function compareCells(a: ValueColumn, rowA: number, b: ValueColumn, rowB: number): number {
  const codeA = a.codes[rowA] as number
  const codeB = b.codes[rowB] as number
  if (codeA === 0 || codeB === 0) return codeA - codeB
  return compareValues(a.dictionary.type, valueAt(a.dictionary, codeA), valueAt(b.dictionary, codeB))
}

/** The marked rows in list order: along an index where the order has one, by counting sorts otherwise. */
export function inOrder(base: Base, order: readonly Order[], marks: Uint8Array, count: number): Uint32Array {
  const { keys, idSign } = sortKeysOf(base, order)
  const [only] = keys
  const found = new Uint32Array(count)
  if (keys.length === 1 && only?.column.index) return followIndex(only, idSign, marks, found)
  const length = marks.length
  let end = 0
  for (let at = 0; at < length; at += 1) {
    const row = idSign > 0 ? at : length - 1 - at
    if (marks[row] === 1) found[end++] = row
  }
  return keys.reduceRight<Uint32Array>(sortByKey, found)
}

function followIndex({ column, sign }: SortKey, idSign: 1 | -1, marks: Uint8Array, found: Uint32Array): Uint32Array {
  const { rows, starts } = column.index as NonNullable<ValueColumn['index']>
  let end = 0
  if (sign === idSign) {
    for (let at = 0; at < rows.length; at += 1) {
      const row = rows[sign > 0 ? at : rows.length - 1 - at] as number
      if (marks[row] === 1) found[end++] = row
    }
    return found
  }
  const codes = starts.length - 1
  for (let step = 0; step < codes; step += 1) {
    const code = sign > 0 ? step : codes - 1 - step
    const from = starts[code] as number
    const to = starts[code + 1] as number
    for (let at = from; at < to; at += 1) {
      const row = rows[idSign > 0 ? at : to - 1 - (at - from)] as number
      if (marks[row] === 1) found[end++] = row
    }
  }
  return found
}

// Stable: rows with equal codes keep their order.
function sortByKey(rows: Uint32Array, { column, sign }: SortKey): Uint32Array {
  const { codes, dictionary } = column
  const size = dictionarySize(dictionary)
  const ranks = new Uint32Array(rows.length)
  for (let at = 0; at < rows.length; at += 1) {
    const code = codes[rows[at] as number] as number
    ranks[at] = sign > 0 ? code : size - code
  }
  return sortByCode(rows, ranks, size).rows
}
