// The parameters of lists, details and the change feed, with their limits and defaults.
import type { FilterDescription } from '../../catalogue/filters/filter.ts'
import { filterMeaning, shared } from '../../catalogue/meanings.ts'
import type { Resource } from '../../catalogue/resource.ts'
import { limits } from '../../query/limits.ts'
import { filterMeaningOf } from '../meaning.ts'
import type { ResourceDescription } from '../resources.ts'
import { exampleValue } from './examples.ts'
import {
  arrayOf,
  pascal,
  refer,
  type ByName,
  type ApiParameter,
  type ComponentReference,
  type Schema,
} from './parts.ts'

const integer = { type: 'integer', format: 'int64', maximum: Number.MAX_SAFE_INTEGER }
const day = '\\d{4}-\\d{2}-\\d{2}'

const inQuery = (
  name: string,
  description: string,
  schema: Schema,
  example?: unknown,
  style: Pick<ApiParameter, 'style' | 'explode'> = {},
): ApiParameter => ({
  name,
  in: 'query',
  description,
  ...(example === undefined ? {} : { example }),
  ...style,
  schema,
})
const count = (maximum: number, omitted: number) => ({ type: 'integer', minimum: 1, maximum, default: omitted })
const dayValue = { type: 'string', format: 'date', pattern: `^${day}$` }
const timeValue = { type: 'string', pattern: `^${day}(T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d)?$` }

// The same for every resource that has them.
export const sharedParameters: ByName<ApiParameter> = {
  Id: {
    name: 'id',
    in: 'path',
    required: true,
    description: 'The `id` of a record, as lists show it.',
    example: 12840,
    schema: { ...integer, minimum: 1 },
  },
  Page: inQuery('page', 'Which page of the list, from 1. One beyond the data is empty.', count(limits.page, 1), 2),
  PerPage: inQuery(
    'per_page',
    'Page size: how many records a page holds.',
    count(limits.perPage, limits.perPageDefault),
    limits.perPage,
  ),
  Cursor: inQuery('cursor', 'Where to go on: the `meta.cursor` of an earlier answer. Without it, from the beginning.', {
    type: 'string',
    maxLength: 512,
  }),
  Limit: inQuery(
    'limit',
    'The most entries in the answer.',
    count(limits.changes, limits.changesDefault),
    limits.changes,
  ),
  DateFrom: inQuery('date_from', filterMeaning(shared, 'date_from'), dayValue, '2026-09-01'),
  DateTo: inQuery('date_to', filterMeaning(shared, 'date_to'), dayValue, '2026-09-30'),
  UpdatedSince: inQuery('updated_since', filterMeaning(shared, 'updated_since'), timeValue, '2026-09-01T08:00:00'),
}

export const listParameters = (
  resource: Resource,
  description: ResourceDescription,
): (ApiParameter | ComponentReference)[] => [
  refer('parameters', 'Page'),
  refer('parameters', 'PerPage'),
  sortParameter(description),
  ...description.filters.map((filter) => filterParameter(resource, filter)),
  inQuery(
    'search',
    `Records in which one of these holds the text, whatever its case: ${description.search.join(', ')}.`,
    { type: 'string', minLength: limits.search.least, maxLength: limits.search.most },
    exampleOf(resource.name, description.search[0] ?? ''),
  ),
]

const commaSeparated = { style: 'form', explode: false } as const

const sortParameter = ({ sort }: ResourceDescription): ApiParameter =>
  inQuery(
    'sort',
    `Fields to sort by, comma-separated, each once at most and with - in front for descending: ${sort.fields.join(', ')}. Ties are ordered by id.`,
    arrayOf(
      { type: 'string', enum: sort.fields.flatMap((field) => [field, `-${field}`]) },
      { minItems: 1, maxItems: limits.sortFields, uniqueItems: true, default: [sort.default] },
    ),
    [sort.default],
    commaSeparated,
  )

function filterParameter(
  resource: Resource,
  filter: { readonly name: string } & FilterDescription,
): ApiParameter | ComponentReference {
  const shared = pascal(filter.name)
  if (sharedParameters[shared]) return refer('parameters', shared)
  const { name, multiple } = filter
  const part = (schema: Schema) =>
    inQuery(
      name,
      filterMeaningOf(resource, name),
      schema,
      exampleOf(resource.name, name, filter),
      multiple ? commaSeparated : {},
    )
  if (filter.type === 'integer') return part({ ...integer, minimum: -Number.MAX_SAFE_INTEGER })
  const values: Schema = { type: 'string', ...(filter.values ? { enum: filter.values } : {}) }
  if (multiple) return part(arrayOf(values, { minItems: 1 }))
  return part({ ...values, ...(filter.default === undefined ? {} : { default: filter.default }) })
}

// What the example record of the resource has in the field; the first value that is allowed, if that is not.
function exampleOf(
  resource: string,
  field: string,
  { values, multiple }: Pick<FilterDescription, 'values' | 'multiple'> = {},
): unknown {
  const own = exampleValue(resource, field)
  const example = (values && !values.some((each) => each === own) ? values[0] : own) ?? undefined
  return multiple && example !== undefined ? [example] : example
}
