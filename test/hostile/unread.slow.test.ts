// Callers that do not read their answers, on the real listeners with a clock of the test: they are disconnected after half a minute
// whatever else they send, what waits for them is bounded, and slow readers get all of it.
import assert from 'node:assert/strict'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, beforeEach, test } from 'node:test'
import { startConsole } from '../../src/web/console/listener.ts'
import { systemClock } from '../../src/platform/clock.ts'
import { trustedProxies } from '../../src/http/address.ts'
import { anonymousWindows } from '../../src/http/anonymous-windows.ts'
import type { ConnectionLimits } from '../../src/http/connections.ts'
import { limits, startListeners } from '../../src/http/listeners.ts'
import { sendBody } from '../../src/http/node-request.ts'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { AnswerSlot, createUnsent, lookEveryMs, mostHandedBytes, unsentLimits } from '../../src/http/unsent.ts'
import { createLog } from '../../src/platform/log.ts'
import { flags, frame, openHttp2, request, types, windowOf } from '../support/frames.ts'
import { until } from '../support/process.ts'
import { openSocket } from '../support/raw.ts'

// More than the system buffers for a caller that does not read.
const large = Buffer.alloc(64 * 1024 * 1024, 'a')
const list = () => Buffer.alloc(200 * 1024, 'b')

const ended: string[] = []
// What all callers together may hold is for the unit test: these answers are larger than any. A second passes when the test says so.
const unsent = createUnsent({ ...unsentLimits, mostBytes: 2 ** 30 }, () => undefined)
let taken = 0
const took = Object.getOwnPropertyDescriptor(AnswerSlot.prototype, 'took')?.value as (this: AnswerSlot) => void
AnswerSlot.prototype.took = function tookOne() {
  taken += 1
  took.call(this)
}
const connections: ConnectionLimits = { unsent, mostPerAddress: 100, onEnd: (why) => ended.push(why) }
let listeners: Awaited<ReturnType<typeof startListeners>>
let console: Awaited<ReturnType<typeof startConsole>>
before(async () => {
  const certificate = makeSelfSigned({ names: ['localhost', '127.0.0.1'], days: 2, now: new Date() })
  const shared = { certificate, host: '127.0.0.1', port: 0, log: createLog('silent', () => {}), connections }
  listeners = await startListeners({
    ...shared,
    handle: async ({ path }) => ({ status: 200, headers: {}, body: path === '/large' ? large : list() }),
    anonymous: anonymousWindows(1_000_000, systemClock),
    trusted: trustedProxies([]),
    httpPort: 0,
    onUnparsed: () => {},
  })
  console = await startConsole({
    ...shared,
    handle: async () => ({ status: 200, headers: {}, body: large }),
  })
})
after(async () => {
  unsent.close()
  await Promise.all([listeners.drain(), console.close()])
})
beforeEach(async () => {
  await until('nothing waits', () => unsent.bytes() === 0)
  ended.length = 0
})

// Nobody is looked at just when an answer begins to wait.
const patience = unsentLimits.mostWaitMs / lookEveryMs + 1

async function endedAfter(seconds: number): Promise<string[]> {
  for (let second = 0; second < seconds; second += 1) await unsent.look()
  return ended.splice(0)
}

/** Once the system takes no more of what waits, either. */
async function untilStuck() {
  await until('an answer waits', () => unsent.bytes() > 0)
  await until('nothing moves', async () => {
    const before = taken
    for (let turn = 0; turn < 50; turn += 1) await new Promise(setImmediate)
    return taken === before
  })
}

const get = (path: string, stream = 1) =>
  frame(types.headers, flags.endHeaders | flags.endStream, stream, request(path))
const ping = frame(types.ping, 0, 0, Buffer.alloc(8))
const wide = [windowOf(2 ** 31 - 1), frame(types.windowUpdate, 0, 0, Buffer.of(0x3f, 0xff, 0, 0))]

test('unread: HTTP/2 with a window of 0 is ended, whatever else is sent', async () => {
  const one = await openHttp2(listeners.https)
  const answered = () => one.frames().filter(({ type }) => type === types.headers).length
  await one.send(Buffer.concat([windowOf(0), get('/list', 1), get('/list', 3)]))
  await until('both have their headers', () => answered() === 2)
  assert.deepEqual(await endedAfter(patience - 1), [])
  const head = frame(types.headers, flags.endHeaders | flags.endStream, 7, request('/list', 'HEAD'))
  await one.send(
    Buffer.concat([ping, windowOf(0), get('/list', 5), head, frame(types.reset, 0, 3, Buffer.of(0, 0, 0, 8))]),
  )
  // An answer without a body is no byte of the others.
  await until('the new ones have their headers, too', () => answered() === 4)
  assert.ok(one.isOpen())
  assert.deepEqual(await endedAfter(1), ['unread'])
  await until('it is gone', () => !one.isOpen())
})

