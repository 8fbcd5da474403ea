// The route /openapi.json among the others: who it opens to, the order of its checks, whose window counts; and errors of
// every kind, from every kind of route, are as the document says.
import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { errors } from '../../src/errors.ts'
import { codeOfUnparsed, unparsedReply } from '../../src/http/parser-errors.ts'
import { grantOf, strangeToken, wrongCode, type Credentials } from '../support/grants.ts'
import { validateAnswer, wholeDocument } from '../support/openapi.ts'
import { metadataPath, methodOf } from '../support/routes.ts'
import { createWorld, type Answer, type Asked, type World } from '../support/world.ts'

const anonymousRate = 3
let on: World
let off: World
let narrow: World
let key: Credentials
const tokens = { able: '', unable: '', exhausted: '', off: '', offExhausted: '' }

before(async () => {
  ;[on, off, narrow] = await Promise.all([createWorld(), createWorld(), createWorld({ anonymousRate })])
  tokens.able = await on.tokenFor()
  tokens.unable = await on.tokenFor({ permissions: 'costs:read' })
  tokens.exhausted = await on.tokenFor({ rate: '1' })
  tokens.off = await off.tokenFor()
  tokens.offExhausted = await off.tokenFor({ rate: '1' })
  key = await on.makeKey({ permissions: 'vendors:read' })
  await on.ask('/ping', { token: tokens.exhausted })
  await off.ask('/ping', { token: tokens.offExhausted })
  await off.state.setEnabled(false)
})
after(() => Promise.all([on.close(), off.close(), narrow.close()]))

const failing = () => Promise.reject(new Error('broken'))
const brokenState = { admit: failing, requestToken: failing, revokeToken: failing, tokenWindow: failing }
const broken = () => on.askWith({ state: { ...on.state, ...brokenState } })
const defect = () =>
  on.askWith({
    engine: {
      list: failing,
      detail: failing,
      changes: failing,
      hasFeed: () => true,
      load: () => ({ readers: 0, busy: 0, waiting: 0, stopped: 0, lists: [], feedHold: null }),
      lagSeconds: () => null,
      close: async () => {},
    },
  })

const faulty = '/openapi.json?page=1&nope=2'
const order: readonly [name: string, world: () => World, target: string, asked: () => Asked, expected: unknown[]][] = [
  ['plain HTTP first', () => off, faulty, () => ({ isSecure: false, method: 'PUT' }), [403, 'https_required']],
  ['then the path', () => off, '/openapi.yaml', () => ({ method: 'PUT', token: strangeToken }), [404, 'not_found']],
  ['then the method', () => off, faulty, () => ({ method: 'PUT', token: strangeToken }), [405, 'method_not_allowed']],
  ['then the subscription, without a token', () => off, faulty, () => ({}), [503, 'api_not_enabled']],
  ['… with a wrong one', () => off, faulty, () => ({ token: strangeToken }), [503, 'api_not_enabled']],
  ['… with one over its rate', () => off, faulty, () => ({ token: tokens.offExhausted }), [503, 'api_not_enabled']],
  ['… with a good one', () => off, '/openapi.json', () => ({ token: tokens.off }), [503, 'api_not_enabled']],
  ['then a token that is sent [N16]', () => on, faulty, () => ({ token: strangeToken }), [401, 'invalid_token']],
  ['… also a malformed one', () => on, faulty, () => ({ authorization: ['Bearer'] }), [401, 'invalid_token']],
  ['… or two of them', () => on, faulty, () => ({ authorization: ['Basic a', 'Basic b'] }), [401, 'invalid_token']],
  ['then the rate of the key', () => on, faulty, () => ({ token: tokens.exhausted }), [429, 'rate_limited']],
  ['then the parameters', () => on, faulty, () => ({ token: tokens.able }), [400, 'invalid_parameter']],
  ['… without a token too', () => on, faulty, () => ({}), [400, 'invalid_parameter']],
  ['nothing is wrong with a token', () => on, '/openapi.json', () => ({ token: tokens.unable }), [200, undefined]],
  ['nor without one', () => on, '/openapi.json', () => ({}), [200, undefined]],
  [
    'another scheme is no token [N16]',
    () => on,
    '/openapi.json',
    () => ({ authorization: ['Basic YTpi'] }),
    [200, undefined],
  ],
]

for (const [name, world, target, asked, expected] of order) {
  test(`/openapi.json, order of checks: ${name}`, async () => {
    const { status, body } = await world().ask(target, asked())
    assert.deepEqual([status, body.error?.code], expected)
  })
}

test('/openapi.json: all faults of parameters together', async () => {
  const { body } = await on.ask(faulty)
  assert.deepEqual(
    body.error.details.map(({ parameter }: { parameter: string }) => parameter),
    ['page', 'nope'],
  )
})

