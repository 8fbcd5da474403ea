// TLS to a MariaDB server that demands it: its certificate is checked as the URL says, with the parameters of PostgreSQL, and what does
// not fit is refused with a sentence.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { parseMysqlUrl } from '../../src/platform/mysql/url.ts'
import { makeCopier, makeSource, type CopySource } from '../support/copied.ts'
import { makeTarget, type Target } from '../support/imported.ts'
import { noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import { temporaryFolder } from '../support/process.ts'
import { urlWith } from '../support/own-company.ts'

const folder = temporaryFolder()
after(() => rmSync(folder, { recursive: true }))

const makeCertificate = (file: string, name: string) => {
  const { cert, key } = makeSelfSigned({ names: [name], days: 1, now: new Date() })
  writeFileSync(join(folder, `${file}.pem`), cert)
  writeFileSync(join(folder, `${file}.key`), key)
  return { cert: join(folder, `${file}.pem`), key: join(folder, `${file}.key`) }
}
const { cert: stranger } = makeCertificate('stranger', 'localhost')

// The same server by its name and by its address; the certificate, which is its own authority, has one of them.
for (const [hostname, other] of [
  ['localhost', '127.0.0.1'],
  ['127.0.0.1', 'localhost'],
] as const)
  describe(`a server whose certificate names ${hostname}`, { skip: noMariadb }, () => {
    const { cert: authority, key } = makeCertificate(hostname, hostname)
    let mariadb: MariadbServer
    let source: CopySource
    let target: Target
    let copier: ReturnType<typeof makeCopier>
    before(async () => {
      mariadb = await startMariadb([
        `--ssl-cert=${authority}`,
        `--ssl-key=${key}`,
        '--tls-version=TLSv1.2,TLSv1.3',
        '--require-secure-transport=ON',
      ])
      source = await makeSource('mysql', mariadb)
      target = await makeTarget('sqlite')
      copier = makeCopier(source, target.url)
      // The copied name is the version of TLS that the copy itself used.
      copier.write(`CREATE VIEW stores AS SELECT 1 AS id, VARIABLE_VALUE AS name
        FROM information_schema.SESSION_STATUS WHERE VARIABLE_NAME = 'Ssl_version';`)
    })
    after(async () => {
      copier?.remove()
      await target?.remove()
      await mariadb?.remove()
    })
    const copy = (parts: Readonly<Record<string, string>>) => {
      const parsed = parseMysqlUrl(urlWith(source.address, parts), folder)
      assert.ok('value' in parsed)
      return copier.copy({ from: parsed.value })
    }

    const accepted: readonly [name: string, parts: Readonly<Record<string, string>>][] = [
      ['verify-full', { hostname, sslmode: 'verify-full', sslrootcert: authority }],
      ['an authority and no word about the mode', { hostname, sslrootcert: authority }],
      ['verify-ca, by another name', { hostname: other, sslmode: 'verify-ca', sslrootcert: authority }],
      ['require with an authority', { hostname: other, sslmode: 'require', sslrootcert: authority }],
      ['require, unchecked', { hostname: other, sslmode: 'require' }],
    ]
    for (const [name, parts] of accepted)
      test(`${name}: copied over TLS`, async () => {
        await copy(parts)
        assert.deepEqual(await target.rows('SELECT name FROM stores'), [['TLSv1.3']])
      })

    const untrusted = /certificate.*\. Name the authority of its certificate with sslrootcert=FILE in the URL;/
    const refused: readonly [name: string, parts: Readonly<Record<string, string>>, says: RegExp][] = [
      [
        'verify-full, by a name that the certificate does not have',
        { hostname: other, sslmode: 'verify-full', sslrootcert: authority },
        /Use the host name that is in the server's certificate; sslmode=verify-ca in the URL ignores the name\.$/,
      ],
      ['verify-full with another authority', { hostname, sslmode: 'verify-full', sslrootcert: stranger }, untrusted],
      ['verify-ca with another authority', { hostname, sslmode: 'verify-ca', sslrootcert: stranger }, untrusted],
      ['require with another authority', { hostname, sslmode: 'require', sslrootcert: stranger }, untrusted],
      ['verify-full without its authority', { hostname, sslmode: 'verify-full' }, untrusted],
      ['disable', { hostname, sslmode: 'disable' }, /if the server demands TLS, add sslmode=verify-full to the URL\.$/],
      ['no word about TLS to a server on this machine', { hostname }, /if the server demands TLS/],
    ]
    for (const [name, parts, says] of refused)
      test(`${name}: one sentence, without the password`, async () => {
        await assert.rejects(copy(parts), ({ message }: Error) => {
          assert.match(message, /^The source at .*:\d+ cannot be used: .*\.$/)
          assert.match(message, says)
          assert.doesNotMatch(message, /reads.only|--use-system-ca/)
          return true
        })
      })
  })

// A server of its own, and how to copy from it.
async function withServer(
  options: readonly string[],
  use: (copy: (parts: Readonly<Record<string, string>>) => Promise<unknown>, mariadb: MariadbServer) => Promise<void>,
): Promise<void> {
  const mariadb = await startMariadb(options)
  const source = await makeSource('mysql', mariadb)
  const target = await makeTarget('sqlite')
  const copier = makeCopier(source, target.url)
  try {
    copier.write('CREATE VIEW stores AS SELECT 1 AS id;')
    await use((parts) => {
      const parsed = parseMysqlUrl(urlWith(source.address, parts), folder)
      assert.ok('value' in parsed)
      return copier.copy({ from: parsed.value })
    }, mariadb)
  } finally {
    copier.remove()
    await target.remove()
    await mariadb.remove()
  }
}

test('a server without TLS: one sentence', { skip: noMariadb }, () =>
  withServer(['--skip-ssl'], (copy) =>
    assert.rejects(copy({ sslmode: 'require' }), {
      message: /cannot be used: .*does not support.*\. sslmode=disable in the URL does without TLS\.$/,
    }),
  ),
)

const noOpenssl = spawnSync('openssl', ['version']).error ? 'openssl is not installed' : false

test('a user that must show a certificate: sslcert and sslkey', { skip: noMariadb || noOpenssl }, () => {
  const { cert: authority, key } = makeCertificate('asking', 'localhost')
  const [sslcert, sslkey] = [join(folder, 'client.pem'), join(folder, 'client.key')]
  const words = 'req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 1 -subj /CN=reader'.split(' ')
  assert.equal(spawnSync('openssl', [...words, '-out', sslcert, '-keyout', sslkey]).status, 0)
  const options = [`--ssl-cert=${authority}`, `--ssl-key=${key}`, `--ssl-ca=${sslcert}`]
  return withServer(options, async (copy, mariadb) => {
    await mariadb.ask(`ALTER USER vitrine_reader@'%' REQUIRE X509`)
    const checked = { hostname: 'localhost', sslmode: 'verify-full', sslrootcert: authority }
    await assert.rejects(copy(checked), /cannot be used: Access denied/)
    await assert.doesNotReject(copy({ ...checked, sslcert, sslkey }))
  })
})
