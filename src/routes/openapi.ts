// GET /openapi.json: the API as an OpenAPI document. To anybody the whole of it; to a token what that token may use.
import { describeApi } from '../describe/openapi/document.ts'
import type { Route } from '../http/route.ts'
import type { Caller } from '../state/state.ts'
import { rememberDescriptions } from './described.ts'
import { refuseParameters } from './faults.ts'

export function openApiRoute(basePath: string, publicUrl: string | null): Route {
  const reply = rememberDescriptions((caller: Caller | null) => describeApi(caller, basePath, publicUrl))
  return {
    method: 'GET',
    opens: 'to all or tokens',
    answer(call, caller) {
      refuseParameters(call.query)
      return reply(caller)
    },
  }
}
