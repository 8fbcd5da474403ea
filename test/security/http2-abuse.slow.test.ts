// HTTP/2 used against the service: streams opened and taken back, headers without an end, frames that cost their sender
// nothing. The connection may be ended; the service goes on, good callers are answered, and its memory returns.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { howMuch, told } from '../support/how-much.ts'
import { startServer, until, type Server } from '../support/process.ts'
import { flags, frame, header, openHttp2, request, types, type Http2Socket } from '../support/frames.ts'
import { assertRecovered, hasProc, lookAt, percentile, startGoodCallers, untilClosed, type Before } from './watched.ts'

let server: Server
let token: string
before(async () => {
  server = await startServer({
    rows: { stores: Array.from({ length: 50 }, (_, id) => ({ id: id + 1, name: `Store ${id}` })) },
    settings: { VITRINE_ANONYMOUS_RATE: '1000000' },
  })
  token = await server.token()
})
after(() => server.remove())

const isGoAway = (one: Http2Socket) => one.frames().some(({ type }) => type === types.goAway)
const isEnded = (one: Http2Socket) => !one.isOpen() || isGoAway(one)

interface Attack {
  readonly name: string
  /** Units: streams, frames. */
  readonly count: number
  readonly isRead?: boolean
  /** The n-th unit. */
  readonly unit: (at: number) => Buffer
  /** Sent before the first. */
  readonly first?: () => Buffer
  /** No connection lives through all of it. */
  readonly isRefused: boolean
  /** How many connections do it at once. */
  readonly connections?: number
}

const stream = (at: number) => 2 * at + 1
const form = [header('content-type', 'application/x-www-form-urlencoded')]
const cancel = Buffer.of(0, 0, 0, 8)
const many = howMuch(2000, 10_000)
const withToken = () => [header('authorization', `Bearer ${token}`)]

const attacks: readonly Attack[] = [
  {
    name: 'streams opened and reset',
    count: many,
    isRefused: true,
    unit: (at) =>
      Buffer.concat([
        frame(
          types.headers,
          flags.endHeaders | flags.endStream,
          stream(at),
          request('/api/v1/stores', 'GET', withToken()),
        ),
        frame(types.reset, 0, stream(at), cancel),
      ]),
  },
  {
    name: 'token requests opened and reset',
    count: many,
    isRefused: true,
    unit: (at) =>
      Buffer.concat([
        frame(types.headers, flags.endHeaders, stream(at), request('/api/v1/auth/token', 'POST', form)),
        frame(types.reset, 0, stream(at), cancel),
      ]),
  },
  {
    name: 'headers without an end (CONTINUATION)',
    count: many,
    isRefused: true,
    first: () => frame(types.headers, flags.endStream, 1, request('/api/v1/status')),
    unit: (at) => frame(types.continuation, 0, 1, header(`x-${at}`, 'a'.repeat(1000))),
  },
  {
    name: 'empty CONTINUATION frames',
    count: many,
    isRefused: true,
    first: () => frame(types.headers, flags.endStream, 1, request('/api/v1/status')),
    unit: () => frame(types.continuation, 0, 1),
  },
  {
    name: 'SETTINGS',
    count: 5 * many,
    isRefused: false,
    unit: () => frame(types.settings, 0, 0, Buffer.of(0, 4, 0, 0, 255, 255)),
  },
  {
    name: 'SETTINGS whose answers nobody reads',
    count: 20 * many,
    isRead: false,
    isRefused: false,
    unit: () => frame(types.settings, 0, 0),
  },
  { name: 'PING', count: 5 * many, isRefused: false, unit: () => frame(types.ping, 0, 0, Buffer.alloc(8)) },
  {
    name: 'PING whose answers nobody reads',
    count: 20 * many,
    isRead: false,
    isRefused: false,
    unit: () => frame(types.ping, 0, 0, Buffer.alloc(8)),
  },
  {
    name: 'more streams at once than are allowed, without an end',
    count: many,
    isRefused: false,
    unit: (at) => frame(types.headers, flags.endHeaders, stream(at), request('/api/v1/auth/token', 'POST', form)),
  },
  {
    name: 'answers that nobody takes (a window of nothing)',
    count: many,
    isRefused: false,
    first: () => frame(types.settings, 0, 0, Buffer.of(0, 4, 0, 0, 0, 0)),
    unit: (at) =>
      frame(
        types.headers,
        flags.endHeaders | flags.endStream,
        stream(at),
        request('/api/v1/stores?per_page=100', 'GET', withToken()),
      ),
  },
  {
    name: 'empty DATA',
    count: many,
    isRefused: false,
    first: () => frame(types.headers, flags.endHeaders, 1, request('/api/v1/auth/token', 'POST', form)),
    unit: () => frame(types.data, 0, 1),
  },
  {
    name: 'WINDOW_UPDATE of nothing',
    count: many,
    isRefused: true,
    unit: () => frame(types.windowUpdate, 0, 0, Buffer.alloc(4)),
  },
]

