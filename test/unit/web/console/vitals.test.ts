// What is asked when somebody looks at the metrics: the database itself and not the memory, the state apart from its blocks, and
// nobody is waited for long.
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

test('the engine is asked for another page each time: what is remembered would tell nothing', async () => {
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

test('each is told of by itself: blocks that cannot be listed are no state that is down', async () => {
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

test('what is late is down, and is not worked for any longer', async () => {
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
