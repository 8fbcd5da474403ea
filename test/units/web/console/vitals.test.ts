// The vitals behind the metrics: they read the database and not a cache, the state apart from its blocks, with a short timeout.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createVitals } from '../../../../src/web/console/vitals.ts'
import type { Asker, Engine } from '../../../../src/engine/engine.ts'
import type { ListPlan } from '../../../../src/query/plan.ts'
import type { WatchedState } from '../../../../src/state/watched.ts'

const load = { readers: 2, busy: 1, waiting: 3, stopped: 4 }
const engineThat = (list: Engine['list']) => ({ list, load: () => load, lagSeconds: () => null }) as unknown as Engine
const stateThat = (isHealthy: WatchedState['isHealthy'], listBlocks: WatchedState['listBlocks']) => ({
  isHealthy,
  listBlocks,
  listExpiries: async () => [],
})
const answered = async () => ({ total: 0, records: 0, body: new Uint8Array() })
const failing = () => Promise.reject(new Error('away'))

test('the engine is asked for another page each time, so that no cache answers', async () => {
  const pages: number[] = []
  const engine = engineThat((plan: ListPlan) => {
    pages.push(plan.page)
    return answered()
  })
  const vitals = createVitals(
    engine,
    stateThat(
      async () => true,
      async () => [],
    ),
  )
  for (let turn = 0; turn < 3; turn += 1) await vitals()
  assert.equal(new Set(pages).size, 3)
  assert.deepEqual(await vitals(), {
    ...load,
    lagSeconds: null,
    isEngineUp: true,
    isStateUp: true,
    blocks: 0,
    keyExpiries: [],
  })
})

test('each vital is independent: a failure to list blocks does not mean that the state is down', async () => {
  const vitals = createVitals(
    engineThat(failing),
    stateThat(async () => true, failing),
  )
  const { isEngineUp, isStateUp, blocks } = await vitals()
  assert.deepEqual([isEngineUp, isStateUp, blocks], [false, true, undefined])
})

test('a state that answers, and did not take the last write, is down', async () => {
  for (const isHealthy of [async () => false, failing])
    assert.equal((await createVitals(engineThat(answered), stateThat(isHealthy, failing))()).isStateUp, false)
})

test('a late answer counts as down, and its request is aborted', async () => {
  let asker: Asker | undefined
  const engine = engineThat((_plan, given) => {
    asker = given
    return new Promise(() => {})
  })
  const begun = performance.now()
  const { isEngineUp } = await createVitals(
    engine,
    stateThat(
      async () => true,
      async () => [],
    ),
  )()
  assert.deepEqual([isEngineUp, asker?.signal?.aborted], [false, true])
  assert(performance.now() - begun >= 1900)
})
