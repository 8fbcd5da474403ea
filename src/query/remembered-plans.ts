// Remembers the plans of query strings, by access: reading a query string takes longer than finding its answer.
import type { Access } from '../catalogue/access.ts'
import type { Resource } from '../catalogue/resource.ts'
import { createBoundedCache, type BoundedCache } from '../platform/bounded-cache.ts'
import { planList, type Planned } from './plan-list.ts'
import type { ListPlan } from './plan.ts'

const mostRemembered = 500
// Longer queries are rare, and not often repeated.
const longest = 300

export function rememberPlans(resource: Resource): (query: string, access: Access) => Planned<ListPlan> {
  const callers = new WeakMap<Access, BoundedCache<string, Planned<ListPlan>>>()
  return (query, access) => {
    let plans = callers.get(access)
    if (!plans) callers.set(access, (plans = createBoundedCache(mostRemembered)))
    const known = plans.get(query)
    if (known) return known
    const planned = planList(resource, query, access)
    if (query.length <= longest && 'plan' in planned) plans.set(query, planned)
    return planned
  }
}
