// A pool of connections to one PostgreSQL server. A caller gets a connection, waits a bounded time for one, or is refused at once
// while the server is unreachable. The pool itself reconnects, with growing pauses.
import type { PostgresUrl } from './url.ts'
import { connectPostgres, PostgresFailure, WaitTimeout, type PostgresConnection } from './connection.ts'
import { hungUp, runStoppable } from './stoppable.ts'

export interface PoolOptions {
  readonly url: PostgresUrl
  readonly size: number
  readonly setUp: string
  readonly isPipelined?: boolean
  // For a connection, and then for the work on it.
  readonly waitMs: number
  readonly workMs: number
  readonly onLost?: ((cause: Error) => void) | undefined
  readonly onBack?: (() => void) | undefined
  // Called when any connection has ended.
  readonly onGone?: () => void
}

export interface Pool {
  use<Result>(work: (connection: PostgresConnection) => Promise<Result>, signal?: AbortSignal): Promise<Result>
  close(): Promise<void>
}

interface WaitingCaller {
  readonly start: (connection: PostgresConnection) => void
  readonly refuse: (cause: Error) => void
}

const firstPauseMs = 50
const longestPauseMs = 1000
// For each connection; more are refused at once.
const mostWaiting = 500

export function createPool({
  url,
  size,
  setUp,
  isPipelined = false,
  waitMs,
  workMs,
  onLost = () => {},
  onBack = () => {},
  onGone = () => {},
}: PoolOptions): Pool {
  const idle: PostgresConnection[] = []
  const all = new Set<PostgresConnection>()
  const waiting: WaitingCaller[] = []
  let opening = 0
  let pauseMs = 0
  // Failed attempts since the last success.
  let misses = 0
  let retry: NodeJS.Timeout | undefined
  // Set while the server is unreachable.
  let lost: Error | undefined
  let isClosed = false

  const discard = (connection: PostgresConnection) => {
    if (!all.delete(connection)) return
    const at = idle.indexOf(connection)
    if (at >= 0) idle.splice(at, 1)
    connection.destroy()
    onGone()
    // Without a connection, find out whether the server is reachable before a caller needs it.
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
        setUp,
        isPipelined,
        onLost: () => made && discard(made),
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
    // The server may refuse one connection (too many, for example) while others work or are being opened.
    if (all.size > 0 || (opening > 1 && misses < size)) return
    if (!lost) onLost(cause)
    lost = cause
    for (const { refuse } of waiting.splice(0)) refuse(cause)
  }

  const give = (connection: PostgresConnection) => {
    if (!connection.isUsable()) return discard(connection)
    const next = waiting.shift()
    if (next) next.start(connection)
    else idle.push(connection)
  }

  const refusalFor = (signal: AbortSignal | undefined): Error | undefined => {
    if (isClosed) return new Error('the pool is closed')
    if (signal?.aborted) return hungUp()
    if (waiting.length >= mostWaiting * size) return new Error('too many requests wait')
    return lost
  }

  const take = (signal: AbortSignal | undefined) =>
    new Promise<PostgresConnection>((resolve, reject) => {
      const refusal = refusalFor(signal)
      if (refusal) return reject(new PostgresFailure(refusal))
      const free = idle.pop()
      if (free) return resolve(free)
      const leave = (cause: Error) => {
        waiting.splice(waiting.indexOf(entry), 1)
        entry.refuse(cause)
      }
      const onAbort = () => leave(hungUp())
      const timer = setTimeout(() => leave(new WaitTimeout('no connection was free in time')), waitMs)
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const entry: WaitingCaller = {
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
      // The caller hung up at the same moment.
      if (signal?.aborted) {
        give(connection)
        throw new PostgresFailure(hungUp())
      }
      return runStoppable(connection, work, { workMs, signal, give, discard })
    },
    async close() {
      isClosed = true
      clearTimeout(retry)
      for (const { refuse } of waiting.splice(0)) refuse(new Error('the pool is closed'))
      await Promise.all([...all].map((connection) => connection.close()))
    },
  }
}

interface TransactionOptions {
  readonly begin?: string
  readonly signal?: AbortSignal | undefined
}

// BEGIN is awaited before the next statement is sent: if it were cancelled, statements sent with it would run outside a transaction.
// After a failure the connection is thrown away, so no ROLLBACK is needed.
export const inTransaction = <Result>(
  pool: Pool,
  run: (connection: PostgresConnection) => Promise<Result>,
  { begin = 'BEGIN', signal }: TransactionOptions = {},
): Promise<Result> =>
  pool.use(async (connection) => {
    await connection.script(begin)
    const result = await run(connection)
    await connection.script('COMMIT')
    return result
  }, signal)
