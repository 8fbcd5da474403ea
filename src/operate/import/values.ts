// The text of a value → what is stored for it, by the type of its column in the contract. Only what can be read in one way is
// taken; for everything else it is said what was expected.
import { isDay, isTime } from '../../catalogue/filters/time.ts'
import { shown } from '../../catalogue/filters/words.ts'
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'

export type StoredValue = string | number | bigint | null

// What a column of the connected database takes, where that is less than the contract allows.
export interface ColumnLimit {
  // The bits of an integer.
  readonly bits?: 16 | 32
  // A whole number, where the contract has any number.
  readonly isWhole?: true
  // Characters of a text.
  readonly length?: number
  // Digits before the decimal point.
  readonly digits?: number
}

export interface ValueOptions {
  // Numbers keep every decimal; else they become the nearest double.
  readonly isExact: boolean
  // In CSV files: 12,50 for 12.50.
  readonly hasDecimalComma: boolean
  readonly limit?: ColumnLimit | undefined
}

export interface ColumnReader {
  // Null for an empty value; undefined for a wrong one.
  read(text: string): StoredValue | undefined
  readonly expected: string
}

export function columnReader(relation: Relation, column: string, options: ValueOptions): ColumnReader {
  const reader = readerOf(relation, column, options)
  if (!relation.key.includes(column)) return reader
  return { ...reader, read: (text) => reader.read(text) ?? undefined }
}

function readerOf(relation: Relation, column: string, options: ValueOptions): ColumnReader {
  const { limit = {} } = options
  const codes = relation.codes[column]
  if (codes) {
    const known = new Map(codes.map(({ code }) => [String(code), code]))
    const list = codes.map(({ code, label }) => `${code} ${label}`).join(', ')
    return {
      expected: `one of the codes ${list}`,
      read: (text) => (text.trim() === '' ? null : known.get(wholeText(text))),
    }
  }
  switch (columnType(relation, column)) {
    case 'int':
      return wholeReader(column === 'id' ? 1n : undefined, limit.bits)
    case 'num':
      return limit.isWhole ? wholeReader(undefined, limit.bits) : numberReader(options)
    case 'bool':
      return { expected: '0, 1, true or false', read: (text) => booleans.get(text.trim().toLowerCase()) }
    case 'time':
      return { expected: 'a time of the calendar as YYYY-MM-DDTHH:MM:SS, without a zone', read: readTime }
    case 'day':
      return { expected: 'a day of the calendar as YYYY-MM-DD', read: readDay }
    case 'text':
      return textReader(limit.length)
  }
}

export const wrongValue = ({ expected }: ColumnReader, found: string) => `Expected ${expected}; found ${found}.`

// As people see it; nothing where there is nothing.
export const foundText = (text: string) => (text.trim() === '' ? 'nothing' : shown(text))

const booleans = new Map<string, number | null>([
  ['', null],
  ['0', 0],
  ['1', 1],
  ['false', 0],
  ['true', 1],
  ['f', 0],
  ['t', 1],
])

// 12.0 is 12: so programs write a whole number of a column that has empty values.
const wholeForm = /^\s*([+-]?\d+)(?:\.0+)?\s*$/

const wholeText = (text: string) => wholeForm.exec(text)?.[1]?.replace(/^\+/, '') ?? text

function wholeReader(least: bigint | undefined, bits: number = 64): ColumnReader {
  const most = 2n ** BigInt(bits - 1) - 1n
  const from = least ?? -most - 1n
  const isAny = least === undefined && bits === 64
  const range = isAny ? '' : least === undefined ? ` from ${from} to ${most}` : ` from ${from}`
  return {
    expected: `a whole number${range}`,
    read(text) {
      const digits = wholeForm.exec(text)?.[1]
      if (digits === undefined) return text.trim() === '' ? null : undefined
      const value = Number(digits)
      const exact = Number.isSafeInteger(value) ? value : BigInt(digits)
      return exact >= from && exact <= most ? exact : undefined
    },
  }
}

const numberForm = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?$/
// Longer than any number that can be shown.
const longestNumber = 400

function numberReader({ isExact, hasDecimalComma, limit }: ValueOptions): ColumnReader {
  const within = limit?.digits === undefined ? Infinity : 10 ** limit.digits
  const point = hasDecimalComma ? 'comma, such as 12,50' : 'point, such as 12.50'
  const below = within === Infinity ? '' : `, below ${within}`
  return {
    expected: `a number with a decimal ${point}${below}`,
    read(text) {
      let written = text.trim()
      if (written === '') return null
      // 1.234 would be one thing to one reader and another to the next.
      if (hasDecimalComma) written = written.includes('.') ? 'ambiguous' : written.replace(',', '.')
      if (!numberForm.test(written) || written.length > longestNumber) return undefined
      const value = Number(written)
      if (!(Math.abs(value) < within)) return undefined
      if (value === 0) return /^[^eE]*[1-9]/.test(written) ? undefined : 0
      return isExact ? written : value
    },
  }
}

// Empty and zero dates are no dates.
const emptyDate = /^\s*(?:0000-00-00(?:[T ][0:.]*)?)?\s*$/
const timeForm = /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.\d*)?)?\s*$/

function readTime(text: string): string | null | undefined {
  const [, day, minutes = '00:00', seconds = ':00'] = timeForm.exec(text) ?? []
  const time = `${day}T${minutes}${seconds}`
  if (day !== undefined && isTime(time)) return time
  return emptyDate.test(text) ? null : undefined
}

// With midnight, as some programs write a day.
const dayForm = /^\s*(\d{4}-\d\d-\d\d)(?:[T ]00:00(?::00(?:\.0*)?)?)?\s*$/

function readDay(text: string): string | null | undefined {
  const day = dayForm.exec(text)?.[1]
  if (day !== undefined && isDay(day)) return day
  return emptyDate.test(text) ? null : undefined
}

function textReader(most: number | undefined): ColumnReader {
  const isWithin = (text: string) => most === undefined || text.length <= most || [...text].length <= most
  return {
    expected: `a text without NUL characters${most === undefined ? '' : ` of at most ${most} characters`}`,
    read: (text) => (!text.includes('\0') && text.isWellFormed() && isWithin(text) ? text : undefined),
  }
}
