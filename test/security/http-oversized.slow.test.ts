// Too much of everything, over HTTP/1.1 and HTTP/2: a refusal in JSON with the common headers, or a connection that is ended
// where the protocol leaves nothing else; and others are answered meanwhile.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2'
import { after, before, test } from 'node:test'
import { told } from '../support/how-much.ts'
import { assertCommonHeaders, startServer, type Answer, type Server } from '../support/process.ts'
import { exchange } from '../support/raw.ts'

let server: Server
let token: string
before(async () => {
  server = await startServer({ rows: { stores: [{ id: 1 }] }, settings: { VITRINE_ANONYMOUS_RATE: '1000000' } })
  token = await server.token()
})
after(() => server.remove())

const form = 'application/x-www-form-urlencoded'
const wrong = 'grant_type=client_credentials&client_id=svc_ak_nobody&client_secret=svc_sk_wrong'
const fill = (length: number) => 'a'.repeat(length)
const from = <Made>(count: number, make: (at: number) => Made) => Array.from({ length: count }, (_, at) => make(at))

interface Large {
  readonly name: string
  readonly method?: string
  readonly path: string
  readonly headers?: () => readonly (readonly [name: string, value: string])[]
  readonly body?: () => string
  /** What it may be answered with. */
  readonly statuses: readonly number[]
  /** Where nothing can be answered any more, the connection may just end. */
  readonly mayEnd?: boolean
}

const bearer = () => [['authorization', `Bearer ${token}`]] as const
const typed = [['content-type', form]] as const
const sizes = [16, 17, 20, 32, 63, 64, 65, 100, 1000]
const larges: readonly Large[] = [
  ...sizes.map((kib): Large => ({
    name: `a header of ${kib} KiB`,
    path: '/api/v1/status',
    headers: () => [['x-a', fill(kib * 1024)]],
    statuses: [431],
    mayEnd: kib > 60,
  })),
  ...sizes.map((kib): Large => ({
    name: `a token of ${kib} KiB`,
    path: '/api/v1/stores',
    headers: () => [['authorization', `Bearer ${fill(kib * 1024)}`]],
    statuses: [431],
    mayEnd: kib > 60,
  })),
  ...[300, 2000, 10_000].map((count): Large => ({
    name: `${count} headers`,
    path: '/api/v1/status',
    headers: () => from(count, (at) => [`x-${at}`, fill(60)]),
    statuses: [431],
    mayEnd: count > 300,
  })),
  ...[1500, 5000].map((count): Large => ({
    name: `${count} headers of one letter`,
    path: '/api/v1/status',
    headers: () => from(count, (at) => [`x${at}`, '']),
    // More of them than are kept: that is no reason to answer what was not read whole.
    statuses: count * 7 > 16 * 1024 ? [431] : [200, 431],
    mayEnd: count > 1500,
  })),
  ...[16, 20, 100].map((kib): Large => ({
    name: `an address of ${kib} KiB`,
    path: `/api/v1/stores?search=${fill(kib * 1024)}`,
    statuses: [431],
    mayEnd: kib > 60,
  })),
  { name: 'a path of 20 KB', path: `/api/v1/${fill(20_000)}`, statuses: [431] },
  { name: 'a path of 15 KB', path: `/api/v1/${fill(15_000)}`, statuses: [404] },
  { name: 'a path of 5,000 parts', path: `/api/v1${'/a'.repeat(5000)}`, statuses: [404] },
  { name: 'a search of 15 KB', path: `/api/v1/stores?search=${fill(15_000)}`, headers: bearer, statuses: [400] },
  {
    name: '1,000 parameters',
    path: `/api/v1/stores?${from(1000, (at) => `p${at}=1`).join('&')}`,
    headers: bearer,
    statuses: [400],
  },
  {
    name: '1,000 times one parameter',
    path: `/api/v1/stores?${from(1000, () => 'page=1').join('&')}`,
    headers: bearer,
    statuses: [400],
  },
  { name: '7,000 ampersands', path: `/api/v1/nowhere?${'&'.repeat(7000)}`, headers: bearer, statuses: [404] },
  {
    name: 'a sort of 1,000 fields',
    path: `/api/v1/stores?sort=${from(1000, () => 'id').join(',')}`,
    headers: bearer,
    statuses: [400],
  },
  { name: 'an id of 10,000 digits', path: `/api/v1/stores/${'9'.repeat(10_000)}`, headers: bearer, statuses: [400] },
  ...[17, 100, 2000].map((kib): Large => ({
    name: `a body of ${kib} KiB`,
    method: 'POST',
    path: '/api/v1/auth/token',
    headers: () => typed,
    body: () => `${wrong}&a=${fill(kib * 1024)}`,
    statuses: [400, 429],
  })),
  {
    name: 'a form of 1,000 parameters',
    method: 'POST',
    path: '/api/v1/auth/token',
    headers: () => typed,
    body: () => `${wrong}&${from(1000, (at) => `p${at}=1`).join('&')}`,
    statuses: [401, 429],
  },
  {
    name: 'JSON of 5,000 brackets',
    method: 'POST',
    path: '/api/v1/auth/token',
    headers: () => [['content-type', 'application/json']],
    body: () => '['.repeat(5000) + ']'.repeat(5000),
    statuses: [400, 429],
  },
  {
    name: 'a body of 1 MiB where none is read',
    method: 'POST',
    path: '/api/v1/stores',
    body: () => fill(1024 * 1024),
    statuses: [405],
  },
]

