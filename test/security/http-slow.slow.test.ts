// Callers that send a byte now and then, or read nothing: each is ended when its time is over, no other caller waits for them, and
// nothing of them stays behind.
import assert from 'node:assert/strict'
import type { Socket } from 'node:net'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { howMuch, isLong, told } from '../support/how-much.ts'
import { startServer, until, type Server } from '../support/process.ts'
import { openSocket } from '../support/raw.ts'
import { assertRecovered, descriptorsOf, hasProc, lookAt, percentile, startGoodCallers } from './watched.ts'

let server: Server
let token: string
// The attackers' own: their requests wait for their own turn.
let attacker: { readonly key: string; readonly token: string }
before(async () => {
  server = await startServer({
    rows: {
      stores: Array.from({ length: 100 }, (_, id) => ({ id: id + 1, name: `Store ${id}`, address: 'a'.repeat(2000) })),
    },
    settings: { VITRINE_ANONYMOUS_RATE: '1000000', VITRINE_CONNECTIONS_PER_ADDRESS: '5000' },
  })
  token = await server.token()
  const key = await server.makeKey('--rate', '1000000')
  attacker = { key: key.client_id, token: await server.tokenOf(key) }
})
after(() => server.remove())

const head = (path: string, ...headers: string[]) => `${path} HTTP/1.1\r\nHost: localhost\r\n${headers.join('')}\r\n`

interface Slow {
  readonly name: string
  readonly share: number
  readonly isTls: boolean
  readonly isOnTlsPort?: true
  /** Sent at once. */
  readonly first: () => string
  /** Sent byte by byte, again and again. */
  readonly trickle: string
  readonly isRead: boolean
  /** By when it must be over: the service's limit, and how often it looks. */
  readonly mostMs: number
}

// The service looks at its connections every five seconds.
const lookMs = 5000
const busyMs = 5000
// The last is for callers that read nothing of an answer: the same time, but another rule.
const [headersMs, requestMs, unreadMs] = [15_000, 30_000, 30_000].map((ms) => ms + lookMs + busyMs) as [
  number,
  number,
  number,
]
const endless = 'X-A: b\r\n'
const kinds: readonly Slow[] = [
  {
    name: 'headers over TLS',
    share: 3,
    isTls: true,
    first: () => 'GET /api/v1/status HTTP/1.1\r\n',
    trickle: endless,
    isRead: true,
    mostMs: headersMs,
  },
  {
    name: 'headers in clear',
    share: 2,
    isTls: false,
    first: () => 'GET /api/v1/status HTTP/1.1\r\n',
    trickle: endless,
    isRead: true,
    mostMs: headersMs,
  },
  {
    name: 'headers in clear on the TLS port',
    share: 1,
    isTls: false,
    isOnTlsPort: true,
    first: () => 'GET /api/v1/status HTTP/1.1\r\n',
    trickle: endless,
    isRead: true,
    mostMs: headersMs,
  },
  {
    name: 'the first byte of a handshake',
    share: 1,
    isTls: false,
    isOnTlsPort: true,
    first: () => '\u0016',
    trickle: '',
    isRead: true,
    mostMs: headersMs,
  },
  { name: 'nothing at all', share: 1, isTls: false, first: () => '', trickle: '', isRead: true, mostMs: headersMs },
  {
    name: 'nothing at all on the TLS port',
    share: 1,
    isTls: false,
    isOnTlsPort: true,
    first: () => '',
    trickle: '',
    isRead: true,
    mostMs: headersMs,
  },
  {
    name: 'a body',
    share: 2,
    isTls: true,
    first: () =>
      head(
        'POST /api/v1/auth/token',
        'Content-Type: application/x-www-form-urlencoded\r\n',
        'Content-Length: 9000\r\n',
      ),
    trickle: 'a',
    isRead: true,
    mostMs: requestMs,
  },
  {
    name: 'a body in chunks',
    share: 1,
    isTls: true,
    first: () =>
      head(
        'POST /api/v1/auth/token',
        'Content-Type: application/x-www-form-urlencoded\r\n',
        'Transfer-Encoding: chunked\r\n',
      ),
    trickle: '1\r\na\r\n',
    isRead: true,
    mostMs: requestMs,
  },
  {
    name: 'requests, and reads no answer',
    // More than the system buffers for a caller that does not read: a few are enough.
    share: 0.1,
    isTls: true,
    first: () => head('GET /api/v1/stores?per_page=100', `Authorization: Bearer ${attacker.token}\r\n`).repeat(100),
    trickle: '',
    isRead: false,
    mostMs: unreadMs,
  },
]

interface Bad {
  readonly kind: Slow
  readonly socket: Socket
  readonly answer: () => string
  readonly startedAt: number
  endedAt: number
}

