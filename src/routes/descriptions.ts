// GET /resources and GET /openapi.json: descriptions of the API for a caller. Callers with equal access share one cached body, because
// making one takes far longer than sending it, and unread answers would otherwise hold a copy each.
import { describeApi } from '../describe/openapi/document.ts'
import { describeResources } from '../describe/resources.ts'
import type { Reply } from '../http/exchange.ts'
import type { Route } from '../http/route.ts'
import { createLruCache } from '../platform/lru-cache.ts'
import type { Caller } from '../state/state.ts'
import { refuseParameters } from './faults.ts'

// A company has few kinds of keys.
const mostDescriptions = 20

function cacheDescriptions<Who extends Caller | null>(describe: (caller: Who) => unknown): (caller: Who) => Reply {
  const bodies = createLruCache<string, Uint8Array>(mostDescriptions)
  return (caller) => {
    // Everything that a description depends on.
    const name = caller ? `${caller.permissions.join(' ')} ${caller.priceList !== null}` : 'anonymous'
    const body = bodies.get(name) ?? bodies.set(name, Buffer.from(JSON.stringify(describe(caller))))
    return { status: 200, headers: {}, body, isFixed: true }
  }
}

// The resources, fields and filters that this token may use.
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

// Without a token the whole document; with a token the part that the token may use.
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
