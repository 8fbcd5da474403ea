// The error table of the specification: every code with its status, in the format of its route, and nothing internal.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import type { Engine } from '../../src/engine/engine.ts'
import { errors } from '../../src/errors.ts'
import { codeOfUnparsed, unparsedReply } from '../../src/http/parser-errors.ts'
import type { State } from '../../src/state/state.ts'
import { grantOf, strangeToken, wrongCode, type Credentials } from '../support/grants.ts'
import { dataPaths, permissionOf } from '../support/routes.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

// What a defect would tell, and no caller may read.
const internal = 'SELECT hidden FROM /var/lib/vitrine/pos.db'
const failing = () => Promise.reject(new Error(internal))
const brokenEngine: Engine = {
  list: failing,
  detail: failing,
  changes: failing,
  hasFeed: () => true,
  load: () => ({ readers: 0, busy: 0, waiting: 0, stopped: 0, lists: [], feedHold: null }),
  lagSeconds: () => null,
  close: async () => {},
}

// Its journal reaches back to no cursor.
const expiring = (): Engine => ({ ...world.engine, hasFeed: () => true, changes: async () => 'pruned' })

let world: World
let other: World
let key: Credentials
let token = ''
let unable = ''
let exhausted = ''
const brokenState = (): State => ({
  ...world.state,
  admit: failing,
  requestToken: failing,
  revokeToken: failing,
  tokenWindow: failing,
})

before(async () => {
  ;[world, other] = await Promise.all([createWorld(), createWorld({ anonymousRate: 1 })])
  key = await world.makeKey({ permissions: 'vendors:read' })
  token = await world.tokenFor()
  unable = await world.tokenFor({ permissions: 'costs:read' })
  exhausted = await world.tokenFor({ rate: '1' })
  await world.ask('/ping', { token: exhausted })
  await other.ask('/status')
})
after(() => Promise.all([world.close(), other.close()]))

const post = (body: string | Record<string, string>, asked: Asked = {}): Asked => ({
  method: 'POST',
  contentType: 'application/x-www-form-urlencoded',
  body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
  ...asked,
})

async function without(subscribed: World, ask: () => Promise<Answer>): Promise<Answer> {
  await subscribed.state.setEnabled(false)
  try {
    return await ask()
  } finally {
    await subscribed.state.setEnabled(true)
  }
}

async function after5Failures(address: string): Promise<Answer> {
  const wrong = post(grantOf({ ...key, securityCode: wrongCode }), { address })
  for (let failures = 0; failures < 5; failures += 1) await world.ask('/auth/token', wrong)
  return world.ask('/auth/token', post(grantOf(key), { address }))
}

async function after10Requests(address: string): Promise<Answer> {
  for (let requests = 0; requests < 10; requests += 1) await world.ask('/auth/token', post('', { address }))
  return world.ask('/auth/token', post(grantOf(key), { address }))
}

// What the HTTP parser refuses never gets as far as a route.
async function unparsed(code: string): Promise<Answer> {
  const cause = Object.assign(new Error(internal), { code })
  const window = { limit: 1200, remaining: 1199, resetSeconds: 60, isExceeded: false }
  const { status, headers, body } = unparsedReply(codeOfUnparsed(cause), randomUUID(), true, window)
  const text = String(body)
  return { status, headers, bytes: Buffer.from(text), text, body: JSON.parse(text) }
}

const data: readonly [status: number, code: string, ask: () => Promise<Answer>][] = [
  [400, 'invalid_parameter', () => world.ask('/products?page=0', { token })],
  [400, 'invalid_parameter', () => world.ask('/products/abc', { token })],
  [400, 'invalid_parameter', () => world.ask('/ping?a=1', { token })],
  [400, 'invalid_parameter', () => world.ask('/resources?a=1', { token })],
  [400, 'invalid_parameter', () => world.ask('/openapi.json?a=1')],
  [401, 'missing_token', () => world.ask('/products')],
  [401, 'missing_token', () => world.ask('/ping')],
  [401, 'missing_token', () => world.ask('/resources')],
  [401, 'invalid_token', () => world.ask('/products', { token: strangeToken })],
  [401, 'invalid_token', () => world.ask('/ping', { token: strangeToken })],
  [401, 'invalid_token', () => world.ask('/resources', { token: strangeToken })],
  [401, 'invalid_token', () => world.ask('/openapi.json', { authorization: ['Basic a', 'Basic b'] })],
  [403, 'insufficient_scope', () => world.ask('/products', { token: unable })],
  [403, 'https_required', () => world.ask('/products', { token, isSecure: false })],
  [403, 'https_required', () => world.ask('/status', { isSecure: false })],
  [403, 'https_required', () => world.ask('/nothing', { isSecure: false })],
  [404, 'not_found', () => world.ask('/products/1', { token })],
  [404, 'not_found', () => world.ask('/nothing')],
  [410, 'cursor_expired', () => world.askWith({ engine: expiring() })('/changes', { token })],
  [405, 'method_not_allowed', () => world.ask('/products', { method: 'DELETE' })],
  [405, 'method_not_allowed', () => world.ask('/ping', { method: 'HEAD' })],
  [429, 'rate_limited', () => world.ask('/products', { token: exhausted })],
  [429, 'rate_limited', () => other.ask('/status')],
  [429, 'rate_limited', () => other.ask('/products')],
  [503, 'api_not_enabled', () => without(world, () => world.ask('/products', { token }))],
  [503, 'temporarily_unavailable', () => world.askWith({ state: brokenState() })('/products', { token })],
  [503, 'temporarily_unavailable', () => world.askWith({ state: brokenState() })('/ping')],
  [503, 'temporarily_unavailable', () => world.askWith({ state: brokenState() })('/openapi.json')],
  [500, 'internal_error', () => world.askWith({ engine: brokenEngine })('/products', { token })],
  [500, 'internal_error', () => world.askWith({ engine: brokenEngine })('/products/1', { token })],
  [400, 'bad_request', () => unparsed('HPE_INVALID_METHOD')],
  [408, 'request_timeout', () => unparsed('ERR_HTTP_REQUEST_TIMEOUT')],
  [431, 'header_too_large', () => unparsed('HPE_HEADER_OVERFLOW')],
]

