// Which statements the server plans once, and which for their values. To plan one takes longer than to run it; but a plan that was
// made for any value may read whole relations for some.
import type { Condition } from '../../catalogue/condition.ts'
import { findResource } from '../../catalogue/resources/index.ts'
import { tallyOf } from '../../catalogue/tallies.ts'
import type { Plan } from '../../query/plan.ts'
import type { Dialect } from '../../sql/dialect.ts'

// How every session begins: a plan that is made once must be one that follows an index.
const onceSettings = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
}
const eachSettings = {
  plan_cache_mode: 'force_custom_plan',
  enable_seqscan: 'DEFAULT',
  enable_bitmapscan: 'DEFAULT',
  enable_sort: 'DEFAULT',
}

const setting = (set: string, settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `; ${set} ${name} TO ${value}`)
    .join('')

export const planOnce = setting('SET', onceSettings)
export const planEach = setting('SET LOCAL', eachSettings)

// Tables that are tallied have all indexes of the contract: one for each sort, and one for each filter in the default order. They
// serve one filter in that order, and a range of what the list is sorted by; for anything else it depends on the values which one
// is best.
export function isPlannedOnce(plan: Plan, dialect: Dialect): boolean {
  if (plan.shows === 'detail') return true
  const resource = findResource(plan.resource)
  const tally = resource && tallyOf(resource)
  if (!tally || !dialect.hasTally(tally)) return false
  const isOwn = (condition: Condition) => condition.is === 'equal' && condition.column === resource.only?.column
  const isAlong = (condition: Condition) => 'time' in condition && condition.column === plan.order[0]?.field
  const others = plan.conditions.filter(
    (condition) => condition.is !== 'not' && !isOwn(condition) && !isAlong(condition),
  )
  const isDefaultOrder = plan.order[0]?.field === resource.sort.default.replace(/^-/, '')
  return others.length === 0 || (isDefaultOrder && others.length === 1 && others.every(({ is }) => filters.has(is)))
}

const filters = new Set<Condition['is']>(['equal', 'one-of', 'in-stores'])
