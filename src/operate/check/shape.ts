// What a database has of the contract, as far as its own catalogue tells: the ground on which questions are asked.
import type { FoundJournal } from '../schema/journal-of-sqlite.ts'

export interface ColumnShape {
  // As the engine calls it; on SQLite as it was declared, which binds nobody but a strict table.
  readonly type: string
  // The role may read it.
  readonly isReadable: boolean
  // Of a type that the service reads.
  readonly isRight: boolean
}

export interface RelationShape {
  // What a table is, indexes can be made for; what is elsewhere (a view, a foreign table), they cannot.
  readonly isTable: boolean
  readonly kind: string
  readonly columns: ReadonlyMap<string, ColumnShape>
  // The database itself sees to it that no key is empty and none is there twice.
  readonly isKeyed: boolean
  // Nor can a value be of another type than its column.
  readonly isStrict: boolean
}

export interface Shape {
  readonly relations: ReadonlyMap<string, RelationShape>
  // Relations that are there, and cannot even be described: what the database says.
  readonly broken: ReadonlyMap<string, string>
  readonly journal: FoundJournal & { readonly isReadable: boolean }
}

// Of a relation that is not there, nothing.
export const columnsIn = (shape: Shape) => (relation: string) =>
  new Set(shape.relations.get(relation)?.columns.keys() ?? (shape.broken.has(relation) ? ['unknown'] : []))

export const isTable = (shape: Shape, relation: string) => shape.relations.get(relation)?.isTable === true
