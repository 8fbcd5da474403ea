// Relations that a copy changes together or not at all: documents, their lines and payments, and the archive of all of them. Every other
// relation is a family of its own, also prices and stock: each row of them is a fact for itself, and no total depends on it.
import type { Relation } from '../../contract/relation.ts'
import { archiveOf, relations } from '../../contract/relations.ts'
import { parentOf } from '../import/staged.ts'

const recent = (name: string) => name.replace(/_archive$/, '')

// The relation of the records themselves.
export const rootOf = (relation: Relation): Relation =>
  relation.parent === undefined ? relation : (parentOf(relation)?.relation ?? relation)

export const familyOf = (relation: Relation): string => recent(rootOf(relation).name)

// Prices and stock are kept where their products are kept.
export const familyAbove = (relation: Relation): string | undefined => {
  const parent = parentOf(relation)
  return parent && familyOf(parent.relation)
}

// The columns that name the record of a row.
export const recordColumns = ({ parent, key }: Relation): readonly string[] => (parent === undefined ? key : [parent])

// The archive of a relation, or the relation of an archive: a record that moves there is not lost.
export function twinOf({ name }: Relation): Relation | undefined {
  const twin = recent(name) === name ? archiveOf(name) : recent(name)
  return relations.find((each) => each.name === twin)
}
