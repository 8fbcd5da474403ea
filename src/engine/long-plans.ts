// Which plans may take long: by what they ask, and by how long others of their kind took last. Nobody is to wait behind them.
import type { Condition } from '../catalogue/condition.ts'
import type { ListPlan, Plan } from '../query/plan.ts'

const longMs = 50
// Kinds are few; odd combinations beyond these are judged by what they ask alone.
const mostKinds = 1000

export function createLongPlans(farInto: number) {
  const tookLong = new Set<string>()
  return {
    isLong: (plan: Plan): boolean => asksMuch(plan, farInto) || tookLong.has(kindOf(plan)),
    took(plan: Plan, ms: number): void {
      if (ms < longMs) tookLong.delete(kindOf(plan))
      else if (tookLong.size < mostKinds) tookLong.add(kindOf(plan))
    },
  }
}

// A record is found by its key and a first page by an index; searches, deep pages and ranges across the order may have to walk.
const asksMuch = (plan: Plan, farInto: number) =>
  plan.shows === 'list' &&
  ((plan.page - 1) * plan.perPage >= farInto || goesAcross(plan) || plan.conditions.some(({ is }) => is === 'contains'))

// A range of something that the list is not sorted by.
export const goesAcross = ({ conditions, order }: ListPlan): boolean =>
  conditions.some((condition) => 'time' in condition && condition.column !== order[0]?.field)

const kindOf = (plan: Plan) =>
  plan.shows === 'detail'
    ? plan.resource
    : `${plan.resource} ${plan.order[0]?.field} ${plan.conditions.map(conditionKind).join(' ')}`

const conditionKind = (condition: Condition): string =>
  'column' in condition ? `${condition.is} ${condition.column}` : condition.is
