// The distinct values of a column in their order. The code of a value is its rank, from 1 on. 0 stands for null, which is the
// smallest. Codes of one dictionary therefore compare as their values do.
import type { ColumnType } from '../contract/relation.ts'
import { compareBytes, createInterner, pickUsed, shared, textAt, textCount, type TextTable } from './texts.ts'
import { compareTexts, compareValues, firstWhere, isByBytes, textOf, type Comparable } from './values.ts'

export interface Dictionary {
  readonly type: ColumnType
  /** Texts where one of the values is not a number. */
  readonly values: Float64Array | TextTable
}

export interface Ranked {
  readonly dictionary: Dictionary
  /** By row. */
  readonly codes: Uint32Array
}

export const isNumbers = (values: Dictionary['values']): values is Float64Array => values instanceof Float64Array

export const dictionarySize = ({ values }: Dictionary): number =>
  isNumbers(values) ? values.length : textCount(values)

export const valueAt = ({ values }: Dictionary, code: number): Comparable =>
  isNumbers(values) ? (values[code - 1] as number) : textAt(values, code)

/** The code of the first value that is not smaller; one more than the greatest code if all are smaller. */
export const firstAtLeast = (dictionary: Dictionary, value: Comparable): number =>
  firstWhere(
    1,
    dictionarySize(dictionary) + 1,
    (code) => compareValues(dictionary.type, valueAt(dictionary, code), value) >= 0,
  )

/** -1 if the value is not in the dictionary. */
export function codeOf(dictionary: Dictionary, value: Comparable): number {
  const code = firstAtLeast(dictionary, value)
  if (code > dictionarySize(dictionary)) return -1
  return compareValues(dictionary.type, valueAt(dictionary, code), value) === 0 ? code : -1
}

/** With the same codes. */
export function asTexts({ type, values }: Dictionary): Dictionary {
  if (!isNumbers(values)) return { type, values }
  const interner = createInterner()
  for (const value of values) interner.add(textOf(type, value))
  return { type, values: interner.texts() }
}

/** NaN stands for null. */
export function rankNumbers(type: ColumnType, numbers: Float64Array): Ranked {
  // NaN is sorted last.
  const values = numbers.toSorted()
  let count = 0
  for (const value of values)
    if (!Number.isNaN(value) && (count === 0 || value !== values[count - 1])) values[count++] = value
  const distinct = shared(values.subarray(0, count))
  const codes = new Uint32Array(numbers.length)
  for (let row = 0; row < numbers.length; row += 1) {
    const value = numbers[row] as number
    if (!Number.isNaN(value)) codes[row] = 1 + firstWhere(0, count, (at) => (distinct[at] as number) >= value)
  }
  return { dictionary: { type, values: distinct }, codes }
}

/** The codes are those of the texts, in any order. */
export function rankTexts(type: ColumnType, unsorted: TextTable, unsortedCodes: Uint32Array): Ranked {
  const { texts, codes } = pickUsed(unsorted, unsortedCodes, (used) => sortTexts(type, unsorted, used))
  return { dictionary: { type, values: texts }, codes }
}

function sortTexts(type: ColumnType, texts: TextTable, codes: Uint32Array): void {
  if (!isByBytes(type)) {
    codes.sort((a, b) => compareTexts(type, textAt(texts, a), textAt(texts, b)))
    return
  }
  // Most texts differ in their first six bytes, which fit a double: comparing those is far cheaper.
  const starts = new Float64Array(textCount(texts) + 1)
  for (const code of codes) {
    const from = texts.offsets[code - 1] as number
    const length = (texts.offsets[code] as number) - 1 - from
    let start = 0
    for (let at = 0; at < 6; at += 1) start = start * 256 + (at < length ? (texts.bytes[from + at] as number) : 0)
    starts[code] = start
  }
  codes.sort((a, b) => (starts[a] as number) - (starts[b] as number) || compareBytes(texts, a, b))
}
