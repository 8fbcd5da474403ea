// GET /{resource}: one page of a resource, with its total.
import type { Resource } from '../catalogue/resource.ts'
import { gatesOf } from '../catalogue/visible.ts'
import type { Engine } from '../engine/engine.ts'
import type { Route } from '../http/route.ts'
import { rememberPlans } from '../query/remembered-plans.ts'
import { planOrRefuse } from './faults.ts'
import { lagHeader } from './lag.ts'

export function listRoute(resource: Resource, engine: Engine): Route {
  const plan = rememberPlans(resource)
  return {
    method: 'GET',
    opens: 'to tokens',
    permission: resource.permission,
    gates: gatesOf(resource, 'list'),
    async answer({ call, caller }) {
      const asker = { key: caller.accessKey, signal: call.signal }
      const { total, records, body } = await engine.list(planOrRefuse(plan(call.query, caller)), asker)
      return { status: 200, headers: { 'X-Total-Count': String(total), ...lagHeader(engine) }, body, records }
    },
  }
}
