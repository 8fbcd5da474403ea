// `vitrine serve` as a process: the line it opens with, its log, and how it ends.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent, request as requestTls } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { systemClock } from '../../src/platform/clock.ts'
import { openSqliteState } from '../../src/state/sqlite/state.ts'
import { startServer, until, type Answer, type Server } from '../support/process.ts'
import { makeSlowPos, slowTarget } from '../support/slow-pos.ts'

const servers: Server[] = []
const start = async (...options: Parameters<typeof startServer>) => {
  const server = await startServer(...options)
  servers.push(server)
  return server
}
after(() => Promise.all(servers.map((server) => server.remove())))

test('serve --json: the first line tells the ports, and they answer', async () => {
  const server = await start()
  const first = server.stdout().split('\n')[0] ?? ''
  assert.match(first, /^\{"event":"listening","https":\d+,"http":\d+,"console":(\d+|null)\}$/)
  const { https, http } = JSON.parse(first) as Record<string, number>
  assert.equal(new Set([https, http]).size, 2)
  assert.equal((await server.ask('/status')).status, 200)
  assert.equal((await server.ask('/status', { isPlain: true })).status, 403)
  assert.doesNotMatch(server.stderr(), /error|exception|\.ts:/i)
})

test('serve: one JSON line a request with its id, its key and its answer, and nothing secret', async () => {
  const server = await start({ rows: { stores: [{ id: 1, name: 'Main' }] } })
  const key = await server.makeKey()
  const token = await server.tokenOf(key)
  const basic = Buffer.from(`${key.client_id}:svc_sk_theWrongCode`).toString('base64')
  const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
  const asked: readonly [path: string, answer: Answer, expected: Record<string, unknown>][] = [
    ['/stores', await server.ask('/stores?search=Josephine', { token }), { status: 200, key: key.client_id }],
    ['/stores/2', await server.ask('/stores/2', { token }), { status: 404, key: key.client_id, code: 'not_found' }],
    ['/stores', await server.ask('/stores?colour=Josephine', { token }), { status: 400, key: key.client_id }],
    ['/ping', await server.ask('/ping', { token: 'svc_at_theWrongToken' }), { status: 401, key: null }],
    ['/status', await server.ask('/status?client_secret=svc_sk_inTheUrl'), { status: 200, key: null }],
    [
      '/auth/token',
      await server.ask('/auth/token?client_secret=svc_sk_inTheUrl', {
        method: 'POST',
        headers: { ...form, Authorization: `Basic ${basic}` },
        body: 'grant_type=client_credentials&client_secret=svc_sk_theWrongCode',
      }),
      { status: 401, code: 'invalid_client' },
    ],
  ]
  for (const [path, answer, expected] of asked) {
    const line = await server.lineOf(answer)
    for (const [name, value] of Object.entries({ ...expected, path: `/api/v1${path}`, address: '127.0.0.1' }))
      assert.deepEqual(line[name], value, `${path} ${name}`)
    assert.match(String(line['time']), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
    assert.equal(typeof line['ms'], 'number')
  }
  const ids = server.logged().flatMap((line) => line['request_id'] ?? [])
  assert.equal(new Set(ids).size, ids.length)
  const secrets = [key.client_secret, token, 'theWrongCode', 'theWrongToken', 'inTheUrl', 'Josephine', basic, 'Basic ']
  for (const secret of secrets) assert.ok(!server.stdout().includes(secret), secret)
})

const remedies = ({ logged }: Server) =>
  logged().flatMap(({ event, remedy }) => (event === 'console_without_password' ? [remedy] : []))

test('serve: without a terminal the log tells how the password of the console is set, until it is', async () => {
  const first = await start()
  await until('it is told', () => remedies(first).length > 0)
  assert.deepEqual(remedies(first), ['"vitrine admin password" sets the password of the console.'])
  await first.stop()
  const state = openSqliteState({ path: join(first.data, 'state.db'), clock: systemClock })
  await state.setPassword({ salt: new Uint8Array(16), hash: new Uint8Array(32) })
  await state.close()
  const second = await start({ folder: first.data })
  await until('what comes after it is told', () => second.stdout().includes('self_signed_certificate'))
  assert.deepEqual(remedies(second), [])
})

test('serve: a log level keeps what is less severe out of the log', async () => {
  const server = await start({ settings: { VITRINE_LOG_LEVEL: 'error' } })
  await server.ask('/status')
  await server.ask('/nowhere')
  const { stdout } = await server.stop()
  assert.equal(stdout, `${server.listening}\n`)
})

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`serve: ${signal} lets every accepted request finish, over HTTP/1.1 and HTTP/2, then ends with 0`, async () => {
    const server = await start({
      prepare: (folder) => makeSlowPos(folder, { rows: 300_000 }),
      settings: { VITRINE_STATEMENT_TIMEOUT_MS: '60000', VITRINE_READERS: '1' },
    })
    const token = await server.token()
    const agent = new Agent({ keepAlive: true })
    const slow = Array.from({ length: 2 }, () => server.ask(slowTarget, { token, agent }))
    const session = connectHttp2(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
    const streams = Array.from({ length: 2 }, async () => {
      const stream = session.request({ ':path': `/api/v1${slowTarget}`, authorization: `Bearer ${token}` })
      let status = 0
      let text = ''
      stream.on('response', (headers) => (status = Number(headers[':status'])))
      for await (const chunk of stream.setEncoding('utf8')) text += String(chunk)
      return { status, text }
    })
    // What is sent after the slow ones is answered: they have been accepted. One reader: most of them still wait.
    await roundTrip(session)
    assert.equal((await server.ask('/status', { agent })).status, 200)
    server.child.kill(signal)
    await until('no more connections are taken', () =>
      server.ask('/status').then(
        () => false,
        (error: NodeJS.ErrnoException) => error.code === 'ECONNREFUSED',
      ),
    )
    const answers = await Promise.all([...slow, ...streams])
    for (const { status, text } of answers) {
      assert.equal(status, 200)
      assert.equal(text, '{"data":[],"meta":{"page":1,"per_page":25,"total":0,"total_pages":0}}')
    }
    const ended = await server.ended
    assert.deepEqual([ended.status, ended.signal], [0, null])
    agent.destroy()
    session.destroy()
  })
}

