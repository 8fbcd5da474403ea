// CSV as spreadsheets and loaders read it (RFC 4180, UTF-8): a file for the records, one more for each of their arrays, whose
// first column is the record's id.
import type { FieldDescription, ResourceDescription } from '../client.ts'
import type { Export } from './files-store.ts'
import { ownerColumn } from './store.ts'

type Item = Readonly<Record<string, unknown>>

export function csvFiles({ name, fields }: ResourceDescription): Export[] {
  const own = fields.filter(({ items }) => !items)
  return [
    { file: `${name}.csv`, heading: line(own.map((field) => field.name)), lines: (record) => row([], own, record) },
    ...fields.flatMap(({ name: array, items }): Export[] =>
      items
        ? [
            {
              file: `${name}-${array.replaceAll('_', '-')}.csv`,
              heading: line([ownerColumn(name), ...items.map((field) => field.name)]),
              lines: (record) =>
                ((record[array] ?? []) as Item[]).map((item) => row([record.id], items, item)).join(''),
            },
          ]
        : [],
    ),
  ]
}

const row = (keys: readonly unknown[], fields: readonly FieldDescription[], item: Item) =>
  line([...keys, ...fields.map(({ name }) => item[name])])

const line = (values: readonly unknown[]) => `${values.map(cell).join(',')}\r\n`

// An absent value is an empty cell; an empty text is a quoted one.
function cell(value: unknown): string {
  if (value === null || value === undefined) return ''
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  return text === '' || /[",\r\n]|^\s|\s$/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}
