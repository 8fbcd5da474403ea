// The schemas of a resource's records: in a list, as a detail, and the items of their arrays.
import type { Access } from '../../catalogue/access.ts'
import type { Resource } from '../../catalogue/resource.ts'
import { limits } from '../../query/limits.ts'
import { fieldNote } from './field-notes.ts'
import { describeFields, type FieldDescription } from '../resources.ts'
import { arrayOf, closed, refer, singular, type ByName, type Schema } from './parts.ts'

// Every field but the id is nullable (specification).
export const valueSchemas: ByName<Schema> = {
  // Not `format: date-time`, which requires a zone.
  Time: {
    type: ['string', 'null'],
    pattern: '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}$',
    description: "A date and time without a zone, in the local time of the company's server.",
  },
  Day: { type: ['string', 'null'], format: 'date', pattern: '^\\d{4}-\\d{2}-\\d{2}$' },
  ListMeta: closed({
    page: { type: 'integer', minimum: 1, maximum: limits.page },
    per_page: { type: 'integer', minimum: 1, maximum: limits.perPage },
    total: { type: 'integer', minimum: 0, description: 'How many records match, on all pages together.' },
    total_pages: { type: 'integer', minimum: 0 },
  }),
}

// The access that sees the least: a field that it does not see is optional.
const least: Access = { permissions: [], stores: [], priceList: 1 }

export const schemaNames = (resource: Resource) => {
  const name = singular(resource.name)
  const hasDetail = resource.fields.some((field) => field.kind === 'children')
  return { record: name, summary: hasDetail ? `${name}Summary` : name, list: `${name}List`, detail: `${name}Detail` }
}

// `access` null: the schemas hold for every access, so a field that not every access sees is optional.
export function recordSchemas(
  resource: Resource,
  fields: readonly FieldDescription[],
  access: Access | null,
  currencies: readonly string[],
) {
  const recordSchema = (own: readonly FieldDescription[], optional: readonly string[], array?: string) => {
    const schemas = own.map((field): [string, Schema] => {
      const note = fieldNote(resource.name, field.name, array, currencies)
      return [field.name, fieldSchema(resource, field, optional.includes(field.name), note)]
    })
    return closed(Object.fromEntries(schemas), optional)
  }
  const names = schemaNames(resource)
  const common = describeFields(resource, least)
  const optionalOf = (own: readonly FieldDescription[], seen: readonly FieldDescription[] | undefined) =>
    access ? [] : own.map(({ name }) => name).filter((name) => !seen?.some((field) => field.name === name))
  const made: Record<string, Schema> = {}
  for (const { name, items } of fields) {
    if (!items) continue
    const seen = common.find((field) => field.name === name)?.items
    made[itemName(resource, name)] = recordSchema(items, optionalOf(items, seen ?? items), name)
  }
  const shown = fields.filter((field) => field.in === 'list')
  made[names.record] = recordSchema(fields, optionalOf(fields, common))
  if (names.summary !== names.record) made[names.summary] = recordSchema(shown, optionalOf(shown, common))
  made[names.list] = closed({
    data: arrayOf({ ...refer('schemas', names.summary) }, { maxItems: limits.perPage }),
    meta: { ...refer('schemas', 'ListMeta') },
  })
  made[names.detail] = closed({ data: { ...refer('schemas', names.record) } })
  return made
}

const itemName = (resource: Resource, array: string) => singular(resource.name) + singular(array)

function fieldSchema(resource: Resource, field: FieldDescription, isOptional: boolean, note?: string): Schema {
  const sentences = [
    ...(note ? [note] : []),
    ...(field.permission
      ? [`Needs the permission ${field.permission}.`]
      : isOptional
        ? ['Absent for a key that is restricted to one price list.']
        : []),
  ]
  const needs = sentences.length > 0 ? { description: sentences.join(' ') } : {}
  if (field.type === 'array') return arrayOf({ ...refer('schemas', itemName(resource, field.name)) }, needs)
  if (field.format === 'date-time') return { ...refer('schemas', 'Time'), ...needs }
  if (field.format === 'date') return { ...refer('schemas', 'Day'), ...needs }
  const format = field.type === 'integer' ? { format: 'int64' } : {}
  if (field.name === 'id') return { type: field.type, ...format }
  const values = field.values ? { enum: [...field.values, null] } : {}
  return { type: [field.type, 'null'], ...format, ...values, ...needs }
}
