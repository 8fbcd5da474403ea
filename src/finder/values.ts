// A cell as a database gives it → a value that compares as the database compares it. Most values are numbers. The others are
// texts: a decimal (`int`, `bool`, `num`), a time, or the sort key of a text.
import type { ColumnType } from '../contract/relation.ts'
import { beyondCalendar } from '../sql/dialect.ts'
import type { Cell, Id } from '../sql/statement.ts'

export type Comparable = number | string

/** Columns cannot hold this cell exactly: its collection is served by plain SQL. */
export class UnusualValue extends Error {}

export function valueOf(type: ColumnType, isFolded: boolean, cell: Cell): Comparable | null {
  if (cell === null) return null
  if (type === 'text') {
    if (typeof cell === 'string') return isFolded ? foldedKey(cell) : cell
  } else if (type === 'time' || type === 'day') {
    if (typeof cell === 'string') return timeValue(cell)
  } else if (typeof cell === 'bigint') {
    return integerValue(cell)
  } else if (type === 'num') {
    if (typeof cell === 'string') return decimalValue(cell)
    // Minus zero is zero.
    if (Number.isFinite(cell)) return (cell as number) + 0
  } else if (typeof cell === 'boolean') {
    return Number(cell)
  } else if (Number.isSafeInteger(cell)) {
    return cell as number
  }
  throw new UnusualValue(`a column of the type ${type} holds a value of another type`)
}

/** The first number from `start` on for which the condition holds, or `end`. It must hold for all numbers after that one, too. */
export function firstWhere(start: number, end: number, holds: (at: number) => boolean): number {
  let low = start
  let high = end
  while (low < high) {
    const middle = (low + high) >>> 1
    if (holds(middle)) high = middle
    else low = middle + 1
  }
  return low
}

export function idValue(cell: Cell | undefined): Id {
  if (Number.isSafeInteger(cell)) return cell as number
  if (typeof cell === 'bigint') return Number.isSafeInteger(Number(cell)) ? Number(cell) : cell
  throw new UnusualValue('an id is no integer')
}

/** Two values of one column: as texts where one of them is a text, else as numbers. */
export function compareValues(type: ColumnType, a: Comparable, b: Comparable): number {
  if (typeof a === 'number' && typeof b === 'number') return a - b
  return compareTexts(type, textOf(type, a), textOf(type, b))
}

export const compareTexts = (type: ColumnType, a: string, b: string): number =>
  isByBytes(type) ? Buffer.compare(Buffer.from(a), Buffer.from(b)) : compareDecimals(a, b)

/** Whether texts of this type compare by their bytes in UTF-8. Otherwise they are decimals. */
export const isByBytes = (type: ColumnType): boolean => type === 'text' || type === 'time' || type === 'day'

export function textOf(type: ColumnType, value: Comparable): string {
  if (typeof value === 'string') return value
  return type === 'time' || type === 'day' ? timeText(value) : decimalText(value)
}

// NOCASE of SQLite folds ASCII letters and stops at a NUL. Texts that are equal up to there are ordered by their length in bytes.
function foldedKey(text: string): string {
  const end = text.indexOf('\0')
  const folded = (end === -1 ? text : text.slice(0, end)).replace(/[A-Z]+/g, (letters) => letters.toLowerCase())
  return end === -1 ? folded : `${folded}\0${String(Buffer.byteLength(text)).padStart(10, '0')}`
}

const timeShape = '0000-00-00T00:00:00'

// All digits are at fixed places, so the numbers are in the order of the texts.
function timeValue(text: string): Comparable {
  if (text === beyondCalendar) throw new UnusualValue('a time is beyond the calendar')
  if (text.length !== timeShape.length) return text
  let value = 0
  for (let at = 0; at < timeShape.length; at += 1) {
    const code = text.charCodeAt(at)
    const digit = code - 48
    if (timeShape[at] !== '0') {
      if (code !== timeShape.charCodeAt(at)) return text
    } else if (digit >= 0 && digit <= 9) value = value * 10 + digit
    else return text
  }
  return value
}

const timeText = (value: number) =>
  String(value)
    .padStart(14, '0')
    .replace(/^(....)(..)(..)(..)(..)(..)$/, '$1-$2-$3T$4:$5:$6')

const integerValue = (value: bigint): Comparable =>
  Number.isSafeInteger(Number(value)) ? Number(value) : value.toString()

// A double holds 15 digits exactly. A longer decimal is kept as a text, in one form for each value.
function decimalValue(text: string): Comparable {
  // Only floats are written with an exponent, and with enough digits to restore them.
  if (/^-?[\d.]+e[+-]\d+$/.test(text)) return Number(text)
  const [, sign = '', whole = '', fraction = ''] = /^(-?)0*(\d+?)(?:\.(\d*?)0*)?$/.exec(text) ?? []
  if (whole === '') throw new UnusualValue('a numeric is no finite decimal')
  const digits = (whole + fraction).replace(/^0+|0+$/g, '')
  const isDouble = digits.length <= 15 && whole.length < 300 && fraction.length < 300
  if (isDouble) return Number(text) + 0
  return sign + whole + (fraction && `.${fraction}`)
}

// Never with an exponent.
function decimalText(value: number): string {
  const [, sign = '', whole = '', fraction = '', exponent] =
    /^(-?)(\d+)(?:\.(\d+))?(?:e(.+))?$/.exec(String(value)) ?? []
  if (exponent === undefined) return String(value)
  const point = whole.length + Number(exponent)
  const digits = whole + fraction
  if (point <= 0) return `${sign}0.${'0'.repeat(-point)}${digits}`
  return sign + digits.padEnd(point, '0')
}

function compareDecimals(a: string, b: string): number {
  const isNegative = a.startsWith('-')
  if (isNegative !== b.startsWith('-')) return isNegative ? -1 : 1
  if (isNegative) return compareDecimals(b.slice(1), a.slice(1))
  const [wholeA = '', fractionA = ''] = a.split('.')
  const [wholeB = '', fractionB = ''] = b.split('.')
  if (wholeA.length !== wholeB.length) return wholeA.length - wholeB.length
  const [keyA, keyB] = wholeA === wholeB ? [fractionA, fractionB] : [wholeA, wholeB]
  return keyA < keyB ? -1 : Number(keyA > keyB)
}
