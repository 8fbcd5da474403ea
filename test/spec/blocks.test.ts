// Brute-force protection on /auth/token: 5 failures of a key from an address, or 20 from an address, block it for 15
// minutes; what counts as a failure, when failures are forgotten, and that nothing gets around it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret } from '../../src/auth/secrets.ts'
import type { KeyChanges, State } from '../../src/state/state.ts'
import { atOnce, basicOf, grantOf, tally, wrongCode, type Credentials } from '../support/grants.ts'
import { createWorld, type Asked, type World } from '../support/world.ts'

const minute = 60_000
let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

let addresses = 0
const newAddress = () => `10.3.${(addresses += 1) >> 8}.${addresses & 255}`
const wrong = (key: Credentials) => ({ ...key, securityCode: wrongCode })
const stranger = (name: string | number) => ({ accessKey: `svc_ak_stranger_${name}`, securityCode: wrongCode })

// The error of a token request, or "granted".
async function attempt(key: Credentials, address: string, asked: Asked = {}): Promise<string> {
  const { body } = await world.signIn(grantOf(key), { address, ...asked })
  return body.error ?? 'granted'
}

async function attempts(count: number, key: Credentials, address: string): Promise<string[]> {
  const results: string[] = []
  for (let done = 0; done < count; done += 1) results.push(await attempt(key, address))
  return results
}

const times = (count: number, result: string) => Array.from({ length: count }, () => result)

// Failures of as many strangers, ten a minute.
async function strangersFail(count: number, address: string) {
  for (let done = 0; done < count; done += 1) {
    assert.equal(await attempt(stranger(done), address), 'invalid_client', `failure ${done + 1}`)
    if (done % 10 === 9) world.clock.advance(minute)
  }
}

test('block: five failures of a key from an address, and even the right code is refused for 15 minutes', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  assert.deepEqual(await attempts(5, wrong(key), address), times(5, 'invalid_client'))
  const { status, headers, body } = await world.signIn(grantOf(key), { address })
  assert.deepEqual([status, body.error, headers['Retry-After']], [429, 'too_many_attempts', '900'])
  assert.equal(body.access_token, undefined)
})

test('block: four failures do not block', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await attempts(4, wrong(key), address)
  assert.equal(await attempt(key, address), 'granted')
})

test('block: of a key and an address, it holds neither for another key nor for another address', async () => {
  const [key, other, address] = [await world.makeKey(), await world.makeKey(), newAddress()]
  await attempts(5, wrong(key), address)
  assert.equal(await attempt(other, address), 'granted')
  assert.equal(await attempt(key, newAddress()), 'granted')
  assert.equal(await attempt(key, address), 'too_many_attempts')
})

test('block: a key that nobody has is blocked like any other', async () => {
  const address = newAddress()
  assert.deepEqual(await attempts(6, stranger('x'), address), [...times(5, 'invalid_client'), 'too_many_attempts'])
})

test('block: it lasts 15 minutes from the failure that set it, and Retry-After says how long', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  for (let failures = 0; failures < 5; failures += 1) {
    if (failures > 0) world.clock.advance(2 * minute)
    assert.equal(await attempt(wrong(key), address), 'invalid_client')
  }
  for (const [advanceMs, retryAfter] of [
    [0, '900'],
    [1, '900'],
    [999, '899'],
    [13 * minute, '119'],
    [2 * minute - 2000, '1'],
    [999, '1'],
  ] as const) {
    world.clock.advance(advanceMs)
    const { headers, body } = await world.signIn(grantOf(key), { address })
    assert.deepEqual([body.error, headers['Retry-After']], ['too_many_attempts', retryAfter])
  }
  world.clock.advance(1)
  assert.equal(await attempt(key, address), 'granted')
})

test('block: once it is over, five more failures are needed for the next', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await attempts(5, wrong(key), address)
  world.clock.advance(15 * minute)
  assert.deepEqual(await attempts(6, wrong(key), address), [...times(5, 'invalid_client'), 'too_many_attempts'])
})

