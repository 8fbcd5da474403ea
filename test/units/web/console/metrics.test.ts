// The metrics that Prometheus reads.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createMetrics, type Vitals } from '../../../../src/web/console/metrics.ts'

const vitals: Vitals = {
  readers: 1,
  busy: 0,
  waiting: 0,
  stopped: 0,
  lists: [
    { collection: 'invoices', way: 'columns', why: null, rows: 3, bytes: 4096 },
    { collection: 'stores', way: 'plain', why: 'no_journal', rows: 0, bytes: 0 },
  ],
  lagSeconds: null,
  feedHold: { holder: 'session 7 of till', remedy: 'SELECT pg_terminate_backend(7)', seconds: 61 },
  isEngineUp: true,
  isStateUp: false,
  blocks: undefined,
  keyExpiries: [],
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
test('what holds the change feed back counts from its beginning, and nothing is 0', async () => {
  assert.equal(valueIn(await metrics.text(vitals), 'vitrine_feed_held_back_seconds'), 61)
  assert.equal(valueIn(await metrics.text({ ...vitals, feedHold: null }), 'vitrine_feed_held_back_seconds'), 0)
})

const delay = 'vitrine_listener_delay_seconds{quantile="0.99"}'

test('the delay of the listener is that since the last reading', async () => {
  await wait(100)
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300)
  await wait(100)
  assert(valueIn(await metrics.text(vitals), delay) > 0.1)
  assert(valueIn(await metrics.text(vitals), delay) < 0.1)
})

test('for each collection: whether its lists are found in columns, and their memory', async () => {
  const text = await metrics.text(vitals)
  for (const [name, collection, value] of [
    ['vitrine_list_columns', 'invoices', 1],
    ['vitrine_list_columns', 'stores', 0],
    ['vitrine_list_columns_bytes', 'invoices', 4096],
    ['vitrine_list_columns_bytes', 'stores', 0],
  ] as const)
    assert.equal(valueIn(text, `${name}{collection="${collection}"}`), value)
})

test('a copy: its age, whether it fails, and its rows; nothing without one', async () => {
  const copy = {
    ageSeconds: 61.5,
    roundSeconds: 2,
    rows: { read: 10, new: 3, changed: 2, deleted: 1 },
    failure: { problem: 'away', since: 0 },
    keptOut: [{ relation: 'invoices', rows: 3 }],
    waiting: [{ relation: 'products', had: 345, has: 1, lost: 344 }],
  }
  const text = await metrics.text({ ...vitals, copy })
  assert.equal(valueIn(text, 'vitrine_copy_age_seconds'), 61.5)
  assert.equal(valueIn(text, 'vitrine_copy_up'), 0)
  assert.equal(valueIn(text, 'vitrine_copy_rows_total{what="changed"}'), 2)
  assert.equal(valueIn(text, 'vitrine_copy_kept_out_rows{relation="invoices"}'), 3)
  assert.equal(valueIn(text, 'vitrine_copy_waiting_rows{relation="products"}'), 344)
  assert.equal(valueIn(await metrics.text({ ...vitals, copy: { ...copy, failure: undefined } }), 'vitrine_copy_up'), 1)
  assert.doesNotMatch(await metrics.text({ ...vitals, copy: { ...copy, ageSeconds: null } }), /vitrine_copy_age/)
  assert.doesNotMatch(await metrics.text(vitals), /vitrine_copy/)
})

const answered = { code: null, address: '', used: [], isHungUp: false }

