// Collections: for each relation, with its archive, the columns that its resources filter, restrict, sort and search by. The finder keeps
// exactly these in memory. Derived from the resources.
import type { ColumnType, Relation } from '../contract/relation.ts'
import { columnType, findRelation } from '../contract/relations.ts'
import { canBeVoid, findField, relationsOf, storeColumns, type Resource } from './resource.ts'
import { resources } from './resources/index.ts'

export interface Collection {
  /** The name of its recent relation. */
  readonly name: string
  /** The recent relation, then its archive if it has one. */
  readonly relations: readonly Relation[]
  /** The columns that are compared, without the id. */
  readonly values: readonly CollectionValue[]
  /** The columns that are searched. */
  readonly texts: readonly string[]
}

interface CollectionValue {
  readonly column: string
  readonly type: ColumnType
  /** Sorted under ASCII case folding. (No text column is both sorted and filtered by: see check.ts.) */
  readonly isFolded: boolean
  /** An amount that is shown as zero if the document is void. */
  readonly isZeroWhenVoid: boolean
  /** Has many values, or is sorted by: a list follows its index, or takes a range of it. */
  readonly isIndexed: boolean
}

const byRelation = Map.groupBy(resources, ({ relation }) => relation)

export const collections: readonly Collection[] = Array.from(byRelation, ([name, own]) => ({
  name,
  relations: relationsOf(own.find(({ archived }) => archived) ?? (own[0] as Resource)),
  values: [...new Map(own.flatMap(valuesOf).map((value) => [value.column, value])).values()],
  texts: [...new Set(own.flatMap(({ search }) => search))],
}))

export const collectionOf = ({ relation }: Resource): Collection => findCollection(relation)

export function findCollection(relation: string): Collection {
  const found = collections.find(({ name }) => name === relation)
  if (!found) throw new Error(`no collection of ${relation}`)
  return found
}

// If a column occurs twice, the last entry counts: sorted columns, which have the most properties, come last.
function valuesOf(resource: Resource): CollectionValue[] {
  const value = (column: string, more: Partial<CollectionValue>): CollectionValue => ({
    column,
    type: columnType(findRelation(resource.relation), column),
    isFolded: false,
    isZeroWhenVoid: false,
    isIndexed: false,
    ...more,
  })
  const restricted = [...(resource.only ? [resource.only.column] : []), ...storeColumns(resource)]
  const filtered = resource.filters.map(({ kind, column }) =>
    value(column, { isIndexed: kind === 'integer' || kind === 'day-from' || kind === 'day-to' || kind === 'since' }),
  )
  const sorted = resource.sort.fields.map((name) => {
    const field = findField(resource, name)
    if (field?.kind !== 'column') throw new Error(`${resource.name} cannot be sorted by ${name}`)
    const isFolded = columnType(findRelation(resource.relation), field.column) === 'text'
    const isZeroWhenVoid = field.amount === true && canBeVoid(resource)
    return value(field.column, { isFolded, isZeroWhenVoid, isIndexed: true })
  })
  const all = [...restricted.map((column) => value(column, {})), ...filtered, ...sorted]
  return all.filter(({ column }) => column !== 'id')
}
