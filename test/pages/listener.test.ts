// The console's listener over real sockets: the names it answers to, the headers of every answer, who may read the metrics, and
// how long it waits for callers that say nothing.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { request } from 'node:https'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { createConsole } from '../../src/web/console/app.ts'
import { consolePaths } from '../../src/web/console/files.ts'
import { createHostCheck } from '../../src/web/console/hosts.ts'
import { startConsole } from '../../src/web/console/listener.ts'
import { PasswordQueueFull } from '../../src/web/console/password.ts'
import type { ConsoleOptions } from '../../src/web/console/request.ts'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { createUnsent } from '../../src/http/unsent.ts'
import { createLog } from '../../src/platform/log.ts'
import { isLong } from '../support/how-much.ts'
import { until, type Answer } from '../support/process.ts'
import { exchange, openSocket } from '../support/raw.ts'

const certificate = makeSelfSigned({ names: ['till.example', '*.shops.example'], days: 10, now: new Date() })
const token = 'a-token-of-some-length'
const logged: string[] = []

const log = createLog('info', (line) => logged.push(line))
let failure: Error
let isWithoutMetrics = false
const optionsWith = (metricsToken: string | null) =>
  ({
    hostRefusal: createHostCheck(['Behind.Proxy.example', 'also']),
    metricsToken,
    metrics: async () => {
      if (isWithoutMetrics) throw new Error('a defect')
      return 'vitrine_up 1\n'
    },
    state: { listAccounts: () => Promise.reject(failure) },
    log,
  }) as unknown as ConsoleOptions

function start(metricsToken: string | null) {
  const own = createConsole(optionsWith(metricsToken))
  return startConsole({
    certificate,
    host: '127.0.0.1',
    port: 0,
    handle: async (call, current) =>
      call.path === '/large' ? { status: 200, headers: {}, body: new Uint8Array(2 ** 20) } : own(call, current),
    log,
    connections: { unsent: createUnsent(), mostPerAddress: 100, onEnd: () => {} },
  })
}

type Listener = Awaited<ReturnType<typeof start>>

