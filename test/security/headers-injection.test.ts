// Line ends and NULs in every header the service reads, raw and escaped: none comes back in a header, none splits the log, and
// what an untrusted peer says about its caller has no effect.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { told } from '../support/how-much.ts'
import { assertCommonHeaders, startServer, until, type Answer, type Server } from '../support/process.ts'
import { exchange } from '../support/raw.ts'
import { flags, frame, header, openHttp2, request, types } from '../support/frames.ts'

let server: Server
let token: string
before(async () => {
  server = await startServer({
    rows: { stores: [{ id: 1 }] },
    settings: { VITRINE_ANONYMOUS_RATE: '1000000', VITRINE_TRUST_PROXY: '127.0.0.9' },
  })
  token = await server.token()
})
after(() => server.remove())

const readHeaders = [
  'Authorization',
  'Content-Type',
  'Accept-Encoding',
  'X-Forwarded-For',
  'X-Forwarded-Proto',
  'Host',
  'X-Request-Id',
  'Content-Length',
  'Expect',
  'User-Agent',
]
// After the break comes a header of the attacker's own, and a line for the log.
const forged = '{"time":"x","level":"info","event":"request","forged":true}'
const own = `X-Forged: yes\r\n${forged}`
const breaks: readonly [name: string, text: string][] = [
  ['CR', '\r'],
  ['LF', '\n'],
  ['NUL', '\0'],
  ['CR CR', '\r\r'],
  ['LF and a blank', '\n '],
  ['CR and a blank', '\r '],
  ['VT', '\x0b'],
]
const escapes: readonly [name: string, text: string][] = [
  ['%0d%0a', '%0d%0a'],
  ['%0D', '%0D'],
  ['%0a', '%0a'],
  ['%00', '%00'],
  ['\\r\\n', '\\r\\n'],
  ['UTF-8 of a newline that is none', '\xc4\x8d\xc4\x8a'],
  ['%E5%98%8A', '%E5%98%8A%E5%98%8D'],
  ['NEL', '\xc2\x85'],
  ['line separator', '\xe2\x80\xa8'],
]
const values = ['Bearer svc_at_x', 'gzip', 'https', '192.0.2.1', 'localhost']
const targets = ['GET /api/v1/status', 'GET /api/v1/ping', 'POST /api/v1/auth/token']

const host = 'Host: localhost\r\n'
const close = 'Connection: close\r\n'

function assertUntouched({ headers, text }: Answer, what: string) {
  assertCommonHeaders(headers)
  assert.ok(!Object.keys(headers).some((name) => name.includes('forged')), what)
  for (const [name, value] of Object.entries(headers)) {
    assert.doesNotMatch(String(value), /forged|[\r\n\0]|%0[ad0]/i, `${what}: ${name}`)
  }
  assert.ok(!text.includes('forged'), what)
}

const isTls = true
const target = () => ({ port: server.https, isTls })
const lineOf = (name: string, value: string) =>
  name === 'Host' ? `Host: ${value}\r\n` : `${host}${name}: ${value}\r\n`

test('raw control characters in a header are refused, whichever header it is', async () => {
  let tried = 0
  for (const name of readHeaders) {
    for (const [which, text] of breaks) {
      const answers = await exchange(
        target(),
        `GET /api/v1/status HTTP/1.1\r\n${lineOf(name, `x${text}${own}`)}${close}\r\n`,
      )
      const what = `${name} with ${which}`
      assert.deepEqual(
        answers.map(({ status }) => status),
        [400],
        what,
      )
      for (const answer of answers) assertUntouched(answer, what)
      tried += 1
    }
  }
  told(`injection: ${tried} raw control characters in headers refused`)
})

