// Request rates: a minute and key, a minute and address without a valid token, and token requests, exact under load.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { atOnce, grantOf, strangeToken, tally } from '../support/grants.ts'
import { engineUnderTest } from '../support/place.ts'
import { tokenPaths } from '../support/routes.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

const anonymousRate = 5
let world: World
before(async () => {
  world = await createWorld({ anonymousRate })
})
after(() => world.close())

let addresses = 0
const newAddress = () => `10.1.0.${(addresses += 1)}`
const statuses = (answers: readonly Answer[]) => tally(answers.map(({ status }) => status))
const codeOf = ({ status, body }: Answer) => (status === 200 ? 200 : (body.error.code ?? body.error))

test('key: without another rate, exactly 60 of 200 requests at once pass', async () => {
  const token = await world.tokenFor({ rate: undefined })
  const answers = await atOnce(200, () => world.ask('/ping', { token }))
  assert.deepEqual(statuses(answers), { 200: 60, 429: 140 })
  const remaining = answers
    .filter(({ status }) => status === 200)
    .map(({ headers }) => headers['X-RateLimit-Remaining'])
  assert.equal(new Set(remaining).size, 60, 'each of them is told another number')
  for (const { status, headers, body } of answers) {
    assert.equal(headers['X-RateLimit-Limit'], '60')
    if (status === 200) continue
    assert.equal(body.error.code, 'rate_limited')
    assert.deepEqual([headers['X-RateLimit-Remaining'], headers['Retry-After']], ['0', '60'])
  }
})

test('key: the rate is the one that the key has', async () => {
  for (const rate of [1, 7, 100]) {
    const token = await world.tokenFor({ rate: String(rate) })
    const answers = await atOnce(rate + 5, () => world.ask('/ping', { token }))
    assert.deepEqual(statuses(answers), { 200: rate, 429: 5 })
  }
})

test('key: all its tokens and all routes share one window, whatever the address', async () => {
  const key = await world.makeKey({ rate: '40' })
  const tokens = await atOnce(3, async () => {
    const { body } = await world.signIn(grantOf(key), { address: newAddress() })
    return String(body.access_token)
  })
  const answers = await atOnce(60, (index) => {
    const token = tokens[index % 3] ?? null
    return world.ask(tokenPaths[index % tokenPaths.length] ?? '', { token, address: `10.1.1.${index}` })
  })
  assert.equal(answers.filter(({ status }) => status === 429).length, 20)
})

test('key: each has a window of its own', async () => {
  const [one, other] = [await world.tokenFor({ rate: '3' }), await world.tokenFor({ rate: '3' })]
  assert.deepEqual(statuses(await atOnce(5, () => world.ask('/ping', { token: one }))), { 200: 3, 429: 2 })
  assert.deepEqual(statuses(await atOnce(5, () => world.ask('/ping', { token: other }))), { 200: 3, 429: 2 })
})

test('key: the next window opens 60 seconds after the first request, and Retry-After leads there', async () => {
  const token = await world.tokenFor({ rate: '2' })
  const ask = () => world.ask('/ping', { token })
  assert.deepEqual(statuses(await atOnce(3, ask)), { 200: 2, 429: 1 })
  world.clock.advance(20_500)
  const refused = await ask()
  assert.deepEqual([refused.status, refused.headers['Retry-After']], [429, '40'])
  world.clock.advance(39_499)
  assert.equal((await ask()).headers['Retry-After'], '1')
  world.clock.advance(1)
  assert.deepEqual(statuses(await atOnce(3, ask)), { 200: 2, 429: 1 })
})

// A file belongs to one service: several share a state on PostgreSQL.
const testShared: typeof test | undefined = engineUnderTest === 'postgres' ? test : undefined

void testShared?.('key: two instances with one state count together', async () => {
  const token = await world.tokenFor({ rate: '60' })
  const second = await world.place.startState(world.clock)
  try {
    await second.isEnabled()
    const asks = [world.ask, world.askWith({ state: second })]
    const answers = await atOnce(200, (index) => (asks[index % 2] ?? world.ask)('/ping', { token }))
    assert.deepEqual(statuses(answers), { 200: 60, 429: 140 })
  } finally {
    await second.close()
  }
})

test('key: windows survive a restart', async () => {
  const token = await world.tokenFor({ rate: '2' })
  const first = await world.place.startState(world.clock)
  await atOnce(2, () => world.askWith({ state: first })('/ping', { token }))
  await first.close()
  const second = await world.place.startState(world.clock)
  try {
    assert.equal((await world.askWith({ state: second })('/ping', { token })).status, 429)
  } finally {
    await second.close()
  }
})