test('answers are counted by route, status and key, their records by key, and their times by route', async (context) => {
  const own = createMetrics()
  context.after(() => own.close())
  const [route, key] = ['/stores', 'svc_ak_one']
  own.count({ ...answered, route, key, status: 200, records: 3, seconds: 0.0004 })
  own.count({ ...answered, route, key, status: 200, records: 4, seconds: 0.001 })
  own.count({ ...answered, route, key: null, status: 404, records: 0, seconds: 30 })
  own.count({ ...answered, route: null, key, status: 404, records: 0, seconds: 0.3 })
  // Reading changes nothing.
  await own.text(vitals)
  const text = await own.text(vitals)
  for (const [name, value] of [
    [`vitrine_requests_total{route="${route}",status="200",key="${key}"}`, 2],
    [`vitrine_requests_total{route="${route}",status="404",key=""}`, 1],
    [`vitrine_requests_total{route="(none)",status="404",key="${key}"}`, 1],
    [`vitrine_records_total{key="${key}"}`, 7],
    [`vitrine_request_seconds_bucket{le="0.001",route="${route}"}`, 2],
    [`vitrine_request_seconds_bucket{le="10",route="${route}"}`, 2],
    [`vitrine_request_seconds_bucket{le="+Inf",route="${route}"}`, 3],
    [`vitrine_request_seconds_sum{route="${route}"}`, 30.0014],
    [`vitrine_request_seconds_count{route="${route}"}`, 3],
    ['vitrine_request_seconds_bucket{le="0.25",route="(none)"}', 0],
    ['vitrine_request_seconds_bucket{le="0.5",route="(none)"}', 1],
  ] as const)
    assert.equal(valueIn(text, name), value, name)
  assert.doesNotMatch(text, /vitrine_records_total\{key=""\}/)
  assert.match(text, /^# TYPE vitrine_request_seconds histogram$/m)
})

test('/auth/revoke counts where /auth/token does, and the help says so', async () => {
  const refused = {
    status: 429,
    key: null,
    route: '/auth/revoke',
    seconds: 0,
    records: 0,
    address: '',
    used: [],
    isHungUp: false,
  }
  metrics.count({ ...refused, code: 'too_many_attempts' })
  metrics.count({ ...refused, code: 'rate_limited' })
  const text = await metrics.text({ ...vitals, blocks: 1 })
  assert.equal(valueIn(text, 'vitrine_blocked_requests_total'), 1)
  assert.equal(valueIn(text, 'vitrine_windows_refused_total{window="token"}'), 1)
  for (const name of ['blocks', 'blocked_requests_total', 'windows_refused_total'])
    assert.match(text, new RegExp(`^# HELP vitrine_${name} .*/auth/token and /auth/revoke`, 'm'))
})

test('up is 1, down is 0, unknown is left out', async () => {
  const text = await metrics.text(vitals)
  const names = ['engine_up', 'state_up'].map((name) => `vitrine_${name}`)
  assert.deepEqual(
    names.map((name) => valueIn(text, name)),
    [1, 0],
  )
  assert(!text.includes('vitrine_blocks ') && !text.includes('vitrine_data_lag_seconds'))
  assert.match(text, /# HELP vitrine_certificate_expiry_seconds .*Unix time/)
})

test('the metrics that every Node.js dashboard expects are there, and those of the process keep their help', async () => {
  const text = await metrics.text(vitals)
  for (const name of [
    'nodejs_eventloop_lag_p99_seconds',
    'nodejs_heap_size_used_bytes',
    'process_cpu_user_seconds_total',
  ])
    assert.match(text, new RegExp(`^${name} `, 'm'))
  assert.match(text, /^# HELP process_open_fds Files and sockets in use\.$/m)
})

test('when a key last asked for changes, and how far the journal reaches back', async () => {
  metrics.countLook({ accessKey: 'svc_ak_one', oldestAt: null }, 1_800_000_000_000)
  metrics.countLook({ accessKey: 'svc_ak_other', oldestAt: 1_700_000_000 }, 1_800_000_060_000)
  const text = await metrics.text(vitals)
  assert.equal(valueIn(text, 'vitrine_feed_last_look_seconds{key="svc_ak_one"}'), 1_800_000_000)
  assert.equal(valueIn(text, 'vitrine_feed_last_look_seconds{key="svc_ak_other"}'), 1_800_000_060)
  assert.equal(valueIn(text, 'vitrine_journal_oldest_seconds'), 1_700_000_000)
})
