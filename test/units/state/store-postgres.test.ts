// The state in PostgreSQL, where it differs from SQLite: the clock is the database's, statements of several instances overtake each
// other, and statements delete expired rows.
import assert from 'node:assert/strict'
import { after, before, mock, test } from 'node:test'
import { manualClock } from '../../../src/platform/clock.ts'
import { hashSecret, makeSecurityCode } from '../../../src/auth/secrets.ts'
import type { State } from '../../../src/state/state.ts'
import { atOnce, tally } from '../../support/grants.ts'
import { attemptOf, makeStatePlace, newKey, newToken, type StatePlace } from '../../support/postgres-state.ts'
import { until } from '../../support/process.ts'

const [second, minute, day] = [1000, 60_000, 86_400_000]
const begin = 1_700_000_000_000
let place: StatePlace
before(async () => {
  place = await makeStatePlace()
})
after(() => place.remove())

let addresses = 0
const newAddress = () => `10.0.${(addresses += 1) >> 8}.${addresses & 255}`
const wrong = (accessKey: string) => ({ accessKey, securityCode: makeSecurityCode() })

async function failTimes(state: State, count: number, accessKey: string, address: string) {
  for (let failures = 0; failures < count; failures += 1)
    assert.equal((await state.requestToken(attemptOf(wrong(accessKey), address))).is, 'refused')
}

test("the database's clock: every time that is stored is its own, whatever the time of this machine", async () => {
  const earliest = await place.now()
  mock.timers.enable({ apis: ['Date'], now: Date.now() + day })
  try {
    const [state, address] = [place.open(), newAddress()]
    const key = await newKey(state)
    const granted = attemptOf(key, newAddress())
    assert.equal((await state.requestToken(granted)).is, 'granted')
    assert.ok((await state.admit(granted.tokenHash)).admitted)
    await failTimes(state, 5, key.accessKey, address)
    const block = (await state.listBlocks()).find((each) => each.address === address)
    const revoked = await newKey(state)
    await state.revokeKey(revoked.accessKey)
    const latest = await place.now()
    const [token = []] = await place.rows('SELECT expires_at FROM tokens WHERE access_key = $1', [key.accessKey])
    const [window = []] = await place.rows('SELECT started_at FROM windows WHERE name LIKE $1', [`%${key.accessKey}`])
    const [series = []] = await place.rows('SELECT started_at FROM failures WHERE address = $1', [address])
    const times = {
      created: (await state.findKey(key.accessKey))?.createdAt,
      revoked: (await state.findKey(revoked.accessKey))?.revokedAt,
      granted: Number(token[0]) - 15 * minute,
      counted: Number(window[0]),
      failed: Number(series[0]),
      blocked: Number(block?.until) - 15 * minute,
    }
    for (const [name, time] of Object.entries(times))
      assert.ok(Number(time) >= earliest && Number(time) <= latest, `${name}: ${time} in ${earliest} to ${latest}`)
    const blocked = await state.requestToken(attemptOf(key, address))
    assert.ok(blocked.is === 'blocked' && blocked.retryAfterSeconds > 840 && blocked.retryAfterSeconds <= 900)
  } finally {
    mock.timers.reset()
  }
})

const overtaken: readonly {
  name: string
  /** When the requests took place by the time they began, in milliseconds, in the order in which they are counted. */
  times: readonly number[]
  /** What is left of five, and for how many seconds, after each. */
  left: readonly [remaining: number, resetSeconds: number][]
}[] = [
  {
    name: 'a request that began before the first one of its window counts in it',
    times: [0, -1, -500, 1],
    left: [
      [4, 60],
      [3, 60],
      [2, 60],
      [1, 60],
    ],
  },
  {
    name: 'a request that began in the last moment of a window counts in the next, if that has started',
    times: [0, minute, minute - 1, minute + 1],
    left: [
      [4, 60],
      [4, 60],
      [3, 60],
      [2, 60],
    ],
  },
  {
    name: 'the window itself stays as long as it is',
    times: [0, minute - 1, minute],
    left: [
      [4, 60],
      [3, 1],
      [4, 60],
    ],
  },
  {
    name: 'a clock that was set back by an hour starts a new one',
    times: [0, 0, 0, 0, 0, -60 * minute],
    left: [
      [4, 60],
      [3, 60],
      [2, 60],
      [1, 60],
      [0, 60],
      [4, 60],
    ],
  },
]

for (const { name, times, left } of overtaken)
  test(`window: ${name}`, async () => {
    const clock = manualClock(begin)
    const state = place.open(clock, 1)
    const token = await newToken(state, newAddress(), { rate: 5 })
    const seen: (readonly [number | undefined, number | undefined])[] = []
    for (const time of times) {
      clock.advance(begin + time - clock.now())
      const window = (await state.admit(token)).admitted?.window
      assert.equal(window?.isExceeded, false)
      seen.push([window?.remaining, window?.resetSeconds])
    }
    assert.deepEqual(seen, left)
  })

