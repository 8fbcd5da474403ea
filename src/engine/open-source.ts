// The source for a database, in the thread that will use it. What PostgreSQL needs is loaded only where it is used.
import type { PostgresUrl } from '../platform/postgres/url.ts'
import type { OnOpened, Source } from './source.ts'
import { createSqliteSource } from './sqlite/source.ts'

// Plain data: it is sent to threads.
export type SourceData =
  | { readonly kind: 'sqlite'; readonly path: string; readonly timeoutMs: number }
  | { readonly kind: 'postgres'; readonly url: PostgresUrl; readonly timeoutMs: number }

const longestLockMs = 1000

export async function openSource(data: SourceData, onOpened: OnOpened): Promise<Source> {
  return oneAtATime(await open(data, onOpened))
}

async function open(data: SourceData, onOpened: OnOpened): Promise<Source> {
  if (data.kind === 'sqlite')
    return createSqliteSource({ path: data.path, lockTimeoutMs: Math.min(longestLockMs, data.timeoutMs), onOpened })
  const { createPostgresSource } = await import('./postgres/source.ts')
  return createPostgresSource({ url: data.url, timeoutMs: data.timeoutMs, onOpened })
}

// A connection has one transaction.
function oneAtATime(source: Source): Source {
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...source,
    within(work, signal) {
      const next = last.then(() => source.within(work, signal))
      // Without the result: it may be large.
      last = Promise.allSettled([next]).then(() => undefined)
      return next
    },
  }
}
