// Records as CSV (RFC 4180, UTF-8): one file for the records, and one for each of their arrays, whose first column is the id of
// the record. Unless raw text is requested, a text that begins like a formula gets an apostrophe in front, so that no spreadsheet
// runs it.
import type { FieldDescription } from '../client.ts'
import { ownerColumn, type PulledRecord, type VisibleResource } from './store.ts'

type Item = Readonly<Record<string, unknown>>

// One file of a resource: its lines are in order of the record's id.
export interface ExportFile {
  readonly file: string
  readonly heading: string
  readonly lineEnd: string
  readonly lines: (record: PulledRecord) => string
  readonly idOf: (line: string) => number
  // Between quotes a line end is part of a text.
  readonly hasQuotes: boolean
}

const csvLines = {
  lineEnd: '\r\n',
  idOf: (line: string) => Number.parseInt(line, 10),
  hasQuotes: true,
}

export function csvFiles({ name, fields }: VisibleResource, isRawText: boolean): ExportFile[] {
  const line = isRawText ? lineOf : (values: readonly unknown[]) => lineOf(values.map(guarded))
  const row = (keys: readonly unknown[], described: readonly FieldDescription[], item: Item) =>
    line([...keys, ...described.map((field) => item[field.name])])
  // The id first, where `idOf` reads it.
  const own = fields
    .filter(({ items }) => !items)
    .toSorted((one, other) => Number(other.name === 'id') - Number(one.name === 'id'))
  return [
    {
      file: `${name}.csv`,
      ...csvLines,
      heading: lineOf(own.map((field) => field.name)),
      lines: (record) => row([], own, record),
    },
    ...fields.flatMap(({ name: array, items }): ExportFile[] =>
      items
        ? [
            {
              file: `${name}-${array.replaceAll('_', '-')}.csv`,
              ...csvLines,
              heading: lineOf([ownerColumn(name), ...items.map((field) => field.name)]),
              lines: (record) =>
                ((record[array] ?? []) as Item[]).map((item) => row([record.id], items, item)).join(''),
            },
          ]
        : [],
    ),
  ]
}

// Numbers are not formulas: -5 stays -5.
const guarded = (value: unknown) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value)

const lineOf = (values: readonly unknown[]) => `${values.map(cell).join(',')}\r\n`

// An absent value is an empty cell; an empty text is a quoted one.
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