const oauth: readonly [status: number, code: string, ask: () => Promise<Answer>][] = [
  [400, 'invalid_request', () => world.ask('/auth/token', post('a=1&a=2', { address: '10.7.0.1' }))],
  [400, 'invalid_request', () => world.ask('/auth/token', post('scope=a', { address: '10.7.0.2' }))],
  [400, 'unsupported_grant_type', () => world.ask('/auth/token', post('grant_type=password', { address: '10.7.0.3' }))],
  [400, 'invalid_scope', () => world.ask('/auth/token', post(grantOf(key, { scope: 'x' }), { address: '10.7.0.4' }))],
  [401, 'invalid_client', () => world.ask('/auth/token', post(grantOf({ ...key, securityCode: 'x' })))],
  [400, 'invalid_request', () => world.ask('/auth/revoke', post('token=', { address: '10.7.0.8' }))],
  [401, 'invalid_client', () => world.ask('/auth/revoke', post('token=a', { address: '10.7.0.9' }))],
  [403, 'https_required', () => world.ask('/auth/revoke', post('token=a', { isSecure: false }))],
  [405, 'method_not_allowed', () => world.ask('/auth/revoke')],
  [503, 'api_not_enabled', () => without(world, () => world.ask('/auth/revoke', post('token=a')))],
  [503, 'temporarily_unavailable', () => world.askWith({ state: brokenState() })('/auth/revoke', post('token=a'))],
  [403, 'https_required', () => world.ask('/auth/token', post(grantOf(key), { isSecure: false }))],
  [405, 'method_not_allowed', () => world.ask('/auth/token')],
  [429, 'rate_limited', () => after10Requests('10.7.0.5')],
  [429, 'too_many_attempts', () => after5Failures('10.7.0.6')],
  [503, 'api_not_enabled', () => without(world, () => world.ask('/auth/token', post(grantOf(key))))],
  [503, 'temporarily_unavailable', () => world.askWith({ state: brokenState() })('/auth/token', post(grantOf(key)))],
  [
    500,
    'internal_error',
    () =>
      world.askWith({ state: { ...world.state, requestToken: async () => null as never } })('/auth/token', post('')),
  ],
]

for (const [status, code, ask] of data) {
  test(`errors: ${status} ${code} in the format of the data routes`, async () => {
    const answer = await ask()
    assert.equal(answer.status, status, answer.text)
    const { error, ...rest } = answer.body
    const { code: given, message, request_id: id, details, ...more } = error
    assert.deepEqual([rest, more, given], [{}, {}, code])
    assert.match(message, /^[A-Z].+\.$/)
    assert.match(id, /^[\w-]{8,}$/)
    assert.equal(id, answer.headers['X-Request-Id'])
    assert.equal(Array.isArray(details), code === 'invalid_parameter')
    assert.equal(answer.headers['Content-Type'], 'application/json; charset=utf-8')
    assert.ok(!answer.text.includes('SELECT'), answer.text)
  })
}

for (const [status, code, ask] of oauth) {
  test(`errors: ${status} ${code} in the OAuth format`, async () => {
    const answer = await ask()
    assert.equal(answer.status, status, answer.text)
    const { error, error_description: description, ...rest } = answer.body
    assert.deepEqual([error, rest], [code, {}])
    // RFC 6749, section 5.2: the characters that a description may hold.
    assert.match(description, /^[\x20-\x21\x23-\x5B\x5D-\x7E]+\.$/)
    assert.equal(answer.headers['Content-Type'], 'application/json; charset=utf-8')
    assert.ok(answer.headers['X-Request-Id'])
    assert.ok(!answer.text.includes('SELECT'), answer.text)
  })
}

