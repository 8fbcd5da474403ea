// A resource of the API, as data without functions. Everything else is derived from it.
import { VOID } from '../contract/codes.ts'
import { archiveOf, findRelation } from '../contract/relations.ts'
import type { Relation } from '../contract/relation.ts'
import type { Group, Permission, Preset } from './access.ts'
import type { Field } from './field.ts'
import type { Filter } from './filters/filter.ts'

// A text in the languages of the console.
export interface Words {
  readonly en: string
  readonly fr: string
  readonly ht: string
}

// By `field`, `array[].field` or `?filter`: what it means, in one sentence.
export type Meanings = Readonly<Record<string, string>>

export interface Resource {
  readonly name: string
  readonly names: Words
  readonly permission: Permission
  // If the permission is its own: where the form of a key has it, a few words beside it, and the presets that tick it.
  readonly group?: Group
  readonly holds?: Words
  readonly presets?: readonly Preset[]
  readonly relation: string
  // Older records are in a second relation of the same shape, and so are their children.
  readonly archived?: true
  // The relation holds other records, too: only records with this code belong to the resource.
  readonly only?: { readonly column: string; readonly code: number }
  readonly fields: readonly Field[]
  readonly filters: readonly Filter[]
  // The columns that are searched.
  readonly search: readonly string[]
  readonly sort: { readonly fields: readonly string[]; readonly default: string }
  // In the languages of the documentation page: a sentence about it, and the meanings that it does not share with other resources.
  readonly en: { readonly says: string } & Meanings
  readonly fr: { readonly says: string } & Meanings
}

export { archiveOf }

// The relations of a resource's records, the recent one first.
export function relationsOf(resource: Resource): Relation[] {
  const recent = findRelation(resource.relation)
  return resource.archived ? [recent, findRelation(archiveOf(resource.relation))] : [recent]
}

// The columns by which a store restriction applies. They follow from the contract, so that none can be forgotten.
export function storeColumns(resource: Resource): string[] {
  if (resource.relation === 'stores') return ['id']
  return Object.keys(findRelation(resource.relation).columns).filter((column) => /(^|_)store_id$/.test(column))
}

// A client restricted to one price list sees that list alone.
export const isPriceLists = (resource: Resource) => resource.relation === 'price_lists'

// Whether the resource has the status `void`, which makes amounts zero.
export const canBeVoid = (resource: Resource) =>
  resource.fields.some(
    (field) => field.kind === 'label' && field.column === 'status' && field.labels.some(({ code }) => code === VOID),
  )

export const findField = (resource: Resource, name: string) => resource.fields.find((field) => field.name === name)
