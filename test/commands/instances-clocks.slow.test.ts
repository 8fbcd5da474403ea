// Instances whose clocks are five minutes ahead, right, and five minutes behind: windows, blocks, Retry-After and the end
// of a token are by the clock of the state's database, and the same at each of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { makeSecurityCode } from '../../src/auth/secrets.ts'
import { atOnce, tally } from '../support/grants.ts'
import { startInstances, type Instances } from '../support/instances.ts'
import type { Answer } from '../support/process.ts'
import { clockOff } from '../support/shifted-clock.ts'

const fiveMinutes = 300_000
const shifts = [fiveMinutes, 0, -fiveMinutes]
let instances: Instances
before(async () => {
  instances = await startInstances(shifts.map(clockOff))
})
after(() => instances.remove())

const everywhere = <Result>(run: (at: number) => Promise<Result>) => Promise.all(shifts.map((_, at) => run(at)))
const header = (answer: Answer, name: string) => Number(answer.headers[name])
const databaseNow = async () =>
  Number((await instances.query('SELECT (extract(epoch FROM clock_timestamp()) * 1000)::bigint AS now'))[0]?.['now'])

/** Reads the seconds left several times: they must count down as on one clock. */
async function assertOneClock(most: number, tell: (turn: number) => Promise<number>) {
  const startedAt = performance.now()
  const told: number[] = []
  for (let turn = 0; turn < 6; turn += 1) told.push(await tell(turn))
  const passed = Math.ceil((performance.now() - startedAt) / 1000)
  assert.deepEqual(
    told,
    told.toSorted((one, other) => other - one),
  )
  assert.ok(
    told.every((seconds) => seconds <= most && seconds >= most - 30 - passed),
    `${told.join(' ')} of ${most}`,
  )
  assert.ok(Math.max(...told) - Math.min(...told) <= passed, told.join(' '))
}

test('the clocks of the instances are indeed five minutes apart', async () => {
  const answers = await everywhere((at) => instances.ask(at, '/status'))
  const times = answers.map(({ body }) => Date.parse(String(body.time)) - Date.now())
  for (const [at, shift] of shifts.entries()) assert.ok(Math.abs((times[at] ?? 0) - shift) < 60_000, times.join(' '))
})

test('a token of any instance works at every other, at once', async () => {
  const key = await instances.makeKey()
  for (const from of shifts.keys()) {
    const token = await instances.tokenOf(key, from)
    assert.deepEqual(
      await everywhere(async (at) => (await instances.ask(at, '/ping', { token })).status),
      [200, 200, 200],
    )
  }
})

test('a token lasts 900 seconds of the database, whoever granted it and whoever is asked', async () => {
  const key = await instances.makeKey()
  const mine = 'WHERE access_key = $1'
  for (const from of shifts.keys()) {
    await instances.query(`DELETE FROM tokens ${mine}`, [key.client_id])
    const earliest = await databaseNow()
    const token = await instances.tokenOf(key, from)
    const latest = await databaseNow()
    const [stored] = await instances.query(`SELECT expires_at FROM tokens ${mine}`, [key.client_id])
    const expiresAt = Number(stored?.['expires_at'])
    assert.ok(expiresAt >= earliest + 900_000 && expiresAt <= latest + 900_000)
    // A minute before its end, and a minute after: less than the clocks are apart.
    for (const [leftMs, status] of [
      [60_000, 200],
      [-60_000, 401],
    ] as const) {
      await instances.query(`UPDATE tokens SET expires_at = $2 ${mine}`, [
        key.client_id,
        (await databaseNow()) + leftMs,
      ])
      const answers = await everywhere(async (at) => (await instances.ask(at, '/ping', { token })).status)
      assert.deepEqual(answers, [status, status, status])
    }
  }
})

test('the window of a key is one for all: it counts down, and its seconds agree', async () => {
  const token = await instances.tokenOf(await instances.makeKey({ rate: '60' }))
  let left = 60
  await assertOneClock(60, async (turn) => {
    const answer = await instances.ask(turn, '/ping', { token })
    assert.equal(header(answer, 'x-ratelimit-remaining'), (left -= 1))
    return header(answer, 'x-ratelimit-reset')
  })
})

test('200 parallel requests on a rate of 60 are exactly 60, and all are told to wait as long', async () => {
  const token = await instances.tokenOf(await instances.makeKey({ rate: '60' }))
  const answers = await atOnce(200, (at) => instances.ask(at, '/ping', { token }))
  assert.deepEqual(tally(answers.map(({ status }) => status)), { 200: 60, 429: 140 })
  await assertOneClock(60, async (turn) => header(await instances.ask(turn, '/ping', { token }), 'retry-after'))
})

test('a window that is over in the database is over everywhere, and one that is not, nowhere', async () => {
  const key = await instances.makeKey({ rate: '2' })
  const token = await instances.tokenOf(key)
  const ages = async (at: number, ageMs: number) => {
    const started = (await databaseNow()) - ageMs
    await instances.query('UPDATE windows SET started_at = $2, count = 2 WHERE name LIKE $1', [
      `%${key.client_id}`,
      started,
    ])
    return (await instances.ask(at, '/ping', { token })).status
  }
  await instances.ask(0, '/ping', { token })
  for (const at of shifts.keys()) assert.deepEqual([await ages(at, 40_000), await ages(at, 60_000)], [429, 200])
})

test('the token window of an address is one for all: ten, then Retry-After from one clock', async () => {
  const [key, from] = [await instances.makeKey(), instances.newAddress()]
  const answers = await atOnce(30, (at) => instances.signIn(at, key, from))
  assert.deepEqual(tally(answers.map(({ status }) => status)), { 200: 10, 429: 20 })
  await assertOneClock(60, async (turn) => header(await instances.signIn(turn, key, from), 'retry-after'))
})

test('a block is one for all: five wrong codes over the instances, and Retry-After from one clock', async () => {
  const [key, from] = [await instances.makeKey(), instances.newAddress()]
  const wrong = { ...key, client_secret: makeSecurityCode() }
  for (let turn = 0; turn < 5; turn += 1) assert.equal((await instances.signIn(turn, wrong, from)).status, 401)
  await assertOneClock(900, async (turn) => {
    const answer = await instances.signIn(turn, key, from)
    assert.deepEqual([answer.status, answer.body.error], [429, 'too_many_attempts'])
    return header(answer, 'retry-after')
  })
})

test('a block that is over in the database is over everywhere, and one that is not, nowhere', async () => {
  for (const at of shifts.keys()) {
    const [key, from] = [await instances.makeKey(), instances.newAddress()]
    const wrong = { ...key, client_secret: makeSecurityCode() }
    await atOnce(5, (turn) => instances.signIn(turn, wrong, from))
    for (const [leftMs, status] of [
      [60_000, 429],
      [0, 200],
    ] as const) {
      const ends = (await databaseNow()) + leftMs
      await instances.query('UPDATE failures SET blocked_until = $2 WHERE address = $1', [from, ends])
      assert.equal((await instances.signIn(at, key, from)).status, status)
    }
  }
})

test('a series of failures goes on wherever the next one happens: the fifth blocks', async () => {
  for (const first of shifts.keys()) {
    const [key, from] = [await instances.makeKey(), instances.newAddress()]
    const wrong = { ...key, client_secret: makeSecurityCode() }
    for (let turn = 0; turn < 5; turn += 1)
      assert.equal((await instances.signIn(first + turn, wrong, from)).status, 401)
    for (const at of shifts.keys()) assert.equal((await instances.signIn(at, key, from)).status, 429)
  }
})
