// Opens the source of a database, in the thread that uses it. Modules for PostgreSQL are loaded only where it is used.
import type { OnConnected, PosSource, SourceData } from './source.ts'
import { createSqliteSource } from './sqlite/source.ts'

const longestLockMs = 1000

export async function openSource(data: SourceData, onConnected: OnConnected): Promise<PosSource> {
  const source = await createSource(data, onConnected)
  let last: Promise<unknown> = Promise.resolve()
  return {
    ...source,
    // One at a time: a connection has one transaction.
    within(work, signal) {
      const next = last.then(() => source.within(work, signal))
      // Without the result: it may be large.
      last = Promise.allSettled([next]).then(() => undefined)
      return next
    },
  }
}

async function createSource(data: SourceData, onConnected: OnConnected): Promise<PosSource> {
  if (data.kind === 'sqlite') return createSqliteSource(data.path, Math.min(longestLockMs, data.timeoutMs), onConnected)
  const { createPostgresSource } = await import('./postgres/source.ts')
  return createPostgresSource(data.url, data.timeoutMs, onConnected)
}
