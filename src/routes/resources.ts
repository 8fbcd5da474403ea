// GET /resources: the resources, fields and filters that this token may use.
import { describeResources } from '../describe/resources.ts'
import type { Route } from '../http/route.ts'
import type { Caller } from '../state/state.ts'
import { cacheDescriptions } from './cached-descriptions.ts'
import { refuseParameters } from './faults.ts'

export function resourcesRoute(basePath: string): Route {
  const reply = cacheDescriptions((caller: Caller) => ({ data: describeResources(caller, basePath) }))
  return {
    method: 'GET',
    opens: 'to tokens',
    answer({ call, caller }) {
      refuseParameters(call.query)
      return reply(caller)
    },
  }
}
