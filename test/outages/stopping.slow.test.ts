// A stop under load: every accepted request is answered, over HTTP/1.1 and HTTP/2, however long it takes. Certificates that
// are renewed under load: new connections get the new one, and nothing is dropped. (io/taking-over.slow.test.ts has restarts.)
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2, type ClientHttp2Session } from 'node:http2'
import type { IncomingMessage } from 'node:http'
import { Agent, request } from 'node:https'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { connect } from 'node:tls'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { howMuch, told } from '../support/how-much.ts'
import { startServer, temporaryFolder, until, type Server } from '../support/process.ts'
import { makeSlowPos, slowTarget } from '../support/slow-pos.ts'

const rows = { stores: [{ id: 1, name: 'Main' }] }
const callers = 20
// Twenty callers with such pauses make about 200 requests a second.
const pauseMs = 100
const pause = () => wait(pauseMs * (0.5 + Math.random()))

interface Load {
  readonly failures: string[]
  readonly answered: () => number
  /** Callers that were told to close their connection. */
  readonly closed: () => number
  /** Resolves once every caller was stopped, by the service or by `over`. */
  readonly ended: Promise<unknown>
}

/** Looks at no certificate: with another to be trusted, an agent would open another connection. */
async function askKept({ https: port }: Server, token: string, agent: Agent) {
  const asked = request({
    host: '127.0.0.1',
    port,
    path: '/api/v1/stores',
    agent,
    headers: { Authorization: `Bearer ${token}` },
  })
  const [response] = (await once(asked.end(), 'response')) as [IncomingMessage]
  response.resume()
  await once(response, 'end')
  return { status: response.statusCode, headers: response.headers }
}

/** A caller that is told to close its connection sends no more requests. */
function overHttp1(server: Server, token: string, over: AbortSignal): Load {
  const failures: string[] = []
  let [answered, closed] = [0, 0]
  const keepAsking = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1, rejectUnauthorized: false })
    while (!over.aborted) {
      const { status, headers } = await askKept(server, token, agent)
      if (status === 200) answered += 1
      else failures.push(String(status))
      if (headers['connection'] === 'close') {
        closed += 1
        break
      }
      await pause()
    }
    agent.destroy()
  }
  const all = Array.from({ length: callers }, () => keepAsking().catch((error: Error) => failures.push(error.message)))
  return { failures, answered: () => answered, closed: () => closed, ended: Promise.all(all) }
}

function openSession(server: Server): ClientHttp2Session {
  const session = connectHttp2(`https://127.0.0.1:${server.https}`, { ca: readFileSync(server.certificate) })
  return session.on('error', () => {})
}

async function askStream(session: ClientHttp2Session, token: string, path: string): Promise<number> {
  const stream = session.request({ ':path': `/api/v1${path}`, authorization: `Bearer ${token}` })
  const { promise, resolve, reject } = Promise.withResolvers<number>()
  let status = 0
  let length = 0
  let expected = -1
  stream.on('response', (headers) => {
    status = Number(headers[':status'])
    expected = Number(headers['content-length'] ?? -1)
  })
  stream.on('data', (chunk: Buffer) => (length += chunk.length))
  stream.on('error', reject)
  stream.on('close', () => {
    if (status === 0) reject(new Error(`no answer, code ${stream.rstCode}`))
    else if (expected >= 0 && length !== expected) reject(new Error('cut short'))
    else resolve(status)
  })
  return promise
}

/** A caller that gets GOAWAY sends no more requests on that session. */
function overHttp2(server: Server, token: string, over: AbortSignal): Load {
  const failures: string[] = []
  let [answered, closed] = [0, 0]
  const keepAsking = async () => {
    const session = openSession(server)
    const goneAway = new AbortController()
    session.on('goaway', () => goneAway.abort())
    while (!over.aborted && !goneAway.signal.aborted) {
      const status = await askStream(session, token, '/stores')
      if (status === 200) answered += 1
      else failures.push(String(status))
      await pause()
    }
    if (goneAway.signal.aborted) closed += 1
    session.close()
  }
  const all = Array.from({ length: callers }, () => keepAsking().catch((error: Error) => failures.push(error.message)))
  return { failures, answered: () => answered, closed: () => closed, ended: Promise.all(all) }
}

