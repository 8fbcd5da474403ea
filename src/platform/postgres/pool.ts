// A few connections to one PostgreSQL server, shared by many. Whoever asks gets a connection, waits a bounded time for one,
// or is refused at once when the server is known to be away. A lost server is looked for with growing pauses, asked or not.
import type { PostgresUrl } from './url.ts'
import { connectPostgres, NoneFree, PostgresFailure, type PostgresConnection } from './connection.ts'
import { hungUp, runStoppable } from './stoppable.ts'

export interface PoolOptions {
  readonly url: PostgresUrl
  readonly size: number
  readonly setUp: string
  readonly isPipelined?: boolean
  // How long a connection is waited for, and how long one may then be used.
  readonly waitMs: number
  readonly workMs: number
  readonly onLost: (cause: Error) => void
  readonly onBack: () => void
  // One of its connections is gone, whoever ended it.
  readonly onGone?: () => void
}

export interface Pool {
  use<Result>(work: (connection: PostgresConnection) => Promise<Result>, signal?: AbortSignal): Promise<Result>
  close(): Promise<void>
}

interface Waiting {
  readonly start: (connection: PostgresConnection) => void
  readonly refuse: (cause: Error) => void
}

const connectTimeoutMs = 2000
const firstPauseMs = 50
const longestPauseMs = 1000
// More than so many for each connection are refused at once instead of piling up.
const mostWaiting = 500

export function createPool({
  url,
  size,
  setUp,
  isPipelined = false,
  waitMs,
  workMs,
  onLost,
  onBack,
  onGone = () => {},
}: PoolOptions): Pool {
  const idle: PostgresConnection[] = []
  const all = new Set<PostgresConnection>()
  const waiting: Waiting[] = []
  let opening = 0
  let pauseMs = 0
  // Attempts that failed since the last that did not.
  let misses = 0
  let retry: NodeJS.Timeout | undefined
  // Why the server cannot be reached at present.
  let lost: Error | undefined
  let isClosed = false

  const forget = (connection: PostgresConnection) => {
    if (!all.delete(connection)) return
    const at = idle.indexOf(connection)
    if (at >= 0) idle.splice(at, 1)
    connection.destroy()
    onGone()
    // Without any connection left, find out whether the server is still there before somebody asks.
    if (all.size === 0 || waiting.length > 0) open()
  }

  const open = () => {
    if (isClosed || retry || all.size + opening >= size) return
    opening += 1
    void openOne().finally(() => (opening -= 1))
  }

  const openOne = async () => {
    let made: PostgresConnection | undefined
    try {
      made = await connectPostgres(url, {
        timeoutMs: connectTimeoutMs,
        setUp,
        isPipelined,
        onLost: () => made && forget(made),
      })
    } catch (error) {
      return missed(error as Error)
    }
    if (isClosed) return made.close()
    all.add(made)
    pauseMs = 0
    misses = 0
    if (lost) onBack()
    lost = undefined
    give(made)
  }

  const missed = (cause: Error) => {
    if (isClosed) return
    pauseMs = Math.min(longestPauseMs, Math.max(firstPauseMs, pauseMs * 2))
    retry ??= setTimeout(() => {
      retry = undefined
      if (all.size === 0 || waiting.length > 0) open()
    }, pauseMs)
    misses += 1
    // One that is refused while others work, or are still on their way (too many, say), leaves the work to those.
    if (all.size > 0 || (opening > 1 && misses < size)) return
    if (!lost) onLost(cause)
    lost = cause
    for (const { refuse } of waiting.splice(0)) refuse(cause)
  }

  const give = (connection: PostgresConnection) => {
    if (!connection.isUsable()) return forget(connection)
    const next = waiting.shift()
    if (next) next.start(connection)
    else idle.push(connection)
  }

  const whyNot = (signal: AbortSignal | undefined): Error | undefined => {
    if (isClosed) return new Error('the pool is closed')
    if (signal?.aborted) return hungUp()
    if (waiting.length >= mostWaiting * size) return new Error('too many requests wait')
    return lost
  }

  const take = (signal: AbortSignal | undefined) =>
    new Promise<PostgresConnection>((resolve, reject) => {
      const refusal = whyNot(signal)
      if (refusal) return reject(new PostgresFailure(refusal))
      const free = idle.pop()
      if (free) return resolve(free)
      const leave = (cause: Error) => {
        waiting.splice(waiting.indexOf(entry), 1)
        entry.refuse(cause)
      }
      const onAbort = () => leave(hungUp())
      const timer = setTimeout(() => leave(new NoneFree('no connection was free in time')), waitMs)
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const entry: Waiting = {
        start(connection) {
          settle()
          resolve(connection)
        },
        refuse(cause) {
          settle()
          reject(cause instanceof PostgresFailure ? cause : new PostgresFailure(cause))
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      waiting.push(entry)
      open()
    })

  open()
  return {
    async use(work, signal) {
      const connection = await take(signal)
      // It was given while its caller was leaving.
      if (signal?.aborted) {
        give(connection)
        throw new PostgresFailure(hungUp())
      }
      return runStoppable(connection, work, { workMs, signal, give, forget })
    },
    async close() {
      isClosed = true
      clearTimeout(retry)
      for (const { refuse } of waiting.splice(0)) refuse(new Error('the pool is closed'))
      await Promise.all([...all].map((connection) => connection.close()))
    },
  }
}
