// What Prometheus reads of the service itself.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createMetrics, type Vitals } from '../../../src/console/metrics.ts'

const vitals: Vitals = {
  readers: 1,
  busy: 0,
  waiting: 0,
  stopped: 0,
  areTalliesUsed: false,
  areSearchIndexesUsed: true,
  lagSeconds: null,
  isEngineUp: true,
  isStateUp: false,
  blocks: undefined,
  certificateEndsAt: 1_900_000_000,
}
const metrics = createMetrics()
after(() => metrics.close())

const valueIn = (text: string, name: string) =>
  Number(
    text
      .split('\n')
      .find((line) => line.startsWith(`${name} `))
      ?.slice(name.length + 1),
  )
const delay = 'vitrine_listener_delay_seconds{quantile="0.99"}'

test('the delay of the listener is that since the last look', async () => {
  await wait(100)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  await wait(100)
  assert(valueIn(metrics.text(vitals), delay) > 0.1)
  // Nothing has happened meanwhile.
  assert.equal(valueIn(metrics.text(vitals), delay), 0)
})

test('what is up and what is used are 1 and 0; what is not known is left out', () => {
  const text = metrics.text(vitals)
  const names = ['engine_up', 'state_up', 'tallies_used', 'search_index_used'].map((name) => `vitrine_${name}`)
  assert.deepEqual(
    names.map((name) => valueIn(text, name)),
    [1, 0, 0, 1],
  )
  assert(!text.includes('vitrine_blocks ') && !text.includes('vitrine_data_lag_seconds'))
  assert.match(text, /# HELP vitrine_certificate_expiry_seconds .*Unix time/)
})
