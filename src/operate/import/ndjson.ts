// NDJSON, one object on each line → rows of a relation. Numbers that JavaScript would round keep all their digits.
import { shown } from '../../catalogue/filters/words.ts'
import {
  duplicateColumn,
  foundText,
  wrongValue,
  type ImportColumn,
  type ImportColumns,
  type RowSink,
  type RowParser,
  type StoredValue,
} from './values.ts'

// A number as it is written in the file.
class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

// The code of a quote. Blanks have lower codes.
const quote = 34

// Has enough digits, or a large enough exponent, to be rounded.
const mayBeRounded = /\d[\d.]{15}|\d[eE][+-]?\d{2}/

export function ndjsonRows(columns: ImportColumns, sink: RowSink): RowParser {
  let line = 0
  // An unknown name is reported once, although it is on every line.
  const unknown = new Set<string>()

  const readLine = (text: string) => {
    line += 1
    if (text.trim() === '') return
    const record = parse(text)
    if (!record) return sink.fault(line, null, `Expected a JSON object on each line; found ${shown(text.trim())}.`)
    const values = Array<StoredValue>(columns.all.length).fill(null)
    let hasKey = true
    const entries = Object.entries(record)
    for (const name of namesTwice(text, entries.length)) sink.fault(line, name, duplicateColumn)
    const isSeen = Array<boolean>(columns.all.length).fill(false)
    for (const [name, found] of entries) {
      const column = columns.find(name)
      if (!column) {
        if (!unknown.has(name)) sink.fault(line, name, columns.unknown(name))
        unknown.add(name)
        continue
      }
      if (isSeen[column.at]) {
        sink.fault(line, column.name, duplicateColumn)
        continue
      }
      isSeen[column.at] = true
      const value = found === null ? null : readValue(column, found)
      if (value !== undefined) values[column.at] = value
      else {
        sink.fault(line, column.name, wrongValue(column, foundJson(found)))
        hasKey &&= !column.isKey
      }
    }
    for (const { name, at, ...column } of columns.keys)
      if (hasKey && values[at] === null) {
        sink.fault(line, name, wrongValue(column, 'nothing'))
        hasKey = false
      }
    if (hasKey) sink.row(line, values)
  }
  return (text) => {
    let from = 0
    for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
      readLine(text.slice(from, end))
      from = end + 1
    }
    if (from < text.length) readLine(text.slice(from))
  }
}

function parse(text: string): Record<string, unknown> | undefined {
  try {
    const parsed: unknown = mayBeRounded.test(text) ? JSON.parse(text, exactly) : JSON.parse(text)
    return isObject(parsed) ? parsed : undefined
  } catch {
    return undefined
  }
}

// Names that occur more than once in an object: JSON.parse keeps only the last.
function namesTwice(text: string, known: number): Set<string> {
  const again = new Set<string>()
  // Only a line with more colons after quotes or blanks than names can have duplicates.
  let colons = 0
  for (let at = text.indexOf(':'); at >= 0; at = text.indexOf(':', at + 1))
    if (text.charCodeAt(at - 1) <= quote) colons += 1
  if (colons <= known) return again
  const seen = new Set<string>()
  let depth = 0
  for (let at = 0; at < text.length; at++)
    if (text[at] === '{') depth += 1
    else if (text[at] === '}') depth -= 1
    else if (text[at] === '"') {
      const from = at
      for (at += 1; text[at] !== '"'; at++) if (text[at] === '\\') at += 1
      if (depth > 1 || !isFollowedByColon(text, at)) continue
      const name = String(JSON.parse(text.slice(from, at + 1)))
      if (seen.has(name)) again.add(name)
      seen.add(name)
    }
  return again
}

function isFollowedByColon(text: string, quoteAt: number): boolean {
  let at = quoteAt + 1
  while (' \t\r'.includes(text[at] ?? ',')) at += 1
  return text[at] === ':'
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

// TypeScript does not know the third parameter yet.
const exactly = ((_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === 'number' && source !== undefined ? new JsonNumber(source) : value) as (
  key: string,
  value: unknown,
) => unknown

// A number for a text is rejected, because it may have lost zeros; a text for a number is read as in CSV.
function readValue(column: ImportColumn, found: unknown): StoredValue | undefined {
  if (typeof found === 'string') return column.read(found)
  if (column.type === 'text') return undefined
  if (typeof found === 'number') return column.read(String(found))
  if (found instanceof JsonNumber) return column.read(found.text)
  return typeof found === 'boolean' ? column.read(String(found)) : undefined
}

function foundJson(found: unknown): string {
  if (typeof found === 'string') return foundText(found)
  if (found instanceof JsonNumber) return found.text
  if (typeof found === 'object' && found !== null) return Array.isArray(found) ? 'a list' : 'an object'
  return String(found)
}
