// How `vitrine serve` ends: accepted requests are answered in full, however slowly they are read, and idle connections do not keep it.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import { request, type ClientRequest, type IncomingMessage } from 'node:http'
import { Agent, request as requestTls } from 'node:https'
import { connect as connectPlain, type Socket } from 'node:net'
import { after, test } from 'node:test'
import { connect as connectTls } from 'node:tls'
import { startServer, until, type Server } from '../support/process.ts'
import { makeSlowPos, slowTarget } from '../support/slow-pos.ts'

const servers: Server[] = []
const start = async (...options: Parameters<typeof startServer>) => {
  const server = await startServer(...options)
  servers.push(server)
  return server
}
after(() => Promise.all(servers.map((server) => server.remove())))

for (const signal of ['SIGTERM', 'SIGINT'] as const) {
  test(`serve: ${signal} lets every accepted request finish, over HTTP/1.1 and HTTP/2, then ends with 0`, async () => {
    const server = await start({
      prepare: (folder) => makeSlowPos(folder, { rows: 300_000 }),
      settings: { VITRINE_STATEMENT_TIMEOUT_MS: '60000', VITRINE_READERS: '1' },
    })
    const token = await server.token()
    const agent = new Agent({ keepAlive: true })
    // Two connections, so that no request has to wait for its handshake.
    await Promise.all(Array.from({ length: 2 }, () => server.ask('/status', { agent })))
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