for (const [protocol, startLoad] of [
  ['HTTP/1.1', overHttp1],
  ['HTTP/2', overHttp2],
] as const)
  test(`told to stop under load over ${protocol}: no request fails, and every caller is told`, async (context) => {
    const turns = howMuch(2, 20)
    let [answered, failed] = [0, 0]
    let server = await startServer({ rows })
    context.after(() => server.remove())
    const token = await server.token()
    for (let turn = 0; turn < turns; turn += 1) {
      const over = new AbortController()
      const load = startLoad(server, token, over.signal)
      await until('requests are answered', () => load.answered() > 100)
      await wait(Math.random() * pauseMs)
      server.child.kill('SIGTERM')
      const { status, stderr } = await server.ended
      over.abort()
      await load.ended
      answered += load.answered()
      failed += load.failures.length
      assert.deepEqual([status, load.failures, load.closed()], [0, [], callers], stderr)
      if (turn + 1 < turns) server = await startServer({ folder: server.data })
    }
    told(`told to stop over ${protocol}: ${turns} times, ${answered} answered, ${failed} failed`)
  })

test('told to stop while slow requests are under way: each is answered, over both protocols', async (context) => {
  const server = await startServer({
    prepare: (folder) => makeSlowPos(folder, { rows: 1_500_000, others: rows }),
    settings: { VITRINE_READERS: '3', VITRINE_STATEMENT_TIMEOUT_MS: '60000' },
  })
  context.after(() => server.remove())
  const [token, other] = [await server.token(), await server.token()]
  const session = openSession(server)
  const ends: number[] = []
  const slow = [
    server.ask(slowTarget, { token, agent: new Agent({ keepAlive: true }) }).then(({ status }) => status),
    askStream(session, other, `${slowTarget}z`),
    server.ask(`${slowTarget}y`, { token }).then(({ status }) => status),
    askStream(session, other, `${slowTarget}x`),
  ].map((asked) => asked.finally(() => ends.push(performance.now())))
  await wait(300)
  const toldAt = performance.now()
  server.child.kill('SIGTERM')
  const statuses = await Promise.all(slow)
  const { status } = await server.ended
  session.close()
  assert.deepEqual([status, ...statuses], [0, 200, 200, 200, 200])
  // Otherwise it was over before it was told.
  assert(ends.every((end) => end > toldAt))
  told(
    `told to stop with ${slow.length} slow requests under way: all answered, ${Math.round(Math.max(...ends) - toldAt)} ms later`,
  )
})

const shownBy = async (server: Server) => {
  const socket = connect({ host: '127.0.0.1', port: server.https, rejectUnauthorized: false })
  await once(socket, 'secureConnect')
  const shown = socket.getPeerX509Certificate()?.fingerprint256
  socket.destroy()
  return shown
}

describe('certificates', () => {
  const folder = temporaryFolder()
  after(() => rmSync(folder, { recursive: true, force: true }))
  const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const renew = () => {
    const made = makeSelfSigned({ names: ['localhost', '127.0.0.1'], days: 2, now: new Date() })
    writeFileSync(key, made.key)
    writeFileSync(cert, made.cert)
    return new X509Certificate(made.cert).fingerprint256
  }
  test('renewed under load: new connections get the new one, kept ones go on, nothing is dropped', async () => {
    renew()
    const server = await startServer({ rows, settings: { VITRINE_TLS_CERT: cert, VITRINE_TLS_KEY: key } })
    const over = new AbortController()
    const renewals = howMuch(3, 30)
    try {
      const token = await server.token()
      const loads = [overHttp1(server, token, over.signal), overHttp2(server, token, over.signal)]
      // These open a connection for each request and check no certificate; the test below does.
      const fresh = { failures: [] as string[], answered: 0 }
      const opening = (async () => {
        while (!over.signal.aborted) {
          const agent = new Agent({ rejectUnauthorized: false })
          await askKept(server, token, agent)
            .then(({ status }) => (status === 200 ? (fresh.answered += 1) : fresh.failures.push(String(status))))
            .catch((error: Error) => fresh.failures.push(error.message))
          await wait(10)
        }
      })()
      await until('all are served', () => loads.every(({ answered }) => answered() > 50))
      for (let turn = 0; turn < renewals; turn += 1) {
        const next = renew()
        await until('new connections get the new one', async () => (await shownBy(server)) === next)
        for (let look = 0; look < 5; look += 1) assert.equal(await shownBy(server), next)
        const before = loads.map(({ answered }) => answered())
        await until('all are served on', () => loads.every(({ answered }, at) => answered() > (before[at] ?? 0) + 20))
      }
      over.abort()
      await Promise.all([opening, ...loads.map(({ ended }) => ended)])
      const failures = [...fresh.failures, ...loads.flatMap((load) => load.failures)]
      const answered = fresh.answered + loads.reduce((sum, load) => sum + load.answered(), 0)
      told(`certificate renewed ${renewals} times: ${answered} answered, ${failures.length} failed`)
      assert.deepEqual(failures, [])
      assert.deepEqual(
        loads.map(({ closed }) => closed()),
        [0, 0],
        'no connection was given up',
      )
    } finally {
      over.abort()
      await server.remove()
    }
  })
})
