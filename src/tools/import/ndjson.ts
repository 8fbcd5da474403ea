// A file of JSON objects, one a line → rows of a relation. Numbers keep all their digits: what JavaScript's numbers would round is read
// as it was written.
import { shown } from '../../catalogue/filters/words.ts'
import type { Column, Columns } from './columns.ts'
import type { RowSink, RowSource } from './scan.ts'
import { foundText, wrongValue, type StoredValue } from './values.ts'

// As it was written.
class JsonNumber {
  readonly text: string
  constructor(text: string) {
    this.text = text
  }
}

// Enough digits, or an exponent large enough, to be rounded.
const mayBeRounded = /\d[\d.]{15}|\d[eE][+-]?\d{2}/

export function ndjsonRows(columns: Columns, sink: RowSink): RowSource {
  let line = 0
  // A name that is none is on every line: it is told of once.
  const unknown = new Set<string>()

  const readLine = (text: string) => {
    line += 1
    if (text.trim() === '') return
    const record = parse(text)
    if (!record) return sink.fault(line, null, `Expected a JSON object on each line; found ${shown(text.trim())}.`)
    const values = Array<StoredValue>(columns.all.length).fill(null)
    let hasKey = true
    for (const [name, found] of Object.entries(record)) {
      const column = columns.find(name)
      if (!column) {
        if (!unknown.has(name)) sink.fault(line, name, columns.unknown(name))
        unknown.add(name)
        continue
      }
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
  return {
    feed(text) {
      let from = 0
      for (let end = text.indexOf('\n'); end >= 0; end = text.indexOf('\n', from)) {
        readLine(text.slice(from, end))
        from = end + 1
      }
      if (from < text.length) readLine(text.slice(from))
    },
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

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof JsonNumber)

// The types do not know the third parameter yet.
const exactly = ((_key: string, value: unknown, { source }: { source?: string }) =>
  typeof value === 'number' && source !== undefined ? new JsonNumber(source) : value) as (
  key: string,
  value: unknown,
) => unknown

// A number for a text is refused (its zeros are gone already); a text for a number is read as in CSV.
function readValue(column: Column, found: unknown): StoredValue | undefined {
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
