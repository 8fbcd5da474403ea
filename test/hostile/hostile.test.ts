// Every row of the table in every way, against one service; and callers that leave, end their side, open too many connections, or lie
// about their address. Other callers are served meanwhile, and each answer has its line in the log.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect as connectHttp2, constants } from 'node:http2'
import { connect, createServer, type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { flags, frame, header, openHttp2, request, types } from '../support/frames.ts'
import { told } from '../support/how-much.ts'
import { startServer, until, type Asked, type NewKey, type Server } from '../support/process.ts'
import { exchange, openSocket } from '../support/raw.ts'
import {
  anonymousRate,
  askOn,
  close,
  get,
  host,
  keyRate,
  placeOf,
  post,
  prefix,
  send,
  sendIn,
  trustedPeers,
  ways,
  type Logged,
  type Way,
} from './harness.ts'
import { breaks, hide, own, tableFor } from './table.ts'
import { startGoodCallers } from './watched.ts'

const perAddress = 20
let server: Server
let key: NewKey
let token: string
let good: ReturnType<typeof startGoodCallers>
before(async () => {
  server = await startServer({
    rows: {
      vendors: [{ id: 1, name: 'Pétion-Ville' }],
      stores: Array.from({ length: 500 }, (_, at) => ({ id: 1000 + at, name: `Hidden ${at}` })),
    },
    settings: {
      VITRINE_ANONYMOUS_RATE: String(anonymousRate),
      VITRINE_TRUST_PROXY: trustedPeers,
      VITRINE_CONNECTIONS_PER_ADDRESS: String(perAddress),
    },
  })
  key = await server.makeKey('--rate', String(keyRate))
  token = await server.tokenOf(key)
  good = startGoodCallers(server, token, 1)
})
after(() => server.remove())

const allWays = Object.keys(ways) as Way[]
const overHttp1 = allWays.filter((way) => way !== 'http2')
const status = `${prefix}/status`
const logged: Logged[] = []

for (const way of allWays)
  test(`hostile bytes ${ways[way].title}: each payload is answered as the table has it [N12]`, async () => {
    good.takeTimes()
    const isSent = ({ send: sending, only }: ReturnType<typeof tableFor>[number]) =>
      only ? only.includes(way) : way !== 'http2' || (typeof sending === 'object' && 'path' in sending)
    const payloads = tableFor(token, key).filter(isSent)
    const wrong: string[] = []
    const left = payloads.values()
    const work = async () => {
      for (const payload of left)
        await send(server, way, payload).then(
          (lines) => logged.push(...lines),
          (error: Error) => wrong.push(`${payload.name}: ${error.message}`),
        )
    }
    await Promise.all(Array.from({ length: 8 }, work))
    assert.deepEqual(wrong, [])
    const others = good.takeTimes().length
    assert.ok(others > 0)
    told(`hostile: ${payloads.length} payloads ${ways[way].title}; meanwhile ${others} other answers`)
  })

test('what is hidden is found when it is not hidden: the request after a right one is answered', async () => {
  for (const way of ['tls', 'proxied'] as const) {
    const { answers } = await sendIn(server, way, get('/status') + hide(`Bearer ${token}`)(0) + get('/last', close))
    assert.deepEqual(
      answers.map(({ status: each, body }) => `${each} ${body.data?.name ?? ''}`),
      ['200 ', '200 Hidden 0', '404 '],
    )
  }
})

for (const way of ['tls', 'proxied', 'http2'] as const)
  test(`HEAD ${ways[way].title} is answered like GET, without a body`, async () => {
    const asked = ['GET /status', 'HEAD /status', 'HEAD /stores'].map((text) => {
      const [method = '', path = ''] = text.split(' ')
      return sendIn(server, way, { method, path: prefix + path })
    })
    const [full, head, other] = (await Promise.all(asked)).map(({ answers }) => answers[0] ?? assert.fail())
    assert.deepEqual([head?.status, head?.text, head?.headers['content-length']], [200, '', `${full?.text.length}`])
    assert.deepEqual(Object.keys(head?.headers ?? {}).toSorted(), Object.keys(full?.headers ?? {}).toSorted())
    assert.deepEqual([other?.status, other?.text, other?.headers['allow']], [405, '', 'GET'])
  })

// At once, within a head or a body, before the answer, and instead of the body that was asked for.
const halves = [
  '',
  'G',
  'GET /api/v1/sta',
  'GET /api/v1/status HTTP/1.1\r\nHost: lo',
  `GET /api/v1/status HTTP/1.1\r\n${host}`,
  get('/ping', 'Authorization: Bearer svc_at_x\r\n'),
  post('Content-Length: 100\r\n'),
  post('Content-Length: 100\r\n', 'grant_type='),
  post('Transfer-Encoding: chunked\r\n', '64\r\ngrant'),
  post('Expect: 100-continue\r\nContent-Length: 100\r\n'),
  'CONNECT example.org:1 HTTP/1.1\r\nHost: example.org\r\n\r\n',
]
for (const way of overHttp1)
  describe(`callers ${ways[way].title}`, () => {
    test('that leave, wherever they are, harm nobody', async () => {
      const leave = async (text: string, how: 'end' | 'destroy' | 'resetAndDestroy') => {
        const socket = await openSocket(placeOf(server, way))
        socket.on('error', () => {}).resume()
        if (text !== '') await new Promise((resolve) => socket.write(text, resolve))
        socket[how]()
        await until('it is closed', () => socket.closed)
      }
      const abruptly = ways[way].isTls ? 'destroy' : 'resetAndDestroy'
      await Promise.all(halves.flatMap((text) => [leave(text, 'end'), leave(text, abruptly)]))
      assert.equal((await server.ask('/status')).status, 200)
    })

    test('that end their side after their request get their answer', async () => {
      const socket = await openSocket(placeOf(server, way))
      let text = ''
      socket.on('data', (chunk: Buffer) => (text += chunk.toString('latin1')))
      socket.end(get('/status'))
      await once(socket, 'close')
      assert.match(text, ways[way].isServed ? /^HTTP\/1\.1 200 / : /^HTTP\/1\.1 403 [^]*https_required/)
    })

    test('that are refused while they send read their one answer afterwards', async () => {
      const unparsed = () => server.logged().filter(({ event }) => event === 'unparsed').length
      const seen = unparsed()
      const socket = await openSocket(placeOf(server, way))
      const faults: Error[] = []
      socket.on('error', (error) => faults.push(error))
      socket.write(`GET /api/v1/status HTTP/1.1\r\n${host}X-A: ${'a'.repeat(20 * 1024)}`)
      await until('it is refused', () => unparsed() === seen + 1)
      // The parser reports each piece.
      for (let piece = 1; piece <= 3; piece += 1) {
        await new Promise((resolve) => socket.write('a'.repeat(16 * 1024), resolve))
        await server.lineOf(await server.ask('/status'))
      }
      let received = ''
      socket.setEncoding('latin1').on('data', (text: string) => (received += text))
      await once(socket, 'close')
      assert.match(received, /^HTTP\/1\.1 431 [^]*"header_too_large"/)
      assert.deepEqual([faults, unparsed()], [[], seen + 1])
    })
  })

describe('HTTP/2', () => {
  test('200 requests at once over one connection are all answered; those that are taken back harm nobody', async () => {
    const session = connectHttp2(`https://127.0.0.1:${server.https}`, { rejectUnauthorized: false })
    session.on('error', () => {})
    const answers = await Promise.all(Array.from({ length: 200 }, () => askOn(session, { path: status })))
    assert.deepEqual([...new Set(answers.map((answer) => answer?.status))], [200])
    const form = { ':method': 'POST', ':path': `${prefix}/auth/token` }
    for (let count = 0; count < 50; count += 1) {
      const isForm = count % 2 === 1
      const stream = session.request(isForm ? form : { ':path': `${prefix}/ping` }, { endStream: !isForm })
      stream.on('error', () => {}).close(constants.NGHTTP2_CANCEL)
    }
    session
      .request(form)
      .on('error', () => {})
      .write('grant_type=')
    session.destroy()
    assert.equal((await server.ask('/status')).status, 200)
  })

  test('frames that could carry a line end: the request is refused, or read as if the header were not there', async () => {
    const names = 'authorization content-type accept-encoding x-forwarded-for x-forwarded-proto :path :authority'.split(
      ' ',
    )
    for (const name of names)
      for (const [which, text] of Object.entries(breaks)) {
        const value = `x${text}${own}`
        const blocks: Record<string, Buffer> = {
          ':path': request(`${status}?a=${value}`),
          ':authority': request(status, 'GET', [], value),
        }
        const block = blocks[name] ?? request(status, 'GET', [header(name, value)])
        const one = await openHttp2(server.https)
        await one.send(frame(types.headers, flags.endHeaders | flags.endStream, 1, block))
        const body = () => one.frames().find(({ type }) => type === types.data)?.payload
        const isRefused = () => !one.isOpen() || one.frames().some(({ type }) => type === types.reset)
        await until(`${name} with ${which} is refused or answered`, () => isRefused() || body())
        if (isRefused()) assert.equal(body(), undefined)
        else assert.equal(JSON.parse(String(body())).authorization_header_received, false, `${name} with ${which}`)
        assert.ok(isRefused() || !name.startsWith(':'), `${name} with ${which} was answered`)
        await one.close()
      }
  })
})

test('a handshake that comes byte by byte is one, for HTTP/1.1 and HTTP/2', async () => {
  const relay = createServer({ noDelay: true }, (caller) => {
    const onward = connect({ host: '127.0.0.1', port: server.https, noDelay: true })
    caller.on('error', () => onward.destroy()).on('close', () => onward.destroy())
    onward.on('error', () => caller.destroy()).pipe(caller)
    let sent = 0
    caller.on('readable', () => {
      for (let bytes; (bytes = caller.read(sent < 8 ? 1 : undefined) as Buffer | null); sent += 1) onward.write(bytes)
    })
  })
  await once(relay.listen(0, '127.0.0.1'), 'listening')
  const dribbling = { ...server, https: (relay.address() as AddressInfo).port }
  for (const way of ['tls', 'http2'] as const)
    assert.equal((await sendIn(dribbling, way, { path: status })).answers[0]?.status, 200)
  relay.close()
})

test("in clear on the console's port: whatever is asked for, a sentence says what to do, and the connection ends", async () => {
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

test('an address has so many connections as the setting says, of whatever kind; the metrics count those that were refused', async () => {
  const localAddress = '127.2.0.1'
  const kinds = [
    { isTls: true, first: get('/status') },
    { isTls: false, first: 'GET' },
    { isTls: false, first: '' },
  ]
  const open = await Promise.all(
    Array.from({ length: perAddress }, async (_, at) => {
      const { isTls, first } = kinds[at % kinds.length] ?? assert.fail()
      const socket = await openSocket({ port: server.https, isTls, localAddress })
      socket.on('error', () => {}).resume()
      socket.write(first)
      return socket
    }),
  )
  await assert.rejects(server.ask('/status', { localAddress }), /ECONNRESET|socket hang up|socket disconnected/)
  const inClear = { port: server.https, isTls: false, localAddress }
  assert.deepEqual(await exchange(inClear, get('/status')).catch(() => []), [])
  assert.equal((await server.ask('/status', { localAddress: '127.2.0.2' })).status, 200)
  assert.match((await server.askConsole('/metrics')).text, /^vitrine_connections_ended_total\{why="refused"\} 2$/m)
  open[0]?.destroy()
  await until('there is room', () => server.ask('/status', { localAddress }).catch(() => undefined))
  for (const socket of open) socket.destroy()
})

test('windows and blocks go by the address that a trusted proxy names, and by no other', async () => {
  const form = { 'Content-Type': 'application/x-www-form-urlencoded', 'X-Forwarded-Proto': 'https' }
  const behind = (address: string): Asked => ({
    isPlain: true,
    localAddress: '127.0.0.1',
    headers: { ...form, 'X-Forwarded-For': address },
  })
  const lie = (count: number): Asked => ({
    localAddress: '127.2.0.3',
    headers: { ...form, 'X-Forwarded-For': `192.0.2.${count}` },
  })
  const attempt = async (client_id: string, asked: Asked) => {
    const { status: seen, headers } = await server.signIn({ client_id, client_secret: 'svc_sk_wrong' }, asked)
    return `${seen} ${String(headers['x-ratelimit-remaining'])}`
  }
  for (const asked of [() => behind('198.51.100.1'), lie]) {
    const seen: string[] = []
    for (let count = 0; count < 6; count += 1) seen.push(await attempt('svc_ak_a', asked(count)))
    assert.deepEqual(seen, ['401 9', '401 8', '401 7', '401 6', '401 5', '429 5'])
  }
  // To the left of what the proxy saw the caller may write what it likes.
  assert.equal(await attempt('svc_ak_a', behind('1.2.3.4, 198.51.100.1')), '429 5')
  assert.equal(await attempt('svc_ak_a', behind('198.51.100.2')), '401 9')
  assert.equal(await attempt('svc_ak_b', behind('198.51.100.2')), '401 8')
  const { stdout } = await server.run('blocks', 'list', '--json')
  const blocked = stdout
    .trimEnd()
    .split('\n')
    .map((line) => (JSON.parse(line) as { address: string }).address)
  assert.deepEqual(blocked.toSorted(), ['127.2.0.3', '198.51.100.1'])
  // TLS is not taken away, even by a proxy.
  const headers = { 'X-Forwarded-Proto': 'http' }
  assert.equal((await server.ask('/status', { localAddress: '127.0.0.1', headers })).body.https, true)
})

// Runs last in this file: what came before is its input.
test('every line of the log is one JSON object, the one of each answer is there, and open connections keep no stop', async () => {
  await good.stop()
  await server.lineOf(await server.ask('/status'))
  const lines = server.logged()
  for (const line of server.stdout().split('\n')) assert.doesNotMatch(line, /[\p{Cc}\u2028\u2029]/u)
  for (const line of lines) assert.ok(typeof line['event'] === 'string' && !('forged' in line), JSON.stringify(line))
  const byId = new Map(lines.map((line) => [line['request_id'], line]))
  for (const { id, address, code, what } of logged) {
    const line = byId.get(id)
    assert.deepEqual([line?.['address'], code === null ? null : line?.['code']], [address, code], what)
  }
  assert.equal(new Set(logged.map(({ id }) => id)).size, logged.length)
  const defects = lines.filter((line) => Number(line['status']) >= 500 || line['level'] === 'error')
  assert.deepEqual(defects, [])
  // Only those that were not hidden.
  assert.equal(lines.filter(({ path }) => /^\/api\/v1\/stores\/1\d\d\d$/.test(String(path))).length, 2)
  for (const text of ['', 'GET /api']) {
    const socket = await openSocket(placeOf(server, 'misdirected'))
    socket.on('error', () => {}).resume()
    socket.write(text)
  }
  const { status: ended, stderr } = await server.stop()
  assert.equal(ended, 0)
  assert.doesNotMatch(stderr, /error|exception|\.ts:/i)
})
