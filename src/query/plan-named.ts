// Plans for a resource by name, for requests of the service itself: the console and the command line.
import type { Access } from '../catalogue/access.ts'
import { permissions } from '../catalogue/permissions.ts'
import { findResource } from '../catalogue/resources/index.ts'
import { planDetail } from './plan-detail.ts'
import { planList, type Planned } from './plan-list.ts'
import type { DetailPlan, ListPlan } from './plan.ts'

export const fullAccess: Access = { permissions, stores: null, priceList: null }

export function planOf(name: string, query: string, access: Access = fullAccess): ListPlan {
  const resource = findResource(name)
  return madeOf(name, resource && planList(resource, query, access))
}

export function planOne(name: string, id: number, access: Access): DetailPlan {
  const resource = findResource(name)
  return madeOf(name, resource && planDetail(resource, String(id), '', access))
}

function madeOf<Plan>(name: string, planned: Planned<Plan> | undefined): Plan {
  if (!planned || !('plan' in planned)) throw new Error(`${name} cannot be planned`)
  return planned.plan
}

// These requests share readers as one more key.
export const asker = { key: 'console' }
