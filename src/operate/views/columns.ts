// What is to be said of a relation and its columns to whoever writes a view for it: from the contract and from what the API says of
// the fields that are made of them.
import { isArray, itemRelation, type ScalarField } from '../../catalogue/field.ts'
import { resources } from '../../catalogue/resources/index.ts'
import type { Codes } from '../../contract/codes.ts'
import { columnNotes, relationNotes } from '../../contract/column-notes.ts'
import type { Relation } from '../../contract/relation.ts'
import { relations } from '../../contract/relations.ts'
import { fieldNote } from '../../describe/openapi/field-notes.ts'

// A place in the API where a relation is shown: a resource, or an array of its records.
interface Shown {
  readonly resource: string
  readonly array: string | undefined
  readonly summary: string
  readonly fields: readonly ScalarField[]
}

const shownOf = (base: string): Shown[] =>
  resources.flatMap(({ name, relation, summary, fields }) => {
    const own = { resource: name, array: undefined, summary, fields: fields.filter((field) => !isArray(field)) }
    const arrays = fields.filter(isArray).filter((field) => itemRelation(field) === base)
    return [
      ...(relation === base ? [own] : []),
      ...arrays.map((field) => ({
        resource: name,
        array: field.name,
        summary: `The ${field.name} of ${name}.`,
        fields: field.fields,
      })),
    ]
  })

const archive = /_archive$/

export function relationNote({ name }: Relation): string {
  const base = name.replace(archive, '')
  if (base !== name) return `What is older of ${base}, with the same columns. Empty where the POS has no archive.`
  return relationNotes[name] ?? shownOf(name)[0]?.summary ?? ''
}

// Of a code, those that the resources of the relation know.
export function codesOf({ name, codes }: Relation, column: string): Codes | undefined {
  const fields = shownOf(name.replace(archive, '')).flatMap((shown) => shown.fields)
  const label = fields.find((field) => field.kind === 'label' && field.column === column)
  return codes[column] && (label?.kind === 'label' ? label.labels : codes[column])
}

export function columnNote({ name }: Relation, column: string): string {
  const base = name.replace(archive, '')
  const own = columnNotes[`${base}.${column}`] ?? columnNotes[column]
  if (own !== undefined) return own
  for (const { resource, array, fields } of shownOf(base)) {
    const field = fields.find((each) => each.kind !== 'reference' && each.column === column)
    const note = field && fieldNote(resource, field.name, array)
    if (note !== undefined) return note
  }
  return pointsAt(column)
}

// `store_id` is an id of stores.
function pointsAt(column: string): string {
  const target = relations.find(({ name }) => `${name.replace(/s$/, '')}_id` === column)
  return target ? `An id of ${target.name}.` : ''
}
