// The limit of connections of an address, on a real listener: further ones are refused before any other work, unless an idle one can
// give way.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { connect, type AddressInfo, type Socket } from 'node:net'
import { PassThrough } from 'node:stream'
import { afterEach, test } from 'node:test'
import { trustedProxies } from '../../../src/http/address.ts'
import { limitConnections, logEnds, type EndReason } from '../../../src/http/connections.ts'
import { createUnsent } from '../../../src/http/unsent.ts'
import { createLog } from '../../../src/platform/log.ts'
import { until } from '../../support/process.ts'

const closers: (() => unknown)[] = []
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close()
})

interface Caller {
  readonly socket: Socket
  readonly isOpen: () => boolean
  readonly text: () => string
}

async function setUp({ mostPerAddress = 3, trusted = [] as string[] } = {}) {
  let time = 0
  const begun: string[] = []
  const ended: [EndReason, string][] = []
  const server = createServer((request, response) => {
    const isGone = request.url === '/gone'
    const turn = connections.enter(isGone ? ({ socket: {} } as typeof request) : request, response)
    assert.equal(turn === undefined, isGone)
    if (isGone) return
    if (request.url !== '/never') response.end('there')
  })
  // Stands for TLS, and for HTTP itself.
  server.on('connection', ({ remoteAddress }: Socket) => begun.push(String(remoteAddress)))
  const connections = limitConnections(server, trustedProxies(trusted), {
    unsent: createUnsent(),
    mostPerAddress,
    onEnd: (why, { address }) => ended.push([why, address]),
    now: () => time,
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  closers.push(() => new Promise((resolve) => server.close(resolve)))
  const { port } = server.address() as AddressInfo
  const open = async (localAddress: string): Promise<Caller> => {
    const socket = connect({ host: '127.0.0.1', port, localAddress })
    let [isOpen, text] = [true, '']
    socket.on('error', () => {})
    socket.on('data', (chunk: Buffer) => (text += chunk.toString()))
    socket.on('close', () => (isOpen = false))
    closers.push(() => socket.destroy())
    // One that is refused may never have been open.
    await new Promise((resolve) => socket.once('connect', resolve).once('close', resolve))
    return { socket, isOpen: () => isOpen, text: () => text }
  }
  /** A connection that was answered once. */
  const use = async (localAddress: string, path = '/') => {
    const caller = await open(localAddress)
    caller.socket.write(`GET ${path} HTTP/1.1\r\nHost: localhost\r\n\r\n`)
    if (path === '/') await until('it is answered', () => caller.text().endsWith('there'))
    return caller
  }
  // Several within one turn of the event loop, as a busy system hands them over.
  const openAtOnce = (address: string, count: number) => {
    for (const socket of Array.from({ length: count }, () => new PassThrough()))
      server.emit(
        'connection',
        Object.assign(socket, { remoteAddress: address, setNoDelay() {}, resetAndDestroy() {} }),
      )
  }
  return { open, openAtOnce, use, begun, ended, pass: (ms: number) => (time += ms) }
}

test('connections: an address has so many, and further ones are refused before anything is done for them', async () => {
  const { open, use, begun, ended } = await setUp()
  const kept = [await use('127.0.0.2'), await use('127.0.0.2'), await use('127.0.0.2')]
  const refused = await open('127.0.0.2')
  await until('it is refused', () => !refused.isOpen())
  assert.equal(begun.length, 3)
  assert.deepEqual(ended, [['refused', '127.0.0.2']])
  assert.ok(kept.every(({ isOpen }) => isOpen()))
  await use('127.0.0.3')
  kept[0]?.socket.destroy()
  await until('another is let in', async () => {
    await open('127.0.0.2')
    return begun.length === 5
  })
})

test('connections: an idle one gives way to a new one, the longest idle first', async () => {
  const { use, ended, pass } = await setUp()
  const working = await use('127.0.0.2', '/never')
  pass(1000)
  const older = await use('127.0.0.2')
  pass(1000)
  const younger = await use('127.0.0.2')
  pass(9000)
  await use('127.0.0.2')
  await until('it has given way', () => !older.isOpen())
  assert.deepEqual(ended, [['idle', '127.0.0.2']])
  assert.ok(younger.isOpen() && working.isOpen())
})

test('connections: one that gives way makes room for only one, however many come at once', async () => {
  const { openAtOnce, use, begun, ended, pass } = await setUp({ mostPerAddress: 1 })
  await use('127.0.0.2')
  pass(11_000)
  openAtOnce('127.0.0.2', 5)
  assert.equal(begun.length, 2)
  assert.deepEqual(ended.map(([why]) => why).toSorted(), ['idle', 'refused', 'refused', 'refused', 'refused'])
})

test('connections: a request whose connection is not known any more is not left open', async () => {
  const { use } = await setUp()
  const caller = await use('127.0.0.2', '/gone')
  await until('it is ended', () => !caller.isOpen())
  assert.equal(caller.text(), '')
})

test('connections: a trusted proxy has as many as it needs', async () => {
  const { use, ended } = await setUp({ mostPerAddress: 1, trusted: ['127.0.0.9'] })
  const all = [await use('127.0.0.9'), await use('127.0.0.9'), await use('127.0.0.9')]
  assert.ok(all.every(({ isOpen }) => isOpen()))
  assert.deepEqual(ended, [])
})

test('connections: each end is logged; refusals are rate-limited in the log', () => {
  let time = 0
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', (line) => lines.push(JSON.parse(line) as Record<string, unknown>))
  const tell = logEnds(log, () => time)
  for (let turn = 0; turn < 1000; turn += 1) tell('refused', { address: '127.0.0.2', connections: 500 })
  time = 10_000
  tell('idle', { address: '127.0.0.3', connections: 500 })
  tell('unread', { address: '127.0.0.4', answers: 7, waited_ms: 30_001 })
  tell('crowded', { address: '127.0.0.5', answers: 1, waited_ms: 300 })
  assert.deepEqual(
    lines.map(({ level, event, why, address, times }) => [level, event, why ?? times, address]),
    [
      ['warn', 'too_many_connections', 1, '127.0.0.2'],
      ['warn', 'too_many_connections', 1000, '127.0.0.3'],
      ['info', 'connection_ended', 'unread', '127.0.0.4'],
      ['warn', 'connection_ended', 'crowded', '127.0.0.5'],
    ],
  )
})
