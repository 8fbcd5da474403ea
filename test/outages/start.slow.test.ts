// What the service and the commands say where they cannot start: one sentence for each thing that is wrong, no stack and no password, an
// exit status (2: a setting is wrong, or nothing can be served; 1: it failed), and nothing is changed.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, chownSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { join } from 'node:path'
import process from 'node:process'
import { after, before, describe, test } from 'node:test'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { dropDatabases, makeDatabase, type Database } from '../support/database.ts'
import { freePort } from '../support/free-port.ts'
import { makeCompanyAt, scriptOn, urlWith } from '../support/own-company.ts'
import { makePos } from '../support/pos.ts'
import { freePorts, repository, runVitrine, snapshot, startProcess, temporaryFolder } from '../support/process.ts'
import type { Ended, Settings } from '../support/process.ts'

const root = temporaryFolder()
const at = (name: string) => join(root, name)
const sqlite = (name: string, statements: string): string => {
  const database = openSqlite(at(name))
  database.exec(statements)
  database.close()
  return `sqlite:${name}`
}
let databases = 0
const posAfter = (statements: string): string => {
  const name = `pos-${(databases += 1)}.db`
  makePos(at(name), {})
  return sqlite(name, statements)
}
const drop = (table: string, column: string) => `ALTER TABLE ${table} DROP COLUMN ${column};`
// Takes connections and never says a word.
const mute = createServer()
await once(mute.listen(0, '127.0.0.1'), 'listening')
const taken = String((mute.address() as AddressInfo).port)
const closed = String(await freePort())
mkdirSync(at('folder'))
makePos(at('pos.db'), {})
sqlite('songs.db', 'CREATE TABLE songs (title TEXT)')
sqlite('newer.db', 'CREATE TABLE company (id INT); PRAGMA application_id = 0x56495452; PRAGMA user_version = 1000000')
writeFileSync(at('empty'), '')
writeFileSync(at('letter'), 'This is a letter, not a database. '.repeat(100))
for (const name of ['a', 'b']) {
  const { cert, key } = makeSelfSigned({ names: ['localhost'], days: 1, now: new Date() })
  writeFileSync(at(`${name}.cert`), cert)
  writeFileSync(at(`${name}.key`), key)
}
after(async () => {
  mute.close()
  rmSync(root, { recursive: true })
  await dropDatabases()
})

const password = 'A-Secret/of:100%'

