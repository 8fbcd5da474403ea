// The proxies of docs/operate, started with those very files (but for ports and certificates), in front of a service: what comes
// through them is served over TLS, under the caller's true address, and nothing secret is left behind in them.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { connect } from 'node:http2'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { freePort } from '../support/free-port.ts'
import {
  askOver,
  cleanEnvironment,
  repository,
  startProcess,
  startServer,
  temporaryFolder,
  until,
  type Asked,
  type NewKey,
  type Server,
} from '../support/process.ts'
import { nginxMissing, startNginxWith } from '../support/nginx.ts'

interface Proxy {
  readonly port: number
  /** Everything it has written down. */
  written(): string
  stop(): Promise<void>
}

let server: Server
let key: NewKey
before(async () => {
  const rows = { stores: [{ id: 1, name: 'Main' }] }
  const settings = { VITRINE_TRUST_PROXY: '127.0.0.1', VITRINE_PUBLIC_URL: 'https://api.example.com' }
  server = await startServer({ rows, settings })
  key = await server.makeKey()
})
after(() => server.remove())

/** An example with its places replaced; each of them is in it. */
function exampleAt(name: string, places: Readonly<Record<string, string>>): string {
  let text = readFileSync(join(repository, 'docs', 'operate', name), 'utf8')
  for (const [from, to] of Object.entries(places)) {
    assert.ok(text.includes(from), `${name} has no ${from}`)
    text = text.replace(from, () => to)
  }
  return text
}

const privateKey = () => join(server.data, 'development-key.pem')

async function startNginxExample(): Promise<Proxy> {
  const port = await freePort()
  const live = '/etc/letsencrypt/live/api.example.com'
  const site = exampleAt('nginx.conf', {
    'server 127.0.0.1:8080;': `server 127.0.0.1:${server.http};`,
    '\n  listen 443 ': `\n  listen 127.0.0.1:${port} `,
    '/var/log/nginx/vitrine.log': 'access.log',
    [`${live}/fullchain.pem`]: server.certificate,
    [`${live}/privkey.pem`]: privateKey(),
  })
  const nginx = await startNginxWith(site)
  return { port, written: () => nginx.read('access.log') + nginx.read('error.log'), stop: () => nginx.stop() }
}

const caddyMissing = (): string | false =>
  spawnSync('caddy', ['version']).status === 0 ? false : 'Caddy is not installed here'

// It would ask for a certificate and listen on its usual ports: a certificate and a port are given instead.
async function startCaddyExample(): Promise<Proxy> {
  const folder = temporaryFolder('vitrine-caddy-')
  const port = await freePort()
  const file = join(folder, 'Caddyfile')
  const text = exampleAt('Caddyfile', {
    'auto_https disable_redirects': 'auto_https disable_redirects\n\tadmin off',
    'api.example.com {': `https://127.0.0.1:${port} {\n\tbind 127.0.0.1\n\ttls ${server.certificate} ${privateKey()}`,
    'reverse_proxy 127.0.0.1:8080': `reverse_proxy 127.0.0.1:${server.http}`,
  })
  writeFileSync(file, text)
  const env = cleanEnvironment({ HOME: folder, XDG_DATA_HOME: folder, XDG_CONFIG_HOME: folder })
  const words = ['run', '--adapter', 'caddyfile', '--config', file]
  const caddy = startProcess('caddy', words, { cwd: folder, env })
  const stop = async () => {
    caddy.child.kill('SIGTERM')
    await caddy.ended
    rmSync(folder, { recursive: true, force: true })
  }
  const look = () => {
    assert.equal(caddy.child.exitCode, null, caddy.stderr())
    return caddy.stderr().includes('serving initial configuration')
  }
  await until('Caddy listens', look, caddy.stderr).catch(async (error: unknown) => {
    await stop()
    throw error
  })
  return { port, written: () => caddy.stdout() + caddy.stderr(), stop }
}

const examples = [
  { name: 'nginx', missing: nginxMissing(), start: startNginxExample, from: '127.0.0.3', logsRequests: true },
  { name: 'Caddy', missing: caddyMissing(), start: startCaddyExample, from: '127.0.0.4', logsRequests: false },
]

