// Work on a connection that ends in time, or when nobody waits for it any more: its statement is cancelled on the server, and
// no other one of it begins. Where several statements are under way at once, the first failure is the failure: those behind it
// only fail because of it.
import { Late, PostgresFailure, type PostgresConnection } from './connection.ts'

interface StopOptions {
  readonly workMs: number
  readonly signal: AbortSignal | undefined
  // What becomes of the connection: it goes on to the next, or is thrown away.
  readonly give: (connection: PostgresConnection) => void
  readonly forget: (connection: PostgresConnection) => void
}

// How long a cancelled statement may take to end before its connection is given up.
const cancelPatienceMs = 1000
const cancelEveryMs = 100

export const hungUp = () => new Error('the caller hung up')

export function runStoppable<Result>(
  connection: PostgresConnection,
  work: (connection: PostgresConnection) => Promise<Result>,
  { workMs, signal, give, forget }: StopOptions,
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
    // The first may come too early: before the server has begun with the statement that was just sent.
    cancelling = setInterval(() => connection.cancel(), cancelEveryMs)
    last = setTimeout(() => {
      clearInterval(cancelling)
      forget(connection)
    }, cancelPatienceMs)
  }
  const timer = setTimeout(() => stop(new Late('the statement timeout passed')), workMs)
  const onAbort = () => stop(hungUp())
  let firstFailure: unknown
  const whileItLasts = <Answer>(run: () => Promise<Answer>): Promise<Answer> =>
    stoppedBy
      ? Promise.reject(stoppedBy)
      : run().catch((error: unknown) => {
          throw (firstFailure ??= error)
        })
  const whileWanted: PostgresConnection = {
    ...connection,
    rows: (text, values) => whileItLasts(() => connection.rows(text, values)),
    script: (text) => whileItLasts(() => connection.script(text)),
  }
  const attempt = async () => {
    let isGood = false
    try {
      const result = await work(whileWanted)
      isGood = !stoppedBy
      return result
    } finally {
      clearTimeout(timer)
      clearTimeout(last)
      clearInterval(cancelling)
      signal?.removeEventListener('abort', onAbort)
      // What failed may have left anything behind, and a request to cancel that is still on its way would hit the next.
      if (isGood) give(connection)
      else forget(connection)
    }
  }
  signal?.addEventListener('abort', onAbort, { once: true })
  return Promise.race([attempt(), stopped.promise])
}
