// GET /{resource}, a page of records with its total, and GET /{resource}/{id}, one record with its arrays.
import type { Resource } from '../catalogue/resource.ts'
import { gatesOf } from '../catalogue/visible.ts'
import { toleratedLagSeconds, type Engine } from '../engine/engine.ts'
import { ApiError } from '../errors.ts'
import type { Route } from '../http/route.ts'
import { planDetail } from '../query/plan-detail.ts'
import { rememberPlans } from '../query/remembered-plans.ts'
import { askerOf } from './asker.ts'
import { planOrRefuse } from './faults.ts'

export function listRoute(resource: Resource, engine: Engine): Route {
  const plan = rememberPlans(resource)
  return {
    method: 'GET',
    opens: 'to tokens',
    permission: resource.permission,
    gates: gatesOf(resource, 'list'),
    async answer({ call, caller }) {
      const asker = askerOf(call, caller)
      const { total, records, body } = await engine.list(planOrRefuse(plan(call.query, caller)), asker)
      return { status: 200, headers: { 'X-Total-Count': String(total), ...lagHeader(engine) }, body, records }
    },
  }
}

export const detailRoute = (resource: Resource, engine: Engine): Route => ({
  method: 'GET',
  opens: 'to tokens',
  permission: resource.permission,
  gates: gatesOf(resource, 'detail'),
  async answer({ call, caller, id }) {
    const asker = askerOf(call, caller)
    const body = await engine.detail(planOrRefuse(planDetail(resource, id, call.query, caller)), asker)
    if (!body) throw new ApiError('not_found', { message: 'There is no such record.' })
    return { status: 200, headers: lagHeader(engine), body, records: 1 }
  },
})

// How far a replica is behind, if that is more than a second.
function lagHeader(engine: Engine): Record<string, string> {
  const seconds = engine.lagSeconds()
  return seconds !== null && seconds > toleratedLagSeconds ? { 'X-Data-Lag-Seconds': String(Math.ceil(seconds)) } : {}
}
