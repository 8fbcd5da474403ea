// The headers of every response, whatever the route and the answer, and which window X-RateLimit-* shows when.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { grantOf, strangeToken } from '../support/grants.ts'
import { allPaths, credentialsPaths, dataPaths, listPaths, tokenPaths } from '../support/routes.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

const anonymousRate = 5000
let world: World
let token = ''
let unable = ''
before(async () => {
  world = await createWorld({ anonymousRate })
  token = await world.tokenFor()
  unable = await world.tokenFor({ permissions: 'costs:read' })
})
after(() => world.close())

const windowOf = ({ headers }: Answer) =>
  ['Limit', 'Remaining', 'Reset'].map((part) => Number(headers[`X-RateLimit-${part}`]))

const kinds: readonly { name: string; paths: readonly string[]; asked: () => Asked }[] = [
  { name: 'answers with a token', paths: tokenPaths, asked: () => ({ token }) },
  { name: 'the public route', paths: ['/status'], asked: () => ({}) },
  { name: 'refused methods', paths: allPaths, asked: () => ({ method: 'PATCH' }) },
  { name: 'HEAD', paths: allPaths, asked: () => ({ method: 'HEAD', token }) },
  { name: 'OPTIONS', paths: allPaths, asked: () => ({ method: 'OPTIONS' }) },
  { name: 'missing tokens', paths: tokenPaths, asked: () => ({}) },
  { name: 'invalid tokens', paths: tokenPaths, asked: () => ({ token: strangeToken }) },
  { name: 'missing permissions', paths: dataPaths, asked: () => ({ token: unable }) },
  { name: 'faults', paths: listPaths.map((path) => `${path}?page=x`), asked: () => ({ token }) },
  { name: 'unknown paths', paths: ['/nothing', '/api/v2/status', '/api'], asked: () => ({}) },
  { name: 'plain HTTP', paths: [...allPaths, '/nothing'], asked: () => ({ isSecure: false }) },
  { name: 'requests with credentials', paths: credentialsPaths, asked: () => ({ method: 'POST' }) },
]

for (const { name, paths, asked } of kinds) {
  test(`headers: every one is on ${name}`, async () => {
    for (const path of paths) {
      const request = asked()
      const { headers } = await world.ask(path, request)
      assert.equal(headers['Cache-Control'], 'no-store', path)
      assert.equal(headers['X-Content-Type-Options'], 'nosniff', path)
      assert.equal(headers['Content-Type'], 'application/json; charset=utf-8', path)
      assert.match(headers['X-Request-Id'] ?? '', /^[\w-]{16,}$/, path)
      const isPlain = request.isSecure === false
      if (isPlain) assert.equal(headers['Strict-Transport-Security'], undefined, path)
      else assert.match(headers['Strict-Transport-Security'] ?? '', /^max-age=[1-9]\d{6,}(;|$)/, path)
      for (const part of ['Limit', 'Remaining', 'Reset'])
        assert.match(headers[`X-RateLimit-${part}`] ?? '', /^(0|[1-9][0-9]*)$/, path)
      const given = Object.keys(headers).map((header) => header.toLowerCase())
      for (const banned of ['etag', 'last-modified', 'server', 'x-powered-by', 'location', 'set-cookie', 'via'])
        assert.ok(!given.includes(banned), `${path} ${banned}`)
      assert.equal(new Set(given).size, given.length, 'each header once')
    }
  })
}

test('headers: no two requests have the same id', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => world.ask('/status')))
  assert.equal(new Set(answers.map(({ headers }) => headers['X-Request-Id'])).size, 200)
})

test('headers: a list repeats its total in X-Total-Count, and nothing else has that header', async () => {
  for (const path of tokenPaths) {
    const { headers, body } = await world.ask(path, { token })
    assert.equal(headers['X-Total-Count'], listPaths.includes(path) ? String(body.meta.total) : undefined, path)
  }
  assert.equal((await world.ask('/products?page=9999', { token })).headers['X-Total-Count'], '0')
})

test("headers: a valid token shows its key's window, on unknown paths and refused methods too", async () => {
  const mine = await world.tokenFor({ rate: '500', permissions: 'vendors:read' })
  const targets: [string, Asked?][] = [
    ['/ping'],
    ['/resources'],
    ['/vendors'],
    ['/vendors/1'],
    ['/products'],
    ['/vendors?page=0'],
    ['/nothing'],
    ['/api/v2/products'],
    ['/products', { method: 'POST' }],
    ['/ping?x'],
  ]
  for (const [index, [target, asked]] of targets.entries()) {
    const answer = await world.ask(target, { ...asked, token: mine })
    assert.deepEqual(windowOf(answer), [500, 499 - index, 60], target)
  }
})

test('headers: a request counts for its key while the subscription is off', async () => {
  const mine = await world.tokenFor({ rate: '500' })
  await world.state.setEnabled(false)
  const refused = await world.ask('/ping', { token: mine })
  await world.state.setEnabled(true)
  assert.deepEqual([refused.status, ...windowOf(refused)], [503, 500, 499, 60])
  assert.deepEqual(windowOf(await world.ask('/ping', { token: mine })), [500, 498, 60])
})

