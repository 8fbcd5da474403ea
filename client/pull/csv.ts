// Records as CSV (RFC 4180, UTF-8): one file for the records, and one for each of their arrays, whose first column is the id of
// the record. A spreadsheet would run a text that begins like a formula, so it gets an apostrophe in front, unless raw text is
// requested.
import type { FieldDescription, ResourceDescription } from '../client.ts'
import { ownerColumn, type PulledRecord } from './store.ts'

type Item = Readonly<Record<string, unknown>>

export interface ExportFile {
  readonly file: string
  // A file in another style has to be written again.
  readonly style: string
  readonly heading: string
  readonly lines: (record: PulledRecord, text: string) => string
}

export function csvFiles({ name, fields }: ResourceDescription, isRawText: boolean): ExportFile[] {
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
    ...fields.flatMap(({ name: array, items }): ExportFile[] =>
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

// Numbers are not formulas: -5 stays -5.
const guarded = (value: unknown) => (typeof value === 'string' && /^[=+\-@\t\r]/.test(value) ? `'${value}` : value)

const lineOf = (values: readonly unknown[]) => `${values.map(cell).join(',')}\r\n`

// An absent value is an empty cell; an empty text is a quoted one.
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
