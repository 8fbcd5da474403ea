// The development certificate: its contents, and that Node, OpenSSL and curl accept it.

import assert from 'node:assert/strict'
import { spawn, spawnSync } from 'node:child_process'
import { createPrivateKey, X509Certificate } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, request } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { makeSelfSigned } from '../../../src/http/self-signed.ts'

const now = new Date()
const made = makeSelfSigned({ names: ['localhost', '127.0.0.1', '::1'], days: 30, now })
const certificate = new X509Certificate(made.cert)
let folder = ''
let file = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-tls-'))
  file = join(folder, 'cert.pem')
  writeFileSync(file, made.cert)
})
after(() => rmSync(folder, { recursive: true }))

const without = (program: string): string | false =>
  spawnSync(program, ['version']).error ? `${program} is not installed` : false

test('self-signed: it signs itself, its key fits, P-256 and SHA-256', () => {
  assert.ok(certificate.verify(certificate.publicKey))
  assert.ok(certificate.checkPrivateKey(createPrivateKey(made.key)))
  assert.deepEqual(certificate.publicKey.asymmetricKeyDetails, { namedCurve: 'prime256v1' })
  assert.equal(certificate.signatureAlgorithm, 'ecdsa-with-SHA256')
  assert.equal(certificate.subject, certificate.issuer)
})

test('self-signed: no authority, for servers only', () => {
  assert.equal(certificate.ca, false)
  assert.deepEqual(certificate.keyUsage, ['1.3.6.1.5.5.7.3.1'])
})

test('self-signed: the names, DNS, IPv4 and IPv6 in every form', () => {
  const names = [
    'localhost',
    '*.example.test',
    'é.test',
    '10.1.2.3',
    '::',
    'fe80::1%eth0',
    '1:2:3:4:5:6:7:8',
    '1::',
    '::ffff:1.2.3.4',
  ]
  const { cert } = makeSelfSigned({ names, days: 1, now })
  assert.deepEqual(new X509Certificate(cert).subjectAltName?.split(', '), [
    'DNS:localhost',
    'DNS:*.example.test',
    'DNS:xn--9ca.test',
    'IP Address:10.1.2.3',
    'IP Address:0:0:0:0:0:0:0:0',
    'IP Address:FE80:0:0:0:0:0:0:1',
    'IP Address:1:2:3:4:5:6:7:8',
    'IP Address:1:0:0:0:0:0:0:0',
    'IP Address:0:0:0:0:0:FFFF:102:304',
  ])
})

test('self-signed: names enough for lengths of two and three bytes', () => {
  for (const count of [1, 10, 20, 3000]) {
    const names = Array.from({ length: count }, (_, index) => `host-${index}.example.test`)
    const { cert } = makeSelfSigned({ names, days: 1, now })
    assert.equal(new X509Certificate(cert).checkHost(names.at(-1) ?? ''), names.at(-1))
  }
})

test('self-signed: valid from an hour ago until the last day, beyond 2049 too', () => {
  const at = new Date('2026-02-03T04:05:06.789Z')
  const valid = (days: number) => new X509Certificate(makeSelfSigned({ names: ['a'], days, now: at }).cert)
  assert.equal(valid(397).validFromDate.toISOString(), '2026-02-03T03:05:06.000Z')
  assert.equal(valid(397).validToDate.toISOString(), '2027-03-07T04:05:06.000Z')
  assert.equal(valid(10_000).validToDate.toISOString(), '2053-06-21T04:05:06.000Z')
})

test('self-signed: serial numbers are positive, long and never the same', () => {
  const serials = Array.from(
    { length: 50 },
    () => new X509Certificate(makeSelfSigned({ names: ['a'], days: 1, now }).cert).serialNumber,
  )
  assert.equal(new Set(serials).size, 50)
  for (const serial of serials) assert.match(serial, /^[4-7][0-9A-F]{31}$/)
})

test('self-signed: PEM lines of 64 characters', () => {
  const lines = made.cert.trimEnd().split('\n')
  assert.equal(lines[0], '-----BEGIN CERTIFICATE-----')
  assert.equal(lines.at(-1), '-----END CERTIFICATE-----')
  assert.ok(lines.slice(1, -2).every((line) => line.length === 64))
  assert.match(made.key, /^-----BEGIN PRIVATE KEY-----\n/)
})

async function withServer(use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer(made, (_, reply) => void reply.end('hello')).listen(0, '127.0.0.1')
  await once(server, 'listening')
  try {
    await use((server.address() as AddressInfo).port)
  } finally {
    server.closeAllConnections()
    server.close()
  }
}

function get(options: { port: number; host?: string; servername?: string; ca?: string }): Promise<number | undefined> {
  const { promise, resolve, reject } = Promise.withResolvers<number | undefined>()
  const sent = request({ host: '127.0.0.1', agent: false, ...options }, (reply) => {
    reply.resume()
    resolve(reply.statusCode)
  })
  sent.on('error', reject).end()
  return promise
}

test('self-signed: Node accepts it for its names if it is trusted, and otherwise not', async () => {
  await withServer(async (port) => {
    assert.equal(await get({ port, ca: made.cert }), 200)
    assert.equal(await get({ port, servername: 'localhost', ca: made.cert }), 200)
    await assert.rejects(get({ port }), { code: 'DEPTH_ZERO_SELF_SIGNED_CERT' })
    await assert.rejects(get({ port, servername: 'example.test', ca: made.cert }), {
      code: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
  })
})

test('self-signed: openssl verifies it, strictly, for each name', { skip: without('openssl') }, () => {
  const checks = [
    [],
    ['-x509_strict'],
    ['-check_ss_sig'],
    ['-purpose', 'sslserver'],
    ['-verify_hostname', 'localhost'],
    ['-verify_ip', '127.0.0.1'],
    ['-verify_ip', '::1'],
  ]
  for (const check of checks) {
    const { stdout, stderr } = spawnSync('openssl', ['verify', ...check, '-CAfile', file, file], { encoding: 'utf8' })
    assert.equal(stdout, `${file}: OK\n`, stderr)
  }
  const text = spawnSync('openssl', ['x509', '-in', file, '-noout', '-text'], { encoding: 'utf8' }).stdout
  assert.match(text, /Version: 3 /)
  assert.match(text, /Basic Constraints: critical\s+CA:FALSE/)
  assert.match(text, /Key Usage: critical\s+Digital Signature\n/)
  assert.match(text, /Subject Key Identifier: \s+([0-9A-F:]{59})\s+X509v3 Authority Key Identifier: \s+(keyid:)?\1\n/)
  assert.match(text, /Extended Key Usage: \s+TLS Web Server Authentication\n/)
})

test('self-signed: curl --cacert takes it for 127.0.0.1 and localhost', { skip: without('curl') }, async () => {
  await withServer(async (port) => {
    for (const host of ['127.0.0.1', 'localhost']) {
      const curl = spawn('curl', ['-4', '-sS', '--noproxy', '*', '--cacert', file, `https://${host}:${port}/`])
      let output = ''
      curl.stdout.on('data', (chunk) => void (output += String(chunk)))
      curl.stderr.on('data', (chunk) => void (output += String(chunk)))
      await once(curl, 'close')
      assert.equal(output, 'hello')
    }
  })
})
