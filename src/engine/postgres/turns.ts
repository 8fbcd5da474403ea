// Lets in as many at once as there are connections, in fair turns; others wait a bounded time. Whoever is in holds a
// connection, so that nobody ever waits in the pool. Records that are asked for alike go in together.
import { NoneFree, PostgresFailure } from '../../postgres/connection.ts'
import { hungUp } from '../../postgres/stoppable.ts'
import type { Plan } from '../../query/plan.ts'
import { plansOf, type Plans } from '../alike.ts'
import type { Answer, Asker } from '../engine.ts'
import { createFairQueue, type Group, type Waiting } from '../fair-queue.ts'

interface Turn extends Waiting {
  readonly plan: Plan
  readonly signal: AbortSignal | undefined
  readonly resolve: (answer: Answer) => void
  readonly reject: (cause: unknown) => void
  // Ends the wait: its turn has come, or it leaves.
  settle: () => void
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
      for (const turn of group) turn.settle()
      busy += 1
      void serve(group).finally(() => {
        busy -= 1
        queue.done(group)
        letIn()
      })
    }
  }

  const serve = async (group: Group<Turn>): Promise<void> => {
    try {
      const answers = await work(plansOf(group), group[0].key, untilAllAbort(group))
      for (const [at, turn] of group.entries()) turn.resolve(answers[at] as Answer)
    } catch (cause) {
      // What one record does wrong is no other's: each by itself.
      if (group.length > 1 && isOfOneRecord(cause)) for (const turn of group) wait({ ...turn, alike: undefined })
      else for (const turn of group) turn.reject(cause)
    }
  }

  const wait = (turn: Turn) => {
    const { signal } = turn
    if (signal?.aborted) return turn.reject(new PostgresFailure(hungUp()))
    const leave = (cause: Error) => {
      turn.settle()
      queue.remove(turn)
      turn.reject(new PostgresFailure(cause))
    }
    const onAbort = () => leave(hungUp())
    const timer = setTimeout(() => leave(new NoneFree('no connection was free in time')), waitMs)
    turn.settle = () => {
      clearTimeout(timer)
      signal?.removeEventListener('abort', onAbort)
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    queue.push(turn)
    // Once everything that has arrived is in the queue.
    if (!isDue) setImmediate(letIn)
    isDue = true
  }

  return {
    waiting: () => queue.size(),
    busy: () => busy,
    answer: (plan: Plan, { key = '', signal }: Asker, kind: Pick<Waiting, 'isLong' | 'alike'>) =>
      new Promise<Answer>((resolve, reject) => {
        const refusal = queue.whyNot(key)
        if (refusal) reject(new PostgresFailure(refusal))
        else wait({ plan, key, signal, ...kind, resolve, reject, settle: () => {} })
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
