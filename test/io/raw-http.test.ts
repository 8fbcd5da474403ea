// HTTP/1.1 by hand, over TLS and plain: whatever is sent, what is answered is JSON with the common headers and no 5xx,
// and the service goes on.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { assertCommonHeaders, startServer, until, type Answer, type Server } from '../support/process.ts'
import { exchange, openSocket } from '../support/raw.ts'

let server: Server
before(async () => {
  server = await startServer({ settings: { VITRINE_ANONYMOUS_RATE: '1000000' } })
})
after(() => server.remove())

const host = 'Host: localhost\r\n'
const close = 'Connection: close\r\n'
const get = (path: string, ...headers: string[]) => `GET /api/v1${path} HTTP/1.1\r\n${host}${headers.join('')}\r\n`
const post = (headers: string, body = '') =>
  `POST /api/v1/auth/token HTTP/1.1\r\n${host}Content-Type: application/x-www-form-urlencoded\r\n${headers}\r\n${body}`
const wrong = 'grant_type=client_credentials&client_id=svc_ak_nobody&client_secret=svc_sk_wrong'
const large = 'a'.repeat(17 * 1024)

interface Scenario {
  readonly name: string
  readonly send: readonly string[]
  /** The statuses of all answers over TLS. */
  readonly statuses: readonly number[]
  /** What may come instead. */
  readonly or?: readonly number[]
  readonly check?: (answers: readonly Answer[]) => void
}

const badRequests: readonly [name: string, text: string][] = [
  ['a request line that is none', 'HELLO\r\n\r\n'],
  ['bytes that are no text', '\x16\x03\x01\x00\xff\x00\r\n\r\n'],
  ['an unknown version', `GET /api/v1/status HTTP/9.9\r\n${host}\r\n`],
  ['an unknown method', `BREW /api/v1/status HTTP/1.1\r\n${host}\r\n`],
  ['a method in small letters', `get /api/v1/status HTTP/1.1\r\n${host}\r\n`],
  ['a blank in the target', `GET /api/v1/sta tus HTTP/1.1\r\n${host}\r\n`],
  ['a control character in the target', `GET /api/v1/status\x01 HTTP/1.1\r\n${host}\r\n`],
  ['two Content-Lengths that differ', post('Content-Length: 3\r\nContent-Length: 4\r\n', 'abcd')],
  ['two Content-Lengths that agree', post('Content-Length: 4\r\nContent-Length: 4\r\n', 'abcd')],
  ['Content-Length with chunks', post('Content-Length: 4\r\nTransfer-Encoding: chunked\r\n', '0\r\n\r\n')],
  ['chunks with Content-Length', post('Transfer-Encoding: chunked\r\nContent-Length: 4\r\n', '0\r\n\r\n')],
  ['chunked not last', post('Transfer-Encoding: chunked, gzip\r\n', '0\r\n\r\n')],
  ['a Content-Length that is no number', post('Content-Length: four\r\n', 'abcd')],
  ['a negative Content-Length', post('Content-Length: -4\r\n', 'abcd')],
  ['a Content-Length beyond all numbers', post('Content-Length: 99999999999999999999999\r\n', 'abcd')],
  ['a chunk size that is none', post('Transfer-Encoding: chunked\r\n', 'xyz\r\nabc\r\n0\r\n\r\n')],
  ['a chunk longer than it says', post('Transfer-Encoding: chunked\r\n', '2\r\nabcdef\r\n0\r\n\r\n')],
  ['a bad chunk after a good one', post('Transfer-Encoding: chunked\r\n', '3\r\nabc\r\n-1\r\n\r\n')],
  ['line feeds alone', 'GET /api/v1/status HTTP/1.1\nHost: localhost\n\n'],
  ['one line feed alone', 'GET /api/v1/status HTTP/1.1\r\nHost: localhost\nX-A: b\r\n\r\n'],
  ['a blank before the colon', 'GET /api/v1/status HTTP/1.1\r\nHost : localhost\r\n\r\n'],
  ['a header without a colon', `GET /api/v1/status HTTP/1.1\r\n${host}nothing\r\n\r\n`],
  ['a header without a name', `GET /api/v1/status HTTP/1.1\r\n${host}: nothing\r\n\r\n`],
  ['a NUL in a header', `GET /api/v1/status HTTP/1.1\r\n${host}X-A: a\0b\r\n\r\n`],
  ['a carriage return in a header', `GET /api/v1/status HTTP/1.1\r\n${host}X-A: a\rb\r\n\r\n`],
  ['CONNECT', 'CONNECT example.org:443 HTTP/1.1\r\nHost: example.org:443\r\n\r\n'],
]

