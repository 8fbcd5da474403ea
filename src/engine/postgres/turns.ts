// Lets in as many at once as there are connections, in fair turns; others wait a bounded time. Whoever is in holds a
// connection, so that nobody ever waits in the pool.
import { NoneFree, PostgresFailure } from '../../postgres/connection.ts'
import { hungUp } from '../../postgres/stoppable.ts'
import type { Asker } from '../engine.ts'
import { createFairQueue, type Waiting } from '../fair-queue.ts'

interface Turn extends Waiting {
  readonly start: () => void
}

export function createTurns(places: number, waitMs: number) {
  const queue = createFairQueue<Turn>(places)
  let busy = 0

  const letIn = () => {
    while (busy < places) {
      const next = queue.take('any')
      if (!next) return
      busy += 1
      next.start()
    }
  }

  const wait = ({ key = '', signal }: Asker, isLong: boolean) =>
    new Promise<Turn>((resolve, reject) => {
      const refusal = signal?.aborted ? hungUp() : queue.whyNot(key)
      if (refusal) return reject(new PostgresFailure(refusal))
      const settle = () => {
        clearTimeout(timer)
        signal?.removeEventListener('abort', onAbort)
      }
      const leave = (cause: Error) => {
        settle()
        queue.remove(turn)
        reject(new PostgresFailure(cause))
      }
      const onAbort = () => leave(hungUp())
      const timer = setTimeout(() => leave(new NoneFree('no connection was free in time')), waitMs)
      const turn: Turn = {
        key,
        isLong,
        start() {
          settle()
          resolve(turn)
        },
      }
      signal?.addEventListener('abort', onAbort, { once: true })
      queue.push(turn)
      letIn()
    })

  return {
    waiting: () => queue.size(),
    busy: () => busy,
    async run<Result>(asker: Asker, isLong: boolean, work: () => Promise<Result>): Promise<Result> {
      const turn = await wait(asker, isLong)
      try {
        return await work()
      } finally {
        busy -= 1
        queue.done(turn)
        letIn()
      }
    },
  }
}
