// HTTP/2 by hand: odd requests are answered in JSON with the common headers and no 5xx, or their stream is refused; the
// connection's other streams and the service go on.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { connect, constants, type ClientHttp2Session, type OutgoingHttpHeaders } from 'node:http2'
import { after, before, test } from 'node:test'
import { assertCommonHeaders, startServer, until, type Answer, type Server } from '../support/process.ts'

let server: Server
let session: ClientHttp2Session
before(async () => {
  server = await startServer({
    rows: { stores: [{ id: 1, name: 'Pétion-Ville' }] },
    settings: { VITRINE_ANONYMOUS_RATE: '1000000' },
  })
  session = connect(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
})
after(async () => {
  session.destroy()
  await server.remove()
})

type Refused = { readonly refused: number }

function send(headers: OutgoingHttpHeaders, body?: string, over = session): Promise<Answer | Refused> {
  const { promise, resolve } = Promise.withResolvers<Answer | Refused>()
  const stream = over.request(headers, { endStream: body === undefined })
  let text = ''
  let got: Record<string, unknown> | undefined
  stream.on('response', (received) => (got = received))
  stream.setEncoding('utf8').on('data', (chunk: string) => (text += chunk))
  stream.on('error', () => {})
  const answered = () => {
    if (!got) return
    const { [':status']: status, ...headers } = got
    resolve({ status: Number(status), headers: headers as Answer['headers'], text, body: parseJson(text) })
  }
  // The answer is complete before the stream is closed where the body is still under way.
  stream.on('end', answered)
  stream.on('close', () => resolve({ refused: stream.rstCode ?? -1 }))
  if (body !== undefined) stream.end(body)
  return promise
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

const form = { 'content-type': 'application/x-www-form-urlencoded' }
const wrong = 'grant_type=client_credentials&client_id=svc_ak_nobody&client_secret=svc_sk_wrong'
const token = { ':method': 'POST', ':path': '/api/v1/auth/token', ...form }

const scenarios: readonly {
  name: string
  headers: OutgoingHttpHeaders
  body?: string
  status: number | readonly number[]
  code?: string
}[] = [
  { name: 'a plain request', headers: { ':path': '/api/v1/status' }, status: 200 },
  { name: 'an unknown path', headers: { ':path': '/nowhere' }, status: 404, code: 'not_found' },
  {
    name: 'another method',
    headers: { ':method': 'PUT', ':path': '/api/v1/stores' },
    status: 405,
    code: 'method_not_allowed',
  },
  {
    name: 'a method nobody knows',
    headers: { ':method': 'BREW', ':path': '/api/v1/stores' },
    status: 405,
    code: 'method_not_allowed',
  },
  { name: 'CONNECT', headers: { ':method': 'CONNECT', ':authority': 'example.org:443' }, status: [400, 404, 405] },
  {
    name: 'a Host that is not the :authority',
    headers: { ':path': '/api/v1/status', ':authority': 'localhost', host: 'example.org' },
    status: 400,
    code: 'bad_request',
  },
  {
    name: 'a Host that says the same as the :authority',
    headers: { ':path': '/api/v1/status', ':authority': 'localhost', host: 'LOCALHOST' },
    status: 200,
  },
  { name: 'no token', headers: { ':path': '/api/v1/ping' }, status: 401, code: 'missing_token' },
  { name: 'headers over 16 KiB', headers: { ':path': '/api/v1/status', 'x-a': 'a'.repeat(20 * 1024) }, status: 431 },
  { name: 'a path over 16 KiB', headers: { ':path': `/api/v1/status?a=${'a'.repeat(20 * 1024)}` }, status: 431 },
  { name: 'a wrong sign-in', headers: token, body: wrong, status: 401, code: 'invalid_client' },
  {
    name: 'Expect: 100-continue',
    headers: { ...token, expect: '100-continue' },
    body: wrong,
    status: 401,
    code: 'invalid_client',
  },
  { name: 'another Expect', headers: { ':path': '/api/v1/status', expect: 'miracles' }, status: 200 },
  {
    name: 'a body over the limit',
    headers: token,
    body: `${wrong}&a=${'a'.repeat(200 * 1024)}`,
    status: 400,
    code: 'invalid_request',
  },
  { name: 'a body on GET', headers: { ':method': 'GET', ':path': '/api/v1/status' }, body: wrong, status: 200 },
  { name: 'scheme http', headers: { ':scheme': 'http', ':path': '/api/v1/status' }, status: 200 },
]

for (const { name, headers, body, status, code } of scenarios) {
  test(`HTTP/2: ${name}`, async () => {
    const answer = await send(headers, body)
    assert.ok('status' in answer, `the stream was refused: ${JSON.stringify(answer)}`)
    assert.ok([status].flat().includes(answer.status), `answered ${answer.status} ${answer.text}`)
    assertCommonHeaders(answer.headers)
    if (code) assert.equal(typeof answer.body.error === 'string' ? answer.body.error : answer.body.error.code, code)
    const next = await send({ ':path': '/api/v1/status' })
    assert.ok('status' in next && next.status === 200)
  })
}

test('HTTP/2: letters that were not escaped are read as if they were', async () => {
  const token = await server.token()
  const find = async (text: string) => {
    const answer = await send({ ':path': `/api/v1/stores?search=${text}`, authorization: `Bearer ${token}` })
    assert.ok('status' in answer)
    return [answer.status, answer.body.meta?.total]
  }
  // node:http2 sends each character as one byte: these are the bytes of UTF-8.
  assert.deepEqual(await find(Buffer.from('Pétion').toString('latin1')), [200, 1])
  assert.deepEqual(await find('P%C3%A9tion'), [200, 1])
  assert.equal((await find('P\u00e9tion'))[0], 400)
})

test('HTTP/2: the answer to HEAD is 405 without a body', async () => {
  const answer = await send({ ':method': 'HEAD', ':path': '/api/v1/stores' })
  assert.ok('status' in answer)
  assert.deepEqual([answer.status, answer.text, answer.headers['allow']], [405, '', 'GET'])
})

test('HTTP/2: HEAD on /status is answered like GET, without a body', async () => {
  const [get, head] = [
    await send({ ':path': '/api/v1/status' }),
    await send({ ':method': 'HEAD', ':path': '/api/v1/status' }),
  ]
  assert.ok('status' in get && 'status' in head)
  assert.deepEqual([head.status, head.text], [200, ''])
  assert.equal(head.headers['content-length'], get.headers['content-length'])
  assert.deepEqual(Object.keys(head.headers).toSorted(), Object.keys(get.headers).toSorted())
})

test('HTTP/2: whoever sends a body nobody reads is told to stop, so that nothing stays open', async () => {
  const unread = [token, { ...token, ':path': '/api/v1/stores' }, { ...token, ':path': '/nowhere' }]
  for (const headers of unread) {
    const stream = session.request(headers, { endStream: false })
    let status = 0
    stream.on('response', (received) => (status = Number(received[':status'])))
    stream.on('error', () => {})
    stream.resume()
    stream.write('a'.repeat(1024 * 1024))
    await until('the stream is closed', () => stream.closed)
    assert.ok(status >= 400 && status < 500, String(status))
    assert.equal(stream.rstCode, constants.NGHTTP2_NO_ERROR)
  }
})

test('HTTP/2: 200 requests at once over one connection are all answered', async () => {
  const answers = await Promise.all(Array.from({ length: 200 }, () => send({ ':path': '/api/v1/status' })))
  assert.deepEqual(
    answers.filter((answer) => !('status' in answer) || answer.status !== 200),
    [],
  )
})

test('HTTP/2: callers that take their requests back harm nobody', async () => {
  const other = connect(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
  other.on('error', () => {})
  for (let count = 0; count < 50; count++) {
    const stream = other.request(count % 2 ? token : { ':path': '/api/v1/ping' }, { endStream: count % 2 === 0 })
    stream.on('error', () => {})
    stream.close(constants.NGHTTP2_CANCEL)
  }
  const half = other.request(token)
  half.on('error', () => {})
  half.write('grant_type=')
  other.destroy()
  const last = await server.ask('/status')
  assert.equal(last.status, 200)
  await server.lineOf(last)
  assert.deepEqual(
    server.logged().filter((line) => Number(line['status']) >= 500 || line['level'] === 'error'),
    [],
  )
  assert.doesNotMatch(server.stderr(), /error|exception|\.ts:/i)
})
