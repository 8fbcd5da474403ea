// Unread answers of a real service take hardly any memory, and an address has only as many connections as the operator
// allows.
import assert from 'node:assert/strict'
import { Agent } from 'node:https'
import { after, afterEach, before, test } from 'node:test'
import { told } from '../support/how-much.ts'
import { startServer, until, type Server } from '../support/process.ts'
import { flags, frame, openHttp2, request, types, windowOf, type Http2Socket } from '../support/frames.ts'
import { hasProc, memoryOf } from './watched.ts'

const mega = 1024 * 1024
const perAddress = 5
let server: Server
before(async () => {
  server = await startServer({ settings: { VITRINE_CONNECTIONS_PER_ADDRESS: String(perAddress) } })
})
after(() => server.remove())
const opened: Http2Socket[] = []
afterEach(() => Promise.all(opened.splice(0).map((one) => one.close())))

async function hold(path: string, streams: number, localAddress: string): Promise<Http2Socket> {
  const one = await openHttp2(server.https, true, localAddress)
  const asked = Array.from({ length: streams }, (_, at) =>
    frame(types.headers, flags.endHeaders | flags.endStream, 2 * at + 1, request(path)),
  )
  opened.push(one)
  await one.send(Buffer.concat([windowOf(0), ...asked]))
  const answered = () => one.frames().filter(({ type }) => type === types.headers).length
  await until(`${path} is answered ${streams} times`, () => answered() === streams)
  return one
}

for (const [path, most] of [
  ['/api/v1/openapi.json', 60 * mega],
  ['/docs', 60 * mega],
] as const) {
  test(
    `unread: a thousand answers of ${path} that nobody takes share their bytes`,
    { skip: hasProc ? false : 'needs /proc' },
    async () => {
      // So that what is made once is made, and the collector has seen such a wave.
      const first = await Promise.all([2, 3].map((at) => hold(path, 100, `127.0.3.${at}`)))
      await Promise.all(first.map((one) => one.close()))
      const before = memoryOf(server)
      await Promise.all(Array.from({ length: 10 }, (_, at) => hold(path, 100, `127.0.3.${4 + at}`)))
      const grown = memoryOf(server) - before
      told(`unread: 1,000 answers of ${path} took ${(grown / mega).toFixed(0)} MB`)
      assert.ok(grown < most, `${grown / mega} MB`)
    },
  )
}

test('unread: an address has so many connections as the setting says; the metrics count those that were refused', async () => {
  const localAddress = '127.0.4.1'
  const agents = Array.from({ length: perAddress }, () => new Agent({ keepAlive: true, maxSockets: 1 }))
  for (const agent of agents) assert.equal((await server.ask('/status', { agent, localAddress })).status, 200)
  await assert.rejects(server.ask('/status', { localAddress }), { code: 'ECONNRESET' })
  assert.equal((await server.ask('/status', { localAddress: '127.0.4.2' })).status, 200)
  const { text } = await server.askConsole('/metrics')
  assert.match(text, /^vitrine_connections_ended_total\{why="refused"\} 1$/m)
  agents[0]?.destroy()
  await until('there is room', () => server.ask('/status', { localAddress }).catch(() => undefined))
  for (const agent of agents) agent.destroy()
})
