// Plain HTTP on the port of TLS, of the API and of the console: it is refused in words, as on the plain port, and nothing that such a
// caller does or does not do harms the callers over TLS.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { connect, createServer, type AddressInfo, type Socket } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { resources } from '../../src/catalogue/resources/index.ts'
import { credentialsPaths } from '../support/routes.ts'
import { askOver, assertCommonHeaders, startServer, type Answer, type Asked, type Server } from '../support/process.ts'
import { exchange, openSocket } from '../support/raw.ts'

let server: Server
before(async () => {
  server = await startServer({
    rows: { stores: [{ id: 1, name: 'Main' }] },
    settings: { VITRINE_TRUST_PROXY: '127.0.0.1', VITRINE_CONNECTIONS_PER_ADDRESS: '20' },
  })
})
after(() => server.remove())

const askPlain = (path: string, asked: Asked = {}) => askOver({ port: server.https }, `/api/v1${path}`, asked)

function assertRefused({ status, headers, body }: Answer, isOauth = false) {
  assert.deepEqual([status, isOauth ? body.error : body.error.code], [403, 'https_required'])
  assert.deepEqual(Object.keys(body), isOauth ? ['error', 'error_description'] : ['error'])
  assertCommonHeaders(headers, { isTls: false })
  assert.equal(headers['connection'], 'close')
}

const plain = () => ({ port: server.https, isTls: false })

