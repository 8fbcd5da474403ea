// A query string and an access → a list plan, or every fault at once. Nothing is ignored silently.
import type { Access } from '../catalogue/access.ts'
import type { Condition } from '../catalogue/condition.ts'
import type { Parsed } from '../catalogue/filters/filter.ts'
import { kindOf } from '../catalogue/filters/index.ts'
import { readInteger } from '../catalogue/filters/integer.ts'
import { shown } from '../catalogue/filters/words.ts'
import type { Resource } from '../catalogue/resource.ts'
import { visibleSorts } from '../catalogue/visible.ts'
import type { Fault } from '../errors.ts'
import { limits } from './limits.ts'
import { readParameters } from './parameters.ts'
import { restrictions, type ListPlan, type Order } from './plan.ts'
import { readSearch, readSort } from './sort-and-search.ts'

export type Planned<Plan> = { readonly plan: Plan } | { readonly faults: readonly Fault[] }

// What is the same for every request is worked out once.
const onceFor = <Found>(find: (resource: Resource) => Found) => {
  const found = new WeakMap<Resource, Found>()
  return (resource: Resource): Found => {
    let known = found.get(resource)
    if (known === undefined) found.set(resource, (known = find(resource)))
    return known
  }
}

const parameterNames = onceFor((resource) => [
  'page',
  'per_page',
  'sort',
  ...resource.filters.map(({ name }) => name),
  'search',
])

const defaultOrder = onceFor((resource): Order[] => {
  const read = readSort(resource.sort.default, resource.sort.fields)
  return 'value' in read ? read.value : []
})

export function planList(resource: Resource, query: string, access: Access): Planned<ListPlan> {
  const { values, faults: unreadable } = readParameters(query, parameterNames(resource))
  const faults: Fault[] = [...unreadable]
  // The value of a parameter, what it stands for when it is not sent, or a fault.
  const take = <Value>(parameter: string, omitted: Value, read: (text: string) => Parsed<Value>): Value => {
    const text = values.get(parameter)
    if (text === undefined) return omitted
    const parsed = read(text)
    if ('value' in parsed) return parsed.value
    faults.push({ parameter, message: faults.length < limits.faultsWithHelp ? parsed.message : 'is not allowed.' })
    return omitted
  }

  const page = take('page', 1, inRange(1, limits.page))
  const perPage = take('per_page', limits.perPageDefault, inRange(1, limits.perPage))
  const order = take('sort', defaultOrder(resource), (text) => readSort(text, visibleSorts(resource, access)))
  const filtered = resource.filters.flatMap((filter) => {
    const kind = kindOf(filter)
    return take<readonly Condition[]>(filter.name, kind.omitted(filter), (text) => kind.read(text, filter))
  })
  const found = take<Condition[]>('search', [], (text) => readSearch(text, resource.search))
  if (faults.length > 0) return { faults }
  const conditions = [...restrictions(resource, access), ...filtered, ...found]
  return { plan: { shows: 'list', resource: resource.name, access, conditions, order, page, perPage } }
}

const inRange = (least: number, most: number) => (text: string) => {
  const read = readInteger(text)
  if ('value' in read && read.value >= least && read.value <= most) return read
  return { message: `${shown(text)} is not a whole number from ${least} to ${most}.` }
}
