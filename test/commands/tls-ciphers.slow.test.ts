// Which ciphers TLS is spoken with, where the certificate is an RSA one, which most of those that OpenSSL knows could be used
// with: forward secrecy and authenticated encryption only, on both listeners, also once the certificate was renewed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { readFileSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { connect, getCiphers, type ConnectionOptions } from 'node:tls'
import { startServer, temporaryFolder, until, type Server } from '../support/process.ts'

const skip = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : false
const folder = temporaryFolder()
const [cert, key] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
let server: Server
before(async () => {
  if (skip) return
  makeCertificate()
  server = await startServer({ settings: { VITRINE_TLS_CERT: cert, VITRINE_TLS_KEY: key } })
})
after(async () => {
  if (!skip) await server.remove()
  rmSync(folder, { recursive: true, force: true })
})

function makeCertificate() {
  const words = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=localhost']
  const made = spawnSync('openssl', [...words, '-keyout', key, '-out', cert], { encoding: 'utf8' })
  assert.equal(made.status, 0, made.stderr)
}

// The suites of TLS 1.2 that a caller can offer without a shared secret; those of TLS 1.3 are all of the kind that is wanted.
const offered = getCiphers()
  .filter((name) => !/^tls_|psk|srp/.test(name))
  .map((name) => name.toUpperCase())

const expected = ['ECDHE-RSA-AES128-GCM-SHA256', 'ECDHE-RSA-AES256-GCM-SHA384', 'ECDHE-RSA-CHACHA20-POLY1305']

/** The suite that is agreed on; null where there is none. */
async function agree(port: number, options: ConnectionOptions): Promise<string | null> {
  const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false, ...options })
  try {
    await once(socket, 'secureConnect')
    return socket.getCipher().name
  } catch (error) {
    // The other side's: this client would have spoken it.
    assert.match(
      String((error as NodeJS.ErrnoException).code),
      /ALERT_(HANDSHAKE_FAILURE|PROTOCOL_VERSION)/,
      String(error),
    )
    return null
  } finally {
    socket.destroy()
  }
}

async function agreedOn(port: number): Promise<string[]> {
  const agreed: string[] = []
  for (const name of offered) {
    const found = await agree(port, { maxVersion: 'TLSv1.2', ciphers: `${name}:@SECLEVEL=0` })
    if (found !== null) agreed.push(found)
  }
  return agreed.toSorted()
}

async function assertStrong(which: string) {
  for (const [name, port] of [
    ['API', server.https],
    ['console', server.console],
  ] as const) {
    assert.deepEqual(await agreedOn(port), expected, `${name}, ${which}`)
    for (const suite of ['TLS_AES_128_GCM_SHA256', 'TLS_AES_256_GCM_SHA384', 'TLS_CHACHA20_POLY1305_SHA256'])
      assert.equal(await agree(port, { minVersion: 'TLSv1.3', ciphers: suite }), suite, `${name}, ${which}`)
    const old = { minVersion: 'TLSv1', maxVersion: 'TLSv1.1', ciphers: 'DEFAULT:@SECLEVEL=0' } as const
    assert.equal(await agree(port, old), null, `${name}, ${which}`)
  }
}

test('TLS: with an RSA certificate every suite has forward secrecy and authenticated encryption', { skip }, () =>
  assertStrong('from the start'),
)

test('TLS: so it is with a certificate that was renewed', { skip }, async () => {
  makeCertificate()
  const { fingerprint256 } = new X509Certificate(readFileSync(cert))
  for (const port of [server.https, server.console])
    await until('the new certificate is shown', async () => {
      const socket = connect({ host: '127.0.0.1', port, rejectUnauthorized: false })
      await once(socket, 'secureConnect')
      const shown = socket.getPeerX509Certificate()?.fingerprint256
      socket.destroy()
      return shown === fingerprint256
    })
  await assertStrong('renewed')
})