const scenarios: readonly Scenario[] = [
  ...badRequests.map(([name, text]) => ({ name, send: [text], statuses: [400] })),
  { name: 'one header over 16 KiB', send: [get('/status', `X-A: ${large}\r\n`)], statuses: [431] },
  {
    name: 'many headers that are over 16 KiB together',
    send: [get('/status', ...Array.from({ length: 200 }, (_, at) => `X-${at}: ${'a'.repeat(90)}\r\n`))],
    statuses: [431],
  },
  { name: 'a target over 16 KiB', send: [get(`/status?a=${large}`)], statuses: [431] },
  {
    name: 'headers under 16 KiB are read',
    send: [get('/status', `X-A: ${'a'.repeat(15 * 1024)}\r\n`, close)],
    statuses: [200],
  },
  { name: 'HTTP/1.1 without Host', send: [`GET /api/v1/status HTTP/1.1\r\n${close}\r\n`], statuses: [400] },
  { name: 'two Hosts', send: [get('/status', 'Host: example.org\r\n', close)], statuses: [400] },
  { name: 'the same Host twice', send: [get('/status', 'hOST: localhost\r\n', close)], statuses: [400] },
  {
    name: 'two Hosts with HTTP/1.0, and what is sent after them',
    send: [`GET /api/v1/status HTTP/1.0\r\n${host}${host}\r\n${get('/status')}`],
    statuses: [400],
  },
  { name: 'HTTP/0.9', send: ['GET /api/v1/status\r\n\r\n'], statuses: [400], or: [200] },
  { name: 'HTTP/1.0 without Host', send: ['GET /api/v1/status HTTP/1.0\r\n\r\n'], statuses: [200] },
  {
    name: 'a whole address as the target',
    send: [`GET https://localhost/api/v1/status?a=b HTTP/1.1\r\n${host}${close}\r\n`],
    statuses: [200],
  },
  {
    name: 'an authority without a path',
    send: [`GET https://localhost HTTP/1.1\r\n${host}${close}\r\n`],
    statuses: [404],
  },
  {
    name: 'a path that only looks like one of ours',
    send: ['//api/v1/status', '/api/v1/../v1/status', '/api/v1/status/', '/api/v1/%73tatus', '/API/v1/status', '*'].map(
      (path, at, { length }) => `GET ${path} HTTP/1.1\r\n${host}${at === length - 1 ? close : ''}\r\n`,
    ),
    statuses: [404, 404, 404, 404, 404, 404],
  },
  { name: 'OPTIONS *', send: [`OPTIONS * HTTP/1.1\r\n${host}${close}\r\n`], statuses: [404] },
  {
    name: 'TRACE is any other method',
    send: [`TRACE /api/v1/status HTTP/1.1\r\n${host}${close}\r\n`],
    statuses: [405],
    check: ([answer]) => assert.equal(answer?.headers['allow'], 'GET'),
  },
  {
    name: 'a wish for another protocol is not granted',
    send: [
      get('/status', 'Connection: Upgrade, HTTP2-Settings, close\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n'),
    ],
    statuses: [200],
  },
  {
    name: 'Expect: 100-continue is answered before the body comes',
    send: [post(`Expect: 100-continue\r\nContent-Length: ${wrong.length}\r\n${close}`), wrong],
    statuses: [100, 401],
  },
  {
    name: 'another Expect',
    send: [get('/status', 'Expect: miracles\r\n', close)],
    statuses: [200],
  },
  {
    name: 'two Authorization headers',
    send: [get('/ping', 'Authorization: Bearer a\r\n', 'Authorization: Bearer b\r\n', close)],
    statuses: [401],
    check: ([answer]) => assert.equal(answer?.body.error.code, 'invalid_token'),
  },
  {
    name: 'a body on GET is not taken for the next request',
    send: [get('/status', `Content-Length: ${get('/ping').length}\r\n`) + get('/ping') + get('/nowhere', close)],
    statuses: [200, 404],
    or: [200],
  },
  {
    name: 'pipelined requests are answered in their order',
    send: [get('/status') + get('/nowhere') + get('/ping') + `PUT /api/v1/stores HTTP/1.1\r\n${host}${close}\r\n`],
    statuses: [200, 404, 401, 405],
  },
  {
    name: 'a good request, then a bad one',
    send: [`${get('/status')}HELLO\r\n\r\n`],
    statuses: [200, 400],
  },
  {
    name: 'a good request that waits for the state, then a bad one',
    send: [`${get('/ping', 'Authorization: Bearer svc_at_x\r\n')}HELLO\r\n\r\n`],
    statuses: [401, 400],
  },
]

