// The TLS listener from outside: versions, protocols, the certificate's reload, and the self-signed one.
import assert from 'node:assert/strict'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, renameSync, rmSync, statSync, symlinkSync, unlinkSync, writeFileSync } from 'node:fs'
import { connect as connectHttp2 } from 'node:http2'
import { Agent } from 'node:https'
import { connect as connectPlain } from 'node:net'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { checkServerIdentity, connect, type ConnectionOptions, type SecureVersion, type TLSSocket } from 'node:tls'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { makePos } from '../support/pos.ts'
import { startServer, temporaryFolder, until, type Server } from '../support/process.ts'

const folder = temporaryFolder()
const servers: Server[] = []
let server: Server
before(async () => {
  server = await start()
})
after(async () => {
  await Promise.all(servers.map((one) => one.remove()))
  rmSync(folder, { recursive: true, force: true })
})

async function start(...options: Parameters<typeof startServer>): Promise<Server> {
  const one = await startServer(...options)
  servers.push(one)
  return one
}

async function shake(port: number, options: ConnectionOptions): Promise<TLSSocket> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  await once(socket, 'secureConnect')
  return socket
}

for (const version of ['TLSv1', 'TLSv1.1'] as const) {
  test(`TLS: ${version} is refused by the service`, async () => {
    const options = { minVersion: version, maxVersion: version, ciphers: 'DEFAULT@SECLEVEL=0' }
    // The alert comes from the other side: it is not this client that will not.
    await assert.rejects(shake(server.https, options), { code: 'ERR_SSL_TLSV1_ALERT_PROTOCOL_VERSION' })
  })
}

for (const version of ['TLSv1.2', 'TLSv1.3'] satisfies SecureVersion[]) {
  for (const protocol of ['h2', 'http/1.1']) {
    test(`TLS: ${version} works with ${protocol}`, async () => {
      const options = { minVersion: version, maxVersion: version, ALPNProtocols: [protocol] }
      const socket = await shake(server.https, options)
      assert.deepEqual([socket.getProtocol(), socket.alpnProtocol], [version, protocol])
      socket.destroy()
      const ca = readFileSync(server.certificate)
      if (protocol === 'h2') {
        const session = connectHttp2(`https://127.0.0.1:${server.https}`, { ca, ...options })
        const stream = session.request({ ':path': '/api/v1/status' })
        const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
        stream.resume()
        session.close()
        assert.equal(headers[':status'], 200)
      } else {
        const agent = new Agent({ ...options, keepAlive: false })
        assert.equal((await server.ask('/status', { agent })).status, 200)
      }
    })
  }
}

test('TLS: a caller without ALPN gets HTTP/1.1, one that knows both gets HTTP/2', async () => {
  const [old, both] = await Promise.all([
    shake(server.https, {}),
    shake(server.https, { ALPNProtocols: ['http/1.1', 'h2'] }),
  ])
  assert.equal(both.alpnProtocol, 'h2')
  assert.equal(old.alpnProtocol, false)
  old.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n')
  const [answer] = (await once(old, 'data')) as [Buffer]
  assert.match(answer.toString(), /^HTTP\/1\.1 200 OK\r\n/)
  old.destroy()
  both.destroy()
})

test('TLS: both protocols say the same, with the same headers', async () => {
  const ca = readFileSync(server.certificate)
  const one = await server.ask('/nowhere')
  const session = connectHttp2(`https://127.0.0.1:${server.https}`, { ca })
  const stream = session.request({ ':path': '/api/v1/nowhere' })
  const [{ ':status': status, ...headers }] = (await once(stream, 'response')) as [Record<string, unknown>]
  stream.resume()
  session.close()
  assert.equal(status, one.status)
  const own = new Set(['connection', 'keep-alive', 'date'])
  const names = (all: object) =>
    Object.keys(all)
      .filter((name) => !own.has(name))
      .toSorted()
  assert.deepEqual(names(headers), names(one.headers))
})

test('TLS: what is no TLS on that port harms nobody', async () => {
  const plain = connectPlain(server.https, '127.0.0.1')
  plain.on('error', () => {})
  plain.write('GET /api/v1/status HTTP/1.1\r\nHost: localhost\r\n\r\n')
  await once(plain.resume(), 'close')
  assert.equal((await server.ask('/status')).status, 200)
})

test('TLS: the self-signed certificate is valid where it is trusted, for the names of this machine and no other', async () => {
  const ca = readFileSync(server.certificate)
  for (const servername of ['localhost', '127.0.0.1', '::1']) {
    const socket = connect({
      host: '127.0.0.1',
      port: server.https,
      ca,
      checkServerIdentity: (_, peer) => checkServerIdentity(servername, peer),
    })
    await once(socket, 'secureConnect')
    assert.ok(socket.authorized)
    socket.destroy()
  }
  const other = connect({
    host: '127.0.0.1',
    port: server.https,
    ca,
    checkServerIdentity: (_, peer) => checkServerIdentity('example.org', peer),
  })
  const [wrongName] = (await once(other, 'error')) as [NodeJS.ErrnoException]
  assert.equal(wrongName.code, 'ERR_TLS_CERT_ALTNAME_INVALID')
  const distrusted = connect({ host: '127.0.0.1', port: server.https })
  const [unknown] = (await once(distrusted, 'error')) as [NodeJS.ErrnoException]
  assert.match(String(unknown.code), /SELF_SIGNED/)
})

const said = (one: Server) => one.stderr() + one.stdout()

