// POST /auth/revoke (RFC 7009): what it ends, for whom and when; that it tells nothing of foreign tokens; that it is no way around
// the limits of /auth/token.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { regenerateKey, revokeKey, updateKey } from '../../src/keys/keys.ts'
import type { State } from '../../src/state/state.ts'
import { atOnce, basicOf, grantOf, strangeToken, tally, wrongCode, type Credentials } from '../support/grants.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

let world: World
// Another instance on the same state.
let other: State
before(async () => {
  world = await createWorld()
  other = await world.place.openState(world.clock)
})
after(async () => {
  await other.close()
  await world.close()
})

let addresses = 0
const newAddress = () => `10.11.${(addresses += 1) >> 8}.${addresses & 255}`
const formType = 'application/x-www-form-urlencoded'

const post = (asked: Asked) => world.ask('/auth/revoke', { method: 'POST', address: newAddress(), ...asked })
const form = (parameters: Record<string, string>): Asked => ({
  contentType: formType,
  body: new URLSearchParams(parameters).toString(),
})
const inBody = ({ accessKey, securityCode }: Credentials) => ({ client_id: accessKey, client_secret: securityCode })
const wrong = (key: Credentials) => ({ ...key, securityCode: wrongCode })
const revoke = (key: Credentials, token: string, asked: Asked = {}) =>
  post({ ...form({ token, ...inBody(key) }), ...asked })

const tokenOf = async (key: Credentials, scope = '') =>
  String((await world.signIn(grantOf(key, { scope }), { address: newAddress() })).body.access_token)
const isServed = async (token: string, ask = world.ask) => (await ask('/ping', { token })).status === 200
const left = ({ headers }: Answer) => [headers['X-RateLimit-Limit'], headers['X-RateLimit-Remaining']]
const codeOf = ({ status, body }: Answer) => (status === 200 ? 200 : body.error)

const ways: readonly [name: string, asked: (key: Credentials, token: string) => Asked][] = [
  ['credentials in a form', (key, token) => form({ token, ...inBody(key) })],
  ['Basic', (key, token) => ({ ...form({ token }), authorization: [basicOf(key)] })],
  [
    'credentials in JSON',
    (key, token) => ({ contentType: 'application/json', body: JSON.stringify({ token, ...inBody(key) }) }),
  ],
  [
    'right credentials in the body and wrong ones in Basic',
    (key, token) => ({ ...form({ token, ...inBody(key) }), authorization: [basicOf(wrong(key))] }),
  ],
  ...['access_token', 'refresh_token', 'nonsense', ''].map((hint): (typeof ways)[number] => [
    `the hint "${hint}"`,
    (key, token) => form({ token, token_type_hint: hint, ...inBody(key) }),
  ]),
  [
    'a hint in JSON that is no text, as any unknown parameter',
    (key, token) => ({
      contentType: 'application/json',
      body: JSON.stringify({ token, token_type_hint: 1, ...inBody(key) }),
    }),
  ],
  ['an unknown parameter', (key, token) => form({ token, scope: 'nothing', grant_type: 'x', ...inBody(key) })],
]

for (const [name, asked] of ways) {
  test(`revocation: with ${name} the token ends, and no other`, async () => {
    const key = await world.makeKey()
    const [token, sibling, narrow] = [await tokenOf(key), await tokenOf(key), await tokenOf(key, 'vendors:read')]
    // Served before, so that it is remembered.
    assert.ok(await isServed(token))
    const answer = await post(asked(key, token))
    assert.deepEqual([answer.status, answer.body], [200, {}], answer.text)
    assert.equal((await world.ask('/ping', { token })).body.error.code, 'invalid_token')
    assert.deepEqual([await isServed(sibling), await isServed(narrow)], [true, true])
    assert.ok(await isServed(await tokenOf(key)), 'the key goes on')
  })
}

test('revocation: it holds at another instance from its next request on, whatever that remembers', async () => {
  const askOther = world.askWith({ state: other })
  const key = await world.makeKey()
  const [here, there] = [await tokenOf(key), await tokenOf(key)]
  for (const token of [here, there]) assert.ok((await isServed(token)) && (await isServed(token, askOther)))
  assert.equal((await revoke(key, here)).status, 200)
  assert.equal(await isServed(here, askOther), false)
  const asked = { method: 'POST', address: newAddress(), ...form({ token: there, ...inBody(key) }) }
  assert.equal((await askOther('/auth/revoke', asked)).status, 200)
  assert.equal(await isServed(there), false)
})

