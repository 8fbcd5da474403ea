// What is counted of each collection as it is written, so that a total is a short sum and a deep page starts at the right
// place whatever the size of the company. It follows from the resources: their filters by few values and their stores are
// the traits, their sorts by id and by time the axes.
import { columnType, findRelation } from '../contract/relations.ts'
import type { Relation } from '../contract/relation.ts'
import type { Condition } from './condition.ts'
import type { Filter } from './filters/filter.ts'
import { findField, relationsOf, storeColumns, type Resource } from './resource.ts'
import { resources } from './resources/index.ts'

export interface Tally {
  // The recent relation, and its archive where there is one.
  readonly relations: readonly Relation[]
  // Columns of few values. Records that agree in all of them are counted together.
  readonly traits: readonly string[]
  readonly axes: readonly Axis[]
}

// A column that lists are sorted by, as a text that sorts alike: 2026-09-30, or an id of sixteen digits. Counts are kept by
// beginnings of that text, from coarse to fine.
export interface Axis {
  readonly column: string
  readonly type: 'time' | 'int'
  readonly lengths: readonly number[]
}

export const idDigits = 16
// Whole thousands that JavaScript's numbers hold exactly; what is beyond has no place.
export const mostId = 9_007_199_254_739_999
// Years, months, days; and ids by the thousand million, by the million, by 100,000, by 10,000, by 1,000.
const timeLengths = [4, 7, 10]
const idLengths = [7, 10, 11, 12, 13]

// Counts of all records of a collection, wherever they are on any axis.
export const everywhere = ''
// Where values are that have no place on an axis: times that are none.
export const astray = '!'

const ofFewValues = new Set<Filter['kind']>(['status', 'labels', 'text'])

const byRelation = new Map<string, Tally>()
for (const resource of resources) {
  // Reference data is small, and nobody filters it.
  if (resource.filters.length === 0) continue
  const known = byRelation.get(resource.relation)
  byRelation.set(resource.relation, {
    relations: relationsOf(resource),
    traits: [...new Set([...(known?.traits ?? []), ...traitsOf(resource)])],
    axes: known?.axes ?? axesOf(resource),
  })
}

export const tallies: readonly Tally[] = [...byRelation.values()]

export const tallyOf = (resource: Resource): Tally | undefined => byRelation.get(resource.relation)
export const traitsOfRelation = (relation: Relation): readonly string[] =>
  tallies.find(({ relations }) => relations.some(({ name }) => name === relation.name))?.traits ?? []
// Whether records that agree in all traits agree in this.
export const isTrait = ({ traits }: Tally, condition: Condition): boolean =>
  'column' in condition
    ? traits.includes(condition.column)
    : 'stores' in condition && condition.columns.every((column) => traits.includes(column))
export const nameOf = ({ relations }: Tally) => relations[0]?.name ?? ''

function traitsOf(resource: Resource): string[] {
  const filtered = resource.filters.filter(({ kind }) => ofFewValues.has(kind)).map(({ column }) => column)
  return [...(resource.only ? [resource.only.column] : []), ...filtered, ...storeColumns(resource)]
}

function axesOf(resource: Resource): Axis[] {
  return resource.sort.fields.flatMap((name): Axis[] => {
    const field = findField(resource, name)
    if (field?.kind !== 'column' || field.amount) return []
    const type = columnType(findRelation(resource.relation), field.column)
    if (type === 'time') return [{ column: field.column, type, lengths: timeLengths }]
    return field.column === 'id' ? [{ column: 'id', type: 'int', lengths: idLengths }] : []
  })
}
