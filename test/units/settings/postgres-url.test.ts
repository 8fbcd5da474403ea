// URLs of PostgreSQL: what each form means, the sentences of refusals, and that no form shows its password.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir, userInfo } from 'node:os'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { loadSettings } from '../../../src/settings/load.ts'
import { parsePostgresUrl, type PostgresUrl } from '../../../src/platform/postgres/url.ts'
import type { Tls } from '../../../src/platform/server-url.ts'
import { databaseUrl } from '../../../src/settings/types.ts'

const cwd = mkdtempSync(join(tmpdir(), 'vitrine url '))
after(() => rmSync(cwd, { recursive: true }))
for (const name of ['ca.pem', 'own.pem', 'own.key', 'c++.pem']) writeFileSync(join(cwd, name), 'PEM')
mkdirSync(join(cwd, 'folder'))

const me = userInfo().username
const parse = (text: string) => parsePostgresUrl(text, 'usual', cwd)
const valueOf = (text: string): PostgresUrl => {
  const parsed = parse(text)
  return 'value' in parsed ? parsed.value : assert.fail(parsed.fault)
}
const faultOf = (text: string): string => {
  const parsed = parse(text)
  return 'fault' in parsed ? parsed.fault : assert.fail(`${text} was taken: ${JSON.stringify(parsed.value)}`)
}

const usual = { host: 'h', port: 5432, user: 'u', password: 'p', database: 'd', schema: 'usual' }
const taken: readonly (readonly [text: string, parts: Partial<PostgresUrl>])[] = [
  ['postgres://u:p@h/d', {}],
  ['postgresql://u:p@h/d', {}],
  ['postgres://u:p@h:6543/d', { port: 6543 }],
  ['postgres://u:p@db.example.test/d', { host: 'db.example.test' }],
  ['postgres://u:p@10.0.0.7/d', { host: '10.0.0.7' }],
  ['postgres://u:p@[::1]/d', { host: '::1' }],
  ['postgres://u:p@[2001:db8::7]:6543/d', { host: '2001:db8::7', port: 6543 }],
  ['postgres://u:p@%2Frun%2Fpostgresql/d', { host: '/run/postgresql' }],
  ['postgres://u:p@%2Frun%2Fpostgresql:6543/d', { host: '/run/postgresql', port: 6543 }],
  ['postgres://u:p@localhost:6543/d?host=/run/postgresql', { host: '/run/postgresql', port: 6543 }],
  ['postgres:///d?host=/run/postgresql&user=u&password=p', { host: '/run/postgresql' }],
  ['postgres:///d?user=u&password=p', { host: 'localhost' }],
  ['postgres://h/d', { user: me, password: null }],
  ['postgres://u@h/d', { password: null }],
  ['postgres://u:@h/d', { password: null }],
  ['postgres://u:p@h', { database: 'u' }],
  ['postgres://u:p@h/', { database: 'u' }],
  ['postgres://h/d?user=u&password=p', {}],
  ['postgres://other:wrong@h/d?user=u&password=p', {}],
  ['postgres://u:%25%2F%3F%23%40%3A%20@h/d', { password: '%/?#@: ' }],
  ['postgres://u:a:b@h/d', { password: 'a:b' }],
  ['postgres://u:a@b@h/d', { password: 'a@b' }],
  ['postgres://u:a+b&c=d@h/d', { password: 'a+b&c=d' }],
  ['postgres://u:caf%C3%A9%F0%9F%94%91@h/d', { password: 'café🔑' }],
  ['postgres://d%40main:p@h/my%20pos', { user: 'd@main', database: 'my pos' }],
  ['postgres://h/d?user=u&password=a+b%26c%3Dd%23%40', { password: 'a+b&c=d#@' }],
  ['postgres://u:p@h/d?password=a=b', { password: 'a=b' }],
  ['postgres://u:p@h/d?schema=pos', { schema: 'pos' }],
  ['postgres://u:p@h/d?schema=Caisse%20%22%C3%A9t%C3%A9%22', { schema: 'Caisse "été"' }],
  ['postgres://u:p@h/d?schema=a+b', { schema: 'a+b' }],
  [`postgres://u:p@h/d?schema=${'é'.repeat(31)}x`, { schema: `${'é'.repeat(31)}x` }],
]

describe('taken', () => {
  for (const [text, parts] of taken)
    test(text, () => {
      const { tls: _, kind, ...value } = valueOf(text)
      assert.equal(kind, 'postgres')
      assert.deepEqual(value, { ...usual, ...parts })
    })

  test('without host, user and database: this machine and the current user, as for psql', () => {
    const { host, user, database } = valueOf('postgres:///')
    assert.deepEqual([host, user, database], ['localhost', me, me])
  })

  test('the environment variables of psql have no effect', () => {
    const names = ['PGHOST', 'PGPORT', 'PGUSER', 'PGPASSWORD', 'PGDATABASE', 'PGSSLMODE']
    for (const name of names) process.env[name] = '1'
    const { host, port, user, password, database, tls } = valueOf('postgres:///')
    for (const name of names) delete process.env[name]
    assert.deepEqual([host, port, user, password, database, tls.mode], ['localhost', 5432, me, null, me, 'off'])
  })
})

