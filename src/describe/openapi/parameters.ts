// The parameters of lists, details and the change feed, with their limits and defaults.
import type { FilterDescription } from '../../catalogue/filters/filter.ts'
import { filterMeaning } from '../../catalogue/meanings.ts'
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
  Page: {
    name: 'page',
    in: 'query',
    description: 'Which page of the list, from 1. One beyond the data is empty.',
    example: 2,
    schema: { type: 'integer', minimum: 1, maximum: limits.page, default: 1 },
  },
  PerPage: {
    name: 'per_page',
    in: 'query',
    description: 'Page size: how many records a page holds.',
    example: limits.perPage,
    schema: { type: 'integer', minimum: 1, maximum: limits.perPage, default: limits.perPageDefault },
  },
  Cursor: {
    name: 'cursor',
    in: 'query',
    description: 'Where to go on: the `meta.cursor` of an earlier answer. Without it, from the beginning.',
    schema: { type: 'string', maxLength: 512 },
  },
  Limit: {
    name: 'limit',
    in: 'query',
    description: 'The most entries in the answer.',
    example: limits.changes,
    schema: { type: 'integer', minimum: 1, maximum: limits.changes, default: limits.changesDefault },
  },
  DateFrom: {
    name: 'date_from',
    in: 'query',
    description: filterMeaning('', 'date_from'),
    example: '2026-09-01',
    schema: { type: 'string', format: 'date', pattern: `^${day}$` },
  },
  DateTo: {
    name: 'date_to',
    in: 'query',
    description: filterMeaning('', 'date_to'),
    example: '2026-09-30',
    schema: { type: 'string', format: 'date', pattern: `^${day}$` },
  },
  UpdatedSince: {
    name: 'updated_since',
    in: 'query',
    description: filterMeaning('', 'updated_since'),
    example: '2026-09-01T08:00:00',
    schema: { type: 'string', pattern: `^${day}(T([01]\\d|2[0-3]):[0-5]\\d:[0-5]\\d)?$` },
  },
}

export const listParameters = (
  resource: Resource,
  description: ResourceDescription,
): (ApiParameter | ComponentReference)[] => [
  refer('parameters', 'Page'),
  refer('parameters', 'PerPage'),
  sortParameter(description),
  ...description.filters.map((filter) => filterParameter(resource, filter)),
  {
    name: 'search',
    in: 'query',
    description: `Records in which one of these holds the text, whatever its case: ${description.search.join(', ')}.`,
    ...exampleOf(resource.name, description.search[0] ?? ''),
    schema: { type: 'string', minLength: limits.search.least, maxLength: limits.search.most },
  },
]

const commaSeparated = { style: 'form', explode: false } as const

function sortParameter({ sort }: ResourceDescription): ApiParameter {
  return {
    name: 'sort',
    in: 'query',
    description: `Fields to sort by, comma-separated, each once at most and with - in front for descending: ${sort.fields.join(', ')}. Ties are ordered by id.`,
    example: [sort.default],
    ...commaSeparated,
    schema: arrayOf(
      { type: 'string', enum: sort.fields.flatMap((field) => [field, `-${field}`]) },
      { minItems: 1, maxItems: limits.sortFields, uniqueItems: true, default: [sort.default] },
    ),
  }
}

function filterParameter(
  resource: Resource,
  filter: { readonly name: string } & FilterDescription,
): ApiParameter | ComponentReference {
  const shared = pascal(filter.name)
  if (sharedParameters[shared]) return refer('parameters', shared)
  const { name, multiple } = filter
  const part = {
    name,
    in: 'query',
    description: filterMeaningOf(resource, name),
    ...exampleOf(resource.name, name, filter),
  } as const
  if (filter.type === 'integer') return { ...part, schema: { ...integer, minimum: -Number.MAX_SAFE_INTEGER } }
  const values: Schema = { type: 'string', ...(filter.values ? { enum: filter.values } : {}) }
  if (multiple) return { ...part, ...commaSeparated, schema: arrayOf(values, { minItems: 1 }) }
  const omitted = filter.default === undefined ? {} : { default: filter.default }
  return { ...part, schema: { ...values, ...omitted } }
}

// What the example record of the resource has in the field; the first value that is allowed, if that is not.
function exampleOf(
  resource: string,
  field: string,
  { values, multiple }: Pick<FilterDescription, 'values' | 'multiple'> = {},
): { readonly example?: unknown } {
  const own = exampleValue(resource, field)
  const value = values && !values.some((each) => each === own) ? values[0] : own
  return value === undefined || value === null ? {} : { example: multiple ? [value] : value }
}
