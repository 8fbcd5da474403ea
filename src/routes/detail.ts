// GET /{resource}/{id}: one record with its arrays.
import type { Resource } from '../catalogue/resource.ts'
import { gatesOf } from '../catalogue/visible.ts'
import type { Engine } from '../engine/engine.ts'
import { ApiError } from '../errors.ts'
import type { Route } from '../http/route.ts'
import { planDetail } from '../query/plan-detail.ts'
import { planOrRefuse } from './faults.ts'
import { lagHeader } from './lag.ts'

export const detailRoute = (resource: Resource, engine: Engine): Route => ({
  method: 'GET',
  opens: 'to tokens',
  permission: resource.permission,
  gates: gatesOf(resource, 'detail'),
  async answer({ call, caller, id }) {
    const asker = { key: caller.accessKey, signal: call.signal }
    const body = await engine.detail(planOrRefuse(planDetail(resource, id, call.query, caller)), asker)
    if (!body) throw new ApiError('not_found', { message: 'There is no such record.' })
    return { status: 200, headers: lagHeader(engine), body, records: 1 }
  },
})