// In clear, what is HTTP is refused because it is in clear; what the parser refuses is refused by it, or for that too.
const fits = (seen: readonly number[], expected: readonly number[], isTls: boolean) =>
  seen.length === expected.length &&
  expected.every((status, at) => {
    const isSame = seen[at] === status
    return isTls || [100, 400, 431].includes(status) ? isSame || (!isTls && seen[at] === 403) : seen[at] === 403
  })

for (const isTls of [true, false]) {
  for (const { name, send, statuses, or = statuses, check } of scenarios) {
    test(`raw HTTP ${isTls ? 'over TLS' : 'in clear'}: ${name}`, async () => {
      const answers = await exchange({ port: isTls ? server.https : server.http, isTls }, ...send)
      const seen = answers.map(({ status }) => status)
      assert.ok(fits(seen, statuses, isTls) || fits(seen, or, isTls), `answered ${seen.join()}`)
      const finals = answers.filter(({ status }) => status >= 200)
      for (const { status, headers, body } of finals) {
        assertCommonHeaders(headers, { isTls })
        const error = status === 200 ? 'none' : typeof body.error === 'string' ? body.error : body.error.code
        assert.match(error, /^[a-z_]+$/)
        if (!isTls && status === 403) assert.equal(error, 'https_required')
      }
      if (isTls) check?.(finals)
      assert.equal((await server.ask('/status')).status, 200)
    })
  }
}

test('raw HTTP: HEAD on /status is answered like GET, without a body', async () => {
  const target = { port: server.https, isTls: true }
  const [full] = await exchange(target, get('/status', close))
  const [head] = await exchange(target, `HEAD /api/v1/status HTTP/1.1\r\n${host}${close}\r\n`)
  assert.deepEqual([head?.status, head?.text], [200, ''])
  assert.deepEqual(Object.keys(head?.headers ?? {}), Object.keys(full?.headers ?? {}))
  assert.equal(head?.headers['content-length'], String(full?.text.length))
})

test('raw HTTP: every answer has a request id of its own, never the one that was sent', async () => {
  const sent = 'X-Request-Id: 11111111-1111-4111-8111-111111111111\r\n'
  const answers = await exchange(
    { port: server.https, isTls: true },
    get('/status', sent) + get('/nowhere', sent, close),
  )
  const ids = answers.map(({ headers }) => headers['x-request-id'])
  assert.equal(new Set(ids).size, 2)
  assert.ok(!ids.includes('11111111-1111-4111-8111-111111111111'))
  assert.equal(answers[1]?.body.error.request_id, ids[1])
})

