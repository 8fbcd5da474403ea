// Examples: records of the demo company as a key with full access reads them, cut down to the fields that an access sees. A test compares
// them with the answers of the demo company.
import type { FieldDescription } from '../resources.ts'
import records from './demo-records.json' with { type: 'json' }

type ExampleRecord = Readonly<Record<string, unknown>>
const demoRecords: Readonly<Record<string, ExampleRecord>> = records

export const exampleRecord = (resource: string, fields: readonly FieldDescription[]): ExampleRecord =>
  cut(demoRecords[resource] ?? {}, fields)

const cut = (record: ExampleRecord, fields: readonly FieldDescription[]): ExampleRecord =>
  Object.fromEntries(
    fields.map(({ name, items }) => {
      const value = record[name]
      return [name, items && Array.isArray(value) ? value.map((item: ExampleRecord) => cut(item, items)) : value]
    }),
  )

export const exampleValue = (resource: string, field: string): unknown => demoRecords[resource]?.[field]
