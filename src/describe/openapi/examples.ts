// Examples are records of the demo company (demo-records.json, as a key that may see everything reads them), cut down to
// the fields that an access sees. A test compares them with what the demo company answers.
import type { FieldDescription } from '../resources.ts'
import records from './demo-records.json' with { type: 'json' }

type Shown = Readonly<Record<string, unknown>>
const demoRecords: Readonly<Record<string, Shown>> = records

export const exampleRecord = (resource: string, fields: readonly FieldDescription[]): Shown =>
  cut(demoRecords[resource] ?? {}, fields)

const cut = (record: Shown, fields: readonly FieldDescription[]): Shown =>
  Object.fromEntries(
    fields.map(({ name, items }) => {
      const value = record[name]
      return [name, items && Array.isArray(value) ? value.map((item: Shown) => cut(item, items)) : value]
    }),
  )
