// What a field or a filter means, as told to callers: its sentence in the catalogue, and what follows from its declaration.
import { isArray, type Field } from '../catalogue/field.ts'
import { fieldMeaning, filterMeaning } from '../catalogue/meanings.ts'
import { canBeVoid, type Resource } from '../catalogue/resource.ts'
import type { FieldDescription } from './resources.ts'

export function meaningOf(resource: Resource, { name }: Pick<FieldDescription, 'name'>, array?: string): string {
  const meaning = fieldMeaning(resource, name, array)
  return isZeroedWhenVoid(resource, name, array) ? `${meaning} Zero when the status is \`void\`.` : meaning
}

function isZeroedWhenVoid(resource: Resource, name: string, array?: string): boolean {
  const fields = resource.fields.flatMap((field): readonly Field[] => {
    if (array === undefined) return [field]
    return isArray(field) && field.name === array ? field.fields : []
  })
  const declared = fields.find((field) => field.name === name)
  return declared?.kind === 'column' && declared.amount === true && canBeVoid(resource)
}

// With the condition under which a key does not see the field.
export function fullMeaningOf(
  resource: Resource,
  field: FieldDescription,
  isOptional: boolean,
  array?: string,
): string {
  const meaning = meaningOf(resource, field, array)
  if (field.permission) return `${meaning} Needs the permission ${field.permission}.`
  return isOptional ? `${meaning} Absent for a key that is restricted to one price list.` : meaning
}

export function filterMeaningOf(resource: Resource, name: string): string {
  const filter = resource.filters.find((each) => each.name === name)
  const sentences = [filterMeaning(resource, name)]
  if (filter?.kind === 'labels') sentences.push('Several are separated by commas.')
  if (filter?.kind === 'status' && filter.all) sentences.push('`all` leaves nothing out.')
  if (filter?.kind === 'status' && filter.omitted && 'hides' in filter.omitted)
    sentences.push(`Without it, \`${filter.omitted.hides}\` is left out.`)
  return sentences.join(' ')
}
