// Column names and values of a file → columns and values of a relation, or what was expected. Only unambiguous values are
// accepted.
import type { ColumnType, Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { nearest } from '../../terminal/nearest.ts'
import { isDay, isTime } from '../../catalogue/filters/time.ts'
import { shown } from '../../catalogue/filters/words.ts'

export interface ImportColumn extends ColumnReader {
  readonly name: string
  // Its index in a row.
  readonly at: number
  readonly isKey: boolean
  readonly type: ColumnType
}

export const duplicateColumn = 'The column is there twice; expected it once.'

// The columns of a header; undefined for unknown names, which the caller reports. Null: the key is missing, so that rows cannot be read.
export function placeColumns(
  names: readonly (string | null)[],
  columns: ImportColumns,
  fault: (column: string, message: string) => void,
): (ImportColumn | undefined)[] | null {
  const seen = new Set<ImportColumn>()
  const places = names.map((name) => {
    const column = columns.find(name ?? '')
    if (column && seen.has(column)) fault(column.name, duplicateColumn)
    if (column) seen.add(column)
    return column
  })
  const lacking = columns.keys.filter((column) => !seen.has(column))
  for (const { name } of lacking) fault(name, 'The column is not there; expected the key of the relation.')
  return lacking.length > 0 ? null : places
}

export interface ColumnOptions extends Omit<ValueOptions, 'limit'> {
  // The columns that the table has (default: those of the contract).
  readonly present?: readonly string[] | undefined
  readonly limits: ReadonlyMap<string, ColumnLimit>
}

export function createColumns(relation: Relation, { limits, present, ...given }: ColumnOptions) {
  const names = Object.keys(relation.columns)
  const isLacking = (name: string) => present !== undefined && names.includes(name) && !present.includes(name)
  const columns = names.map((name, at): ImportColumn => {
    const options: ValueOptions = { ...given, limit: limits.get(name) }
    const type = columnType(relation, name)
    return { ...columnReader(relation, name, options), name, at, type, isKey: relation.key.includes(name) }
  })
  const byName = new Map(columns.map((column) => [column.name, column]))
  return {
    all: columns,
    keys: columns.filter(({ isKey }) => isKey),
    // Ignores case: no two columns differ only by case.
    find(name: string): ImportColumn | undefined {
      const wanted = name.trim().toLowerCase()
      return isLacking(wanted) ? undefined : byName.get(wanted)
    },
    unknown(name: string): string {
      if (isLacking(name.trim().toLowerCase()))
        return `The table ${relation.name} in the database lacks this column; "vitrine schema apply" adds it.`
      const meant = nearest(name.trim(), names)
      const guess = meant === undefined ? `expected ${names.join(', ')}.` : `did you mean ${meant}?`
      return `${relation.name} has no such column; ${guess}`
    },
  }
}

export type ImportColumns = ReturnType<typeof createColumns>

// The parser of a file format: takes blocks of text, one after the other.
export type RowParser = (text: string, isLast: boolean) => void

export interface RowSink {
  row(line: number, values: StoredValue[]): void
  fault(line: number | null, column: string | null, message: string): void
}

export type StoredValue = string | number | bigint | null

// Limits of a column in the connected database that are narrower than the contract's.
export interface ColumnLimit {
  // The bits of an integer.
  readonly bits?: 16 | 32
  // Only whole numbers, although the contract allows fractions.
  readonly isWhole?: true
  // Characters of a text.
  readonly length?: number
  // Digits before the decimal point.
  readonly digits?: number
}

interface ValueOptions {
  // Numbers keep every decimal; otherwise they become the nearest double.
  readonly isExact: boolean
  // In CSV files: 12,50 for 12.50.
  readonly hasDecimalComma: boolean
  // A code that the contract does not have is stored, and shown as null.
  readonly keepsUnknownCodes?: boolean | undefined
  readonly limit?: ColumnLimit | undefined
}

interface ColumnReader {
  // Null for an empty value, undefined for an invalid one.
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
  const codes = options.keepsUnknownCodes ? undefined : relation.codes[column]
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
      return { expected: '0, 1, true or false', read: readBoolean }
    case 'time':
      return { expected: 'a time of the calendar as YYYY-MM-DDTHH:MM:SS, without a zone', read: readTime }
    case 'day':
      return { expected: 'a day of the calendar as YYYY-MM-DD', read: readDay }
    case 'text':
      return textReader(limit.length)
  }
}

export const wrongValue = ({ expected }: ColumnReader, found: string) => `Expected ${expected}; found ${found}.`

export const foundText = (text: string) => (text.trim() === '' ? 'nothing' : shown(text))

function readBoolean(text: string): number | null | undefined {
  const word = text.trim().toLowerCase()
  if (word === '') return null
  if (['1', 'true', 't'].includes(word)) return 1
  return ['0', 'false', 'f'].includes(word) ? 0 : undefined
}

// 12.0 is 12, because many programs write integers of a nullable column so.
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
      // With a decimal comma, 1.234 would be ambiguous.
      if (hasDecimalComma) written = written.includes('.') ? 'ambiguous' : written.replace(',', '.')
      if (!numberForm.test(written) || written.length > longestNumber) return undefined
      const value = Number(written)
      if (!(Math.abs(value) < within)) return undefined
      if (value === 0) return /^[^eE]*[1-9]/.test(written) ? undefined : 0
      return isExact ? written : value
    },
  }
}

// Empty and zero dates become null.
const emptyDate = /^\s*(?:0000-00-00(?:[T ][0:.]*)?)?\s*$/
const timeForm = /^\s*(\d{4}-\d\d-\d\d)(?:[T ](\d\d:\d\d)(:\d\d)?(?:\.\d*)?)?\s*$/

function readTime(text: string): string | null | undefined {
  const [, day, minutes = '00:00', seconds = ':00'] = timeForm.exec(text) ?? []
  const time = `${day}T${minutes}${seconds}`
  if (day !== undefined && isTime(time)) return time
  return emptyDate.test(text) ? null : undefined
}

// Some programs write a day with midnight.
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