test('escaped ones are letters like any other: they come back nowhere', async () => {
  let tried = 0
  for (const start of targets) {
    for (const name of readHeaders.filter((each) => each !== 'Content-Length')) {
      for (const [which, text] of escapes) {
        const value = `${values[tried % values.length]}${text}${own.replaceAll('\r\n', text)}`
        const body = start.startsWith('POST') ? 'Content-Length: 0\r\n' : ''
        const answers = await exchange(target(), `${start} HTTP/1.1\r\n${lineOf(name, value)}${close}${body}\r\n`)
        const finals = answers.filter(({ status }) => status >= 200)
        assert.equal(finals.length, 1)
        for (const answer of finals) {
          assert.ok(answer.status < 500, `${name} with ${which}: ${answer.status}`)
          assertUntouched(answer, `${start}, ${name} with ${which}`)
        }
        tried += 1
      }
    }
  }
  told(`injection: ${tried} escaped line ends in headers, none came back`)
})

test('line ends in paths and parameters come back in no header', async () => {
  let tried = 0
  for (const [, text] of escapes.filter(([, each]) => each.startsWith('%'))) {
    for (const path of [
      `/${text}X-Forged:%20yes`,
      `/stores/1${text}X-Forged:yes`,
      `/stores?sort=${text}X-Forged:yes`,
      `/stores?${text}X-Forged:yes=1`,
    ]) {
      const answer = await server.ask(path, { token })
      assert.ok([400, 404].includes(answer.status), `${path}: ${answer.status}`)
      assertCommonHeaders(answer.headers)
      assert.equal(answer.headers['x-forged'], undefined)
      for (const value of Object.values(answer.headers)) assert.doesNotMatch(String(value), /forged|[\r\n\0]/i, path)
      tried += 1
    }
  }
  told(`injection: ${tried} line ends in paths and parameters`)
})

test('HTTP/2, whose frames could carry them: the request is refused, or read as if the header were not there', async () => {
  let [tried, refused] = [0, 0]
  const names = [
    'authorization',
    'content-type',
    'accept-encoding',
    'x-forwarded-for',
    'x-forwarded-proto',
    ':path',
    ':authority',
  ]
  for (const name of names) {
    for (const [which, text] of breaks) {
      const one = await openHttp2(server.https)
      const value = `x${text}${own}`
      const pseudo = {
        ':path': request(`/api/v1/status?a=${value}`),
        ':authority': request('/api/v1/status', 'GET', [], value),
      }
      const block =
        name in pseudo ? pseudo[name as keyof typeof pseudo] : request('/api/v1/status', 'GET', [header(name, value)])
      await one.send(frame(types.headers, flags.endHeaders | flags.endStream, 1, block))
      const isRefused = () =>
        !one.isOpen() || one.frames().some(({ type }) => type === types.reset || type === types.goAway)
      const isAnswered = () =>
        one.frames().some(({ type, flags: bits }) => type === types.data && bits & flags.endStream)
      await until(`${name} with ${which} is refused or answered`, () => isRefused() || isAnswered())
      if (isAnswered()) {
        const body = Buffer.concat(one.frames().flatMap(({ type, payload }) => (type === types.data ? [payload] : [])))
        assert.equal(JSON.parse(body.toString('utf8')).authorization_header_received, false, `${name} with ${which}`)
        assert.ok(!name.startsWith(':'), `${name} with ${which} was answered`)
      } else refused += 1
      await one.close()
      tried += 1
    }
  }
  told(
    `injection: ${tried} headers of HTTP/2 with control characters, ${refused} requests refused, of the others the header dropped`,
  )
})

test('two Authorization headers are seen, however many headers are between them', async () => {
  const right = `Authorization: Bearer ${token}\r\n`
  for (const [between, code] of [
    [900, 'invalid_token'],
    [1100, 'header_too_large'],
  ] as const) {
    const lines = `${right}${'x:\r\n'.repeat(between)}Authorization: Bearer x\r\n`
    const [answer] = await exchange(target(), `GET /api/v1/ping HTTP/1.1\r\n${host}${close}${lines}\r\n`)
    assert.equal(answer?.body.error?.code, code, String(between))
  }
})

