// Which fields an access may see. Only here do gates and the price-list restriction decide about fields.
import { gates, type Access, type Gate } from './access.ts'
import { isArray, isDetailOnly, type Field, type ScalarField } from './field.ts'
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

// The permissions that add fields to its lists, or to its details.
export function gatesOf({ fields }: Resource, place: 'list' | 'detail'): Gate[] {
  const shown = fields.filter((field) => place === 'detail' || !isDetailOnly(field))
  const all = shown.flatMap((field): Field[] => (isArray(field) ? [field, ...field.fields] : [field]))
  return gates.filter((gate) => all.some((field) => field.gate === gate))
}