test('series: failures are forgotten 15 minutes after the first of them', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await attempt(wrong(key), address)
  world.clock.advance(14 * minute)
  await attempts(3, wrong(key), address)
  world.clock.advance(minute)
  // All four are forgotten, the late ones too: a new series starts.
  assert.deepEqual(await attempts(6, wrong(key), address), [...times(5, 'invalid_client'), 'too_many_attempts'])
})

test('series: a millisecond before that, the fifth failure blocks', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await attempts(4, wrong(key), address)
  world.clock.advance(15 * minute - 1)
  assert.deepEqual(await attempts(2, wrong(key), address), ['invalid_client', 'too_many_attempts'])
})

test("series: a success clears the key's [N9]", async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  for (let round = 0; round < 4; round += 1) {
    assert.deepEqual(await attempts(4, wrong(key), address), times(4, 'invalid_client'), `round ${round}`)
    assert.equal(await attempt(key, address), 'granted')
    world.clock.advance(minute)
  }
})

test("series: a success clears none of the key's at another address [N9]", async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await attempts(4, wrong(key), address)
  assert.equal(await attempt(key, newAddress()), 'granted')
  assert.deepEqual(await attempts(2, wrong(key), address), ['invalid_client', 'too_many_attempts'])
})

test("series: a success clears neither the address's nor another key's [N9]", async () => {
  const [key, other, address] = [await world.makeKey(), await world.makeKey(), newAddress()]
  await attempts(4, wrong(other), address)
  for (let round = 0; round < 4; round += 1) {
    assert.equal(await attempt(key, address), 'granted')
    world.clock.advance(minute)
    await attempts(4, wrong(key), address)
  }
  // 20 failures: the address is blocked, also for a key that never failed.
  assert.equal(await attempt(await world.makeKey(), address), 'too_many_attempts')
  const elsewhere = newAddress()
  await attempts(4, wrong(other), elsewhere)
  assert.equal(await attempt(key, elsewhere), 'granted')
  assert.deepEqual(await attempts(2, wrong(other), elsewhere), ['invalid_client', 'too_many_attempts'])
})

test('block: twenty failures from an address block it for every key, and whatever it sends', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await strangersFail(19, address)
  assert.equal(await attempt(key, address), 'granted')
  world.clock.advance(minute)
  assert.equal(await attempt(stranger('last'), address), 'invalid_client')
  for (const body of [grantOf(key), grantOf(stranger('new')), grantOf(key, { grant_type: 'x' }), {}, 'a=1&a=2']) {
    const answer = await world.signIn(body, { address })
    assert.deepEqual(
      [answer.status, answer.body.error, answer.headers['Retry-After']],
      [429, 'too_many_attempts', '900'],
    )
  }
  const unreadable = await world.signIn('{', { address, contentType: 'text/plain' })
  assert.equal(unreadable.body.error, 'too_many_attempts')
  assert.equal(await attempt(key, newAddress()), 'granted')
  world.clock.advance(15 * minute - 1)
  assert.equal(await attempt(key, address), 'too_many_attempts')
  world.clock.advance(1)
  assert.equal(await attempt(key, address), 'granted')
})

test("series: an address's failures too are forgotten 15 minutes after the first", async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await strangersFail(19, address)
  // The nineteen took a minute; the series is over 15 minutes after its start.
  world.clock.advance(14 * minute)
  await strangersFail(10, address)
  assert.equal(await attempt(key, address), 'granted')
})

test('block: of two, Retry-After tells of the longer', async () => {
  const address = newAddress()
  const key = await world.makeKey()
  await attempts(5, wrong(key), address)
  world.clock.advance(5 * minute)
  await strangersFail(15, address)
  const { headers } = await world.signIn(grantOf(key), { address })
  assert.equal(headers['Retry-After'], '900')
})

