// The distinct values of a column in their order. The code of a value is its rank, from 1 on; 0 stands for null, which is thereby
// the smallest. Codes of one dictionary compare as their values do.
import type { ColumnType } from '../contract/relation.ts'
import { compareBytes, createInterner, pickTexts, shared, textAt, textCount, type Texts } from './texts.ts'
import { compareTexts, compareValues, isByBytes, textOf, type Value } from './values.ts'

export interface Dictionary {
  readonly type: ColumnType
  /** Texts where one of the values is no number. */
  readonly values: Float64Array | Texts
}

export interface Ranked {
  readonly dictionary: Dictionary
  /** By row. */
  readonly codes: Uint32Array
}

const isNumbers = (values: Dictionary['values']): values is Float64Array => values instanceof Float64Array

export const dictionarySize = ({ values }: Dictionary): number =>
  isNumbers(values) ? values.length : textCount(values)

export const valueAt = ({ values }: Dictionary, code: number): Value =>
  isNumbers(values) ? (values[code - 1] as number) : textAt(values, code)

/** The code of the first value that is not smaller; one more than there are if all are. */
export function firstAtLeast(dictionary: Dictionary, value: Value): number {
  const { type, values } = dictionary
  if (isNumbers(values) && typeof value === 'number') return rankOf(values, value)
  let low = 1
  let high = dictionarySize(dictionary) + 1
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compareValues(type, valueAt(dictionary, middle), value) < 0) low = middle + 1
    else high = middle
  }
  return low
}

function rankOf(numbers: Float64Array, value: number): number {
  let low = 0
  let high = numbers.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if ((numbers[middle] as number) < value) low = middle + 1
    else high = middle
  }
  return low + 1
}

/** -1 if there is none. */
export function codeOf(dictionary: Dictionary, value: Value): number {
  const code = firstAtLeast(dictionary, value)
  if (code > dictionarySize(dictionary)) return -1
  return compareValues(dictionary.type, valueAt(dictionary, code), value) === 0 ? code : -1
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
    codes[row] = Number.isNaN(value) ? 0 : rankOf(distinct, value)
  }
  return { dictionary: { type, values: distinct }, codes }
}

/** The codes are those of the texts, in any order; texts that no code names are left out. */
export function rankTexts(type: ColumnType, texts: Texts, codes: Uint32Array): Ranked {
  const ranks = new Uint32Array(textCount(texts) + 1)
  for (const code of codes) ranks[code] = 1
  ranks[0] = 0
  const used = ranks.map((_, code) => code).filter((code) => ranks[code] === 1)
  sortTexts(type, texts, used)
  used.forEach((code, at) => (ranks[code] = at + 1))
  return { dictionary: { type, values: pickTexts(used, texts) }, codes: codes.map((code) => ranks[code] as number) }
}

function sortTexts(type: ColumnType, texts: Texts, codes: Uint32Array): void {
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

/** The used values of both, and what becomes of the codes of each. The second one is expected to be small. */
export function mergeDictionaries(first: Dictionary, isUsed: Uint8Array, second: Dictionary, isUsedToo: Uint8Array) {
  const areNumbers = isNumbers(first.values) && isNumbers(second.values)
  const a = areNumbers ? first : withTexts(first)
  const b = areNumbers ? second : withTexts(second)
  const size = dictionarySize(a)
  const picks = new Uint32Array(size + dictionarySize(b))
  const codes = new Uint32Array(size + 1)
  const codesToo = new Uint32Array(dictionarySize(b) + 1)
  let count = 0
  let next = 1
  const takeUntil = (end: number) => {
    for (; next < end; next += 1)
      if (isUsed[next] === 1) {
        picks[count++] = next
        codes[next] = count
      }
  }
  for (let code = 1; code < codesToo.length; code += 1) {
    if (isUsedToo[code] !== 1) continue
    const value = valueAt(b, code)
    const place = firstAtLeast(a, value)
    takeUntil(place)
    const isInBoth = place <= size && compareValues(a.type, valueAt(a, place), value) === 0
    picks[count++] = isInBoth ? place : size + code
    codesToo[code] = count
    if (isInBoth) {
      codes[place] = count
      next = place + 1
    }
  }
  takeUntil(size + 1)
  const picked = picks.subarray(0, count)
  const dictionary: Dictionary = { type: a.type, values: pickValues(picked, a, b) }
  return { dictionary, codes, codesToo }
}

function pickValues(picks: Uint32Array, { values: a }: Dictionary, { values: b }: Dictionary): Dictionary['values'] {
  if (!isNumbers(a) && !isNumbers(b)) return pickTexts(picks, a, b)
  if (!isNumbers(a) || !isNumbers(b)) throw new Error('numbers and texts are not merged')
  const picked = new Float64Array(new SharedArrayBuffer(picks.length * 8))
  for (let at = 0; at < picks.length; at += 1) {
    const pick = (picks[at] as number) - 1
    picked[at] = (pick < a.length ? a[pick] : b[pick - a.length]) as number
  }
  return picked
}

function withTexts({ type, values }: Dictionary): Dictionary {
  if (!isNumbers(values)) return { type, values }
  const interner = createInterner()
  for (const value of values) interner.add(textOf(type, value))
  return { type, values: interner.texts() }
}
