// Replies that describe the API to a caller. Callers with equal access share one cached body, because making one takes far longer
// than sending it, and unread answers would otherwise hold a copy each.
import type { Reply } from '../http/exchange.ts'
import { createLruCache } from '../platform/lru-cache.ts'
import type { Caller } from '../state/state.ts'

// A company has few kinds of keys.
const mostDescriptions = 20

export function cacheDescriptions<Who extends Caller | null>(
  describe: (caller: Who) => unknown,
): (caller: Who) => Reply {
  const bodies = createLruCache<string, Uint8Array>(mostDescriptions)
  return (caller) => {
    // Everything that a description depends on.
    const name = caller ? `${caller.permissions.join(' ')} ${caller.priceList !== null}` : 'anonymous'
    const body = bodies.get(name) ?? bodies.set(name, Buffer.from(JSON.stringify(describe(caller))))
    return { status: 200, headers: {}, body, isFixed: true }
  }
}