test('/openapi.json: callers without a valid token count by address, and over the limit are refused before all else', async () => {
  const address = '10.8.0.1'
  const asks: [asked: Asked, status: number][] = [
    [{}, 200],
    [{ token: strangeToken }, 401],
    [{ authorization: ['Basic YTpi'] }, 200],
    [{}, 429],
    [{ token: strangeToken }, 429],
  ]
  for (const [index, [asked, status]] of asks.entries()) {
    const answer = await narrow.ask('/openapi.json', { ...asked, address })
    const left = Math.max(0, anonymousRate - 1 - index)
    assert.deepEqual(
      [answer.status, answer.headers['X-RateLimit-Limit'], answer.headers['X-RateLimit-Remaining']],
      [status, String(anonymousRate), String(left)],
    )
  }
  const token = await narrow.tokenFor()
  assert.equal((await narrow.ask('/openapi.json', { token, address })).status, 200, 'a token has a window of its own')
})

test('/openapi.json: a request with a token counts for its key [N16]', async () => {
  const token = await on.tokenFor({ rate: '2' })
  for (const [status, left] of [
    [200, '1'],
    [200, '0'],
    [429, '0'],
  ]) {
    const { status: given, headers } = await on.ask('/openapi.json', { token })
    assert.deepEqual([given, headers['X-RateLimit-Limit'], headers['X-RateLimit-Remaining']], [status, '2', left])
  }
})

test('/openapi.json: nothing is let through while the state cannot answer', async () => {
  for (const asked of [{}, { token: tokens.able }]) {
    const { status, body } = await broken()('/openapi.json', asked)
    assert.deepEqual([status, body.error.code], [503, 'temporarily_unavailable'])
  }
})

test('/openapi.json: what is changed of a key shows at once', async () => {
  const mine = await on.makeKey({ permissions: 'vendors:read,reference:read' })
  const token = String((await on.signIn(grantOf(mine), { address: '10.8.0.2' })).body.access_token)
  const paths = async () => Object.keys((await on.ask('/openapi.json', { token })).body.paths ?? {})
  assert.ok((await paths()).includes('/stores'))
  await on.state.revokeKey(mine.accessKey)
  assert.deepEqual(await paths(), [])
})

const post = (body: string | Record<string, string>, address: string, more: Asked = {}): Asked => ({
  method: 'POST',
  contentType: 'application/x-www-form-urlencoded',
  body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
  address,
  ...more,
})

async function failed(path: string, address: string, times: number, body: Record<string, string>): Promise<Asked> {
  for (let done = 0; done < times; done += 1) await on.ask(path, post(body, address))
  return post(grantOf(key), address)
}

async function unparsed(code: string): Promise<Answer> {
  const cause = Object.assign(new Error('broken'), { code })
  const window = { limit: 1200, remaining: 1199, resetSeconds: 60, isExceeded: false }
  const { status, headers, body } = unparsedReply(codeOfUnparsed(cause), randomUUID(), true, window)
  const text = String(body)
  return { status, headers, bytes: Buffer.from(text), text, body: JSON.parse(text) }
}

type Ask = (path: string) => Promise<Answer>
const bad = () => ({ ...grantOf(key), client_secret: wrongCode })

// What each kind of route is asked, so that it gives each of its errors.
const everywhere: Record<string, Ask> = {
  https_required: (path) => on.ask(path, { isSecure: false }),
  method_not_allowed: (path) => on.ask(path, { method: 'DELETE' }),
  bad_request: () => unparsed('HPE_INVALID_METHOD'),
  request_timeout: () => unparsed('ERR_HTTP_REQUEST_TIMEOUT'),
  header_too_large: () => unparsed('HPE_HEADER_OVERFLOW'),
}
const rate: Record<string, Ask> = {
  async rate_limited(path) {
    for (let done = 0; done < anonymousRate; done += 1) await narrow.ask('/status', { address: '10.8.1.1' })
    return narrow.ask(path, { address: '10.8.1.1' })
  },
}
const withToken: Record<string, Ask> = {
  ...everywhere,
  ...rate,
  missing_token: (path) => on.ask(path),
  invalid_token: (path) => on.ask(path, { token: strangeToken }),
  invalid_parameter: (path) => on.ask(`${path}?nope=1`, { token: tokens.able }),
  api_not_enabled: (path) => off.ask(path, { token: tokens.off }),
  temporarily_unavailable: (path) => broken()(path, { token: tokens.able }),
}
const list: Record<string, Ask> = {
  ...withToken,
  insufficient_scope: (path) => on.ask(path, { token: tokens.unable }),
  internal_error: (path) => defect()(path, { token: tokens.able }),
}
const feed: Record<string, Ask> = {
  not_found: (path) =>
    on.askWith({ engine: { ...on.engine, changes: async () => 'none' } })(path, { token: tokens.able }),
  cursor_expired: (path) =>
    on.askWith({ engine: { ...on.engine, changes: async () => 'pruned' } })(path, { token: tokens.able }),
}
const { missing_token: _missing, ...ifSent } = withToken

