// A query string and an access → a list plan, or every fault at once. Nothing is ignored silently.
import type { Access } from '../catalogue/access.ts'
import type { Condition } from '../catalogue/condition.ts'
import type { ParsedValue } from '../catalogue/filters/filter.ts'
import { kindOf } from '../catalogue/filters/index.ts'
import { readInteger } from '../catalogue/filters/integer.ts'
import { shown } from '../catalogue/filters/words.ts'
import type { Resource } from '../catalogue/resource.ts'
import type { Fault } from '../errors.ts'
import { limits } from './limits.ts'
import { onceFor } from './once-for.ts'
import { readParameters } from './parameters.ts'
import { restrictions, type ListPlan, type Order } from './plan.ts'
import { readSearch, readSort } from './sort-and-search.ts'

export type Planned<Plan> = { readonly plan: Plan } | { readonly faults: readonly Fault[] }

const parameterNames = onceFor((resource: Resource) => [
  'page',
  'per_page',
  'sort',
  ...resource.filters.map(({ name }) => name),
  'search',
])

const defaultOrder = onceFor((resource: Resource): Order[] => {
  const read = readSort(resource.sort.default, resource.sort.fields)
  return 'value' in read ? read.value : []
})

export function planList(resource: Resource, query: string, access: Access): Planned<ListPlan> {
  const { values, faults: unreadable } = readParameters(query, parameterNames(resource))
  const faults: Fault[] = [...unreadable]
  // The value of a parameter, or `omitted` if it is not given; a fault if it is wrong.
  const take = <Value>(parameter: string, omitted: Value, read: (text: string) => ParsedValue<Value>): Value => {
    const text = values.get(parameter)
    if (text === undefined) return omitted
    const parsed = read(text)
    if ('value' in parsed) return parsed.value
    faults.push({ parameter, message: faults.length < limits.faultsWithHelp ? parsed.message : 'is not allowed.' })
    return omitted
  }

  const page = take('page', 1, inRange(1, limits.page))
  const perPage = take('per_page', limits.perPageDefault, inRange(1, limits.perPage))
  const order = take('sort', defaultOrder(resource), (text) => readSort(text, resource.sort.fields))
  const filtered = resource.filters.flatMap((filter) => {
    const kind = kindOf(filter)
    return take<readonly Condition[]>(filter.name, kind.omitted(filter), (text) => kind.read(text, filter))
  })
  const searched = take<Condition[]>('search', [], (text) => readSearch(text, resource.search))
  if (faults.length > 0) return { faults }
  const conditions = [...restrictions(resource, access), ...filtered, ...searched]
  return { plan: { shows: 'list', resource: resource.name, access, conditions, order, page, perPage } }
}

export const inRange = (least: number, most: number) => (text: string) => {
  const read = readInteger(text)
  if ('value' in read && read.value >= least && read.value <= most) return read
  return { message: `${shown(text)} is not a whole number from ${least} to ${most}.` }
}