const kib = 1024
const bodies: readonly { name: string; send: readonly string[]; status: number }[] = [
  { name: 'of 15 KiB is read', send: [sized(15 * kib)], status: 401 },
  { name: 'of 17 KiB is too large', send: [sized(17 * kib)], status: 400 },
  { name: 'of 4 MiB is too large', send: [sized(4 * kib * kib)], status: 400 },
  {
    name: 'of 4 MiB in chunks is too large',
    send: [
      post(`Transfer-Encoding: chunked\r\n${close}`),
      ...Array.from({ length: 64 }, () => `10000\r\n${'a'.repeat(0x10000)}\r\n`),
      '0\r\n\r\n',
    ],
    status: 400,
  },
]

function sized(length: number): string {
  return post(`Content-Length: ${length}\r\n${close}`, `${wrong}&padding=`.padEnd(length, 'a'))
}

for (const { name, send, status } of bodies) {
  test(`raw HTTP: a body on /auth/token ${name}, and its sender reads the answer`, async () => {
    const [answer, ...more] = await exchange({ port: server.https, isTls: true }, ...send)
    assert.deepEqual([answer?.status, more], [status, []])
    assertCommonHeaders(answer?.headers ?? {})
    assert.equal(answer?.body.error, status === 400 ? 'invalid_request' : 'invalid_client')
  })
}

const hangUps: readonly { name: string; send: string }[] = [
  { name: 'at once', send: '' },
  { name: 'within the request line', send: 'GET /api/v1/sta' },
  { name: 'within the headers', send: 'GET /api/v1/status HTTP/1.1\r\nHost: lo' },
  { name: 'before the answer', send: get('/ping', 'Authorization: Bearer svc_at_x\r\n') },
  { name: 'before the body', send: post('Content-Length: 100\r\n') },
  { name: 'within the body', send: post('Content-Length: 100\r\n', 'grant_type=') },
  { name: 'within a chunk', send: post('Transfer-Encoding: chunked\r\n', '64\r\ngrant') },
  { name: 'instead of the body it was asked for', send: post('Expect: 100-continue\r\nContent-Length: 100\r\n') },
]

for (const isTls of [true, false]) {
  for (const { name, send } of hangUps) {
    test(`raw HTTP ${isTls ? 'over TLS' : 'in clear'}: a caller that hangs up ${name} harms nobody`, async () => {
      for (const leave of ['end', 'reset'] as const) {
        const socket = await openSocket({ port: isTls ? server.https : server.http, isTls })
        socket.on('error', () => {})
        await new Promise((resolve) => socket.write(send, resolve))
        if (leave === 'end') socket.end()
        else socket.destroy()
        socket.resume()
      }
      assert.equal((await server.ask('/status')).status, 200)
    })
  }
}

for (const isTls of [true, false])
  test(`raw HTTP ${isTls ? 'over TLS' : 'in clear'}: a caller that is refused while it sends reads its one answer afterwards`, async () => {
    const unparsed = () => server.logged().filter(({ event }) => event === 'unparsed').length
    const before = unparsed()
    const socket = await openSocket({ port: isTls ? server.https : server.http, isTls })
    const closed = new Promise((resolve) => socket.once('close', resolve))
    const faults: Error[] = []
    socket.on('error', (error) => faults.push(error))
    socket.write(`GET /api/v1/status HTTP/1.1\r\n${host}X-A: ${'a'.repeat(20 * 1024)}`)
    await until('it is refused', () => unparsed() === before + 1)
    // The parser complains of each piece.
    for (let piece = 1; piece <= 3; piece += 1) {
      await new Promise((resolve) => socket.write('a'.repeat(16 * 1024), resolve))
      await server.lineOf(await server.ask('/status'))
    }
    let received = ''
    socket.setEncoding('latin1').on('data', (text: string) => (received += text))
    await closed
    assert.match(received, /^HTTP\/1\.1 431 [^]*"header_too_large"/)
    assert.deepEqual([faults, unparsed()], [[], before + 1])
  })

// Runs last in this file: what came before is its input.
test('raw HTTP: none of all this was a defect in the eyes of the log', async () => {
  await server.lineOf(await server.ask('/status'))
  assert.deepEqual(
    server.logged().filter((line) => Number(line['status']) >= 500 || line['level'] === 'error'),
    [],
  )
  assert.doesNotMatch(server.stderr(), /error|exception|\.ts:/i)
})