describe('plain HTTP on the port of TLS', () => {
  test('every route and method answers 403 https_required, and the connection ends', async () => {
    const data = resources.flatMap(({ name }) => [`/${name}`, `/${name}/1`])
    for (const path of ['/status', ...credentialsPaths, '/ping', '/resources', ...data, '/nowhere'])
      for (const method of ['GET', 'POST', 'PROPFIND'])
        assertRefused(await askPlain(path, { method, token: 'svc_at_x' }), credentialsPaths.includes(path))
    for (const method of ['HEAD', 'OPTIONS', 'DELETE', 'BIND', 'UNLINK']) {
      const { status, headers } = await askPlain('/status', { method })
      assert.equal(status, 403, method)
      assertCommonHeaders(headers, { isTls: false })
    }
  })

  test('no proxy is trusted there, and right credentials get no token [N12]', async () => {
    const headers = { 'X-Forwarded-Proto': 'https', 'X-Forwarded-For': '192.0.2.7' }
    const answer = await askPlain('/status', { headers })
    assertRefused(answer)
    assert.equal((await server.lineOf(answer))['address'], '127.0.0.1')
    assert.equal((await server.ask('/status', { headers, isPlain: true })).status, 200)
    const { client_id, client_secret } = await server.makeKey()
    const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
    const body = new URLSearchParams({ grant_type: 'client_credentials', client_id, client_secret }).toString()
    assertRefused(await askPlain('/auth/token', { method: 'POST', headers: { ...headers, ...form }, body }), true)
  })

  const get = 'GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n'
  const odd: readonly [what: string, status: number, text: string][] = [
    ['no HTTP', 400, 'HELLO\r\n\r\n'],
    ['bytes that are neither HTTP nor TLS', 400, '\x80\x2e\x01\x00\x02\r\n\r\n'],
    ['the preface of HTTP/2', 400, 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n'],
    ['a megabyte of headers', 431, `${get}${`X-A: ${'a'.repeat(1000)}\r\n`.repeat(1000)}\r\n`],
    ['an empty line first', 403, `\r\n${get}\r\n`],
    ['one request after another', 403, `${get}\r\n${get}\r\n${get}\r\n`],
    ['a body that does not come', 403, `${get}Content-Length: 1000\r\n\r\n`],
    [
      'a wish for HTTP/2',
      403,
      `${get}Connection: Upgrade, HTTP2-Settings\r\nUpgrade: h2c\r\nHTTP2-Settings: AAMAAABk\r\n\r\n`,
    ],
  ]
  for (const [what, status, text] of odd)
    test(`${what}: one answer in JSON with the common headers, and the end`, async () => {
      const answers = await exchange(plain(), text)
      assert.deepEqual(
        answers.map((answer) => answer.status),
        [status],
      )
      for (const { headers, body } of answers) {
        assertCommonHeaders(headers, { isTls: false })
        assert.equal(headers['connection'], 'close')
        assert.equal(typeof body.error.code, 'string')
      }
    })

  test('a caller that ends its side after its request gets its answer', async () => {
    const socket = await openSocket(plain())
    let text = ''
    socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
    socket.end(`${get}\r\n`)
    await once(socket, 'close')
    assert.match(text, /^HTTP\/1\.1 403 [^]*https_required/)
  })

  test('callers that send nothing or half a request, and leave, harm nobody', async () => {
    for (const text of ['', 'G', get])
      for (const leave of ['end', 'resetAndDestroy'] as const) {
        const socket = await openSocket(plain())
        socket.on('error', () => {}).resume()
        if (text !== '') await new Promise((resolve) => socket.write(text, resolve))
        socket[leave]()
        await once(socket, 'close')
      }
    assert.equal((await server.ask('/status')).status, 200)
  })

  test('its connections count among those of their address', async () => {
    const localAddress = '127.0.0.3'
    const open: Socket[] = []
    for (let count = 0; count < 20; count += 1) {
      const socket = connect({ host: '127.0.0.1', port: server.https, localAddress }).on('error', () => {})
      await once(socket, 'connect')
      if (count % 2 === 0) socket.write('GET')
      open.push(socket)
    }
    await assert.rejects(askPlain('/status', { localAddress }), /ECONNRESET|socket hang up/)
    await assert.rejects(server.ask('/status', { localAddress }), /ECONNRESET|socket hang up|socket disconnected/)
    assert.equal((await server.ask('/status')).status, 200)
    for (const socket of open) socket.destroy()
  })
})

/** Passes on what callers send, the first bytes one by one. */
async function dribbling(target: number) {
  const proxy = createServer({ noDelay: true }, (caller) => {
    const onward = connect({ host: '127.0.0.1', port: target, noDelay: true })
    caller.on('error', () => onward.destroy()).on('close', () => onward.destroy())
    onward.on('error', () => caller.destroy()).pipe(caller)
    let sent = 0
    caller.on('readable', () => {
      for (let bytes; (bytes = caller.read(sent < 8 ? 1 : undefined) as Buffer | null); sent += 1) onward.write(bytes)
    })
  })
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return { proxy, port: (proxy.address() as AddressInfo).port }
}

describe('TLS on the port of TLS', () => {
  test('a handshake that comes byte by byte is one, for HTTP/1.1 and HTTP/2', async () => {
    const { proxy, port } = await dribbling(server.https)
    try {
      const ca = readFileSync(server.certificate)
      assert.equal((await askOver({ port, ca }, '/api/v1/status', {})).body.https, true)
      const session = connectHttp2(`https://127.0.0.1:${port}`, { ca })
      const stream = session.request({ ':path': '/api/v1/status' })
      const [headers] = (await once(stream, 'response')) as [{ ':status': number }]
      stream.resume()
      await once(stream, 'close')
      session.close()
      assert.equal(headers[':status'], 200)
    } finally {
      proxy.close()
    }
  })
})

describe("plain HTTP on the console's port", () => {
  test('whatever is asked for, a sentence says what to do, and the connection ends', async () => {
    const texts = [
      'GET / HTTP/1.1\r\nHost: localhost\r\n\r\n',
      'POST /api/session HTTP/1.1\r\nHost: evil.example\r\nContent-Length: 100000\r\n\r\n',
      'GET /metrics HT',
      'HELLO',
      `GET /metrics HTTP/1.1\r\n${`X-A: ${'a'.repeat(1000)}\r\n`.repeat(1000)}\r\n`,
    ]
    for (const text of texts) {
      const [answer, ...more] = await exchange({ port: server.console, isTls: false }, text)
      assert.deepEqual([answer?.status, more], [403, []])
      assert.match(answer?.text ?? '', /^The console answers over HTTPS only: .*https:\/\/.*\n$/)
      const { headers = {} } = answer ?? {}
      assert.equal(headers['content-type'], 'text/plain; charset=utf-8')
      for (const name of ['cache-control', 'x-content-type-options', 'content-security-policy'])
        assert.notEqual(headers[name], undefined, name)
      // It would have no effect over plain HTTP.
      assert.equal(headers['strict-transport-security'], undefined)
    }
    assert.equal((await server.askConsole('/')).status, 200)
  })
})

// Runs last: what came before is its input.
test('none of all this was a defect in the eyes of the log, and open connections keep no stop', async () => {
  const silent = await openSocket({ port: server.https, isTls: false })
  const half = await openSocket({ port: server.https, isTls: false })
  for (const socket of [silent, half]) socket.on('error', () => {}).resume()
  half.write('GET /api')
  const { status, stderr } = await server.stop()
  assert.equal(status, 0)
  assert.deepEqual(
    server.logged().filter(({ level }) => level === 'error'),
    [],
  )
  assert.doesNotMatch(stderr, /error|exception|\.ts:/i)
})
