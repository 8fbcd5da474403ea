// GET /openapi.json: the API as an OpenAPI document. To anybody the whole of it; to a token what that token may use.
import { describeApi } from '../describe/openapi/document.ts'
import type { Reply } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import type { Caller } from '../state/state.ts'
import { refuseParameters } from './faults.ts'

// Making one takes far longer than sending it, and the keys of a company are few.
const mostRemembered = 20

export function openApiRoute(basePath: string): Route {
  const texts = new Map<string, string>()
  const textFor = (caller: Caller | null): string => {
    // All that a description depends on.
    const key = caller ? `${caller.permissions.join(' ')} ${caller.priceList !== null}` : 'anybody'
    let text = texts.get(key)
    if (text === undefined) {
      text = JSON.stringify(describeApi(caller, basePath))
      if (texts.size >= mostRemembered) texts.clear()
      texts.set(key, text)
    }
    return text
  }
  return {
    method: 'GET',
    opens: 'to all or tokens',
    answer(call, caller): Reply {
      refuseParameters(call.query)
      return { status: 200, headers: {}, body: textFor(caller) }
    },
  }
}
