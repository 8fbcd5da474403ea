// GET /status: the service is alive, and which parts of the request arrived. Touches no database. HEAD is for uptime monitors.
import { timeWithOffset, type Clock } from '../platform/clock.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import type { State } from '../state/state.ts'

export function statusRoute(state: State, clock: Clock, timeZone: string): Route {
  const timeIn = timeWithOffset(timeZone)
  return {
    method: 'GET',
    answersHead: true,
    opens: 'to all',
    answer: (call) =>
      json({
        status: 'ok',
        api: 'v1',
        enabled: state.lastKnownEnabled(),
        authorization_header_received: call.authorization.length > 0,
        https: call.isSecure,
        time: timeIn(clock.now()),
      }),
  }
}