async function attack(kind: Slow): Promise<Bad> {
  const socket = await openSocket({
    port: kind.isTls || kind.isOnTlsPort ? server.https : server.http,
    isTls: kind.isTls,
  })
  let answer = ''
  socket.on('error', () => {})
  if (kind.isRead) socket.on('data', (chunk: Buffer) => (answer += chunk.toString('latin1')))
  else socket.pause()
  const bad: Bad = { kind, socket, answer: () => answer, startedAt: performance.now(), endedAt: 0 }
  let sent = 0
  const timer = setInterval(() => {
    if (kind.trickle !== '') socket.write(kind.trickle[sent % kind.trickle.length] ?? '')
    sent += 1
  }, 1000)
  socket.once('close', () => {
    bad.endedAt = performance.now()
    clearInterval(timer)
  })
  socket.once('end', () => {
    bad.endedAt ||= performance.now()
    clearInterval(timer)
    socket.end()
  })
  socket.write(kind.first())
  return bad
}

async function startWave(sockets: number): Promise<Bad[]> {
  const shares = kinds.reduce((sum, { share }) => sum + share, 0)
  const bad: Bad[] = []
  for (const kind of kinds) {
    const count = Math.round((sockets * kind.share) / shares)
    bad.push(...(await Promise.all(Array.from({ length: count }, () => attack(kind)))))
  }
  return bad
}

async function endAll(bad: readonly Bad[]) {
  for (const { socket } of bad) socket.destroy()
  await until('they have gone', () => bad.every(isOver))
}

const isOver = ({ endedAt }: Bad) => endedAt > 0

// A caller that does not read does not see the end either. It has ended when the service has descriptors only for good callers.
function noteUnread(bad: readonly Bad[], descriptors: number) {
  const [unread, others] = [bad.filter(({ kind }) => !kind.isRead), bad.filter(({ kind }) => kind.isRead)]
  if (!others.every(isOver) || descriptorsOf(server) > descriptors) return
  for (const each of unread) each.endedAt ||= performance.now()
}

test(
  'slow callers are ended in time, and nobody waits for them',
  { skip: hasProc ? false : 'needs /proc' },
  async () => {
    const sockets = howMuch(200, 1000)
    const good = startGoodCallers(server, token)
    const bad: Bad[] = []
    try {
      // A first wave: the second costs what a wave costs, not what the compiler and a growing heap do.
      const first = await startWave(sockets)
      await wait(2000)
      await endAll(first)
      await wait(howMuch(2000, 5000))
      good.takeTimes()
      await wait(howMuch(2000, 10_000))
      const before = lookAt(server)
      const calm = good.takeTimes()
      bad.push(...(await startWave(sockets)))
      // Handshakes and unread answers are work that is not measured; only the cost of holding such callers is.
      await wait(howMuch(2000, 3000))
      good.takeTimes()
      await wait(howMuch(2000, 8000))
      const attacked = good.takeTimes()
      const [calmMs, attackedMs] = [percentile(calm, 0.99), percentile(attacked, 0.99)]
      told(
        `slow: ${bad.length} sockets; p99 of good callers ${calmMs.toFixed(1)} ms without them, ${attackedMs.toFixed(1)} ms with them`,
      )
      if (isLong) assert.ok(attackedMs <= 2 * calmMs + 100, `${attackedMs} ms with the attack, ${calmMs} ms without`)

      // Timeouts for bodies and unread answers are too long for the quick run.
      const waitedFor = bad.filter(({ kind }) => isLong || kind.mostMs === headersMs)
      const late = () =>
        waitedFor.filter((each) => !isOver(each) && performance.now() - each.startedAt > each.kind.mostMs)
      while (waitedFor.some((each) => !isOver(each)) && late().length === 0) {
        await wait(50)
        noteUnread(bad, before.descriptors)
      }
      assert.deepEqual([...new Set(late().map(({ kind }) => kind.name))], [])
      for (const { kind } of waitedFor.filter(
        ({ kind }, at) => waitedFor.findIndex((each) => each.kind === kind) === at,
      )) {
        const times = waitedFor
          .filter((each) => each.kind === kind)
          .map(({ startedAt, endedAt }) => (endedAt - startedAt) / 1000)
        told(
          `slow: ${times.length} that send ${kind.name} ended after ${Math.min(...times).toFixed(1)} to ${Math.max(...times).toFixed(1)} s`,
        )
      }
      // A caller that began a request is told why it ended.
      for (const { kind, answer } of waitedFor.filter(({ kind }) => kind.isRead && kind.trickle !== '')) {
        assert.match(answer(), /^HTTP\/1\.1 408 [^]*X-Request-Id: [^]*"request_timeout"/i, kind.name)
      }
      await endAll(bad)
      await assertRecovered(server, before, 'slow', () => server.ask('/stores', { token }))
    } finally {
      for (const { socket } of bad) socket.destroy()
      await good.stop()
    }
    assert.deepEqual(
      server
        .logged()
        .filter((line) => line['level'] === 'error' || Number(line['status']) >= 500)
        // One key may queue only so many requests; the others get 503.
        .filter((line) => line['key'] !== attacker.key || line['status'] !== 503),
      [],
    )
  },
)