test('headers: a request over the limit counts too, and none are left', async () => {
  const mine = await world.tokenFor({ rate: '2' })
  for (const [status, remaining] of [
    [200, 1],
    [200, 0],
    [429, 0],
    [429, 0],
  ]) {
    const answer = await world.ask('/ping', { token: mine })
    assert.deepEqual([answer.status, ...windowOf(answer)], [status, 2, remaining, 60])
  }
})

test('headers: a token over plain HTTP is not looked at: it shows the window of the address and counts for no key [N22]', async () => {
  const mine = await world.tokenFor({ rate: '500' })
  const refused = await world.ask('/ping', { token: mine, isSecure: false, address: '10.6.0.5' })
  assert.deepEqual([refused.status, ...windowOf(refused)], [403, anonymousRate, anonymousRate - 1, 60])
  assert.deepEqual(windowOf(await world.ask('/ping', { token: mine })), [500, 499, 60])
})

test('headers: callers without a valid token have the window of their address', async () => {
  const address = '10.6.0.1'
  const targets: [string, Asked?][] = [
    ['/status'],
    ['/ping'],
    ['/products', { token: strangeToken }],
    ['/products', { authorization: ['Basic YTpi'] }],
    ['/nothing'],
    ['/products', { method: 'POST' }],
    ['/products', { isSecure: false }],
  ]
  for (const [index, [target, asked]] of targets.entries()) {
    const answer = await world.ask(target, { ...asked, address })
    assert.deepEqual(windowOf(answer), [anonymousRate, anonymousRate - 1 - index, 60], target)
  }
  const other = await world.ask('/status', { address: '10.6.0.2' })
  assert.deepEqual(windowOf(other), [anonymousRate, anonymousRate - 1, 60])
})

test('headers: /status looks at no token: it shows the window of the address and counts for no key', async () => {
  const mine = await world.tokenFor({ rate: '500' })
  const answer = await world.ask('/status', { token: mine, address: '10.6.0.3' })
  assert.deepEqual(windowOf(answer), [anonymousRate, anonymousRate - 1, 60])
  assert.deepEqual(windowOf(await world.ask('/ping', { token: mine })), [500, 499, 60])
})

test('headers: /auth/token shows the token window of the address, whatever the answer', async () => {
  const key = await world.makeKey()
  const address = '10.6.0.4'
  const counted = [
    grantOf(key),
    grantOf({ ...key, securityCode: 'wrong' }),
    {},
    grantOf(key, { scope: 'nothing' }),
    grantOf(key, { grant_type: 'password' }),
  ]
  for (const [index, body] of counted.entries())
    assert.deepEqual(windowOf(await world.signIn(body, { address })), [10, 9 - index, 60])
  // Refused before it is a token request: shown, not counted.
  for (const asked of [{ method: 'GET' }, { isSecure: false }, { method: 'GET', token }, { method: 'HEAD' }])
    assert.deepEqual(
      windowOf(await world.signIn(grantOf(key), { address, ...asked })),
      [10, 5, 60],
      JSON.stringify(asked),
    )
  await world.state.setEnabled(false)
  assert.deepEqual(windowOf(await world.signIn(grantOf(key), { address })), [10, 5, 60])
  await world.state.setEnabled(true)
  assert.deepEqual(windowOf(await world.signIn(grantOf(key), { address, token })), [10, 4, 60])
})

// Each kind of window: how to make one request of a new caller.
const windows: readonly { name: string; caller: () => Promise<() => Promise<Answer>> }[] = [
  {
    name: 'of a key',
    async caller() {
      const mine = await world.tokenFor({ rate: '500' })
      return () => world.ask('/ping', { token: mine })
    },
  },
  { name: 'of an address', caller: async () => () => world.ask('/status', { address: '10.6.1.1' }) },
  { name: 'of token requests', caller: async () => () => world.signIn('', { address: '10.6.1.2' }) },
]

for (const { name, caller } of windows) {
  test(`headers: the window ${name} starts with the first request and lasts 60 seconds`, async () => {
    const ask = await caller()
    // Neither a multiple of a minute nor of a second.
    world.clock.advance(12_345)
    const limit = windowOf(await ask())[0] ?? 0
    const steps: [advanceMs: number, used: number, reset: number][] = [
      [0, 2, 60],
      [1, 3, 60],
      [998, 4, 60],
      [1, 5, 59],
      [58_000, 6, 1],
      [999, 7, 1],
      [1, 1, 60],
      [30_500, 2, 30],
      // Long after: a new window starts with this request, not with the clock's minute.
      [200_000, 1, 60],
      [59_999, 2, 1],
    ]
    for (const [advanceMs, used, reset] of steps) {
      world.clock.advance(advanceMs)
      assert.deepEqual(windowOf(await ask()), [limit, limit - used, reset], `${advanceMs} ms later`)
    }
  })
}