test('errors: every code of the service is in these tables, with the same status', () => {
  const stated = Object.fromEntries([...data, ...oauth].map(([status, code]) => [code, status]))
  const known = Object.fromEntries(Object.entries(errors).map(([code, { status }]) => [code, status]))
  assert.deepEqual(stated, known)
})

test('errors: Retry-After is on every 429 and 503, in whole seconds, and on nothing else', async () => {
  for (const [status, code, ask] of [...data, ...oauth]) {
    const { headers } = await ask()
    if (status === 429 || status === 503) assert.match(headers['Retry-After'] ?? '', /^[1-9][0-9]*$/, code)
    else assert.equal(headers['Retry-After'], undefined, code)
  }
})

test('errors: all faults are listed together, each with its parameter and a message', async () => {
  const { body } = await world.ask(
    '/invoices?page=0&per_page=101&sort=nope&status=nope&date_from=2026-02-30&x=1&search=',
    {
      token,
    },
  )
  const details: { parameter: string; message: string }[] = body.error.details
  const named = ['date_from', 'page', 'per_page', 'search', 'sort', 'status', 'x']
  assert.deepEqual(details.map(({ parameter }) => parameter).toSorted(), named)
  for (const detail of details) {
    assert.deepEqual(Object.keys(detail).toSorted(), ['message', 'parameter'])
    assert.ok(detail.message.length > 5, detail.parameter)
  }
})

// The attributes of a challenge (RFC 9110, section 11.6.1).
function readChallenge(header: string | undefined): { scheme: string; [attribute: string]: string } {
  const [, scheme = '', rest = ''] = /^(\w+) (.+)$/.exec(header ?? '') ?? []
  const attributes = rest.split(', ').map((each) => /^(\w+)="([^"\\]*)"$/.exec(each)?.slice(1) as [string, string])
  return { scheme, ...Object.fromEntries(attributes) }
}

const challenge = async (path: string, asked: Asked) =>
  readChallenge((await world.ask(path, asked)).headers['WWW-Authenticate'])

test('errors: 401 and 403 of a token carry the challenge of RFC 6750', async () => {
  const { realm = '', ...missing } = await challenge('/products', {})
  assert.ok(realm)
  assert.deepEqual(missing, { scheme: 'Bearer' }, 'without a token there is no error in it')
  assert.deepEqual(await challenge('/products', { authorization: ['Basic YTpi'] }), { scheme: 'Bearer', realm })
  for (const authorization of [['Bearer'], ['Bearer x'], ['Bearer a', 'Bearer b'], [`Bearer ${strangeToken}`]])
    assert.deepEqual(await challenge('/ping', { authorization }), { scheme: 'Bearer', realm, error: 'invalid_token' })
  for (const path of dataPaths) {
    const scope = permissionOf[path.split('/')[1] ?? '']
    assert.deepEqual(
      await challenge(path, { token: unable }),
      { scheme: 'Bearer', realm, error: 'insufficient_scope', scope },
      path,
    )
  }
})

test('errors: the cause of a failure is in the log with the request id, and not in the body', async () => {
  const causes: [code: string, ask: () => Promise<Answer>][] = [
    ['internal_error', () => world.askWith({ engine: brokenEngine })('/products', { token })],
    ['temporarily_unavailable', () => world.askWith({ state: brokenState() })('/products', { token })],
    ['temporarily_unavailable', () => world.askWith({ state: brokenState() })('/auth/token', post(grantOf(key)))],
  ]
  for (const [code, ask] of causes) {
    const { headers, text } = await ask()
    const line = world.logged.find(({ request_id: id }) => id === headers['X-Request-Id'])
    assert.deepEqual([line?.['level'], line?.['code']], ['error', code])
    assert.ok(JSON.stringify(line).includes(internal))
    assert.ok(!text.includes('hidden'))
  }
})

test('errors: the engine gone is a temporary 503, and /ping still answers', async () => {
  const closing = await createWorld()
  try {
    const able = await closing.tokenFor()
    await closing.engine.close()
    for (const path of dataPaths) {
      const { status, body } = await closing.ask(path, { token: able })
      assert.deepEqual([status, body.error.code], [503, 'temporarily_unavailable'], path)
    }
    assert.equal((await closing.ask('/ping', { token: able })).status, 200)
  } finally {
    await closing.close()
  }
})

test('errors: while the state is locked nothing is let through: a temporary 503, and all is well afterwards', async () => {
  const unlock = await world.place.lockState()
  try {
    const [data, oauthFormat, status] = await Promise.all([
      world.ask('/products', { token }),
      world.ask('/auth/token', post(grantOf(key), { address: '10.7.0.7' })),
      world.ask('/status'),
    ])
    assert.deepEqual([data.status, data.body.error.code], [503, 'temporarily_unavailable'])
    assert.deepEqual([oauthFormat.status, oauthFormat.body.error], [503, 'temporarily_unavailable'])
    assert.equal(status.status, 200)
  } finally {
    await unlock()
  }
  assert.equal((await world.ask('/products', { token })).status, 200)
})
