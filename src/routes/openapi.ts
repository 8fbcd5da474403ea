// GET /openapi.json: the API as an OpenAPI document. Without a token all of it; with a token the part that the token may use.
import { describeApi } from '../describe/openapi/document.ts'
import type { Route } from '../http/route.ts'
import type { Caller } from '../state/state.ts'
import { cacheDescriptions } from './cached-descriptions.ts'
import { refuseParameters } from './faults.ts'

export function openApiRoute(basePath: string, publicUrl: string | null): Route {
  const reply = cacheDescriptions((caller: Caller | null) => describeApi(caller, basePath, publicUrl))
  return {
    method: 'GET',
    opens: 'to all or tokens',
    answer(call, caller) {
      refuseParameters(call.query)
      return reply(caller)
    },
  }
}
