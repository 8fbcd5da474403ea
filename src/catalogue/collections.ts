// What lists are found by: for each collection (a relation, its archive included), the columns that its resources filter, restrict,
// sort and search by. It follows from the resources; the finder keeps exactly this in memory.
import type { ColumnType, Relation } from '../contract/relation.ts'
import { columnType, findRelation } from '../contract/relations.ts'
import { canBeVoid, findField, relationsOf, storeColumns, type Resource } from './resource.ts'
import { resources } from './resources/index.ts'

export interface Collection {
  /** The name of its recent relation. */
  readonly name: string
  /** The recent relation, then its archive where there is one. */
  readonly relations: readonly Relation[]
  /** What is compared: everything but the id and the searched texts. */
  readonly values: readonly CollectionValue[]
  /** The columns that a search looks into. */
  readonly texts: readonly string[]
}

interface CollectionValue {
  readonly column: string
  readonly type: ColumnType
  /** Sorted by under ASCII case folding. (No column is sorted by as text and filtered by, too.) */
  readonly isFolded: boolean
  /** An amount that is shown as zero when the document is void. */
  readonly isZeroWhenVoid: boolean
  /** Has many values or an order of its own: a list follows it, or takes a stretch of it. */
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

// Later ones replace earlier ones of the same column: sorts, which say the most of it, come last.
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