const kinds: Readonly<Record<string, Record<string, Ask>>> = {
  '/status': { ...everywhere, ...rate },
  '/ping': withToken,
  '/resources': withToken,
  '/openapi.json': ifSent,
  '/products': list,
  '/changes': { ...withToken, ...feed },
  '/changes/products': { ...list, ...feed },
  '/sub-departments': list,
  '/invoices/1': { ...list, not_found: (path) => on.ask(path, { token: tokens.able }) },
  '/auth/token': {
    ...everywhere,
    method_not_allowed: (path) => on.ask(path),
    invalid_request: (path) => on.ask(path, post('a=1&a=2', '10.8.2.1')),
    unsupported_grant_type: (path) => on.ask(path, post('grant_type=password', '10.8.2.2')),
    invalid_scope: (path) => on.ask(path, post(grantOf(key, { scope: 'x' }), '10.8.2.3')),
    invalid_client: (path) => on.ask(path, post(bad(), '10.8.2.4')),
    rate_limited: async (path) => on.ask(path, await failed(path, '10.8.2.5', 10, {})),
    too_many_attempts: async (path) => on.ask(path, await failed(path, '10.8.2.6', 5, bad())),
    api_not_enabled: (path) => off.ask(path, post(grantOf(key), '10.8.2.7')),
    temporarily_unavailable: (path) => broken()(path, post(grantOf(key), '10.8.2.8')),
    internal_error: (path) =>
      on.askWith({ state: { ...on.state, requestToken: async () => null as never } })(path, post('', '10.8.2.9')),
  },
  '/auth/revoke': {
    ...everywhere,
    method_not_allowed: (path) => on.ask(path),
    invalid_request: (path) => on.ask(path, post('a=1&a=2', '10.8.3.1')),
    invalid_client: (path) => on.ask(path, post({ ...bad(), token: 'a' }, '10.8.3.2')),
    rate_limited: async (path) => on.ask(path, await failed(path, '10.8.3.3', 10, {})),
    too_many_attempts: async (path) => on.ask(path, await failed(path, '10.8.3.4', 5, { ...bad(), token: 'a' })),
    api_not_enabled: (path) => off.ask(path, post(grantOf(key), '10.8.3.5')),
    temporarily_unavailable: (path) => broken()(path, post(grantOf(key), '10.8.3.6')),
    internal_error: (path) =>
      on.askWith({ state: { ...on.state, revokeToken: async () => null as never } })(path, post('', '10.8.3.7')),
  },
  [metadataPath]: {
    ...everywhere,
    ...rate,
    bad_request: (path) => on.ask(path, { host: 'a/b' }),
  },
}

for (const [path, asks] of Object.entries(kinds)) {
  test(`${path}: every error is as the document says, and it says no other`, async () => {
    const template = path.replace('/1', '/{id}')
    const item = Object.values(wholeDocument().paths[template] ?? {})[0]
    const described = Object.values(item?.responses ?? {}).flatMap((response) =>
      '$ref' in response ? codesIn(response.$ref) : [],
    )
    for (const [code, ask] of Object.entries(asks)) {
      const answer = await ask(path)
      const given = typeof answer.body.error === 'string' ? answer.body.error : answer.body.error.code
      assert.equal(given, code, answer.text)
      assert.ok(described.includes(code), code)

      const own = methodOf(path)
      const method = code === 'method_not_allowed' ? 'DELETE' : own
      assert.deepEqual(validateAnswer(wholeDocument(), { ...answer, method, path }), [], code)
      const others = validateAnswer(wholeDocument(), { ...answer, method, path, body: { error: { code: 'nope' } } })
      assert.notDeepEqual(others, [])
    }
    // A defect is possible everywhere, and only where the engine is asked can a test make one.
    const untried = described.filter((code) => !(code in asks) && code !== 'internal_error')
    assert.deepEqual(untried, [])
  })
}

const codesIn = (reference: string): string[] => {
  const response = wholeDocument().components.responses[reference.split('/').at(-1) ?? '']
  return Object.keys(response?.content?.['application/json'].examples ?? {})
}

test('every error of the service is described somewhere', () => {
  const described = new Set(Object.values(kinds).flatMap((asks) => Object.keys(asks)))
  assert.deepEqual([...described].toSorted(), Object.keys(errors).toSorted())
})
