// Waits until every list of an engine is found in columns.
import { setTimeout as wait } from 'node:timers/promises'
import type { Engine } from '../../src/engine/engine.ts'

const patienceMs = 60_000

export async function untilLoaded(engine: Engine): Promise<void> {
  const startedAt = performance.now()
  while (engine.load().lists.some(({ way }) => way === 'plain')) {
    if (performance.now() - startedAt > patienceMs)
      throw new Error(`lists are not found in columns: ${JSON.stringify(engine.load().lists)}`)
    await wait(2)
  }
}
