// Which fields an access may see. The one place where gates and the price-list restriction decide about fields.
import type { Access } from './access.ts'
import { isArray, type Field, type ScalarField } from './field.ts'
import type { Resource } from './resource.ts'

export function isVisible(field: Field, access: Access): boolean {
  if (field.kind === 'price-lists' && access.priceList !== null) return false
  return field.gate === undefined || access.permissions.includes(field.gate)
}

export const visibleFields = (resource: Resource, access: Access): Field[] =>
  resource.fields
    .filter((field) => isVisible(field, access))
    .map((field) => (isArray(field) ? { ...field, fields: visibleItems(field.fields, access) } : field))

const visibleItems = (fields: readonly ScalarField[], access: Access) =>
  fields.filter((field) => isVisible(field, access))

export const visibleSorts = (resource: Resource, access: Access): string[] =>
  resource.sort.fields.filter((name) =>
    resource.fields.some((field) => field.name === name && isVisible(field, access)),
  )