// With libpq's default, `prefer`, an attacker on the network could turn TLS off. Our default checks the certificate, except for a local server.
const file = (name: string) => join(cwd, name)
const modes: readonly (readonly [text: string, tls: Partial<Tls> & Pick<Tls, 'mode'>])[] = [
  ['h/d', { mode: 'checked' }],
  ['10.0.0.7/d', { mode: 'checked' }],
  ['[2001:db8::7]/d', { mode: 'checked' }],
  ['localhost.example.test/d', { mode: 'checked' }],
  ['127.example.test/d', { mode: 'checked' }],
  ['h/d?host=10.0.0.7', { mode: 'checked' }],
  ['localhost/d?host=h', { mode: 'checked' }],
  ['localhost/d', { mode: 'off' }],
  ['127.0.0.1/d', { mode: 'off' }],
  ['127.9.9.9/d', { mode: 'off' }],
  ['[::1]/d', { mode: 'off' }],
  ['/d?host=/run/postgresql', { mode: 'off' }],
  ['h/d?host=127.0.0.1', { mode: 'off' }],
  ['localhost/d?sslmode=verify-full', { mode: 'checked' }],
  ['localhost/d?sslrootcert=ca.pem', { mode: 'checked', rootCert: file('ca.pem') }],
  ['h/d?sslmode=disable', { mode: 'off' }],
  ['h/d?sslmode=require', { mode: 'encrypted' }],
  ['h/d?sslmode=verify-ca', { mode: 'trusted' }],
  ['h/d?sslmode=verify-full', { mode: 'checked' }],
  ['h/d?sslmode=require&sslrootcert=ca.pem', { mode: 'trusted', rootCert: file('ca.pem') }],
  ['h/d?sslmode=verify-ca&sslrootcert=ca.pem', { mode: 'trusted', rootCert: file('ca.pem') }],
  [`h/d?sslrootcert=${encodeURIComponent(file('ca.pem'))}`, { mode: 'checked', rootCert: file('ca.pem') }],
  ['h/d?sslrootcert=c++.pem', { mode: 'checked', rootCert: file('c++.pem') }],
  ['h/d?sslcert=own.pem&sslkey=own.key', { mode: 'checked', cert: file('own.pem'), key: file('own.key') }],
]

describe('TLS', () => {
  for (const [text, tls] of modes)
    test(`postgres://${text}: ${tls.mode}`, () => {
      assert.deepEqual(valueOf(`postgres://${text}`).tls, { rootCert: null, cert: null, key: null, ...tls })
    })
})

const shape = /^must be sqlite:PATH or postgres:\/\/USER:PASSWORD@HOST\/DATABASE .*%25%2F%3F%23%40/
const list = 'schema, host, user, password, sslmode, sslrootcert, sslcert, sslkey'
const refused: readonly (readonly [text: string, ...says: RegExp[]])[] = [
  ['postgres://', shape],
  ['postgres:h/d', shape],
  ['postgres:/h/d', shape],
  ['mysql://u:p@h/d', shape],
  ['jdbc:postgresql://h/d', shape],
  ['host=h dbname=d', shape],
  ['postgres://u:p@h /d', shape],
  ['postgres://u:p@h/d\n', shape],
  ['postgres://u:p@h:70000/d', shape],
  ['postgres://u:p@h:port/d', shape],
  ['postgres://u:p@h1:5432,h2:5432/d', shape],
  ['postgres://u:100%@h/d', shape],
  ['postgres://u:%ff@h/d', shape],
  ['postgres://u:a/b@h/d', shape],
  ['postgres://u:1?b@h/d', shape],
  ['postgres://u:?b@h/d', shape],
  ['postgres://u:1#b@h/d', shape],
  ['postgres://u@h/d?password=a#b', shape],
  ['postgres://u@h/d#b', shape],
  ['postgres://u:p@h:0/d', /^the port must be from 1 to 65535$/],
  ['postgres://u:p@h1,h2/d', /^only one host can be named$/],
  ['postgres://u:p%00@h/d', /^the password has a NUL/],
  ['postgres://u%00:p@h/d', /^the user has a NUL/],
  ['postgres://u:p@h/d%00', /^the database has a NUL/],
  ['postgres://u:p@h/d?host=%00', /^the host has a NUL/],
  ['postgres://u:p@h/d?sslmod=require', /^there is no parameter sslmod \(did you mean sslmode\?\)/],
  ['postgres://u:p@h/d?Schema=x', /^there is no parameter Schema \(did you mean schema\?\)/],
  ['postgres://u:p@h/d?port=5433', new RegExp(`^there is no parameter port: the parameters are ${list}$`)],
  ['postgres://u:p@h/d?connect_timeout=5&ssl=true', /^there is no parameter connect_timeout, ssl: /],
  ['postgres://u:p@h/d?schema=a&schema=b', /^schema is given twice$/],
  ['postgres://u:p@h/d?schema=', /^schema is empty$/],
  ['postgres://u:p@h/d?schema', /^schema is empty$/],
  ['postgres://u:p@h/d?sslmode=', /^sslmode is empty$/],
  [`postgres://u:p@h/d?schema=${'é'.repeat(32)}`, /schema is longer than 63 bytes$/],
  ['postgres://u:p@h/d?schema=pg_catalog', /belongs to PostgreSQL itself$/],
  ['postgres://u:p@h/d?schema=information_schema', /belongs to PostgreSQL itself$/],
  ['postgres://u:p@h/d?schema=a%0Ab', /control character/],
  ['postgres://u:p@h/d?sslmode=prefer', /^sslmode must be one of disable, require, verify-ca, verify-full .*prefer/],
  ['postgres://u:p@h/d?sslmode=allow', /^sslmode must be one of disable, require, verify-ca, verify-full .*allow/],
  ['postgres://u:p@h/d?sslmode=Require', /^sslmode must be one of .*did you mean require\?$/],
  ['postgres://u:p@h/d?sslmode=yes', /^sslmode must be one of disable, require, verify-ca, verify-full$/],
  ['postgres://u:p@h/d?sslmode=constructor', /^sslmode must be one of/],
  ['postgres://u:p@h/d?sslcert=own.pem', /^sslcert and sslkey belong together$/],
  ['postgres://u:p@h/d?sslkey=own.key', /^sslcert and sslkey belong together$/],
  ['postgres://u:p@h/d?sslrootcert=absent.pem', /^sslrootcert names absent\.pem, which cannot be read$/],
  ['postgres://u:p@h/d?sslrootcert=folder', /^sslrootcert names folder, which cannot be read$/],
  [
    'postgres://u:p@h1,h2/d?sslmod=require&sslmode=no&schema=pg_x&sslcert=own.pem&user=a&user=b&sslrootcert=absent',
    /no parameter sslmod /,
    /user is given twice/,
    /only one host/,
    /belongs to PostgreSQL/,
    /sslmode must be/,
    /names absent/,
    /belong together/,
  ],
]