test('revocation: no request that starts after its answer is served, however many are under way', async () => {
  const key = await world.makeKey()
  const token = await tokenOf(key)
  const early = atOnce(50, () => isServed(token))
  assert.equal((await revoke(key, token)).status, 200)
  assert.deepEqual(tally((await atOnce(50, () => isServed(token))).map(String)), { false: 50 })
  await early
})

test('revocation: what is not a live token of this key is answered alike, and nothing happens to it [N19]', async () => {
  const [key, neighbour] = [await world.makeKey(), await world.makeKey()]
  const [foreign, expired, ended] = [await tokenOf(neighbour), await tokenOf(key), await tokenOf(key)]
  assert.equal((await revoke(key, ended)).status, 200)
  const texts = [foreign, ended, strangeToken, 'nonsense', key.accessKey, key.securityCode, 'a\0b', 'é']
  const seen = new Set<string>()
  const answerTo = async (token: string) => {
    const { status, headers, text } = await revoke(key, token)
    const { 'X-Request-Id': _, ...rest } = headers
    seen.add(JSON.stringify([status, rest, text]))
  }
  for (const token of texts) await answerTo(token)
  assert.ok(await isServed(foreign), 'the token of another key')
  world.clock.advance(900_000)
  await answerTo(expired)
  await answerTo(await tokenOf(key))
  assert.deepEqual([seen.size, JSON.parse([...seen][0] ?? '')[0]], [1, 200], [...seen].join('\n'))
})

const unreadable: readonly [name: string, asked: (key: Credentials) => Asked][] = [
  ['no token', (key) => form(inBody(key))],
  ['an empty token', (key) => form({ token: '', ...inBody(key) })],
  ['the token in the URL', (key) => form(inBody(key))],
  ['the token twice', (key) => ({ contentType: formType, body: `token=a&token=a&client_id=${key.accessKey}` })],
  [
    'a token that is no text',
    (key) => ({ contentType: 'application/json', body: JSON.stringify({ token: 1, ...key }) }),
  ],
  ['another content type', (key) => ({ ...form({ token: 'a', ...inBody(key) }), contentType: 'text/plain' })],
  ['a body that is too large', () => ({ contentType: formType, body: null })],
]

for (const [name, asked] of unreadable) {
  test(`revocation: ${name} is 400 invalid_request`, async () => {
    const key = await world.makeKey()
    const target = name.endsWith('URL') ? `/auth/revoke?token=${await tokenOf(key)}` : '/auth/revoke'
    const answer = await world.ask(target, { method: 'POST', address: newAddress(), ...asked(key) })
    assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'], answer.text)
  })
}

test('revocation: without right credentials it is 401 whatever the cause, and the token lives', async () => {
  const key = await world.makeKey()
  const token = await tokenOf(key)
  const [disabled, gone, renewed] = [await world.makeKey(), await world.makeKey(), await world.makeKey()]
  await updateKey(world.state, disabled.accessKey, { disable: true })
  await revokeKey(world.state, gone.accessKey)
  await regenerateKey(world.state, renewed.accessKey)
  const causes = [inBody(wrong(key)), {}, { client_id: key.accessKey }, ...[disabled, gone, renewed].map(inBody)]
  const seen = new Set<string>()
  for (const credentials of causes) {
    const { status, headers, text } = await post(form({ token, ...credentials }))
    assert.equal(status, 401, text)
    const { 'X-Request-Id': _, ...rest } = headers
    seen.add(JSON.stringify([rest, text]))
  }
  assert.equal(seen.size, 1, [...seen].join('\n'))
  // The token itself is no credential.
  const bearer = await post({ ...form({ token }), authorization: [`Bearer ${token}`] })
  assert.deepEqual([bearer.status, bearer.body.error], [401, 'invalid_client'])
  assert.ok(await isServed(token))
})

test('revocation: 401 has a Basic challenge where Basic was used; every answer says not to keep it', async () => {
  const key = await world.makeKey()
  const basic = await post({ ...form({ token: 'a' }), authorization: [basicOf(wrong(key))] })
  assert.equal(basic.headers['WWW-Authenticate'], 'Basic realm="Vitrine"')
  const plain = await revoke(wrong(key), 'a')
  assert.equal(plain.headers['WWW-Authenticate'], undefined)
  const answers = [basic, plain, await revoke(key, 'a'), await post({}), await revoke(key, 'a', { isSecure: false })]
  for (const { headers } of [...answers, await world.ask('/auth/revoke')])
    assert.deepEqual([headers['Pragma'], headers['Cache-Control']], ['no-cache', 'no-store'])
})

