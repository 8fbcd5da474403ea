// A list as the console itself asks for it, of a resource by name.
import { permissions, type Access } from '../catalogue/access.ts'
import { findResource } from '../catalogue/resources/index.ts'
import type { ListPlan } from '../query/plan.ts'
import { planList } from '../query/plan-list.ts'

export const everything: Access = { permissions, stores: null, priceList: null }

export function planOf(name: string, query: string, access: Access = everything): ListPlan {
  const resource = findResource(name)
  const planned = resource && planList(resource, query, access)
  if (!planned || !('plan' in planned)) throw new Error(`${name} cannot be listed`)
  return planned.plan
}

// Requests of the console itself are one more caller, and wait for their turn.
export const asker = { key: 'console' }