test('window: requests of instances that overtake each other at its start and its end are counted once each', async () => {
  const clocks = [-3, 0, 2, 5].map((off) => manualClock(begin + off))
  const states = clocks.map((clock) => place.open(clock))
  const token = await newToken(states[0] as State, newAddress(), { rate: 100 })
  for (const time of [0, minute]) {
    for (const [at, clock] of clocks.entries()) clock.advance(begin + time + ([-3, 0, 2, 5][at] ?? 0) - clock.now())
    // The first of them decides where the window starts; the others are a moment earlier or later.
    await states[2]?.admit(token)
    const seen = await atOnce(119, async (at) => (await states[at % 4]?.admit(token))?.admitted?.window)
    assert.deepEqual(tally(seen.map((window) => String(window?.isExceeded))), { false: 99, true: 20 })
    const left = seen.filter((window) => !window?.isExceeded).map((window) => Number(window?.remaining))
    assert.deepEqual(
      left.toSorted((one, other) => one - other),
      Array.from({ length: 99 }, (_, at) => at),
    )
  }
})

test('window: after a clock was set back by half a minute, a caller that waits for Retry-After is served', async () => {
  const clock = manualClock(begin)
  const state = place.open(clock, 1)
  const token = await newToken(state, newAddress(), { rate: 1 })
  await state.admit(token)
  clock.advance(-30 * second)
  const window = (await state.admit(token)).admitted?.window
  if (window?.isExceeded) {
    clock.advance(window.resetSeconds * second)
    assert.equal((await state.admit(token)).admitted?.window.isExceeded, false)
  }
})

test('token window: shown without counting, and by the same clock as it is counted', async () => {
  const [state, address] = [place.open(), newAddress()]
  const fresh = { limit: 10, remaining: 10, resetSeconds: 60, isExceeded: false }
  assert.deepEqual(await state.tokenWindow(address), fresh)
  const key = await newKey(state)
  const { window } = await state.requestToken(attemptOf(key, address))
  for (let looks = 0; looks < 3; looks += 1) {
    const shown = await state.tokenWindow(address)
    assert.deepEqual([shown.remaining, window.remaining], [9, 9])
    assert.ok(shown.resetSeconds <= window.resetSeconds && shown.resetSeconds > 30)
  }
  await place.rows('UPDATE windows SET started_at = started_at - 60000 WHERE name LIKE $1', [`%${address}`])
  assert.deepEqual(await state.tokenWindow(address), fresh)
})

/** Forgets what has run out, as every instance does once a minute. */
async function sweepAt(time: number, isDone: () => Promise<boolean>): Promise<void> {
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    place.open(manualClock(time), 1)
    mock.timers.tick(minute)
    await until('all that has run out is gone', isDone)
  } finally {
    mock.timers.reset()
  }
}

test('sweep: expired rows are deleted, others are kept', async () => {
  const clock = manualClock(begin)
  const state = place.open(clock, 1)
  const count = async (table: string) => Number((await place.rows(`SELECT count(*) FROM ${table}`))[0]?.[0])
  for (const table of ['tokens', 'windows', 'failures']) await place.rows(`DELETE FROM ${table}`)
  const [old, series, blocked, late] = [newAddress(), newAddress(), newAddress(), newAddress()]
  const key = await newKey(state)
  const token = await newToken(state, newAddress())
  await state.admit(token)
  await failTimes(state, 1, key.accessKey, old)
  await failTimes(state, 1, key.accessKey, late)
  clock.advance(1)
  const younger = await newToken(state, newAddress())
  await failTimes(state, 4, key.accessKey, series)
  clock.advance(14 * minute)
  // A block outlives the series that led to it; the address's own series, which led to none, is forgotten.
  await failTimes(state, 4, key.accessKey, late)
  await failTimes(state, 5, key.accessKey, blocked)
  clock.advance(minute - 1)
  assert.deepEqual([await count('tokens'), await count('failures')], [2, 8])

  await sweepAt(begin + 15 * minute, async () => (await count('failures')) === 5)
  assert.deepEqual([await count('tokens'), await count('failures')], [1, 5])
  // Of the windows, those of the last minute.
  const names = (await place.rows('SELECT name FROM windows ORDER BY name')).map(([name]) => name)
  assert.deepEqual(names, [`token ${blocked}`, `token ${late}`].toSorted())
  assert.deepEqual(
    [(await state.admit(token)).admitted, (await state.admit(younger)).admitted?.window.remaining],
    [null, 59],
  )
  await failTimes(state, 1, key.accessKey, series)
  for (const address of [series, blocked, late])
    assert.equal((await state.requestToken(attemptOf(key, address))).is, 'blocked')
  assert.equal((await state.requestToken(attemptOf(key, old))).is, 'granted')
})

test('an unknown token and no token: not admitted, nothing is counted or stored', async () => {
  const state = place.open(manualClock(begin), 1)
  const before = await place.rows('SELECT * FROM windows ORDER BY name')
  for (const token of [null, hashSecret('svc_at_unknown')])
    assert.deepEqual(await state.admit(token), { isEnabled: true, admitted: null })
  assert.deepEqual(await place.rows('SELECT * FROM windows ORDER BY name'), before)
})