test('unread: HTTP/2 whose bytes nobody reads is ended', async () => {
  const one = await openHttp2(listeners.https, false)
  await one.send(Buffer.concat([...wide, get('/large')]))
  await untilStuck()
  assert.deepEqual(await endedAfter(patience), ['unread'])
  await one.close()
})

const sockets = () => process.getActiveResourcesInfo().filter((name) => name === 'TCPSocketWrap').length

test('unread: HTTP/2 that has timed out is closed, though what it was writing is never read', async (context) => {
  const { keepAliveTimeout } = limits
  context.after(() => (limits.keepAliveTimeout = keepAliveTimeout))
  limits.keepAliveTimeout = 1000
  await until('the connections before are closed', () => sockets() === 0)
  const one = await openHttp2(listeners.https, false)
  await one.send(Buffer.concat([...wide, get('/large')]))
  await untilStuck()
  assert.equal(sockets(), 2)
  await until('the side of the service is closed', () => sockets() === 1)
  await one.close()
})

for (const [name, port] of [
  ['over TLS', () => ({ port: listeners.https, isTls: true })],
  ['in clear', () => ({ port: listeners.http, isTls: false })],
  ['at the console', () => ({ port: console.port, isTls: true })],
] as const) {
  test(`unread: HTTP/1.1 ${name} is ended, and its further requests change nothing`, async () => {
    const socket = await openSocket(port())
    socket.on('error', () => {})
    socket.pause()
    socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n')
    await untilStuck()
    assert.deepEqual(await endedAfter(patience - 1), [])
    socket.write('GET /list HTTP/1.1\r\nHost: localhost\r\n\r\n')
    assert.deepEqual(await endedAfter(1), ['unread'])
    socket.resume()
    await until('it is gone', () => socket.destroyed)
  })
}

test('unread: whoever reads slowly gets all of it', async () => {
  const socket = await openSocket({ port: listeners.https, isTls: true })
  let read = 0
  socket.on('data', (chunk: Buffer) => (read += chunk.length))
  socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  for (const part of [1, 2, 3, 4]) {
    socket.resume()
    // More than the system holds on both sides: bytes were taken since.
    await until('some of it is read', () => read > part * 14 * 1024 * 1024)
    socket.pause()
    assert.deepEqual(await endedAfter(patience - 1), [])
  }
  socket.resume()
  await until('all of it is read', () => read > large.length && socket.destroyed)
  assert.deepEqual(await endedAfter(60), [])
})

test('unread: of a long answer one piece at a time is handed over to the connection', async (context) => {
  let response: ServerResponse | undefined
  const server = createServer((_, own) => {
    response = own
    own.writeHead(200, { 'Content-Length': large.length })
    const slot = new AnswerSlot(unsent.open({ end() {} }))
    own.once('close', () => slot.leave())
    sendBody(own, large, slot)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const socket = await openSocket({ port: (server.address() as AddressInfo).port, isTls: false })
  context.after(async () => {
    socket.destroy()
    await new Promise((resolve) => server.close(resolve))
  })
  socket.pause()
  socket.write('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')
  let seen = -1
  await until('the system takes no more', async () => {
    const before = seen
    seen = response?.socket?.bytesWritten ?? 0
    for (let turn = 0; turn < 20; turn += 1) await new Promise(setImmediate)
    return seen > 0 && seen === before && response?.writableLength
  })
  assert.ok((response?.writableLength ?? 0) <= mostHandedBytes)
  assert.ok(seen < large.length)
})

test('unread: 100 answers at once wait until their caller takes them, and all of them come', async () => {
  const one = await openHttp2(listeners.https)
  const all = Array.from({ length: 100 }, (_, at) => get('/list', 2 * at + 1))
  await one.send(Buffer.concat([windowOf(0), ...all]))
  await until('all of them wait', () => unsent.bytes() > 100 * list().length)
  await one.send(Buffer.concat(wide))
  const complete = () => one.frames().filter(({ type, flags: bits }) => type === types.data && bits & flags.endStream)
  await until('all of them are there', () => complete().length === 100)
  await one.close()
})
