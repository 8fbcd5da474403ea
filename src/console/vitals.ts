// How the service is at this moment: asked of the engine and of the state themselves, with little patience.
import { setTimeout as wait } from 'node:timers/promises'
import { permissions } from '../catalogue/access.ts'
import { findResource } from '../catalogue/resources/index.ts'
import type { Engine } from '../engine/engine.ts'
import { planList } from '../query/plan-list.ts'
import type { State } from '../state/state.ts'
import type { Vitals } from './metrics.ts'

const patienceMs = 2000

export function createVitals(engine: Engine, state: State): () => Promise<Omit<Vitals, 'certificateEndsAt'>> {
  const stores = findResource('stores')
  const planned = stores && planList(stores, 'per_page=1', { permissions, stores: null, priceList: null })
  if (!planned || !('plan' in planned)) throw new Error('the stores cannot be listed')
  const { plan } = planned
  return async () => {
    const [isEngineUp, blocks] = await Promise.all([
      answers(engine.list(plan, { key: 'metrics' })).then((found) => found !== undefined),
      answers(state.listBlocks()),
    ])
    return {
      ...engine.load(),
      lagSeconds: engine.lagSeconds(),
      isEngineUp,
      isStateUp: blocks !== undefined,
      blocks: blocks?.length,
    }
  }
}

// undefined: it failed, or was not there in time.
async function answers<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  const late = new AbortController()
  const inTime = wait(patienceMs, undefined, { signal: late.signal }).catch(() => undefined)
  try {
    return await Promise.race([asked.catch(() => undefined), inTime])
  } finally {
    late.abort()
  }
}
