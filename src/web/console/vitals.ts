// How the service is at this moment: asked of the engine and of the state themselves, with little patience.
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../engine/engine.ts'
import { limits } from '../../query/limits.ts'
import type { WatchedState } from '../../state/watched.ts'
import type { Vitals } from './metrics.ts'
import { planOf } from '../../query/plan-named.ts'

const patienceMs = 2000

export function createVitals(
  engine: Engine,
  state: Pick<WatchedState, 'isHealthy' | 'listBlocks' | 'listExpiries'>,
): () => Promise<Omit<Vitals, 'certificateEndsAt'>> {
  const plan = planOf('stores', 'per_page=1')
  let asked = 0
  return async () => {
    // Another page each time: it is to be read, not remembered.
    asked = (asked + 1) % limits.page
    const [isEngineUp, isStateUp, blocks, keyExpiries] = await Promise.all([
      answers((late) => engine.list({ ...plan, page: asked + 1 }, { key: 'metrics', signal: late })),
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

// undefined: it failed, or was not there in time.
async function answers<Found>(ask: (late: AbortSignal) => Promise<Found>): Promise<Found | undefined> {
  const [late, there] = [new AbortController(), new AbortController()]
  const inTime = wait(patienceMs, undefined, { signal: there.signal }).then(
    () => late.abort(),
    () => {},
  )
  try {
    return await Promise.race([ask(late.signal).catch(() => undefined), inTime.then(() => undefined)])
  } finally {
    there.abort()
  }
}