describe("the console's listener", () => {
  let listener: Listener
  let guarded: Listener
  before(async () => {
    ;[listener, guarded] = await Promise.all([start(null), start(token)])
  })
  after(() => Promise.all([listener.close(), guarded.close()]))

  /** The headers as they stand, one after the other. */
  const ask = async (path: string, headers: readonly string[], method = 'GET', at = listener): Promise<Answer> => {
    const lines = [`${method} ${path} HTTP/1.1`, ...headers, 'Connection: close', '', '']
    const [answer] = await exchange({ port: at.port, isTls: true }, lines.join('\r\n'))
    return answer ?? assert.fail('no answer')
  }

  test('it answers to addresses, to localhost and to names it was given, whatever the port', async () => {
    for (const host of [
      '127.0.0.1',
      `127.0.0.1:${listener.port}`,
      // From another machine, or through a forwarded port. DNS rebinding needs a name, so every IP address is safe.
      '192.168.7.7:9000',
      '[::1]',
      '[2001:db8::7]:8444',
      'localhost',
      'LOCALHOST.:9000',
      'till.example',
      'one.shops.example:8444',
      'behind.proxy.example',
      'also',
    ])
      assert.equal((await ask('/', [`Host: ${host}`])).status, 200, host)
  })

  test('it answers to no other name, whatever is asked for, and says which setting allows one', async () => {
    for (const host of [
      'evil.example',
      'localhost.evil.example',
      'a.b.shops.example',
      'proxy.example',
      '127.0.0.1.evil',
    ])
      for (const path of ['/', '/page.js', '/api/session', '/metrics', '/nothing']) {
        const { status, text } = await ask(path, [`Host: ${host}`])
        assert.equal(status, 421, `${host} ${path}`)
        assert.match(text, new RegExp(`^The console is not known as ${host}\\..*VITRINE_CONSOLE_NAMES\\.\n$`))
      }
  })

  test('a request has one Host header, and a sensible one', async () => {
    const hosts = [[], ['localhost', 'localhost'], ['localhost', 'evil.example'], ['']]
    for (const each of [
      ...hosts,
      ['https://localhost'],
      ['localhost, evil.example'],
      ['a b'],
      ['-'],
      ['x@localhost'],
    ]) {
      const { status } = await ask(
        '/',
        each.map((host) => `Host: ${host}`),
      )
      assert.equal(status, 400, JSON.stringify(each))
    }
  })

  test('a certificate that takes the place of another brings its names', async () => {
    const own = await start(null)
    try {
      assert.equal((await ask('/', ['Host: next.example'], 'GET', own)).status, 421)
      own.useCertificate(makeSelfSigned({ names: ['next.example'], days: 10, now: new Date() }))
      assert.equal((await ask('/', ['Host: next.example'], 'GET', own)).status, 200)
      assert.equal((await ask('/', ['Host: till.example'], 'GET', own)).status, 421)
    } finally {
      await own.close()
    }
  })

  test('every answer says that this host is for TLS alone, in the words of the public listener', async () => {
    const here = ['Host: localhost']
    const answers = [
      ...(await Promise.all((await consolePaths()).map((path) => ask(path, here)))),
      await ask('/metrics', here),
      await ask('/metrics', here, 'POST'),
      await ask('/metrics', here, 'GET', guarded),
      await ask('/nothing', here),
      await failing(new Error('a defect')),
      await failing(new PasswordQueueFull()),
      await ask('/', []),
      await ask('/', ['Host: evil.example']),
    ]
    assert.ok(logged.some((line) => line.includes('"event":"console_failed"')))
    assert.deepEqual(new Set(answers.map(({ status }) => status)), new Set([200, 405, 401, 404, 500, 429, 400, 421]))
    for (const { headers } of answers) {
      assert.equal(headers['strict-transport-security'], 'max-age=31536000')
      assert.equal(headers['x-content-type-options'], 'nosniff')
    }
  })

  const failing = (error: Error) => {
    failure = error
    return ask('/api/session', ['Host: localhost'])
  }

  const cached = async (path: string) => (await ask(path, ['Host: localhost'])).headers['cache-control']

  test('browsers keep what is named by its content, and nothing else', async () => {
    const [page, ...files] = await consolePaths()
    assert.equal(page, '/')
    assert.ok(files.length > 4)
    for (const path of files) {
      assert.match(path, /^\/(?:page|icon|en|fr|ht)-[A-Z0-9]{8}\.(?:js|css|svg)$/)
      assert.equal(await cached(path), 'public, max-age=31536000, immutable', path)
    }
    for (const path of ['/', '/metrics', '/nothing', '/api/keys']) assert.equal(await cached(path), 'no-store', path)
  })

  test('without a token the metrics are for whoever gets here, with one for whoever sends it, once, as it is', async () => {
    const metrics = (authorization: readonly string[], method = 'GET', at = guarded) =>
      ask('/metrics', ['Host: localhost', ...authorization.map((each) => `Authorization: ${each}`)], method, at)
    isWithoutMetrics = true
    assert.equal((await metrics([], 'GET', listener)).status, 500)
    isWithoutMetrics = false
    assert.ok(logged.some((line) => line.includes('"event":"metrics_failed"')))
    assert.equal((await metrics([], 'GET', listener)).status, 200)
    assert.equal((await metrics(['Bearer anything'], 'GET', listener)).status, 200)
    const { status, headers, text } = await metrics([])
    assert.deepEqual([status, headers['www-authenticate']], [401, 'Bearer realm="metrics"'])
    assert.match(text, /VITRINE_METRICS_TOKEN/)
    for (const given of [
      ['Bearer'],
      ['Bearer '],
      [`Bearer ${token}x`],
      [`Bearer ${token.slice(1)}`],
      [`Bearer ${token} ${token}`],
      [`Basic ${token}`],
      [token],
      [`Bearer ${token}`, `Bearer ${token}`],
    ]) {
      const refusal = await metrics(given)
      assert.equal(refusal.status, 401, given.join())
      assert.match(String(refusal.headers['www-authenticate']), /error="invalid_token"/)
      assert.doesNotMatch(refusal.text + logged.join(), new RegExp(token))
    }
    // A caller without the token learns nothing, not even which methods there are.
    for (const method of ['HEAD', 'POST', 'OPTIONS'])
      assert.deepEqual(await statusOf(guarded, method), [401, undefined], method)
    assert.deepEqual(await statusOf(guarded, 'HEAD', token), [405, 'GET'])
    assert.ok(logged.some((line) => /"event":"metrics_refused","address":"127.0.0.1"/.test(line)))
    for (const scheme of ['Bearer', 'bearer', 'BEARER '])
      assert.deepEqual((await metrics([`${scheme} ${token}`])).text, 'vitrine_up 1\n')
    // The console itself does not want it.
    assert.equal((await ask('/', ['Host: localhost'], 'GET', guarded)).status, 200)
  })

  /** Whether the service ends it by itself, well after 15 seconds and its next look. */
  async function isEnded(isTls: boolean, first: string): Promise<boolean> {
    const socket = await openSocket({ port: listener.port, isTls })
    socket.on('error', () => {})
    socket.resume()
    socket.write(first)
    let isOurs = false
    const timer = setTimeout(() => {
      isOurs = true
      socket.destroy()
    }, 45_000)
    await new Promise((resolve) => socket.once('close', resolve))
    clearTimeout(timer)
    return !isOurs
  }

  test('callers that say nothing, or not all, are ended: before TLS, after it, and in the middle of a header', async () => {
    const said = [isEnded(false, ''), isEnded(true, ''), isEnded(true, 'GET / HTTP/1.1\r\nHost: loc')]
    assert.deepEqual(await Promise.all(said), [true, true, true])
  })

  test('a caller that says nothing, before TLS or after it, does not hold up a stop', async () => {
    const own = await start(null)
    const silent = await Promise.all([false, true].map((isTls) => openSocket({ port: own.port, isTls })))
    for (const socket of silent) socket.on('error', () => {}).resume()
    let isByItself = true
    // Well before such callers are ended anyway.
    const timer = setTimeout(() => {
      isByItself = false
      for (const socket of silent) socket.destroy()
    }, 10_000)
    await own.close()
    clearTimeout(timer)
    for (const socket of silent) socket.destroy()
    assert.ok(isByItself)
  })

  test('callers that read no answer are ended', { skip: isLong ? false : 'takes minutes' }, async () => {
    const socket = await openSocket({ port: listener.port, isTls: true })
    socket.on('error', () => {})
    socket.pause()
    const [answers, answerBytes] = [40, 2 ** 20]
    socket.write('GET /large HTTP/1.1\r\nHost: localhost\r\n\r\n'.repeat(answers))
    // Two timeouts of 65 seconds: Node.js first checks whether the answer has moved.
    await wait(150_000)
    let bytes = 0
    socket.on('data', (chunk: Buffer) => (bytes += chunk.length)).resume()
    await new Promise((resolve) => socket.once('close', resolve))
    assert.ok(bytes < answers * answerBytes, `${bytes} bytes`)
  })
})

/** By a client that knows that an answer to HEAD has no body. */
async function statusOf({ port }: Listener, method: string, bearer?: string) {
  const headers = { Host: 'localhost', ...(bearer === undefined ? {} : { Authorization: `Bearer ${bearer}` }) }
  const asked = request({ host: '127.0.0.1', port, path: '/metrics', method, headers, rejectUnauthorized: false })
  asked.end()
  const [answer] = (await once(asked, 'response')) as [import('node:http').IncomingMessage]
  answer.resume()
  await until('the answer is whole', () => answer.complete)
  return [answer.statusCode, answer.headers['allow']]
}
