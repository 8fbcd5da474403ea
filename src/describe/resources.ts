// Catalogue and access → what /resources shows: the resources, fields, filters and sort fields that the access may use.
import type { Access, Permission } from '../catalogue/access.ts'
import { isArray, isDetailOnly, itemRelation, type Field, type ScalarField } from '../catalogue/field.ts'
import type { FilterDescription } from '../catalogue/filters/filter.ts'
import { kindOf } from '../catalogue/filters/index.ts'
import type { Resource } from '../catalogue/resource.ts'
import { resourcesWith } from '../catalogue/resources/index.ts'
import { visibleFields } from '../catalogue/visible.ts'
import { columnType, findRelation } from '../contract/relations.ts'
import type { ColumnType } from '../contract/relation.ts'
import { usualCurrencies } from '../settings/currencies.ts'

export interface FieldDescription {
  readonly name: string
  readonly type: 'integer' | 'number' | 'string' | 'boolean' | 'array'
  readonly format?: 'date-time' | 'date'
  readonly values?: readonly string[]
  readonly in: 'list' | 'detail'
  readonly permission?: Permission
  readonly items?: readonly FieldDescription[]
}

export interface ResourceDescription {
  readonly name: string
  readonly path: string
  // Of its change feed, where there is one.
  readonly changes?: string
  readonly permission: Permission
  readonly fields: readonly FieldDescription[]
  readonly filters: readonly ({ readonly name: string } & FilterDescription)[]
  readonly search: readonly string[]
  readonly sort: { readonly fields: readonly string[]; readonly default: string }
}

// What descriptions depend on, apart from the access.
export interface DescribedService {
  readonly hasFeed?: boolean
  readonly currencies?: readonly string[]
}

export const feedPath = '/changes'

export const readableResources = (access: Access, currencies: readonly string[]): Resource[] =>
  resourcesWith(currencies).filter(({ permission }) => access.permissions.includes(permission))

export const describeResources = (
  access: Access,
  basePath: string,
  { hasFeed = true, currencies = usualCurrencies }: DescribedService = {},
): ResourceDescription[] =>
  readableResources(access, currencies).map((resource) => describeResource(resource, access, basePath, hasFeed))

export const describeResource = (
  resource: Resource,
  access: Access,
  basePath: string,
  hasFeed = true,
): ResourceDescription => ({
  name: resource.name,
  path: `${basePath}/${resource.name}`,
  ...(hasFeed ? { changes: `${basePath}${feedPath}/${resource.name}` } : {}),
  permission: resource.permission,
  fields: describeFields(resource, access),
  filters: resource.filters.map((filter) => ({ name: filter.name, ...kindOf(filter).describe(filter) })),
  search: resource.search,
  sort: resource.sort,
})

export const describeFields = (resource: Resource, access: Access): FieldDescription[] =>
  visibleFields(resource, access).map((field) => describeField(field, resource))

const types: Record<ColumnType, Pick<FieldDescription, 'type' | 'format'>> = {
  int: { type: 'integer' },
  num: { type: 'number' },
  text: { type: 'string' },
  bool: { type: 'boolean' },
  time: { type: 'string', format: 'date-time' },
  day: { type: 'string', format: 'date' },
}

function describeField(field: Field, resource: Resource): FieldDescription {
  const place = isDetailOnly(field) ? 'detail' : 'list'
  if (!isArray(field)) return describeScalar(field, resource.relation, place)
  const items = field.fields.map((item) => describeScalar(item, itemRelation(field), place))
  return { name: field.name, type: 'array', in: place, ...permissionOf(field), items }
}

function describeScalar(field: ScalarField, relation: string, place: 'list' | 'detail'): FieldDescription {
  const rest = { in: place, ...permissionOf(field) }
  if (field.kind === 'label')
    return { name: field.name, type: 'string', values: field.labels.map(({ label }) => label), ...rest }
  if (field.kind === 'reference') return { name: field.name, type: 'string', ...rest }
  const source = field.kind === 'stock-sum' ? 'product_stock' : relation
  return { name: field.name, ...types[columnType(findRelation(source), field.column)], ...rest }
}

const permissionOf = ({ gate }: Field) => (gate ? { permission: gate } : {})