describe('refused', () => {
  for (const [text, ...says] of refused)
    test(JSON.stringify(text), () => {
      const fault = faultOf(text)
      for (const pattern of says) assert.match(fault, pattern)
      assert.equal(fault.split(/; (?!did you mean)/).length, says.length, fault)
      assert.doesNotMatch(fault, /\?[,;.]|\n|undefined/)
    })
})

describe('a password is never shown', () => {
  const secrets = [
    'postgres://u:hunter2@h/d',
    'postgres://u:hunter2@[::1]:5432/d?schema=x',
    'postgres://u:hunter2@%2Frun%2Fpg/d',
    'postgres://u:a:hunter2@h/d',
    'postgres://u:a@hunter2@h/d',
    'postgres://u:a+hunter2&b@h/d',
    'postgres://u:%68unter2@h/d',
    'postgres://h/d?user=u&password=hunter2',
    'postgres://h/d?password=a=hunter2&user=u',
    'postgres://h/d?p%61ssword=hunter2',
    'postgres://h/d?%70%61%73%73word=hunter2',
    'postgres://u:p@h/d?sslpassword=hunter2',
    'postgres://u:p@h/d?PASSWORD=hunter2',
    'postgres://u:p@h/d?password=x&password=hunter2',
    'postgres://u:1?hunter2@h/d',
    'postgres://u:?hunter2@h/d?schema=x',
    'postgres://u:1#hunter2@h/d',
    'postgres://u:1/hunter2@h/d',
    'postgres://h/d?password=a#hunter2',
    'postgres://h/d#password=hunter2',
    'postgres://u:hunter2@h:port/d',
    'postgres://u:hunter2@h1:1,h2:2/d',
    'postgres://u:hunter2%@h/d',
    'postgres://u:hunter2 @h/d',
    'postgres:u:hunter2@h/d',
    'host=h password=hunter2',
    'host=h password=hunter2.db',
    'u:hunter2@h.db',
    'postgres%3A%2F%2Fu%3Ahunter2%40h%2Fpos.db',
    '//hunter2/pos.db',
    'hunter2',
    'POSTGRES://u:hunter2@h/d',
  ]
  for (const text of secrets)
    test(text, () => {
      const shown = databaseUrl('public').mask?.(text) ?? assert.fail('not masked')
      assert.doesNotMatch(decodeURIComponent(shown), /hunter2/)
      const loaded = loadSettings({ env: { VITRINE_STATE_URL: text }, cwd })
      const said = 'faults' in loaded ? loaded.faults : loaded.sources.map(({ value }) => value)
      assert.doesNotMatch(said.join('\n'), /hunter2/)
    })

  test('parts that are not secret are shown as given', () => {
    const text = 'postgres://u:secret@[2001:db8::7]:6543/my%20pos?schema=a+b&sslmode=require'
    assert.equal(databaseUrl('public').mask?.(text), text.replace('secret', '***'))
  })
})