const inOnePiece = 100

/** How many units were sent before the connection was ended. */
async function send({
  count,
  unit,
  first,
  isRefused,
  isRead = true,
}: Attack): Promise<{ sent: number; wasEnded: boolean }> {
  const one = await openHttp2(server.https, isRead)
  if (first) await one.send(first())
  let sent = 0
  for (; sent < count && one.isOpen() && !isGoAway(one); sent += inOnePiece) {
    const piece = Buffer.concat(Array.from({ length: Math.min(inOnePiece, count - sent) }, (_, at) => unit(sent + at)))
    // A caller that does not read may be unable to send, too.
    await Promise.race([one.send(piece), wait(2000)])
    await new Promise(setImmediate)
  }
  // Busy cores may take a while to refuse it.
  if (isRead)
    await Promise.race([until('it is ended', () => isEnded(one)).catch(() => {}), wait(isRefused ? 20_000 : 1000)])
  const wasEnded = isEnded(one)
  await one.close()
  return { sent, wasEnded }
}

async function under(attack: Attack): Promise<{ sent: number; wasEnded: boolean }> {
  const runs = await Promise.all(Array.from({ length: attack.connections ?? 3 }, () => send(attack)))
  return { sent: runs.reduce((sum, { sent }) => sum + sent, 0), wasEnded: runs.every(({ wasEnded }) => wasEnded) }
}

test('HTTP/2 by hand: a right request written so is answered', async () => {
  const one = await openHttp2(server.https)
  await one.send(
    frame(types.headers, flags.endHeaders | flags.endStream, 1, request('/api/v1/stores', 'GET', withToken())),
  )
  await until('it is answered', () =>
    one.frames().some(({ type, flags: bits }) => type === types.data && bits & flags.endStream),
  )
  const body = Buffer.concat(
    one
      .frames()
      .filter(({ type }) => type === types.data)
      .map(({ payload }) => payload),
  )
  assert.equal(JSON.parse(body.toString('utf8')).meta.total, 50)
  await one.close()
})

test(
  'HTTP/2 abuse: the service goes on, good callers are answered, memory returns',
  { skip: hasProc ? false : 'needs /proc' },
  async () => {
    const good = startGoodCallers(server, token, 4)
    try {
      await good.untilAllAnswered()
      const quiet = lookAt(server)
      let before: Before | undefined
      // The first round is the compiler's and the heap's; the second is held against it.
      for (const round of [1, 2]) {
        for (const attack of attacks) {
          good.takeTimes()
          const { sent, wasEnded } = await under(attack)
          const answer = await server.ask('/status')
          assert.equal(answer.status, 200, attack.name)
          const times = good.takeTimes()
          if (round === 1) continue
          told(
            `HTTP/2: ${sent} × ${attack.name}${wasEnded ? ', ended by the service' : ''}; meanwhile ${times.length} good answers, p99 ${percentile(times, 0.99).toFixed(0)} ms`,
          )
          assert.ok(times.length > 0, `good callers were answered during ${attack.name}`)
          if (attack.isRefused) assert.ok(wasEnded, `nobody may go on with ${attack.name}`)
        }
        if (before) await untilClosed(server, before)
        await wait(round === 1 ? 1000 : 0)
        if (before) await assertRecovered(server, before, 'HTTP/2', () => server.ask('/stores', { token }))
        await good.untilAllAnswered()
        const now = lookAt(server)
        // A slow machine may just be starting a reader again, or the connection to the state: fewer are open for a while.
        before = now.descriptors < quiet.descriptors ? { ...quiet, memory: now.memory } : now
      }
    } finally {
      await good.stop()
    }
    assert.deepEqual(
      server
        .logged()
        // On a busy machine the state may answer late once; good callers are answered all the same.
        .filter(({ event }) => event !== 'state_lost')
        .filter((line) => line['level'] === 'error' || (Number(line['status']) >= 500 && line['hung_up'] !== true)),
      [],
    )
    assert.doesNotMatch(server.stderr(), /error|exception|\.ts:/i)
  },
)
