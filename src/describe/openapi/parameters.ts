// The parameters of lists, details and the change feed, with their limits and defaults.
import type { Filter, FilterDescription } from '../../catalogue/filters/filter.ts'
import type { Resource } from '../../catalogue/resource.ts'
import { limits } from '../../query/limits.ts'
import type { ResourceDescription } from '../resources.ts'
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
    description: 'The `id` of a record.',
    schema: { ...integer, minimum: 1 },
  },
  Page: {
    name: 'page',
    in: 'query',
    description: 'Which page. One beyond the data is empty.',
    schema: { type: 'integer', minimum: 1, maximum: limits.page, default: 1 },
  },
  PerPage: {
    name: 'per_page',
    in: 'query',
    description: 'Records a page.',
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
    schema: { type: 'integer', minimum: 1, maximum: limits.changes, default: limits.changesDefault },
  },
  DateFrom: {
    name: 'date_from',
    in: 'query',
    description: 'Records dated on this day or later.',
    schema: { type: 'string', format: 'date', pattern: `^${day}$` },
  },
  DateTo: {
    name: 'date_to',
    in: 'query',
    description: 'Records dated on this day, the whole of it, or earlier.',
    schema: { type: 'string', format: 'date', pattern: `^${day}$` },
  },
  UpdatedSince: {
    name: 'updated_since',
    in: 'query',
    description:
      "Records changed at this time or later: a day, or a time without a zone in the local time of the company's server.",
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
    schema: { type: 'string', minLength: limits.search.least, maxLength: limits.search.most },
  },
]

const commaSeparated = { style: 'form', explode: false } as const

function sortParameter({ sort }: ResourceDescription): ApiParameter {
  return {
    name: 'sort',
    in: 'query',
    description: `Fields to sort by, comma-separated, each at most once and with - in front for descending: ${sort.fields.join(', ')}. Ties are ordered by id.`,
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
  const part = { name, in: 'query' } as const
  if (filter.type === 'integer') {
    const schema = { ...integer, minimum: -Number.MAX_SAFE_INTEGER }
    return { ...part, description: `Records with this ${name}.`, schema }
  }
  const values: Schema = { type: 'string', ...(filter.values ? { enum: filter.values } : {}) }
  if (multiple) {
    const description = `Records with one of these, comma-separated: ${filter.values?.join(', ')}.`
    return { ...part, description, ...commaSeparated, schema: arrayOf(values, { minItems: 1 }) }
  }
  const description = [`Records with this ${name}.`, ...remarks(resource.filters.find((each) => each.name === name))]
  const omitted = filter.default === undefined ? {} : { default: filter.default }
  return { ...part, description: description.join(' '), schema: { ...values, ...omitted } }
}

function remarks(filter: Filter | undefined): string[] {
  if (filter?.kind !== 'status') return []
  const { omitted } = filter
  return [
    ...(filter.all ? ['`all` filters nothing.'] : []),
    ...(omitted && 'hides' in omitted ? [`Without it, \`${omitted.hides}\` is left out.`] : []),
  ]
}
