// GET /resources: what this token may use, and nothing else.
import { describeResources } from '../describe/resources.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { refuseParameters } from './faults.ts'

export const resourcesRoute = (basePath: string): Route => ({
  method: 'GET',
  opens: 'to tokens',
  answer({ call, caller }) {
    refuseParameters(call.query)
    return json({ data: describeResources(caller, basePath) })
  },
})
