// Reads the vitals of the service from engine and state, with a short timeout.
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import { limits } from '../../query/limits.ts'
import type { WatchedState } from '../../state/watched.ts'
import type { Vitals } from './metrics.ts'
import { planOf } from '../../query/plan-named.ts'

const timeoutMs = 2000

export function createVitals(
  engine: Engine,
  state: Pick<WatchedState, 'isHealthy' | 'listBlocks' | 'listExpiries'>,
): () => Promise<Omit<Vitals, 'certificateEndsAt'>> {
  const plan = planOf('stores', 'per_page=1')
  let page = 0
  return async () => {
    // A different page each time, so that no cache answers.
    page = (page + 1) % limits.page
    const [isEngineUp, isStateUp, blocks, keyExpiries] = await Promise.all([
      answers((late) => engine.list({ ...plan, page: page + 1 }, { key: 'metrics', signal: late })),
      answers(() => state.isHealthy()),
      answers(() => state.listBlocks()),
      answers(() => state.listExpiries()),
    ])
    return {
      ...engine.load(),
      lagSeconds: engine.lagSeconds(),
      isEngineUp: isEngineUp !== undefined,
      isStateUp: isStateUp === true,
      blocks: blocks?.length,
      keyExpiries,
    }
  }
}

// undefined: failed or timed out.
async function answers<Answer>(ask: (late: AbortSignal) => Promise<Answer>): Promise<Answer | undefined> {
  const [late, answered] = [new AbortController(), new AbortController()]
  const timeout = wait(timeoutMs, undefined, { signal: answered.signal }).then(
    () => late.abort(),
    () => {},
  )
  try {
    return await Promise.race([ask(late.signal).catch(() => undefined), timeout.then(() => undefined)])
  } finally {
    answered.abort()
  }
}