test('revocation: failures here and at /auth/token are one series, and block both [N19]', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  const token = await tokenOf(key)
  const outcomes = []
  for (const at of [0, 1, 2, 3, 4])
    outcomes.push(
      codeOf(await (at % 2 ? world.signIn(grantOf(wrong(key)), { address }) : revoke(wrong(key), token, { address }))),
    )
  assert.deepEqual(
    outcomes,
    Array.from({ length: 5 }, () => 'invalid_client'),
  )
  const blocked = await revoke(key, token, { address })
  assert.deepEqual([blocked.body.error, blocked.headers['Retry-After']], ['too_many_attempts', '900'])
  assert.equal(codeOf(await world.signIn(grantOf(key), { address })), 'too_many_attempts')
  assert.ok(await isServed(token), 'a request that was refused ends nothing')
})

test('revocation: a success forgets the failures of the key from the address', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  for (let failures = 0; failures < 4; failures += 1) await world.signIn(grantOf(wrong(key)), { address })
  assert.equal(codeOf(await revoke(key, 'a', { address })), 200)
  for (let failures = 0; failures < 4; failures += 1)
    assert.equal(codeOf(await world.signIn(grantOf(wrong(key)), { address })), 'invalid_client')
  assert.equal(codeOf(await world.signIn(grantOf(key), { address })), 200)
})

test('revocation: of 50 wrong attempts at once, here and at /auth/token, exactly 5 are evaluated', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  const answers = await atOnce(50, (at) =>
    at % 2 ? world.signIn(grantOf(wrong(key)), { address }) : revoke(wrong(key), 'a', { address }),
  )
  assert.equal(tally(answers.map(({ status }) => status))['401'], 5)
})

test('revocation: an address has a window of ten a minute for it, apart from that of token requests [N19]', async () => {
  const [key, address] = [await world.makeKey(), newAddress()]
  const bodies = [{ token: 'a', ...inBody(key) }, {}, { token: 'a', ...inBody(wrong(key)) }]
  for (let done = 1; done <= 10; done += 1) {
    const answer = await post({ ...form(bodies[done % 3] ?? {}), address })
    assert.deepEqual(left(answer), ['10', String(10 - done)], answer.text)
  }
  const token = await tokenOf(key)
  const refused = await revoke(key, token, { address })
  assert.deepEqual(
    [codeOf(refused), refused.headers['Retry-After'], ...left(refused)],
    ['rate_limited', '60', '10', '0'],
  )
  assert.ok(await isServed(token))
  // Shown, not counted.
  assert.deepEqual(left(await world.ask('/auth/revoke', { address })), ['10', '0'])
  const granted = await world.signIn(grantOf(key), { address })
  assert.deepEqual([granted.status, ...left(granted)], [200, '10', '9'])
  world.clock.advance(60_000)
  assert.equal(codeOf(await revoke(key, token, { address })), 200)
  assert.equal(await isServed(token), false)
})

test('revocation: the order: subscription, block, rate, body, credentials', async () => {
  const mine = await createWorld()
  try {
    const [key, address] = [await mine.makeKey(), newAddress()]
    const ask = async (parameters: Record<string, string>) =>
      codeOf(await mine.ask('/auth/revoke', { method: 'POST', address, ...form(parameters) }))
    assert.equal(await ask(inBody(wrong(key))), 'invalid_request')
    for (let failures = 0; failures < 5; failures += 1)
      assert.equal(await ask({ token: 'a', ...inBody(wrong(key)) }), 'invalid_client')
    assert.equal(await ask(inBody(key)), 'too_many_attempts')
    const neighbour = await mine.makeKey()
    for (let requests = 0; requests < 4; requests += 1)
      assert.equal(await ask({ token: 'a', ...inBody(neighbour) }), 200)
    assert.equal(await ask({}), 'rate_limited')
    assert.equal(await ask({ token: 'a', ...inBody(key) }), 'too_many_attempts')
    await mine.state.setEnabled(false)
    assert.equal(await ask({}), 'api_not_enabled')
  } finally {
    await mine.close()
  }
})

test('revocation: a state that cannot answer is 503, and the token goes on', async () => {
  const key = await world.makeKey()
  const token = await tokenOf(key)
  const unlock = await world.place.lockState()
  const answer = await revoke(key, token)
  await unlock()
  assert.deepEqual([answer.status, answer.body.error], [503, 'temporarily_unavailable'])
  assert.ok(await isServed(token))
})

test('revocation: the log names the key and never the token', async () => {
  const key = await world.makeKey()
  const token = await tokenOf(key)
  const { headers } = await revoke(key, token)
  const line = world.logged.find(({ request_id: id }) => id === headers['X-Request-Id'])
  assert.deepEqual([line?.['key'], line?.['status']], [key.accessKey, 200])
  for (const secret of [token, key.securityCode]) assert.ok(!JSON.stringify(world.logged).includes(secret))
})
