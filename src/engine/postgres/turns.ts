// Lets in as many at once as there are connections, in fair turns; others wait a bounded time. Whoever is in holds a
// connection, so that nobody ever waits in the pool. Records that are asked for alike go in together.
import { NoneFree, PostgresFailure } from '../../postgres/connection.ts'
import { hungUp } from '../../postgres/stoppable.ts'
import type { Plan } from '../../query/plan.ts'
import type { Plans } from '../alike.ts'
import type { Answer, Asker } from '../engine.ts'
import { createFairQueue, type Group, type Waiting } from '../fair-queue.ts'

interface Turn extends Waiting {
  readonly plan: Plan
  readonly signal: AbortSignal | undefined
  readonly start: () => void
  readonly resolve: (answer: Answer) => void
  readonly reject: (cause: unknown) => void
}

interface TurnsOptions {
  readonly places: number
  readonly waitMs: number
  // The answers to plans of one key that go together; given up once nobody waits for any of them.
  readonly work: (plans: Plans, key: string, signal: AbortSignal | undefined) => Promise<readonly Answer[]>
}

export function createTurns({ places, waitMs, work }: TurnsOptions) {
  const queue = createFairQueue<Turn>(places)
  let busy = 0
  let isDue = false

  const letIn = () => {
    isDue = false
    while (busy < places) {
      const group = queue.take('any')
      if (!group) return
      for (const turn of group) turn.start()
      busy += 1
      void finish(group).finally(() => {
        busy -= 1
        queue.done(group)
        letIn()
      })
    }
  }

  const finish = async (turns: Group<Turn>): Promise<void> => {
    const [{ plan, key }, ...others] = turns
    try {
      const answers = await work([plan, ...others.map((turn) => turn.plan)], key, untilAllAbort(turns))
      for (const [at, turn] of turns.entries()) turn.resolve(answers[at] ?? null)
    } catch (cause) {
      // What one record does wrong is no other's: each by itself.
      if (others.length > 0 && isOfOneRecord(cause)) for (const turn of turns) await finish([turn])
      else for (const turn of turns) turn.reject(cause)
    }
  }

  return {
    waiting: () => queue.size(),
    busy: () => busy,
    answer: (plan: Plan, { key = '', signal }: Asker, kind: Pick<Waiting, 'isLong' | 'alike'>) =>
      new Promise<Answer>((resolve, reject) => {
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
          plan,
          key,
          signal,
          ...kind,
          start: settle,
          resolve,
          reject,
        }
        signal?.addEventListener('abort', onAbort, { once: true })
        queue.push(turn)
        // Once everything that has arrived is in the queue.
        if (!isDue) setImmediate(letIn)
        isDue = true
      }),
  }
}

// A value that cannot be shown, a damaged page; and mistakes of ours.
const isOfOneRecord = (cause: unknown) => !(cause instanceof PostgresFailure) || /^(22|XX)/.test(cause.code ?? '')

function untilAllAbort(turns: readonly Turn[]): AbortSignal | undefined {
  const signals = turns.map(({ signal }) => signal)
  if (signals.length === 1) return signals[0]
  if (signals.includes(undefined)) return undefined
  const all = new AbortController()
  let left = signals.length
  const leave = () => {
    left -= 1
    if (left === 0) all.abort()
  }
  for (const signal of signals) signal?.addEventListener('abort', leave, { once: true })
  return all.signal
}
