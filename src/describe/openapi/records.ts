// The schemas of a resource's records: in a list, as a detail, and the items of their arrays.
import type { Access } from '../../catalogue/access.ts'
import type { Resource } from '../../catalogue/resource.ts'
import { limits } from '../../query/limits.ts'
import { fullMeaningOf } from '../meaning.ts'
import { describeFields, type FieldDescription } from '../resources.ts'
import { arrayOf, closed, refer, singular, value, type ByName, type Schema } from './parts.ts'

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
    page: value('integer', 'Which page this is, from 1.', { minimum: 1, maximum: limits.page }),
    per_page: { type: 'integer', minimum: 1, maximum: limits.perPage, description: 'The most records on one page.' },
    total: { type: 'integer', minimum: 0, description: 'How many records match, on all pages together.' },
    total_pages: { type: 'integer', minimum: 0, description: 'How many pages hold a record.' },
  }),
}

// The access that sees the least: a field that it does not see is optional.
export const least: Access = { permissions: [], stores: [], priceList: 1 }

export const schemaNames = (resource: Resource) => {
  const name = singular(resource.name)
  const hasDetail = resource.fields.some((field) => field.kind === 'children')
  return { record: name, summary: hasDetail ? `${name}Summary` : name, list: `${name}List`, detail: `${name}Detail` }
}

// `access` null: the schemas hold for every access, so a field that not every access sees is optional.
export function recordSchemas(resource: Resource, fields: readonly FieldDescription[], access: Access | null) {
  const names = schemaNames(resource)
  const common = describeFields(resource, least)
  const optionalOf = (own: readonly FieldDescription[], seen: readonly FieldDescription[] | undefined) =>
    access ? [] : own.map(({ name }) => name).filter((name) => !seen?.some((field) => field.name === name))
  const made: Record<string, Schema> = {}
  for (const { name, items } of fields) {
    if (!items) continue
    const seen = common.find((field) => field.name === name)?.items
    made[itemName(resource, name)] = recordSchema(resource, items, optionalOf(items, seen ?? items), name)
  }
  const shown = fields.filter((field) => field.in === 'list')
  made[names.record] = recordSchema(resource, fields, optionalOf(fields, common))
  if (names.summary !== names.record) made[names.summary] = recordSchema(resource, shown, optionalOf(shown, common))
  made[names.list] = closed({
    data: arrayOf(refer('schemas', names.summary), {
      maxItems: limits.perPage,
      description: 'The records of this page, in the order asked for.',
    }),
    meta: { ...refer('schemas', 'ListMeta'), description: 'Where this page stands among all that match.' },
  })
  made[names.detail] = closed({ data: { ...refer('schemas', names.record), description: 'The record asked for.' } })
  return made
}

const itemName = (resource: Resource, array: string) => singular(resource.name) + singular(array)

const recordSchema = (
  resource: Resource,
  fields: readonly FieldDescription[],
  optional: readonly string[],
  array?: string,
) =>
  closed(
    Object.fromEntries(
      fields.map((field) => [field.name, fieldSchema(resource, field, optional.includes(field.name), array)]),
    ),
    optional,
  )

function fieldSchema(resource: Resource, field: FieldDescription, isOptional: boolean, array?: string): Schema {
  const meaning = { description: fullMeaningOf(resource, field, isOptional, array) }
  if (field.type === 'array') return arrayOf(refer('schemas', itemName(resource, field.name)), meaning)
  if (field.format === 'date-time') return { ...refer('schemas', 'Time'), ...meaning }
  if (field.format === 'date') return { ...refer('schemas', 'Day'), ...meaning }
  const format = field.type === 'integer' ? { format: 'int64' } : {}
  if (field.name === 'id') return { type: field.type, ...format, ...meaning }
  const values = field.values ? { enum: [...field.values, null] } : {}
  return { type: [field.type, 'null'], ...format, ...values, ...meaning }
}
