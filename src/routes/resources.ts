// GET /resources: what this token may use, and nothing else.
import { describeResources } from '../describe/resources.ts'
import type { Route } from '../http/route.ts'
import type { Caller } from '../state/state.ts'
import { rememberDescriptions } from './described.ts'
import { refuseParameters } from './faults.ts'

export function resourcesRoute(basePath: string): Route {
  const reply = rememberDescriptions((caller: Caller) => ({ data: describeResources(caller, basePath) }))
  return {
    method: 'GET',
    opens: 'to tokens',
    answer({ call, caller }) {
      refuseParameters(call.query)
      return reply(caller)
    },
  }
}
