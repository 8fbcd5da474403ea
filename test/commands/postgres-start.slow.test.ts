// A PostgreSQL server or database that cannot be used, found at the start: a sentence for each thing that is wrong, all at
// once, and never the password.
import assert from 'node:assert/strict'
import { once } from 'node:events'
import { rmSync } from 'node:fs'
import { createServer, type AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { databaseProblems } from '../../src/engine/open.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { stateProblem } from '../../src/state/open.ts'
import { makeCompanyAt, makeReader, scriptOn, urlWith } from '../support/own-company.ts'
import { newSchema, sharedPostgresUrl } from '../support/postgres.ts'
import { freePort } from '../support/free-port.ts'
import { freePorts, runVitrine, temporaryFolder } from '../support/process.ts'

const name = newSchema('start')
const password = 'A-Secret/of:100%'
// Takes connections and never says a word.
const mute = createServer()
// Nothing listens there any more.
let closed = 0

let shared = ''
/** Of the superuser, in a database of this file's own. */
let admin = ''
let reader = ''
before(async () => {
  shared = await sharedPostgresUrl()
  for (const [database, encoding] of [
    [name, 'UTF8'],
    [`${name}_latin`, 'LATIN1'],
  ])
    await scriptOn(
      shared,
      `CREATE DATABASE ${database} TEMPLATE template0 ENCODING '${encoding}' LOCALE 'C' LOCALE_PROVIDER libc`,
    )
  admin = urlWith(shared, { database: name, schema: 'pos' })
  await makeCompanyAt(admin, {})
  reader = await makeReader(admin, `${name}_reader`, password)
  await once(mute.listen(0, '127.0.0.1'), 'listening')
  closed = await freePort()
})
after(async () => {
  mute.close()
  if (!shared) return
  for (const database of [name, `${name}_latin`])
    await scriptOn(shared, `DROP DATABASE IF EXISTS ${database} WITH (FORCE)`)
  await scriptOn(shared, `DROP ROLE IF EXISTS ${name}_reader`)
})

function parse(url: string) {
  const parsed = parsePostgresUrl(url, 'public', '/')
  assert.ok('value' in parsed, JSON.stringify(parsed))
  return parsed.value
}

interface Scenario {
  readonly name: string
  readonly url: () => string
  readonly says: RegExp
}

const scenarios: readonly Scenario[] = [
  {
    name: 'a wrong password',
    url: () => urlWith(reader, { password: `${password}!` }),
    says: /password authentication failed .*Check user and password\./,
  },
  { name: 'no password', url: () => urlWith(reader, { password: '' }), says: /password/ },
  { name: 'an unknown role', url: () => urlWith(reader, { user: 'nobody_of_that_name' }), says: /nobody_of_that_name/ },
  {
    name: 'an unknown database',
    url: () => urlWith(reader, { database: 'no_such' }),
    says: /"no_such" does not exist.*CREATE DATABASE/,
  },
  {
    name: 'an unknown host',
    url: () => urlWith(reader, { hostname: 'no-such-host.invalid' }),
    says: /no-such-host\.invalid:\d+ .*(no host of that name|cannot be looked up)/,
  },
  {
    name: 'nothing that listens',
    url: () => urlWith(reader, { hostname: '127.0.0.1', port: String(closed) }),
    says: /nothing listens there/,
  },
  {
    name: 'a server that does not answer',
    url: () => urlWith(reader, { hostname: '127.0.0.1', port: String((mute.address() as AddressInfo).port) }),
    says: /does not answer/,
  },
  {
    name: 'an encoding that cannot hold everything',
    url: () => urlWith(shared, { database: `${name}_latin` }),
    says: /LATIN1.*UTF8/,
  },
]

// One of them takes seconds until it times out.
describe('PostgreSQL at the start', { concurrency: true }, () => {
  describe('a server that cannot be used', () => {
    for (const { name: what, url, says } of scenarios)
      for (const [setting, look] of [
        ['VITRINE_DATABASE_URL', (to: string) => databaseProblems(parse(to))],
        ['VITRINE_STATE_URL', async (to: string) => [await stateProblem(parse(to))]],
      ] as const)
        test(`${setting}, ${what}: one sentence, without the password`, async () => {
          const [problem = '', ...others] = await look(url())
          assert.deepEqual(others, [])
          assert.match(problem, says)
          assert.match(problem, /^[A-Z].*\.$/)
          assert.ok(!problem.includes(password) && !problem.includes(encodeURIComponent(password)), problem)
        })
  })

  test('both servers at once: two sentences, exit status 2, no stack trace, and nothing is made', async () => {
    const folder = temporaryFolder()
    const ended = await runVitrine(
      ['serve'],
      {
        VITRINE_DATA_DIR: folder,
        ...freePorts,
        VITRINE_DATABASE_URL: urlWith(reader, { password: 'another-secret' }),
        VITRINE_STATE_URL: urlWith(reader, { database: 'no_such', schema: 'state' }),
      },
      folder,
    )
    assert.deepEqual([ended.status, ended.stdout], [2, ''])
    const sentences = ended.stderr.trimEnd().split('\n')
    assert.equal(sentences.length, 2, ended.stderr)
    assert.match(sentences[0] ?? '', /^vitrine: PostgreSQL at .*VITRINE_DATABASE_URL.* password/)
    assert.match(sentences[1] ?? '', /^vitrine: PostgreSQL at .*VITRINE_STATE_URL.*no_such/)
    for (const secret of ['another-secret', password, encodeURIComponent(password)])
      assert.ok(!ended.stderr.includes(secret))
    rmSync(folder, { recursive: true })
  })

  describe('a database that does not hold what the service reads', { concurrency: 1 }, () => {
    test('everything that is missing, unreadable or forbidden is said at once', async () => {
      const url = urlWith(admin, { schema: 'broken' })
      await makeCompanyAt(url, {})
      await scriptOn(
        url,
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
         GRANT USAGE ON SCHEMA broken TO ${name}_reader;
         GRANT SELECT ON ALL TABLES IN SCHEMA broken TO ${name}_reader;
         REVOKE SELECT ON adjustments, receivings FROM ${name}_reader;
         REVOKE SELECT ON departments FROM ${name}_reader;
         GRANT SELECT (id, code) ON departments TO ${name}_reader`,
      )
      const problems = await databaseProblems(parse(urlWith(reader, { schema: 'broken' })))
      const said = problems.toSorted()
      const expected = [
        /lacks the relations (vendors, price_lists|price_lists, vendors)\b/,
        /purchase_orders lacks the column status;/,
        /invoices\.date .* is varchar: it must be timestamp\./,
        /invoices\.created_at .* is timestamptz: it must be timestamp\./,
        /invoices\.total .* is text: it must be numeric or /,
        /stores\.id .* is text: it must be int8 or int4 or int2\./,
        /quotes\.date .* is timestamptz: it must be timestamp\./,
        /may not read .*adjustments.*: GRANT SELECT/,
      ]
      for (const pattern of expected)
        assert.equal(said.filter((each) => pattern.test(each)).length, 1, `${pattern}\n${said.join('\n')}`)
      assert.equal(problems.length, expected.length, said.join('\n'))
      for (const relation of ['adjustments', 'receivings', 'departments'])
        assert.match(problems.find((each) => each.includes('may not read')) ?? '', new RegExp(`\\b${relation}\\b`))
      for (const problem of problems) assert.match(problem, /^.*[Tt]he schema broken of the database .*\.$/)
    })

    test('a schema that is not there, or holds nothing: one sentence', async () => {
      await scriptOn(admin, `CREATE SCHEMA empty; GRANT USAGE ON SCHEMA empty TO ${name}_reader`)
      for (const [schema, says] of [
        ['no_such', /^There is no schema no_such /],
        ['empty', /^There is no POS database in .*\bempty\b/],
      ] as const) {
        const problems = await databaseProblems(parse(urlWith(reader, { schema })))
        assert.equal(problems.length, 1)
        assert.match(problems[0] ?? '', says)
      }
    })

    test('a schema that the role may not use: the sentence says what to grant', async () => {
      await scriptOn(admin, `REVOKE USAGE ON SCHEMA pos FROM ${name}_reader`)
      const problems = await databaseProblems(parse(reader))
      await scriptOn(admin, `GRANT USAGE ON SCHEMA pos TO ${name}_reader`)
      assert.equal(problems.length, 1)
      assert.match(problems[0] ?? '', /GRANT USAGE/)
      assert.deepEqual(await databaseProblems(parse(reader)), [])
    })
  })
})
