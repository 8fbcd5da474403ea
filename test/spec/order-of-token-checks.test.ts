// The order of checks of POST /auth/token: subscription, block, rate of the address, body, grant type, credentials, scope.
// A request that fails several is answered by the first of them.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { grantOf, wrongCode, type Credentials } from '../support/grants.ts'
import { createWorld, type World } from '../support/world.ts'

// One company with a subscription and one without.
let on: World
let off: World
before(async () => {
  ;[on, off] = await Promise.all([createWorld(), createWorld()])
  await off.state.setEnabled(false)
})
after(() => Promise.all([on.close(), off.close()]))

const sometimes = ['Allow', 'Pragma', 'Retry-After', 'WWW-Authenticate', 'X-Total-Count']

interface TokenScenario {
  readonly name: string
  readonly isOff?: boolean
  // What the address did before: five failures, and then five more requests with another key.
  readonly before?: 'blocked' | 'exhausted' | 'blocked and exhausted'
  readonly body: (key: Credentials) => string | Record<string, string>
  readonly contentType?: string
  readonly expected: readonly [status: number, code: string, ...headers: string[]]
}

const tokenScenarios: readonly TokenScenario[] = [
  {
    name: 'no subscription stands before the body',
    isOff: true,
    body: () => 'grant_type',
    contentType: 'text/plain',
    expected: [503, 'api_not_enabled', 'Pragma', 'Retry-After'],
  },
  {
    name: 'the block stands before the rate',
    before: 'blocked and exhausted',
    body: (key) => grantOf(key),
    expected: [429, 'too_many_attempts', 'Pragma', 'Retry-After'],
  },
  {
    name: 'the block stands before the grant type',
    before: 'blocked',
    body: (key) => grantOf(key, { grant_type: 'password' }),
    expected: [429, 'too_many_attempts', 'Pragma', 'Retry-After'],
  },
  {
    name: 'the block stands before a missing grant type',
    before: 'blocked',
    body: (key) => grantOf(key, { grant_type: '' }),
    expected: [429, 'too_many_attempts', 'Pragma', 'Retry-After'],
  },
  {
    name: 'the block stands before the scope',
    before: 'blocked',
    body: (key) => grantOf(key, { scope: 'nothing' }),
    expected: [429, 'too_many_attempts', 'Pragma', 'Retry-After'],
  },
  {
    name: 'the rate stands before the body',
    before: 'exhausted',
    body: () => 'not a form',
    contentType: 'text/plain',
    expected: [429, 'rate_limited', 'Pragma', 'Retry-After'],
  },
  {
    name: 'the rate stands before the credentials',
    before: 'exhausted',
    body: (key) => grantOf({ ...key, securityCode: wrongCode }),
    expected: [429, 'rate_limited', 'Pragma', 'Retry-After'],
  },
  {
    name: 'the body stands before the grant type',
    body: () => 'grant_type=password&grant_type=password',
    expected: [400, 'invalid_request', 'Pragma'],
  },
  {
    name: 'the body stands before the credentials',
    body: () => ({ client_id: 'svc_ak_nobody', client_secret: wrongCode }),
    expected: [400, 'invalid_request', 'Pragma'],
  },
  {
    name: 'the grant type stands before the credentials',
    body: () => ({ grant_type: 'password', client_id: 'svc_ak_nobody', client_secret: wrongCode }),
    expected: [400, 'unsupported_grant_type', 'Pragma'],
  },
  {
    name: 'the grant type stands before the scope',
    body: (key) => grantOf(key, { grant_type: 'password', scope: 'nothing' }),
    expected: [400, 'unsupported_grant_type', 'Pragma'],
  },
  {
    name: 'the credentials stand before the scope',
    body: (key) => grantOf({ ...key, securityCode: wrongCode }, { scope: 'nothing' }),
    expected: [401, 'invalid_client', 'Pragma'],
  },
  {
    name: 'the scope is looked at last',
    body: (key) => grantOf(key, { scope: 'nothing' }),
    expected: [400, 'invalid_scope', 'Pragma'],
  },
]

for (const [index, { name, isOff, before: earlier, body, contentType, expected }] of tokenScenarios.entries()) {
  test(`order of /auth/token: ${name}`, async () => {
    const world = isOff ? off : on
    const address = `10.8.0.${index}`
    const [key, other] = [await world.makeKey(), await world.makeKey()]
    for (let failures = 0; earlier?.includes('blocked') && failures < 5; failures += 1)
      await world.signIn(grantOf({ ...key, securityCode: wrongCode }), { address })
    for (let requests = 0; earlier?.includes('exhausted') && requests < 10; requests += 1)
      await world.signIn(grantOf(other), { address })
    const answer = await world.signIn(body(key), { address, ...(contentType ? { contentType } : {}) })
    const carried = sometimes.filter((header) => header in answer.headers)
    assert.deepEqual([answer.status, answer.body.error, ...carried], expected, answer.text)
  })
}

test('order of /auth/token: no subscription stands before the block and the rate', async () => {
  const world = await createWorld()
  try {
    const [key, other] = [await world.makeKey(), await world.makeKey()]
    for (let failures = 0; failures < 5; failures += 1) await world.signIn(grantOf({ ...key, securityCode: wrongCode }))
    for (let requests = 0; requests < 5; requests += 1) await world.signIn(grantOf(other))
    await world.state.setEnabled(false)
    for (const each of [key, other]) assert.equal((await world.signIn(grantOf(each))).body.error, 'api_not_enabled')
    await world.state.setEnabled(true)
    assert.equal((await world.signIn(grantOf(key))).body.error, 'too_many_attempts')
    assert.equal((await world.signIn(grantOf(other))).body.error, 'rate_limited')
  } finally {
    await world.close()
  }
})
