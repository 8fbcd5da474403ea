// CSV as spreadsheets and loaders read it (RFC 4180, UTF-8): a file for the records, one more for each of their arrays, whose
// first column is the record's id. A spreadsheet takes a text that begins like a formula for one, and runs it: such a text gets an
// apostrophe before it, unless texts are to be as they are.
import type { FieldDescription, ResourceDescription } from '../client.ts'
import { ownerColumn } from './descriptions.ts'
import type { Found } from './store.ts'

type Item = Readonly<Record<string, unknown>>

// A file as its name, the line it begins with, and the lines that a record becomes.
export interface Export {
  readonly file: string
  // How texts are written, where there are several ways.
  readonly style: string
  readonly heading: string
  readonly lines: (record: Found, text: string) => string
}

export function csvFiles({ name, fields }: ResourceDescription, isRawText: boolean): Export[] {
  const style = isRawText ? '' : 'guarded'
  const line = isRawText ? lineOf : (values: readonly unknown[]) => lineOf(values.map(guarded))
  const row = (keys: readonly unknown[], described: readonly FieldDescription[], item: Item) =>
    line([...keys, ...described.map((field) => item[field.name])])
  const own = fields.filter(({ items }) => !items)
  return [
    {
      file: `${name}.csv`,
      style,
      heading: lineOf(own.map((field) => field.name)),
      lines: (record) => row([], own, record),
    },
    ...fields.flatMap(({ name: array, items }): Export[] =>
      items
        ? [
            {
              file: `${name}-${array.replaceAll('_', '-')}.csv`,
              style,
              heading: lineOf([ownerColumn(name), ...items.map((field) => field.name)]),
              lines: (record) =>
                ((record[array] ?? []) as Item[]).map((item) => row([record.id], items, item)).join(''),
            },
          ]
        : [],
    ),
  ]
}

// A number is never one: -5 stays -5.
const guarded = (value: unknown) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value)

const lineOf = (values: readonly unknown[]) => `${values.map(cell).join(',')}\r\n`

// An absent value is an empty cell; an empty text is a quoted one.
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