/** Each sentence is expected by one pattern. */
function assertSaid({ status, stdout, stderr }: Ended, expected: number, ...says: RegExp[]): void {
  const lines = stderr.trimEnd().split('\n')
  for (const pattern of says)
    assert.equal(lines.filter((line) => pattern.test(line)).length, 1, `${pattern}: ${stderr}`)
  assert.deepEqual([status, stdout, lines.length], [expected, '', says.length], stderr)
  for (const line of lines) assert.match(line, /^vitrine: \S.*[.?]$/)
  assert.doesNotMatch(stderr, /\.ts:|\bat \w+ \(|Error:|\bfailed:|ECONN|ENOTFOUND|hunter2|undefined/)
  for (const secret of [password, encodeURIComponent(password)]) assert(!stderr.includes(secret), stderr)
}

const run = (words: string, settings: Settings, folder = root) =>
  runVitrine(words.split(' '), { VITRINE_DATA_DIR: '.', ...freePorts, ...settings }, folder)
const pos = (VITRINE_DATABASE_URL: string): Settings => ({ VITRINE_DATABASE_URL })
const state = (VITRINE_STATE_URL: string): Settings => ({ VITRINE_STATE_URL })
const tls = (cert: string, key: string): Settings => ({ VITRINE_TLS_CERT: cert, VITRINE_TLS_KEY: key })

const rows: readonly (readonly [name: string, settings: Settings, ...says: RegExp[]])[] = [
  ['its port is in use', { VITRINE_PORT: taken }, /Port \d+ .*in use.*VITRINE_PORT/],
  ['its plain port is in use', { VITRINE_HTTP_PORT: taken }, /Port \d+ .*in use.*VITRINE_HTTP_PORT/],
  ['its address is not of this machine', { VITRINE_HOST: '192.0.2.1' }, /192\.0\.2\.1 .*VITRINE_HOST/],
  ['no certificate, no key', tls('no.cert', 'no.key'), /VITRINE_TLS_CERT.*no\.cert/, /VITRINE_TLS_KEY.*no\.key/],
  ['the certificate is a folder', tls('folder', 'a.key'), /VITRINE_TLS_CERT.*folder/],
  ['the certificate is none', tls('letter', 'a.key'), /certificate .*letter/],
  ['the key is none', tls('a.cert', 'letter'), /key .*letter/],
  ['certificate and key do not fit', tls('a.cert', 'b.key'), /a\.cert.*b\.key.*(does not belong|do not fit)/],
  ['the certificate has no key', { VITRINE_TLS_CERT: 'a.cert' }, /VITRINE_TLS_CERT.*VITRINE_TLS_KEY.*together/],
  ['no POS', pos('sqlite:other.db'), /no POS database .*other\.db.*vitrine demo.*VITRINE_DATABASE_URL/],
  ['the POS is a folder', pos('sqlite:folder'), /The POS database .*folder is a folder\. Name the file in it\./],
  ['the POS is a file of something else', pos('sqlite:letter'), /letter.*not a database/],
  ['the POS is an empty file', pos('sqlite:empty'), /There is no POS database in .*empty/],
  [
    'the POS is a database of another program',
    pos('sqlite:songs.db'),
    /There is no POS database in .*songs\.db.* If it is a POS with tables of its own, make a copy of it/,
  ],
  [
    'the POS lacks one relation',
    pos(posAfter('DROP TABLE transfer_lines')),
    /\.db lacks .*\btransfer_lines\b(?!.*\btransfers\b)/,
  ],
  [
    'the POS lacks a column that is needed',
    pos(posAfter(drop('invoices', 'status'))),
    /\.db.*\binvoices lacks .*\bstatus\b/,
  ],
  [
    'the POS lacks several things',
    pos(
      posAfter(
        `DROP TABLE invoice_lines; DROP TABLE stores; ${drop('payments', 'status') + drop('transfers', 'status')}`,
      ),
    ),
    /stores, invoice_lines/,
    /payments lacks .*status/,
    /transfers lacks .*status/,
  ],
  ['the state is of another program', state('sqlite:songs.db'), /songs\.db is not a state database.*VITRINE_STATE_URL/],
  ['the state is a POS', state('sqlite:pos-1.db'), /pos-1\.db is not a state database.*VITRINE_STATE_URL/],
  ['the state is a file of something else', state('sqlite:letter'), /state.*letter/],
  ['the state is where no file can be', state('sqlite:letter/state.db'), /state.*letter/],
  ['the state is of a newer version', state('sqlite:newer.db'), /state.*newer\.db.*newer/],
  ['the state is the POS', state('sqlite:pos.db'), /VITRINE_STATE_URL and VITRINE_DATABASE_URL .*pos\.db/],
  ['the data folder is a file', { VITRINE_DATA_DIR: 'letter', ...pos('sqlite:pos.db') }, /letter/],
  ['the data folder is new, and no POS', { VITRINE_DATA_DIR: 'new' }, /no POS database/],
  [
    'certificate, POS, state and port at once',
    { ...tls('no.cert', 'no.key'), ...pos('sqlite:no.db'), ...state('sqlite:letter'), VITRINE_PORT: taken },
    /no\.cert/,
    /no\.key/,
    /no\.db/,
    /letter/,
    /Port \d+ .*in use/,
  ],
]

const create = 'keys create --name Test --permissions all'
const others = temporaryFolder()
after(() => rmSync(others, { recursive: true }))
let folders = 0
/** A POS and a state. */
async function makeFolder() {
  const folder = join(others, String((folders += 1)))
  mkdirSync(folder)
  makePos(join(folder, 'pos.db'), {})
  assert.equal((await run(create, {}, folder)).status, 0)
  return { folder, path: (name: string) => join(folder, name), runIn: (words: string) => run(words, {}, folder) }
}
/** Noise in place of all that comes after the first bytes. */
const damage = (path: string, from: number) =>
  writeFileSync(path, Buffer.concat([readFileSync(path).subarray(0, from), Buffer.alloc(200_000, 0xa5)]))

const nobody = 65_534
const program = join(repository, 'bin', 'main.ts')
const reading = ['-e', 'fs.readFileSync(process.argv[1])', program]
const isSeen = process.geteuid?.() === 0 && spawnSync(process.execPath, reading, { uid: nobody, cwd: '/' }).status === 0

// SQLite itself makes these two beside a database that it reads.
const files = () => Object.entries(snapshot(root)).filter(([path]) => !/\.db-(wal|shm)$/.test(path))

describe('files', { concurrency: 2 }, () => {
  describe('serve', { concurrency: 2 }, () => {
    const before = files()
    for (const [name, settings, ...says] of rows)
      test(name, async () => assertSaid(await run('serve --json', settings), 2, ...says))
    after(() => assert.deepEqual(files(), before))
  })

  for (const [from, failed] of [
    [4096, 1],
    [100, 2],
  ] as const)
    test(`a state that is damaged after its first ${from} bytes`, async () => {
      const { path, runIn } = await makeFolder()
      damage(path('state.db'), from)
      const says = /The state database \S+state\.db is damaged \(.*put a backup in its place\.$/
      assertSaid(await runIn('serve'), 2, says)
      for (const words of [create, 'keys list', 'audit list']) assertSaid(await runIn(words), failed, says)
    })

  test('a POS that is damaged: schema apply', async () => {
    const { path, runIn } = await makeFolder()
    damage(path('pos.db'), 4096)
    assertSaid(await runIn('schema apply --json'), 1, /The POS database \S+pos\.db is damaged \(/)
  })

  for (const [words, name] of [
    [create, 'state.db'],
    ['schema apply --json', 'pos.db'],
  ] as const)
    test(`${name} is held by another program: ${words}`, async () => {
      const { path, runIn } = await makeFolder()
      const holder = openSqlite(path(name))
      holder.exec('BEGIN IMMEDIATE')
      try {
        assertSaid(await runIn(words), 1, new RegExp(`database \\S+${name} is locked by another program \\(`))
        assert.equal((await runIn('keys list')).status, 0)
      } finally {
        holder.close()
      }
    })

  test('a POS that this user may not read', { skip: isSeen ? false : 'nobody else can be played here' }, async () => {
    const { folder, path } = await makeFolder()
    for (const name of ['', 'state.db']) chownSync(path(name), nobody, nobody)
    chmodSync(others, 0o755)
    chmodSync(path('pos.db'), 0o600)
    const env = { PATH: process.env['PATH'], VITRINE_DATA_DIR: folder, ...freePorts, NODE_COMPILE_CACHE: '' }
    const { ended } = startProcess(process.execPath, [program, 'serve'], { cwd: folder, env, uid: nobody })
    assertSaid(await ended, 2, /The POS database \S+pos\.db may not be used by this user \(/)
  })
})

const mostMs = 20_000
async function inTime<Value>(work: Promise<Value>): Promise<Value> {
  const startedAt = performance.now()
  const value = await work
  assert(performance.now() - startedAt < mostMs)
  return value
}

const bothAt = (words: string, url: string) =>
  inTime(run(words, { ...pos(urlWith(url, { schema: 'pos' })), ...state(urlWith(url, { schema: 'vitrine' })) }))

describe('PostgreSQL', { concurrency: 2 }, () => {
  let database: Database
  let user = ''
  before(async () => {
    database = await makeDatabase()
    user = (await database.makeRole()).name
    await database.query(`ALTER ROLE ${user} PASSWORD '${password}'`)
  })
  type Parts = Readonly<Record<string, string>>
  const asUser = (parts: Parts) => urlWith(database.url, { user, password, ...parts })
  const away = { hostname: '127.0.0.1', port: closed }
  const silent = { hostname: '127.0.0.1', port: taken }

  const unusable: readonly (readonly [name: string, parts: Parts, says: string])[] = [
    ['a wrong password', { password: 'hunter2' }, 'password authentication failed .*Check user and password\\.$'],
    ['no password', { password: '' }, 'wants a password: give it in the URL\\.$'],
    ['an unknown role', { user: 'no_such_role' }, '"no_such_role"'],
    ['an unknown database', { database: 'no_such' }, '"no_such" does not exist\\. Make it with CREATE DATABASE\\.$'],
    ['an unknown host', { hostname: 'no-such-host.invalid' }, '(no host of that name|cannot be looked up)'],
    ['nothing that listens', away, 'cannot be used: nothing listens there\\.$'],
    ['a server that says nothing', silent, 'cannot be used: it does not answer\\.$'],
    ['TLS where the server has none', { sslmode: 'require' }, 'SSL.* sslmode=disable'],
  ]
  for (const [name, parts, says] of unusable)
    test(`serve: ${name}`, async () => {
      const settings = ['VITRINE_DATABASE_URL', 'VITRINE_STATE_URL']
      const sentences = settings.map(
        (setting) => new RegExp(`^vitrine: PostgreSQL at \\S+:\\d+ \\(${setting}\\) .*${says}`),
      )
      assertSaid(await bothAt('serve', asUser(parts)), 2, ...sentences)
    })
  test('serve: an encoding that cannot hold everything', async () => {
    const { url } = await makeDatabase({ encoding: 'LATIN1' })
    const { status, stderr } = await bothAt('serve', url)
    assert.equal(status, 2)
    assert.match(stderr, /^(vitrine: The database .*LATIN1.*UTF8\.\n){2}$/)
  })

  const onState = ['keys list', create, 'keys revoke svc_ak_x', 'company disable --json', 'blocks clear 192.0.2.1']
  const onPos = ['schema apply', 'demo --scale 0.01', 'serve --demo']
  for (const words of [...onState, ...onPos])
    test(`${words}: nothing that listens`, async () => {
      const said = `(VITRINE_${onPos.includes(words) ? 'DATABASE' : 'STATE'}_URL) cannot be used: nothing listens there.`
      const done = await bothAt(words, asUser(away))
      assertSaid(
        done,
        words === 'serve --demo' ? 2 : 1,
        new RegExp(`^vitrine: PostgreSQL at 127\\.0\\.0\\.1:${closed} ${RegExp.escape(said)}$`),
      )
    })
  for (const words of ['keys list', 'schema apply'])
    test(`${words}: a server that says nothing`, async () =>
      assertSaid(await bothAt(words, asUser(silent)), 1, /it does not answer\.$/))

  const schemas: readonly (readonly [schema: string, sql: string, ...says: RegExp[]])[] = [
    ['missing', 'SELECT', /There is no schema missing /],
    ['empty', 'GRANT USAGE ON SCHEMA empty TO reader', /There is no POS database in .*\bempty\b/],
    ['closed', 'SELECT', /GRANT USAGE ON SCHEMA "closed"/],
    [
      'broken',
      `DROP TABLE vendors, price_lists;
       ALTER TABLE customers DROP COLUMN email, DROP COLUMN city;
       ALTER TABLE purchase_orders DROP COLUMN status;
       ALTER TABLE invoices ALTER date TYPE varchar, ALTER created_at TYPE timestamptz, ALTER total TYPE text;
       ALTER TABLE stores ALTER id TYPE text;
       CREATE DOMAIN moment AS timestamptz;
       ALTER TABLE quotes ALTER date TYPE moment;
       -- All of these are fine.
       CREATE DOMAIN number AS int4;
       ALTER TABLE products ALTER id TYPE int4, ALTER name TYPE varchar(50), ALTER department_id TYPE number;
       ALTER TABLE payments ALTER id TYPE int2, ALTER amount_received TYPE float8;
       ALTER TABLE transfers RENAME TO stored_transfers;
       CREATE MATERIALIZED VIEW transfers AS SELECT * FROM stored_transfers;
       GRANT USAGE ON SCHEMA broken TO reader;
       GRANT SELECT ON ALL TABLES IN SCHEMA broken TO reader;
       REVOKE SELECT ON adjustments, receivings, departments FROM reader;
       GRANT SELECT (id, code) ON departments TO reader`,
      /The schema broken of the database .*lacks the relations (vendors, price_lists|price_lists, vendors);/,
      /the schema broken of the database .*purchase_orders lacks the column status;/,
      /invoices\.date in the schema broken .* is varchar: it must be timestamp\./,
      /invoices\.created_at .* is timestamptz: it must be timestamp\./,
      /invoices\.total .* is text: it must be numeric or /,
      /stores\.id .* is text: it must be int8 or int4 or int2\./,
      /quotes\.date .* is timestamptz: it must be timestamp\./,
      /may not read (?=.*\badjustments\b)(?=.*\breceivings\b)(?=.*\bdepartments\b).*: GRANT SELECT/,
    ],
  ]
  for (const [schema, sql, ...says] of schemas)
    test(`serve: a schema that is ${schema}`, async () => {
      const url = urlWith(database.url, { schema })
      if (schema === 'broken') await makeCompanyAt(url, {})
      else if (schema !== 'missing') await scriptOn(url, `CREATE SCHEMA ${schema}`)
      await scriptOn(url, sql.replaceAll('reader', user))
      assertSaid(await run('serve', { ...pos(asUser({ schema })), ...state('sqlite:state.db') }), 2, ...says)
    })

  type Change = (own: Database, url: URL) => unknown
  const states: readonly (readonly [name: string, status: number, says: RegExp, change: Change])[] = [
    [
      'which the role may not make',
      1,
      /may not make the schema vitrine .*: CREATE SCHEMA "vitrine" AUTHORIZATION "role_/,
      async (own, url) => {
        const { name, password: word } = await own.makeRole()
        Object.assign(url, { username: name, password: word })
      },
    ],
    [
      "with somebody else's tables",
      2,
      /holds tables that are not Vitrine's; VITRINE_STATE_URL must name a schema of its own/,
      (own) => own.query('CREATE SCHEMA vitrine; CREATE TABLE vitrine.keys (id int)'),
    ],
    [
      'of a newer version',
      2,
      /was made by a newer version of Vitrine\./,
      (own) => own.query('CREATE SCHEMA vitrine; CREATE TABLE vitrine.vitrine_state AS SELECT 1000 AS version'),
    ],
    [
      'that is that of the POS',
      2,
      /both name the schema pos: state never shares a schema with the data\./,
      (_, url) => url.searchParams.set('schema', 'pos'),
    ],
    [
      'for whose server there is no certificate',
      2,
      /VITRINE_STATE_URL .*sslrootcert names nowhere\.pem, which cannot be read\./,
      (_, url) => url.searchParams.set('sslrootcert', 'nowhere.pem'),
    ],
  ]
  for (const [name, status, says, change] of states)
    test(`company disable: a schema ${name}`, async () => {
      const own = await makeDatabase()
      const url = new URL(own.at('vitrine'))
      await change(own, url)
      assertSaid(await run('company disable', { ...pos(own.at('pos')), ...state(url.href) }), status, says)
    })

  test('a key is made while the POS cannot be reached: its stores are not looked up', async () => {
    const own = await makeDatabase()
    const done = await run(`${create} --stores 1 --json`, { ...pos(asUser(away)), ...state(own.at('vitrine')) })
    assert.equal(done.status, 0, done.stderr)
    assert.match(done.stdout, /^\{.*"client_secret":"svc_sk_.*\}\n$/)
    assert.doesNotMatch(done.stderr, /A-Secret|no store/)
  })
})