test('TLS: a service with a self-signed certificate says so loudly, one with files does not', async () => {
  const loud = /self-signed/i
  await until('it is said', () => loud.test(said(server)))
  assert.ok(said(server).includes(server.certificate))
  const [cert, key] = [join(folder, 'quiet.cert'), join(folder, 'quiet.key')]
  const made = make()
  writeFileSync(cert, made.cert)
  writeFileSync(key, made.key)
  const quiet = await start({ settings: { VITRINE_TLS_CERT: cert, VITRINE_TLS_KEY: key } })
  assert.equal((await quiet.ask('/status')).status, 200)
  await quiet.stop()
  assert.doesNotMatch(said(quiet), loud)
  assert.throws(() => readFileSync(join(quiet.data, 'development-cert.pem')), { code: 'ENOENT' })
})

test('TLS: the self-signed certificate is kept between starts, for its owner alone', async () => {
  const data = temporaryFolder()
  makePos(join(data, 'pos.db'), {})
  const first = await start({ folder: data })
  const files = ['development-cert.pem', 'development-key.pem'].map((name) => join(data, name))
  const made = files.map((path) => readFileSync(path, 'utf8'))
  assert.deepEqual(
    files.map((path) => (statSync(path).mode & 0o777).toString(8)),
    ['600', '600'],
  )
  const shown = await shownBy(first)
  assert.equal(shown, fingerprintOf(made[0] ?? ''))
  await first.stop()
  const second = await start({ folder: data })
  assert.deepEqual(
    files.map((path) => readFileSync(path, 'utf8')),
    made,
  )
  assert.equal(await shownBy(second), shown)
})

const names = ['localhost', '127.0.0.1']
const make = () => makeSelfSigned({ names, days: 2, now: new Date() })
const fingerprintOf = (cert: string) => new X509Certificate(cert).fingerprint256
const shownBy = async ({ https }: Server) => {
  const socket = await shake(https, {})
  const { fingerprint256 } = socket.getPeerX509Certificate() ?? assert.fail('no certificate')
  socket.destroy()
  return fingerprint256
}

const renewals: readonly {
  how: string
  renew: (files: { cert: string; key: string }, next: ReturnType<typeof make>) => void
}[] = [
  {
    how: 'written over',
    renew({ cert, key }, next) {
      writeFileSync(cert, next.cert)
      writeFileSync(key, next.key)
    },
  },
  {
    how: 'renamed into their place, the key first',
    renew({ cert, key }, next) {
      for (const [path, text] of [
        [key, next.key],
        [cert, next.cert],
      ] as const) {
        writeFileSync(`${path}.new`, text)
        renameSync(`${path}.new`, path)
      }
    },
  },
  {
    how: 'links that point to others, as certbot does it',
    renew({ cert, key }, next) {
      for (const [path, text] of [
        [cert, next.cert],
        [key, next.key],
      ] as const) {
        writeFileSync(`${path}.2`, text)
        unlinkSync(path)
        symlinkSync(`${path}.2`, path)
      }
    },
  },
]

// Each waits for the service to look at its files again.
describe('TLS: renewed certificates', { concurrency: true }, () => {
  for (const [at, { how, renew }] of renewals.entries()) {
    test(`TLS: certificate files that are ${how} count without a restart, and no open connection is dropped`, async () => {
      const files = { cert: join(folder, `${at}.cert`), key: join(folder, `${at}.key`) }
      const [first, next] = [make(), make()]
      writeFileSync(files.cert, first.cert)
      writeFileSync(files.key, first.key)
      const one = await start({ settings: { VITRINE_TLS_CERT: files.cert, VITRINE_TLS_KEY: files.key } })
      assert.equal(await shownBy(one), fingerprintOf(first.cert))
      const agent = new Agent({ keepAlive: true, maxSockets: 1, ca: first.cert })
      const session = connectHttp2(`https://127.0.0.1:${one.https}`, { ca: first.cert })
      assert.equal((await one.ask('/status', { agent })).status, 200)
      const [socket] = Object.values(agent.freeSockets).flat()
      assert.ok(socket)

      renew(files, next)
      await until('the new certificate is shown', async () => (await shownBy(one)) === fingerprintOf(next.cert))
      await until('the log has it', async () => one.logged().some(({ event }) => event === 'certificate_changed'))

      assert.equal((await one.ask('/status', { agent })).status, 200)
      assert.equal(Object.values(agent.freeSockets).flat()[0], socket)
      const stream = session.request({ ':path': '/api/v1/status' })
      const [headers] = (await once(stream, 'response')) as [Record<string, unknown>]
      assert.equal(headers[':status'], 200)
      session.destroy()
      agent.destroy()
      assert.equal((await one.ask('/status')).status, 200)
    })
  }

  test('TLS: a certificate that cannot be used does not replace the one in use, and the log says so', async () => {
    const files = { cert: join(folder, 'x.cert'), key: join(folder, 'x.key') }
    const [first, next] = [make(), make()]
    writeFileSync(files.cert, first.cert)
    writeFileSync(files.key, first.key)
    const one = await start({ settings: { VITRINE_TLS_CERT: files.cert, VITRINE_TLS_KEY: files.key } })
    writeFileSync(files.key, next.key)
    await until('the log tells of it', () => one.logged().some(({ event }) => event === 'certificate_not_changed'))
    assert.equal(await shownBy(one), fingerprintOf(first.cert))
    assert.ok(!one.stdout().includes('PRIVATE KEY'))
    writeFileSync(files.cert, next.cert)
    await until('the new pair is shown', async () => (await shownBy(one)) === fingerprintOf(next.cert))
  })
})
