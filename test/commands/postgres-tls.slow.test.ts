// TLS to a PostgreSQL server that speaks nothing else: its certificate is checked as the URL says, statements are stopped
// over TLS too, and what does not fit is refused at the start with a sentence.
import assert from 'node:assert/strict'
import { rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { databaseProblems } from '../../src/engine/open.ts'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { overHttp1 } from '../support/hang-up.ts'
import { asleep, makeCompanyAt, makeReader, queryOf, runningOf, slowDown, urlWith } from '../support/own-company.ts'
import { ownFolder } from '../support/postgres-binaries.ts'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'
import { startServer, temporaryFolder, until } from '../support/process.ts'

const folder = temporaryFolder()
const authority = join(folder, 'authority.pem')
const stranger = join(folder, 'stranger.pem')
const role = 'reader'
const password = 'pass-word-of-the-reader'

let postgres: PostgresServer
// Of the superuser and of the reader, without a word about TLS.
let admin = ''
let reader = ''
before(async () => {
  postgres = await startPostgres()
  const plain = urlWith(postgres.url, { schema: 'pos' })
  await makeCompanyAt(plain, { stores: [{ id: 1, name: 'Main' }] })
  await slowDown(plain, 'customers', asleep(600))
  reader = await makeReader(plain, role, password)
  await speakTlsOnly(plain)
  admin = urlWith(plain, { sslmode: 'require' })
})
after(async () => {
  await postgres?.remove()
  rmSync(folder, { recursive: true })
})

/** The certificate, which is its own authority, names localhost but not the address. */
async function speakTlsOnly(url: string): Promise<void> {
  const { cert, key } = makeSelfSigned({ names: ['localhost'], days: 1, now: new Date() })
  const data = join(postgres.folder, 'data')
  writeFileSync(join(data, 'server.crt'), cert)
  writeFileSync(join(data, 'server.key'), key, { mode: 0o600 })
  writeFileSync(join(data, 'pg_hba.conf'), 'hostssl all all 127.0.0.1/32 scram-sha-256\n')
  ownFolder(data)
  writeFileSync(authority, cert)
  writeFileSync(stranger, makeSelfSigned({ names: ['localhost'], days: 1, now: new Date() }).cert)
  await queryOf(url, 'ALTER SYSTEM SET ssl = on')
  await postgres.stop()
  await postgres.start()
}

const accepted = [
  { name: 'verify-full', parts: { hostname: 'localhost', sslmode: 'verify-full', sslrootcert: authority } },
  { name: 'an authority and no word about the mode', parts: { hostname: 'localhost', sslrootcert: authority } },
  {
    name: 'verify-ca, by a name that the certificate does not have',
    parts: { sslmode: 'verify-ca', sslrootcert: authority },
  },
  { name: 'require with an authority', parts: { sslmode: 'require', sslrootcert: authority } },
  { name: 'require, unchecked', parts: { sslmode: 'require' } },
] as const

for (const { name, parts } of accepted)
  test(`${name}: the server is spoken to, over TLS`, async () => {
    const url = urlWith(reader, parts)
    assert.deepEqual(await problemsOf(url), [])
    const [row] = await queryOf(url, 'SELECT ssl, version FROM pg_stat_ssl WHERE pid = pg_backend_pid()')
    assert.deepEqual([row?.[0], /^TLSv1\.[23]$/.test(String(row?.[1]))], [true, true])
  })

const untrusted = /certificate.* sslrootcert=/
const refused = [
  {
    name: 'verify-full, by a name that the certificate does not have',
    parts: { sslmode: 'verify-full', sslrootcert: authority },
    says: /certificate.* sslmode=verify-ca in the URL ignores the name\./,
  },
  {
    name: 'verify-full with another authority',
    parts: { hostname: 'localhost', sslmode: 'verify-full', sslrootcert: stranger },
    says: untrusted,
  },
  { name: 'verify-ca with another authority', parts: { sslmode: 'verify-ca', sslrootcert: stranger }, says: untrusted },
  { name: 'require with another authority', parts: { sslmode: 'require', sslrootcert: stranger }, says: untrusted },
  {
    name: 'verify-full without its authority',
    parts: { hostname: 'localhost', sslmode: 'verify-full' },
    says: untrusted,
  },
  { name: 'disable', parts: { sslmode: 'disable' }, says: /no encryption/ },
  { name: 'no word about TLS to a server on this machine', parts: {}, says: /no encryption/ },
] as const

for (const { name, parts, says } of refused)
  test(`${name}: one sentence, without the password`, async () => {
    const [problem = '', ...others] = await problemsOf(urlWith(reader, parts))
    assert.deepEqual(others, [])
    assert.match(problem, /^PostgreSQL at .* \(VITRINE_DATABASE_URL\) cannot be used: .*\.$/)
    assert.match(problem, says)
    assert.ok(!problem.includes(password))
  })

test('a service over TLS: data and state are read, and a caller that hangs up stops its statement', async () => {
  const server = await startServer({
    prepare: () => {},
    settings: {
      VITRINE_DATABASE_URL: urlWith(reader, { hostname: 'localhost', sslmode: 'verify-full', sslrootcert: authority }),
      VITRINE_STATE_URL: urlWith(admin, { schema: 'state', sslmode: 'verify-ca', sslrootcert: authority }),
      VITRINE_STATEMENT_TIMEOUT_MS: '60000',
    },
  })
  try {
    const token = await server.token()
    const answer = await server.ask('/stores', { token })
    assert.deepEqual([answer.status, answer.body.data?.[0].name], [200, 'Main'], answer.text)
    const hangUp = overHttp1({ server, token }, '/customers')
    const running = async () => (await runningOf(admin, role)).some(([, query]) => String(query).includes('customers'))
    await until('it runs', running)
    const hungUpAt = performance.now()
    hangUp()
    await until('it is stopped', async () => !(await running()))
    const ms = performance.now() - hungUpAt
    assert.ok(ms < 8000, `${ms} ms`)
  } finally {
    await server.remove()
  }
})

function problemsOf(url: string): Promise<string[]> {
  const parsed = parsePostgresUrl(url, 'pos', folder)
  assert.ok('value' in parsed)
  return databaseProblems(parsed.value)
}
