// A flood of made-up tokens is refused before it costs the state anything; a caller with a valid token at the same
// address is not affected. The test counts what reaches the state.
import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { makeAccessToken } from '../../src/auth/secrets.ts'
import type { State } from '../../src/state/state.ts'
import { limits } from '../../src/state/limits.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

const rate = 50
const flooding = '192.0.2.66'
const strangerKey = new Uint8Array(32).fill(7)

let world: World
let token: string
let asked: string[] = []
let ask: (target: string, asked?: Asked) => Promise<Answer>
before(async () => {
  world = await createWorld({ anonymousRate: rate })
  token = await world.tokenFor()
  const counting = new Proxy(world.state, {
    get(state, name: keyof State) {
      if (name !== 'admit') return state[name]
      return (tokenHash: Uint8Array | null) => {
        asked.push(tokenHash ? 'a token' : 'the subscription')
        return state.admit(tokenHash)
      }
    },
  })
  ask = world.askWith({ state: counting })
})
after(() => world.close())
// Every window is over, and no token.
beforeEach(() => {
  world.clock.advance(limits.windowMs)
  asked = []
})

const codeOf = ({ status, body }: Answer) => [status, body.error?.code]
const changed = (text: string, at: number) => text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1)

test('a made-up token is refused without asking for it, and once the window is used up without asking anything', async () => {
  const madeUp = [
    ...Array.from({ length: rate - 4 }, () => makeAccessToken(strangerKey)),
    changed(token, 'svc_at_'.length),
    changed(token, token.length - 1),
    token.slice(0, -12),
    `svc_at_${'x'.repeat(52)}`,
  ]
  for (const each of madeUp)
    assert.deepEqual(codeOf(await ask('/ping', { token: each, address: flooding })), [401, 'invalid_token'])
  assert.ok(!asked.includes('a token'))
  asked = []
  for (let turn = 0; turn < 200; turn += 1) {
    const answer = await ask('/ping', { token: makeAccessToken(strangerKey), address: flooding })
    assert.deepEqual(codeOf(answer), [429, 'rate_limited'])
    assert.equal(answer.headers['X-RateLimit-Limit'], String(rate))
  }
  assert.deepEqual(asked, [])
})

test('a valid token at the address of a flood is served by its own window, also one that is seen for the first time', async () => {
  for (let turn = 0; turn < 2 * rate; turn += 1)
    await ask('/ping', { token: makeAccessToken(strangerKey), address: flooding })
  const fresh = await world.tokenFor({ rate: '7' })
  for (const remaining of ['6', '5']) {
    const { status, headers } = await ask('/ping', { token: fresh, address: flooding })
    assert.deepEqual([status, headers['X-RateLimit-Remaining']], [200, remaining])
  }
  assert.equal((await ask('/ping', { token, address: flooding })).status, 200)
})

test('a revoked token is asked for as often as its address may call without one, and no more', async () => {
  const key = await world.makeKey()
  const { body } = await world.signIn(
    { grant_type: 'client_credentials', client_id: key.accessKey, client_secret: key.securityCode },
    { address: '192.0.2.1' },
  )
  const revoked = String(body.access_token)
  assert.equal((await ask('/ping', { token: revoked, address: flooding })).status, 200)
  await world.state.revokeKey(key.accessKey)
  asked = []
  const answers: unknown[] = []
  for (let turn = 0; turn < rate + 100; turn += 1)
    answers.push((await ask('/ping', { token: revoked, address: flooding })).status)
  assert.deepEqual(answers, [...Array.from({ length: rate }, () => 401), ...Array.from({ length: 100 }, () => 429)])
  assert.equal(asked.length, rate)
  // From another address, or later, it is looked up again.
  assert.equal((await ask('/ping', { token: revoked, address: '192.0.2.67' })).status, 401)
  world.clock.advance(limits.windowMs)
  assert.equal((await ask('/ping', { token: revoked, address: flooding })).status, 401)
})

test('the window of callers without a valid token stands before the subscription', async () => {
  await world.state.setEnabled(false)
  try {
    const statuses: number[] = []
    for (let turn = 0; turn < rate + 1; turn += 1)
      statuses.push((await ask('/ping', { token: makeAccessToken(strangerKey), address: flooding })).status)
    assert.deepEqual([statuses[0], statuses.at(-2), statuses.at(-1)], [503, 503, 429])
  } finally {
    await world.state.setEnabled(true)
  }
})