test('block: a change that lets a key in again ends its blocks, and no others', async () => {
  const { state } = world
  const [key, other, elsewhere] = [await world.makeKey(), await world.makeKey(), newAddress()]
  await attempts(5, wrong(other), elsewhere)
  const change = (changes: KeyChanges) => state.updateKey(key.accessKey, changes)
  const renew = (code: string) => state.regenerateKey(key.accessKey, hashSecret(code))
  const cases: readonly [refuse: () => Promise<unknown>, admit: () => Promise<unknown>][] = [
    [() => change({ isDisabled: true }), () => change({ isDisabled: false })],
    [() => change({ addresses: ['192.0.2.1'] }), () => change({ addresses: null })],
    [() => change({ expires: { day: '2026-10-01', at: world.clock.now() } }), () => change({ expires: null })],
    [() => renew('lost'), () => renew(key.securityCode)],
  ]
  for (const [at, [refuse, admit]] of cases.entries()) {
    const address = newAddress()
    await refuse()
    assert.deepEqual(await attempts(5, key, address), times(5, 'invalid_client'))
    await change({ name: `Other ${at}` })
    const late = await state.updateKey(key.accessKey, { addresses: null, isDisabled: false }, 'ada', { name: 'Nobody' })
    assert.equal(late, 'changed meanwhile')
    assert.equal(await attempt(key, address), 'too_many_attempts')
    await admit()
    assert.equal(await attempt(key, address), 'granted', `case ${at}`)
  }
  assert.equal(await attempt(other, elsewhere), 'too_many_attempts')
})

test('failures: a refused request is neither counted nor evaluated, and does not make a block longer', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await attempts(5, wrong(key), address)
  assert.deepEqual(tally(await attempts(40, wrong(key), address)), { too_many_attempts: 40 })
  world.clock.advance(minute)
  // Five of twenty failures of the address: fourteen more do not block it.
  await strangersFail(14, address)
  assert.equal(await attempt(await world.makeKey(), address), 'granted')
  world.clock.advance(13 * minute)
  assert.equal(await attempt(key, address), 'granted')
})

test('failures: a request over the token rate is neither counted nor evaluated', async () => {
  const [key, other, address] = [await world.makeKey(), await world.makeKey(), newAddress()]
  await attempts(4, wrong(key), address)
  await attempts(6, other, address)
  assert.deepEqual(await attempts(20, wrong(key), address), times(20, 'rate_limited'))
  const right = await world.signIn(grantOf(key), { address })
  assert.deepEqual([right.body.error, right.body.access_token], ['rate_limited', undefined])
  world.clock.advance(minute)
  assert.deepEqual(await attempts(2, wrong(key), address), ['invalid_client', 'too_many_attempts'])
})

test('failures: only invalid_client is one [N11]', async () => {
  const [key, address] = [await world.makeKey({ permissions: 'vendors:read' }), newAddress()]
  const others: [string, Record<string, string>, Asked?][] = [
    ['invalid_scope', grantOf(key, { scope: 'products:read' })],
    ['unsupported_grant_type', grantOf(wrong(key), { grant_type: 'password' })],
    ['invalid_request', grantOf(wrong(key), { grant_type: '' })],
    ['invalid_request', grantOf(wrong(key)), { contentType: 'text/plain' }],
    ['https_required', grantOf(wrong(key)), { isSecure: false }],
    ['method_not_allowed', grantOf(wrong(key)), { method: 'PUT' }],
  ]
  for (const [error, body, asked] of others) {
    for (let sent = 0; sent < 9; sent += 1)
      assert.equal((await world.signIn(body, { ...asked, address })).body.error, error)
    assert.equal(await attempt(key, address), 'granted', error)
    world.clock.advance(minute)
  }
})

test('failures: without a subscription nothing is counted', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await world.state.setEnabled(false)
  assert.deepEqual(tally(await attempts(30, wrong(key), address)), { api_not_enabled: 30 })
  await world.state.setEnabled(true)
  assert.equal(await attempt(key, address), 'granted')
})

