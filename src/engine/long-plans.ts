// Which plans may take long, by the time that the last plan of their kind took. A search or a deep page of a new kind counts as long:
// many of them may arrive before the first is answered.
import type { Condition } from '../catalogue/condition.ts'
import { createBoundedCache } from '../platform/bounded-cache.ts'
import type { ListPlan, Plan } from '../query/plan.ts'

const longMs = 50
// Bounds the memory that unusual combinations take.
const mostKinds = 1000
// A page after this many records is of another kind: plain SQL walks over all records before it.
const farInto = 1000

export function createLongPlans() {
  const tookLong = createBoundedCache<string, boolean>(mostKinds)
  return {
    isLong: (plan: Plan): boolean => tookLong.get(kindOf(plan)) ?? (plan.shows === 'list' && asksMuch(plan)),
    took(plan: Plan, ms: number): void {
      tookLong.set(kindOf(plan), ms >= longMs)
    },
  }
}

const isFar = ({ page, perPage }: ListPlan) => (page - 1) * perPage >= farInto

const asksMuch = (plan: ListPlan) => isFar(plan) || plan.conditions.some(({ is }) => is === 'contains')

function kindOf(plan: Plan): string {
  if (plan.shows === 'detail') return plan.resource
  if (plan.shows === 'changes') return `changes ${plan.from === null || plan.from.walk !== null}`
  return `${plan.resource} ${plan.order[0]?.field} ${isFar(plan)} ${plan.conditions.map(conditionKind).join(' ')}`
}

const conditionKind = (condition: Condition): string =>
  'column' in condition ? `${condition.is} ${condition.column}` : condition.is
