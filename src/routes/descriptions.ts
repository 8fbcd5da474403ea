// GET /resources and GET /openapi.json: descriptions of the API for a caller. Callers with equal access share one cached body, because
// making one takes far longer than sending it, and unread answers would otherwise hold a copy each.
import { describeApi } from '../describe/openapi/document.ts'
import { describeResources } from '../describe/resources.ts'
import type { Engine } from '../engine/engine.ts'
import type { Reply } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { createBoundedCache } from '../platform/bounded-cache.ts'
import type { Caller } from '../state/state.ts'
import { refuseParameters } from './faults.ts'

// A company has few kinds of keys.
const mostDescriptions = 20

function cacheDescriptions<Who extends Caller | null>(
  engine: Pick<Engine, 'hasFeed'>,
  describe: (caller: Who, hasFeed: boolean) => unknown,
): (caller: Who) => Promise<Reply> {
  const bodies = createBoundedCache<string, Uint8Array>(mostDescriptions)
  return async (caller) => {
    // Everything that a description depends on.
    const who = caller ? `${caller.permissions.join(' ')} ${caller.priceList !== null}` : 'anonymous'
    const hasFeed = await engine.hasFeed()
    const name = `${who} ${hasFeed}`
    const body = bodies.get(name) ?? bodies.set(name, Buffer.from(JSON.stringify(describe(caller, hasFeed))))
    return { status: 200, headers: {}, body, isFixed: true }
  }
}

// The resources, fields and filters that this token may use.
export function resourcesRoute(
  engine: Pick<Engine, 'hasFeed'>,
  basePath: string,
  currencies: readonly string[],
): Route {
  const reply = cacheDescriptions(engine, (caller: Caller, hasFeed) => ({
    data: describeResources(caller, basePath, { hasFeed, currencies }),
  }))
  return {
    method: 'GET',
    opens: 'to tokens',
    answer({ call, caller }) {
      refuseParameters(call.query)
      return reply(caller)
    },
  }
}

// Without a token the whole document; with a token the part that the token may use.
export function openApiRoute(
  engine: Pick<Engine, 'hasFeed'>,
  basePath: string,
  publicUrl: string | null,
  currencies: readonly string[],
): Route {
  const reply = cacheDescriptions(engine, (caller: Caller | null, hasFeed) =>
    describeApi(caller, basePath, { publicUrl, hasFeed, currencies }),
  )
  return {
    method: 'GET',
    opens: 'to all or tokens',
    answer(call, caller) {
      refuseParameters(call.query)
      return reply(caller)
    },
  }
}
