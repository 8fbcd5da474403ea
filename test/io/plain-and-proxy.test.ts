// The plain port: it refuses all callers except trusted proxies, and believes what a proxy says about its caller. The
// untrusted peers are at 127.0.0.2, which is not in the trusted list of these tests.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { resources } from '../../src/catalogue/resources/index.ts'
import { credentialsPaths } from '../support/routes.ts'
import { assertCommonHeaders, startServer, type Answer, type Asked, type Server } from '../support/process.ts'

const untrusted = '127.0.0.2'
let untrusting: Server
let server: Server
before(async () => {
  const rows = { stores: [{ id: 1, name: 'Main' }] }
  ;[untrusting, server] = await Promise.all([
    startServer({ rows }),
    startServer({ rows, settings: { VITRINE_TRUST_PROXY: '127.0.0.1, 10.0.0.0/8' } }),
  ])
})
after(() => Promise.all([untrusting.remove(), server.remove()]))

const paths = [
  '/status',
  ...credentialsPaths,
  '/ping',
  '/resources',
  ...resources.flatMap(({ name }) => [`/${name}`, `/${name}/1`]),
  '/nowhere',
  '/api',
]

function assertRefused(answer: Answer, isOauth: boolean, what: string) {
  assert.equal(answer.status, 403, what)
  if (isOauth) assert.deepEqual(Object.keys(answer.body), ['error', 'error_description'])
  else assert.deepEqual(Object.keys(answer.body.error), ['code', 'message', 'request_id'])
  assert.equal(isOauth ? answer.body.error : answer.body.error.code, 'https_required', what)
  assertCommonHeaders(answer.headers, { isTls: false })
}

test('plain HTTP: every route and method answers 403 https_required and never redirects', async () => {
  const token = await untrusting.token()
  for (const path of paths) {
    for (const method of ['GET', 'POST']) {
      const answer = await untrusting.ask(path, { isPlain: true, method, token })
      assertRefused(answer, credentialsPaths.includes(path), `${method} ${path}`)
    }
  }
  for (const method of ['HEAD', 'OPTIONS', 'DELETE']) {
    const answer = await untrusting.ask('/status', { isPlain: true, method })
    assert.equal(answer.status, 403, method)
    assertCommonHeaders(answer.headers, { isTls: false })
  }
})

test('plain HTTP: even right credentials get no token', async () => {
  const key = await untrusting.makeKey()
  const answer = await untrusting.signIn(key, { isPlain: true })
  assertRefused(answer, true, 'sign in')
  assert.ok(!answer.text.includes('svc_at_'))
})

interface Forwarded {
  readonly name: string
  readonly headers: Asked['headers']
  readonly from?: string
  readonly isServed: boolean
}

const forwarded: readonly Forwarded[] = [
  { name: 'https', headers: { 'X-Forwarded-Proto': 'https' }, isServed: true },
  { name: 'HTTPS in capitals', headers: { 'X-Forwarded-Proto': 'HTTPS' }, isServed: true },
  { name: 'http', headers: { 'X-Forwarded-Proto': 'http' }, isServed: false },
  { name: 'nothing', headers: {}, isServed: false },
  { name: 'an empty word', headers: { 'X-Forwarded-Proto': '' }, isServed: false },
  { name: 'two things', headers: { 'X-Forwarded-Proto': 'https, http' }, isServed: false },
  { name: 'two things in two headers', headers: { 'X-Forwarded-Proto': ['http', 'https'] }, isServed: false },
  { name: 'https in another header', headers: { Forwarded: 'proto=https', 'X-Forwarded-Ssl': 'on' }, isServed: false },
  { name: 'https, and is not trusted', headers: { 'X-Forwarded-Proto': 'https' }, from: untrusted, isServed: false },
  {
    name: 'https for a trusted address, and is not trusted itself',
    headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '127.0.0.1' },
    from: untrusted,
    isServed: false,
  },
]

for (const { name, headers, from, isServed } of forwarded) {
  test(`proxy: a peer that says ${name} is ${isServed ? 'served' : 'refused'}`, async () => {
    const asked: Asked = { isPlain: true, headers: headers ?? {}, localAddress: from ?? '127.0.0.1' }
    const answer = await server.ask('/status', asked)
    if (!isServed) return assertRefused(answer, false, name)
    assert.equal(answer.status, 200)
    assert.equal(answer.body.https, true)
    assertCommonHeaders(answer.headers)
  })
}

test('proxy: without a trusted list nobody is served', async () => {
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '10.1.2.3' }
  assertRefused(await untrusting.ask('/status', { isPlain: true, headers }), false, 'status')
})

test('proxy: a whole conversation behind a trusted proxy', async () => {
  const key = await server.makeKey()
  const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.77' }
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const signedIn = await server.signIn(key, {
    isPlain: true,
    headers: { ...headers, ...form },
    localAddress: '127.0.0.1',
  })
  assert.equal(signedIn.status, 200)
  const token = String(signedIn.body.access_token)
  const answer = await server.ask('/stores', { isPlain: true, token, headers })
  assert.deepEqual([answer.status, answer.body.meta.total], [200, 1])
})