test('failures: missing credentials count for the address [N10]', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await strangersFail(16, address)
  for (let sent = 0; sent < 4; sent += 1)
    assert.equal((await world.signIn({ grant_type: 'client_credentials' }, { address })).body.error, 'invalid_client')
  assert.equal(await attempt(key, address), 'too_many_attempts')
})

test("failures: they count against the body's key when the body holds both credentials, else against Basic's", async () => {
  const [inBody, inBasic] = [await world.makeKey(), await world.makeKey()]
  const authorization = [basicOf(wrong(inBasic))]
  const both = newAddress()
  for (let sent = 0; sent < 5; sent += 1) await world.signIn(grantOf(wrong(inBody)), { address: both, authorization })
  assert.equal(await attempt(inBasic, both), 'granted')
  assert.equal(await attempt(inBody, both), 'too_many_attempts')
  const one = newAddress()
  const keyOnly = { grant_type: 'client_credentials', client_id: inBody.accessKey }
  for (let sent = 0; sent < 5; sent += 1) await world.signIn(keyOnly, { address: one, authorization })
  assert.equal(await attempt(inBody, one), 'granted')
  assert.equal(await attempt(inBasic, one), 'too_many_attempts')
})

test('block: tokens that were granted before go on working', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  const { body } = await world.signIn(grantOf(key), { address })
  await attempts(5, wrong(key), address)
  assert.equal((await world.ask('/ping', { token: body.access_token, address })).status, 200)
})

const startState = () => world.place.startState(world.clock)

// The same as attempt, asked of another instance on the same file.
const attemptOver = (state: State) => {
  const ask = world.askWith({ state })
  return async (key: Credentials, address: string): Promise<string> => {
    const body = new URLSearchParams(grantOf(key)).toString()
    const contentType = 'application/x-www-form-urlencoded'
    return (await ask('/auth/token', { method: 'POST', contentType, body, address })).body.error ?? 'granted'
  }
}

test('block: it and the series before it survive a restart', async () => {
  const [key, other, address] = [await world.makeKey(), await world.makeKey(), newAddress()]
  const first = await startState()
  for (let failures = 0; failures < 5; failures += 1) await attemptOver(first)(wrong(key), address)
  for (let failures = 0; failures < 4; failures += 1) await attemptOver(first)(wrong(other), address)
  await first.close()
  const second = await startState()
  try {
    const attemptAgain = attemptOver(second)
    assert.equal(await attemptAgain(key, address), 'too_many_attempts')
    assert.equal(await attemptAgain(wrong(other), address), 'invalid_client')
    assert.equal(await attemptAgain(other, address), 'too_many_attempts')
  } finally {
    await second.close()
  }
})

test('concurrency: of 50 wrong attempts at once exactly 5 are evaluated', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  const errors = await atOnce(50, () => attempt(wrong(key), address))
  assert.deepEqual(tally(errors), { invalid_client: 5, too_many_attempts: 45 })
})

test('concurrency: the same through two instances with one state', async () => {
  const second = await startState()
  try {
    // Both threads run before the attempts begin, or the first would answer them all.
    await second.isEnabled()
    const attempted = [attempt, attemptOver(second)]
    for (let round = 0; round < 10; round += 1) {
      const [key, address] = [await world.makeKey(), newAddress()]
      const errors = await atOnce(50, (index) => attempted[index % 2]?.(wrong(key), address) ?? Promise.resolve(''))
      assert.deepEqual(tally(errors), { invalid_client: 5, too_many_attempts: 45 })
    }
  } finally {
    await second.close()
  }
})

test('concurrency: the twentieth failure of an address is the last that is evaluated', async () => {
  const address = newAddress()
  await strangersFail(19, address)
  world.clock.advance(minute)
  const errors = await atOnce(9, (index) => attempt(stranger(`late ${index}`), address))
  assert.deepEqual(tally(errors), { invalid_client: 1, too_many_attempts: 8 })
})