test('two Authorization headers are an invalid token, though one of them is right', async () => {
  const right = () => `Authorization: Bearer ${token}\r\n`
  for (const other of ['Bearer x', 'Basic YTpi', '', `Bearer ${token}`]) {
    for (const lines of [`${right()}authorization: ${other}\r\n`, `AUTHORIZATION: ${other}\r\n${right()}`]) {
      const [answer] = await exchange(target(), `GET /api/v1/ping HTTP/1.1\r\n${host}${close}${lines}\r\n`)
      assert.deepEqual([answer?.status, answer?.body.error.code], [401, 'invalid_token'], other)
    }
  }
  const joined = await server.ask('/ping', { headers: { Authorization: `Bearer ${token}, Bearer ${token}` } })
  assert.deepEqual([joined.status, joined.body.error.code], [401, 'invalid_token'])
})

const lies: readonly Readonly<Record<string, string>>[] = [
  { 'X-Forwarded-For': '192.0.2.1' },
  { 'X-Forwarded-For': '127.0.0.9' },
  { 'X-Forwarded-For': '192.0.2.1, 127.0.0.9' },
  { 'X-Forwarded-For': '::ffff:127.0.0.9' },
  {
    'X-Forwarded-For': '192.0.2.1',
    'X-Real-IP': '192.0.2.1',
    'True-Client-IP': '192.0.2.1',
    'CF-Connecting-IP': '192.0.2.1',
  },
  { Forwarded: 'for=192.0.2.1;proto=https;by=127.0.0.9', 'X-Client-IP': '192.0.2.1' },
  { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.1' },
  { 'X-Forwarded-Proto': 'https', 'X-Forwarded-Ssl': 'on', 'Front-End-Https': 'on', 'X-Url-Scheme': 'https' },
  { 'X-Forwarded-Proto': 'http' },
  {
    'X-Forwarded-Host': 'example.org',
    'X-Forwarded-Port': '1',
    'X-Original-URL': '/api/v1/ping',
    'X-Rewrite-URL': '/api/v1/ping',
  },
  { 'X-HTTP-Method-Override': 'DELETE', 'X-Method-Override': 'POST' },
]

test('what an untrusted peer says of its caller has no effect: address, window, https', async () => {
  const peer = '127.0.0.77'
  let remaining: number | undefined
  for (const headers of lies) {
    const what = JSON.stringify(headers)
    const secure = await server.ask('/status', { headers, localAddress: peer })
    assert.deepEqual([secure.status, secure.body.https], [200, true], what)
    const plain = await server.ask('/status', { headers, localAddress: peer, isPlain: true })
    assert.deepEqual([plain.status, plain.body.error.code], [403, 'https_required'], what)
    for (const answer of [secure, plain]) {
      assert.equal((await server.lineOf(answer))['address'], peer, what)
      const left = Number(answer.headers['x-ratelimit-remaining'])
      if (remaining !== undefined) assert.equal(left, remaining - 1, `the window of ${peer}, ${what}`)
      remaining = left
    }
  }
  told(`injection: ${lies.length} lies about the caller, over TLS and in clear`)
})

// Runs last in this file: what came before is its input.
test('every line of the log is one JSON object, and none is forged', async () => {
  await server.lineOf(await server.ask('/status'))
  const lines = server.stdout().split('\n').slice(0, -1)
  for (const line of lines) {
    const read = JSON.parse(line) as Record<string, unknown>
    assert.ok(typeof read['event'] === 'string' && !('forged' in read), line)
    assert.ok(!/[\p{Cc}\u2028\u2029]/u.test(line), `a control character in ${JSON.stringify(line)}`)
  }
  assert.deepEqual(
    server.logged().filter((line) => Number(line['status']) >= 500 || line['level'] === 'error'),
    [],
  )
  told(`injection: ${lines.length} lines of the log, each one object`)
})