// Each has a client of its own, told by its address, in the window of callers without a token.
const callers: readonly { name: string; forwardedFor: string | undefined; address: string }[] = [
  { name: 'one address', forwardedFor: '192.0.2.1', address: '192.0.2.1' },
  { name: 'the right-most that is not trusted', forwardedFor: '203.0.113.9, 192.0.2.2', address: '192.0.2.2' },
  { name: 'the right-most before trusted ones', forwardedFor: '192.0.2.3, 10.1.1.1, 10.2.2.2', address: '192.0.2.3' },
  { name: 'mapped IPv4', forwardedFor: '::ffff:192.0.2.4', address: '192.0.2.4' },
  { name: 'IPv6 by its /64', forwardedFor: '2001:db8:1:2:3:4:5:6', address: '2001:db8:1:2::/64' },
  { name: 'none', forwardedFor: undefined, address: '127.0.0.1' },
]

for (const { name, forwardedFor, address } of callers) {
  for (const path of ['/status', '/nowhere']) {
    test(`proxy: X-Forwarded-For with ${name} is where the caller of ${path} is`, async () => {
      const headers = {
        'X-Forwarded-Proto': 'https',
        ...(forwardedFor === undefined ? {} : { 'X-Forwarded-For': forwardedFor }),
      }
      const answer = await server.ask(path, { isPlain: true, headers, localAddress: '127.0.0.1' })
      assert.equal((await server.lineOf(answer))['address'], address)
    })
  }
}

const wrongForm = (key: string) =>
  new URLSearchParams({ grant_type: 'client_credentials', client_id: key, client_secret: 'svc_sk_wrong' }).toString()
const attempt = (one: Server, key: string, asked: Asked) =>
  one.ask('/auth/token', {
    method: 'POST',
    body: wrongForm(key),
    ...asked,
    headers: { 'Content-Type': 'application/x-www-form-urlencoded', ...asked.headers },
  })

const behind = (address: string): Asked => ({
  isPlain: true,
  headers: { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': address },
})

describe('proxy: blocks and windows go by the forwarded address', () => {
  test('five failures block one caller behind the proxy, and no other', async () => {
    for (let count = 0; count < 5; count++)
      assert.equal((await attempt(server, 'svc_ak_a', behind('198.51.100.1'))).status, 401)
    const blocked = await attempt(server, 'svc_ak_a', behind('198.51.100.1'))
    assert.deepEqual([blocked.status, blocked.body.error], [429, 'too_many_attempts'])
    assert.ok(Number(blocked.headers['retry-after']) > 800)
    assert.equal((await attempt(server, 'svc_ak_a', behind('198.51.100.2'))).status, 401)
    // To the left of what the proxy saw the caller may write what it likes.
    assert.equal((await attempt(server, 'svc_ak_a', behind('1.2.3.4, 198.51.100.1'))).status, 429)
    const { stdout } = await server.run('blocks', 'list', '--json')
    assert.equal((JSON.parse(stdout) as { address: string }).address, '198.51.100.1')
  })

  test('each caller has a token window of its own', async () => {
    const first = await attempt(server, 'svc_ak_b', behind('198.51.100.3'))
    const second = await attempt(server, 'svc_ak_c', behind('198.51.100.3'))
    const other = await attempt(server, 'svc_ak_b', behind('198.51.100.4'))
    assert.deepEqual(
      [first, second, other].map(({ headers }) => headers['x-ratelimit-remaining']),
      ['9', '8', '9'],
    )
  })
})

const lies = (count: number): Asked => ({
  localAddress: untrusted,
  headers: { 'X-Forwarded-For': `192.0.2.${100 + count}`, 'X-Forwarded-Proto': 'https', 'X-Real-Ip': '192.0.2.1' },
})

describe('proxy: from an untrusted peer the headers have no effect, over TLS and plain', () => {
  for (const isPlain of [false, true]) {
    test(`the caller of ${isPlain ? 'the plain' : 'the TLS'} port is the peer`, async () => {
      const answer = await server.ask('/status', { ...lies(0), isPlain })
      assert.equal(answer.status, isPlain ? 403 : 200)
      assert.equal((await server.lineOf(answer))['address'], untrusted)
    })
  }

  test('lying about the address does not get round the token window nor the block', async () => {
    const seen: string[] = []
    for (let count = 0; count < 6; count++) {
      const answer = await attempt(server, 'svc_ak_liar', lies(count))
      seen.push(`${answer.status} ${String(answer.headers['x-ratelimit-remaining'])}`)
    }
    assert.deepEqual(seen, ['401 9', '401 8', '401 7', '401 6', '401 5', '429 5'])
  })

  test('X-Forwarded-Proto: http does not take TLS away', async () => {
    for (const localAddress of ['127.0.0.1', untrusted]) {
      const answer = await server.ask('/status', { localAddress, headers: { 'X-Forwarded-Proto': 'http' } })
      assert.deepEqual([answer.status, answer.body.https], [200, true])
      assertCommonHeaders(answer.headers)
    }
  })
})
