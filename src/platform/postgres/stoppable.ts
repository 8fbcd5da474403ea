// Runs work on a connection with a timeout and an abort signal: its statement is then cancelled on the server, and no further one
// begins. If several statements are under way, the first failure is reported: the others follow from it.
import { PostgresFailure, WorkTimeout, type PostgresConnection } from './connection.ts'

interface StopOptions {
  readonly workMs: number
  readonly signal: AbortSignal | undefined
  // Returns the connection to the pool, or throws it away.
  readonly give: (connection: PostgresConnection) => void
  readonly discard: (connection: PostgresConnection) => void
}

// For a cancelled statement to end, before its connection is thrown away.
const cancelPatienceMs = 1000
const cancelEveryMs = 100

export const hungUp = () => new Error('the caller hung up')

export function runStoppable<Result>(
  connection: PostgresConnection,
  work: (connection: PostgresConnection) => Promise<Result>,
  { workMs, signal, give, discard }: StopOptions,
): Promise<Result> {
  const stopped = Promise.withResolvers<never>()
  let stoppedBy: PostgresFailure | undefined
  let last: NodeJS.Timeout | undefined
  let cancelling: NodeJS.Timeout | undefined
  const stop = (cause: Error) => {
    if (stoppedBy) return
    clearTimeout(timer)
    stoppedBy = new PostgresFailure(cause)
    stopped.reject(stoppedBy)
    connection.cancel()
    // Repeated, because the first request may arrive before the server has begun the statement.
    cancelling = setInterval(() => connection.cancel(), cancelEveryMs)
    last = setTimeout(() => {
      clearInterval(cancelling)
      discard(connection)
    }, cancelPatienceMs)
  }
  const timer = setTimeout(() => stop(new WorkTimeout('the statement timeout passed')), workMs)
  const onAbort = () => stop(hungUp())
  let firstFailure: unknown
  const unlessStopped = <Answer>(run: () => Promise<Answer>): Promise<Answer> =>
    stoppedBy
      ? Promise.reject(stoppedBy)
      : run().catch((error: unknown) => {
          throw (firstFailure ??= error)
        })
  const stoppable: PostgresConnection = {
    ...connection,
    read: (text, values, reader) => unlessStopped(() => connection.read(text, values, reader)),
    rows: (text, values) => unlessStopped(() => connection.rows(text, values)),
    script: (text) => unlessStopped(() => connection.script(text)),
  }
  const attempt = async () => {
    let isGood = false
    try {
      const result = await work(stoppable)
      isGood = !stoppedBy
      return result
    } finally {
      clearTimeout(timer)
      clearTimeout(last)
      clearInterval(cancelling)
      signal?.removeEventListener('abort', onAbort)
      // After a failure the session may be in any state, and a late cancel request would stop the next statement.
      if (isGood) give(connection)
      else discard(connection)
    }
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  return Promise.race([attempt(), stopped.promise])
}