const form = { 'Content-Type': 'application/x-www-form-urlencoded' }
// Headers of a caller that pretends to have another address or protocol.
const lies = {
  'X-Forwarded-For': '192.0.2.66',
  'X-Real-Ip': '192.0.2.66',
  'X-Forwarded-Proto': 'http',
  Forwarded: 'for=192.0.2.66;proto=http',
}

for (const { name, missing, start, from, logsRequests } of examples) {
  describe(`the example for ${name}`, { skip: missing }, () => {
    let proxy: Proxy
    before(async () => void (proxy = await start()))
    after(() => proxy.stop())
    const ask = (path: string, asked: Asked = {}) =>
      askOver({ port: proxy.port, ca: readFileSync(server.certificate) }, `/api/v1${path}`, {
        localAddress: from,
        ...asked,
      })
    const signIn = () =>
      ask('/auth/token', {
        method: 'POST',
        headers: form,
        body: `grant_type=client_credentials&client_id=${key.client_id}&client_secret=${key.client_secret}`,
      })

    test('signs in and reads, with every header of the answer; the log has its request id and its caller', async () => {
      const token = String((await signIn()).body.access_token)
      const answer = await ask('/stores?per_page=1', { token })
      assert.deepEqual([answer.status, answer.body.meta.total], [200, 1])
      for (const header of ['strict-transport-security', 'x-content-type-options', 'x-ratelimit-remaining'])
        assert.notEqual(answer.headers[header], undefined, header)
      assert.equal(answer.headers['cache-control'], 'no-store')
      const line = await server.lineOf(answer)
      assert.deepEqual([line['address'], line['key']], [from, key.client_id])
    })

    test('passes discovery on, which names the public address', async () => {
      const place = { port: proxy.port, ca: readFileSync(server.certificate) }
      const { status, body } = await askOver(place, '/.well-known/oauth-authorization-server', { localAddress: from })
      assert.deepEqual([status, body.issuer], [200, 'https://api.example.com'])
      assert.equal(body.token_endpoint, 'https://api.example.com/api/v1/auth/token')
    })

    test('does not pass on what the client itself says of its address and its protocol', async () => {
      const answer = await ask('/status', { headers: lies })
      assert.deepEqual([answer.status, answer.body.https], [200, true])
      assert.equal((await server.lineOf(answer))['address'], from)
    })

    test('speaks HTTP/2', async () => {
      const session = connect(`https://127.0.0.1:${proxy.port}`, { ca: readFileSync(server.certificate) })
      try {
        const stream = session.request({ ':path': '/api/v1/status' })
        const status = await new Promise((resolve, reject) => {
          stream.on('response', (headers) => resolve(headers[':status']))
          stream.on('error', reject)
          session.on('error', reject)
        })
        assert.deepEqual([status, session.alpnProtocol], [200, 'h2'])
        stream.resume()
      } finally {
        session.destroy()
      }
    })

    test('lets the service itself refuse what is too long', async () => {
      const answer = await ask('/auth/token', { method: 'POST', headers: form, body: `a=${'b'.repeat(40_000)}` })
      assert.deepEqual([answer.status, answer.body.error], [400, 'invalid_request'])
    })

    test('writes down no secret', async () => {
      const token = String((await signIn()).body.access_token)
      const { status } = await ask(`/stores?access_token=${token}`, { token })
      assert.equal(status, 400)
      if (logsRequests) await until('the request is logged', () => /GET \/api\/v1\/stores.* 400 /.test(proxy.written()))
      const written = proxy.written()
      for (const secret of [token, key.client_secret]) assert.ok(!written.includes(secret), written)
    })
  })
}

test('whoever goes past the proxy to the plain port is refused', async () => {
  const answer = await server.ask('/status', { isPlain: true, localAddress: '127.0.0.2', headers: lies })
  assert.deepEqual([answer.status, answer.body.error.code], [403, 'https_required'])
  const claimed = { 'X-Forwarded-Proto': 'https' }
  assert.equal(
    (await server.ask('/status', { isPlain: true, localAddress: '127.0.0.2', headers: claimed })).status,
    403,
  )
})