function assertRefused(answer: Answer, { name, statuses }: Large) {
  assert.ok(statuses.includes(answer.status), `${name}: ${answer.status} ${answer.text.slice(0, 300)}`)
  assertCommonHeaders(answer.headers)
  // No answer is far longer than its request.
  assert.ok(answer.text.length < 100_000, `${name}: ${answer.text.length} bytes`)
  if (answer.status === 200) return
  assert.match(typeof answer.body.error === 'string' ? answer.body.error : answer.body.error.code, /^[a-z_]+$/, name)
}

async function overHttp1({ method = 'GET', path, headers, body }: Large): Promise<Answer | undefined> {
  const content = body?.() ?? ''
  const lines = (headers?.() ?? []).map(([name, value]) => `${name}: ${value}\r\n`).join('')
  const length = body ? `Content-Length: ${content.length}\r\n` : ''
  const answers = await exchange(
    { port: server.https, isTls: true },
    `${method} ${path} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n${lines}${length}\r\n${content}`,
  )
  assert.ok(answers.length <= 1)
  return answers[0]
}

async function overHttp2(large: Large): Promise<Answer | undefined> {
  // The client of node:http2 has limits of its own, which are not what this is about.
  const session = connect(`https://127.0.0.1:${server.https}`, {
    ca: readFileSync(server.certificate),
    maxSendHeaderBlockLength: 8 * 1024 * 1024,
  })
  session.on('error', () => {})
  try {
    return await sendOver(session, large)
  } finally {
    session.destroy()
  }
}

function sendOver(session: ClientHttp2Session, { method = 'GET', path, headers, body }: Large) {
  const { promise, resolve } = Promise.withResolvers<Answer | undefined>()
  const all: OutgoingHttpHeaders = { ':method': method, ':path': path, ...Object.fromEntries(headers?.() ?? []) }
  const stream = session.request(all, { endStream: !body })
  let text = ''
  let got: Record<string, unknown> = {}
  stream.on('response', (received) => (got = received))
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  stream.on('error', () => {})
  const answered = () => {
    const { [':status']: status, ...others } = got
    if (status === undefined) return resolve(undefined)
    resolve({ status: Number(status), headers: others as Answer['headers'], text, body: JSON.parse(text) })
  }
  stream.on('end', answered)
  stream.on('close', () => resolve(undefined))
  session.on('close', () => resolve(undefined))
  if (body) stream.end(body())
  return promise
}

for (const [protocol, send] of [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const) {
  test(`${protocol}: what is too large is refused, and others are answered`, async () => {
    let ended = 0
    for (const large of larges) {
      const [answer, other] = await Promise.all([send(large), server.ask('/stores', { token })])
      if (answer) assertRefused(answer, large)
      else {
        // HTTP/1.1 can always say so.
        assert.ok(large.mayEnd && protocol === 'HTTP/2', `${large.name}: no answer`)
        ended += 1
      }
      assert.equal(other.status, 200, `another, during ${large.name}`)
    }
    told(`oversized: ${larges.length} over ${protocol}, ${larges.length - ended} answered in JSON, ${ended} ended`)
  })
}

// Runs last in this file: what came before is its input.
test('none of all this was a defect in the eyes of the log', async () => {
  await server.lineOf(await server.ask('/status'))
  assert.deepEqual(
    server.logged().filter((line) => Number(line['status']) >= 500 || line['level'] === 'error'),
    [],
  )
})