type Reading = { readonly length: number; readonly body: AsyncIterable<Buffer> }
const largeTarget = '/api/v1/products?per_page=100'
const readers: readonly { over: string; read: (server: Server, authorization: string) => Promise<Reading> }[] = [
  {
    over: 'HTTP/1.1',
    read: ({ https: port, certificate }, Authorization) =>
      readHttp1(requestTls({ port, ca: readFileSync(certificate), path: largeTarget, headers: { Authorization } })),
  },
  {
    over: 'HTTP/1.1 behind a proxy',
    read: ({ http: port }, Authorization) =>
      readHttp1(request({ port, path: largeTarget, headers: { Authorization, 'X-Forwarded-Proto': 'https' } })),
  },
  {
    over: 'HTTP/2',
    async read({ https, certificate }, authorization) {
      const session = connectHttp2(`https://127.0.0.1:${https}`, { ca: readFileSync(certificate) })
      const stream = session.request({ ':path': largeTarget, authorization })
      const [headers] = (await once(stream, 'response')) as [Record<string, string>]
      return { length: Number(headers['content-length']), body: stream as AsyncIterable<Buffer> }
    },
  },
]

async function readHttp1(asked: ClientRequest): Promise<Reading> {
  asked.end()
  const [response] = (await once(asked, 'response')) as [IncomingMessage]
  return { length: Number(response.headers['content-length']), body: response as AsyncIterable<Buffer> }
}

for (const { over, read } of readers) {
  test(`serve: SIGTERM does not cut an answer that its caller reads slowly, over ${over}`, async () => {
    const product = { name: 'Product', active: true, description: 'x'.repeat(150_000) }
    const products = Array.from({ length: 100 }, (_, at) => ({ ...product, id: at + 1 }))
    const server = await start({ rows: { products }, settings: { VITRINE_TRUST_PROXY: '127.0.0.1' } })
    const { length, body } = await read(server, `Bearer ${await server.token()}`)
    server.child.kill('SIGTERM')
    await until('it stops', () => server.stdout().includes('"stopping"'))
    let bytes = 0
    for await (const chunk of body) bytes += chunk.byteLength
    assert.ok(bytes > 15_000_000)
    assert.equal(bytes, length)
    assert.equal((await server.ended).status, 0)
  })
}

// What was sent on the session before has arrived.
async function roundTrip(session: ClientHttp2Session): Promise<void> {
  if (session.connecting) await once(session, 'connect')
  await new Promise<void>((resolve, reject) => {
    session.ping((error) => (error ? reject(error) : resolve()))
  })
}

const lingerers: readonly { name: string; open: (server: Server) => Promise<{ destroy(): void }> }[] = [
  { name: 'sent nothing in clear', open: (server) => opened(connectPlain(server.http, '127.0.0.1'), 'connect') },
  { name: 'began no TLS', open: (server) => opened(connectPlain(server.https, '127.0.0.1'), 'connect') },
  { name: 'sent nothing over TLS', open: (server) => opened(overTls(server), 'secureConnect') },
  {
    name: 'sent half a request',
    open: async (server) => {
      const socket = await opened(overTls(server), 'secureConnect')
      socket.write('GET /api/v1/status HTTP/1.1\r\nHost: lo')
      return socket
    },
  },
  {
    name: 'sent half a body',
    open: async (server) => {
      const socket = await opened(overTls(server), 'secureConnect')
      socket.write('POST /api/v1/auth/token HTTP/1.1\r\nHost: localhost\r\nContent-Length: 100\r\n\r\ngrant')
      return socket
    },
  },
  {
    name: 'keeps its connection for the next request',
    open: async (server) => {
      const agent = new Agent({ keepAlive: true })
      await server.ask('/status', { agent })
      return agent
    },
  },
  {
    name: 'keeps an HTTP/2 connection',
    open: async (server) => {
      const session = connectHttp2(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
      await roundTrip(session)
      return session
    },
  },
  {
    name: 'sent half a body over HTTP/2',
    open: async (server) => {
      const session = connectHttp2(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
      session.on('error', () => {})
      const stream = session.request({ ':method': 'POST', ':path': '/api/v1/auth/token' }, { endStream: false })
      stream.on('error', () => {})
      stream.write('grant')
      await roundTrip(session)
      return session
    },
  },
]

const overTls = ({ https }: Server) => connectTls({ host: '127.0.0.1', port: https, rejectUnauthorized: false })

async function opened(socket: Socket, event: string): Promise<Socket> {
  socket.on('error', () => {})
  await new Promise((resolve) => socket.once(event, resolve))
  return socket
}

test('serve: callers that have no whole request under way do not keep the service from ending', async () => {
  const server = await start()
  const open = await Promise.all(lingerers.map((lingerer) => lingerer.open(server)))
  assert.equal((await server.ask('/status')).status, 200)
  const ended = await server.stop()
  for (const one of open) one.destroy()
  assert.deepEqual([ended.status, ended.signal], [0, null], lingerers.map(({ name }) => name).join(', or '))
})
