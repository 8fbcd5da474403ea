// GET /status: alive, and what arrived of the request. Touches no database.
import type { Clock } from '../clock.ts'
import { json } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import type { State } from '../state/state.ts'

export function statusRoute(state: State, clock: Clock, timeZone: string): Route {
  const timeIn = timeWithOffset(timeZone)
  return {
    method: 'GET',
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

// ISO 8601 in a time zone, with its offset at that moment.
function timeWithOffset(timeZone: string): (now: number) => string {
  // Making one costs far more than using it.
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  })
  return (now) => {
    const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
    const offset = parts['timeZoneName']?.replace('GMT', '') || '+00:00'
    const day = `${parts['year']}-${parts['month']}-${parts['day']}`
    return `${day}T${parts['hour']}:${parts['minute']}:${parts['second']}${offset}`
  }
}