const anonymous: readonly { name: string; path: string; asked: Asked; passes: number | string }[] = [
  { name: '/status', path: '/status', asked: {}, passes: 200 },
  { name: '/status with a dummy token', path: '/status', asked: { token: 'dummy' }, passes: 200 },
  { name: '/openapi.json', path: '/openapi.json', asked: {}, passes: 200 },
  { name: 'requests without a token', path: '/products', asked: {}, passes: 'missing_token' },
  { name: '/ping without a token', path: '/ping', asked: {}, passes: 'missing_token' },
  {
    name: 'requests with an invalid token',
    path: '/products/1',
    asked: { token: strangeToken },
    passes: 'invalid_token',
  },
]

for (const { name, path, asked, passes } of anonymous) {
  test(`address: exactly ${anonymousRate} of 40 at once pass for ${name}, the others are 429 rate_limited`, async () => {
    const address = newAddress()
    const answers = await atOnce(40, () => world.ask(path, { ...asked, address }))
    assert.deepEqual(tally(answers.map(codeOf)), { [passes]: anonymousRate, rate_limited: 40 - anonymousRate })
    const refused = answers.filter(({ status }) => status === 429)
    for (const { headers } of refused) {
      assert.deepEqual(
        [headers['X-RateLimit-Limit'], headers['X-RateLimit-Remaining'], headers['Retry-After']],
        [String(anonymousRate), '0', '60'],
      )
      assert.equal(headers['WWW-Authenticate'], undefined)
    }
    assert.equal((await world.ask(path, { ...asked, address: newAddress() })).status === 429, false)
    world.clock.advance(60_000)
    assert.equal(codeOf(await world.ask(path, { ...asked, address })), passes)
  })
}

test('address: unknown paths, refused methods and plain HTTP count too, and are answered as what they are', async () => {
  const address = newAddress()
  const others: [string, Asked, string][] = [
    ['/nothing', {}, 'not_found'],
    ['/products', { method: 'POST' }, 'method_not_allowed'],
    ['/products', { isSecure: false }, 'https_required'],
  ]
  for (let round = 0; round < 3; round += 1) {
    for (const [path, asked, code] of others) assert.equal(codeOf(await world.ask(path, { ...asked, address })), code)
  }
  assert.equal(codeOf(await world.ask('/status', { address })), 'rate_limited')
})

test('address: a caller with a valid token has nothing to do with it', async () => {
  const address = newAddress()
  const token = await world.tokenFor({ rate: '100' })
  await atOnce(20, () => world.ask('/ping', { address }))
  assert.deepEqual(statuses(await atOnce(20, () => world.ask('/ping', { token, address }))), { 200: 20 })
  const elsewhere = newAddress()
  await atOnce(20, () => world.ask('/ping', { token, address: elsewhere }))
  assert.equal((await world.ask('/status', { address: elsewhere })).headers['X-RateLimit-Remaining'], '4')
})

test('address: it does not shut /auth/token, and token requests do not count in it', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await atOnce(20, () => world.ask('/ping', { address }))
  assert.equal((await world.signIn(grantOf(key), { address })).status, 200)
  const elsewhere = newAddress()
  await atOnce(8, () => world.signIn(grantOf(key), { address: elsewhere }))
  assert.equal((await world.ask('/status', { address: elsewhere })).headers['X-RateLimit-Remaining'], '4')
})

test('token requests: exactly 10 of 30 at once from an address pass', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  const answers = await atOnce(30, () => world.signIn(grantOf(key), { address }))
  assert.deepEqual(tally(answers.map(codeOf)), { 200: 10, rate_limited: 20 })
  for (const { status, headers, body } of answers) {
    assert.equal(headers['X-RateLimit-Limit'], '10')
    if (status === 429) assert.deepEqual([headers['Retry-After'], body.access_token], ['60', undefined])
  }
})

test('token requests: they count per address, for all keys together, whatever the answer', async () => {
  const [key, other, address] = [await world.makeKey(), await world.makeKey(), newAddress()]
  const bodies = [grantOf(key), grantOf(other), {}, 'a=1&a=2', grantOf(key, { scope: 'x' })]
  for (const body of [...bodies, ...bodies]) assert.notEqual((await world.signIn(body, { address })).status, 429)
  for (const body of bodies) assert.equal((await world.signIn(body, { address })).body.error, 'rate_limited')
  assert.equal((await world.signIn(grantOf(key), { address: newAddress() })).status, 200)
})

test('token requests: the window is fixed, and refused requests do not push its end away', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  await world.signIn(grantOf(key), { address })
  world.clock.advance(59_000)
  await atOnce(9, () => world.signIn(grantOf(key), { address }))
  const refused = await world.signIn(grantOf(key), { address })
  assert.deepEqual([refused.status, refused.headers['Retry-After']], [429, '1'])
  world.clock.advance(1000)
  assert.deepEqual(statuses(await atOnce(12, () => world.signIn(grantOf(key), { address }))), { 200: 10, 429: 2 })
})
