// A session on PostgreSQL: it needs only SELECT, can do nothing else even if its role may, and answers the same for any
// settings of the role, any name of the schema and any width of integers.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { relations } from '../../src/contract/relations.ts'
import { quoteName } from '../../src/platform/postgres/names.ts'
import { sessionSetUp } from '../../src/platform/postgres/session.ts'
import { withConnection } from '../../src/platform/postgres/with-connection.ts'
import { company } from '../support/fixture.ts'
import { atOnce, tally } from '../support/grants.ts'
import { makeCompanyAt, makeReader, queryOf, scriptOn, urlWith } from '../support/own-company.ts'
import { urlOf } from '../support/place-postgres.ts'
import { newSchema, sharedPostgresUrl } from '../support/postgres.ts'
import { startServer, type Server } from '../support/process.ts'
import { listPaths } from '../support/routes.ts'

const name = newSchema('connection')
const reader = `${name}_reader`
const odd = `${name}_odd`
const schema = `Größe "2" o'clock; 100%`

let shared = ''
/** Of the superuser, in a database of this file's own. */
let admin = ''
let server: Server
let token = ''
const servers: Server[] = []
before(async () => {
  shared = await sharedPostgresUrl()
  await scriptOn(shared, `CREATE DATABASE ${name} TEMPLATE template0`)
  admin = urlWith(shared, { database: name, schema })
  await makeCompanyAt(admin, company)
  await scriptOn(
    admin,
    `REVOKE ALL ON DATABASE ${name} FROM PUBLIC; REVOKE ALL ON SCHEMA public FROM PUBLIC;
     ALTER TABLE stores ALTER id TYPE int4;
     ALTER TABLE customers ALTER id TYPE int4, ALTER customer_type_id TYPE int2;
     ALTER TABLE invoices ALTER store_id TYPE int4, ALTER customer_id TYPE int4, ALTER kind TYPE int2;
     ALTER TABLE payments ${numbers('payments', 'float8')};
     ALTER TABLE transfers ${numbers('transfers', 'float4')}`,
  )
  const url = await makeReader(admin, reader)
  server = await serve(url, urlWith(admin, { schema: `Zustand "1"` }))
  token = await server.token()
})
after(async () => {
  await Promise.all(servers.map((each) => each.remove()))
  if (!shared) return
  await scriptOn(shared, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`)
  await scriptOn(shared, `DROP ROLE IF EXISTS ${reader}; DROP ROLE IF EXISTS ${odd}`)
})

/** Numbers of another type, as the changes of a relation. */
const numbers = (relation: string, type: string) =>
  Object.entries(relations.find((each) => each.name === relation)?.columns ?? {})
    .filter(([, kind]) => kind === 'num')
    .map(([column]) => `ALTER "${column}" TYPE ${type}`)
    .join(', ')

async function serve(data: string, state = 'sqlite:state.db'): Promise<Server> {
  const started = await startServer({
    prepare: () => {},
    settings: { VITRINE_DATABASE_URL: data, VITRINE_STATE_URL: state, VITRINE_READERS: '4' },
  })
  servers.push(started)
  return started
}

const filledAndEmpty: Readonly<Record<string, readonly number[]>> = {
  '/credit-memos': [61, 62],
  '/price-lists': [1],
  '/stores': [1, 12],
  '/departments': [1, 12],
  '/sub-departments': [1, 12],
  '/customer-types': [1, 12],
}
/** Every list, some filtered, searched and sorted, and a filled and an empty record of each resource. */
const paths = [
  ...listPaths.map((path) => `${path}?per_page=100`),
  ...listPaths.flatMap((path) => (filledAndEmpty[path] ?? [1, 2]).map((id) => `${path}/${id}`)),
  '/products?search=%C3%89clair',
  '/products?updated_since=2026-03-02T08:30:00&sort=-updated_at',
  '/invoices?date_from=2026-03-01&date_to=2026-03-02&sort=date',
  '/invoices?status=all&sort=-total',
  '/invoices/101',
  '/quotes/101',
  '/customers?status=active&sort=name',
  '/invoices?customer_id=1&store_id=1',
]

async function answersOf(from: Server, bearer: string) {
  const texts: [string, number, string][] = []
  for (const path of paths) {
    const { status, text } = await from.ask(path, { token: bearer })
    texts.push([path, status, text])
  }
  return texts
}

test('a role with CONNECT, USAGE and SELECT alone, in a schema with an odd name, serves every list and record', async () => {
  const answers = await answersOf(server, token)
  const refused = answers.filter(([, status]) => status !== 200)
  assert.deepEqual(refused, [])
  const empty = answers.filter(([, , text]) => text.startsWith('{"data":[],')).map(([path]) => path)
  assert.deepEqual(empty, [])
  const [row] = await queryOf(
    admin,
    `SELECT has_database_privilege($1, $2, 'TEMP, CREATE'), has_schema_privilege($1, $3, 'CREATE'),
       has_table_privilege($1, $4, 'INSERT, UPDATE, DELETE, TRUNCATE')`,
    [reader, name, schema, `${quoteName(schema)}.products`],
  )
  assert.deepEqual(row, [false, false, false])
})

describe('integers narrower than the ids that are asked for', () => {
  for (const [path, status] of [
    ['/stores/3000000000', 404],
    ['/stores/9007199254740991', 404],
    ['/customers/2147483648', 404],
    ['/customers?customer_type_id=40000', 200],
    ['/invoices?customer_id=3000000000', 200],
    ['/invoices?store_id=9007199254740991', 200],
  ] as const)
    test(`${path}: ${status}`, async () => {
      const answer = await server.ask(path, { token })
      assert.equal(answer.status, status, answer.text)
      if (status === 200) assert.deepEqual([answer.body.meta.total, answer.body.data], [0, []])
    })

  test('a key that may see such a store alone sees nothing', async () => {
    for (const stores of ['3000000000', '3000000000,4000000000']) {
      const restricted = await server.token('--stores', stores)
      const answer = await server.ask('/invoices?status=all', { token: restricted })
      assert.deepEqual([answer.status, answer.body.meta?.total], [200, 0], answer.text)
    }
  })
})

test('sessions that read are bounded, whatever the role may do: time, locks, memory, cores', async () => {
  const url = await urlOf(schema)
  const bounded = {
    statement_timeout: '700ms',
    lock_timeout: '700ms',
    idle_in_transaction_session_timeout: '700ms',
    work_mem: '4MB',
    max_parallel_workers_per_gather: '0',
    default_transaction_read_only: 'on',
  }
  const setUp = sessionSetUp(url, { timeoutMs: 700, isReadOnly: true })
  await withConnection('VITRINE_DATABASE_URL', url, setUp, async (connection) => {
    for (const [setting, value] of Object.entries(bounded))
      assert.deepEqual(await connection.rows(`SHOW ${setting}`), [[value]], setting)
  })
})

test('what is set for the role or the database changes no byte of an answer, and keeps nobody out', async () => {
  const settings = {
    datestyle: `'SQL, DMY'`,
    timezone: `'Pacific/Apia'`,
    intervalstyle: `'sql_standard'`,
    bytea_output: `'escape'`,
    extra_float_digits: '-10',
    standard_conforming_strings: 'off',
    backslash_quote: 'off',
    transform_null_equals: 'on',
    search_path: 'pg_catalog',
    client_encoding: `'LATIN1'`,
    statement_timeout: `'50ms'`,
    lock_timeout: `'1ms'`,
    idle_in_transaction_session_timeout: `'50ms'`,
    default_transaction_isolation: `'serializable'`,
    default_transaction_read_only: 'on',
    default_transaction_deferrable: 'on',
    lc_numeric: `'C'`,
    lc_messages: `'C'`,
    array_nulls: 'off',
    quote_all_identifiers: 'on',
  }
  const url = await makeReader(admin, odd)
  await scriptOn(
    admin,
    Object.entries(settings)
      .map(([setting, value], at) =>
        at % 2 === 0
          ? `ALTER ROLE ${odd} SET ${setting} = ${value}`
          : `ALTER ROLE ${odd} IN DATABASE ${name} SET ${setting} = ${value}`,
      )
      .join(';'),
  )
  await scriptOn(admin, `CREATE SCHEMA odd_state AUTHORIZATION ${odd}`)
  const other = await serve(url, urlWith(url, { schema: 'odd_state' }))
  const key = await other.makeKey('--rate', '1000000')
  const bearer = await other.tokenOf(key)
  const plain = await answersOf(server, token)
  for (const [at, [path, status, text]] of (await answersOf(other, bearer)).entries())
    assert.deepEqual([path, status, text], plain[at])
  // Each of these changes the same row.
  const pings = await atOnce(60, () => other.ask('/ping', { token: bearer }))
  const grants = await atOnce(8, () => other.signIn(key, { localAddress: '127.0.0.1' }))
  assert.deepEqual(tally([...pings, ...grants].map(({ status }) => status)), { 200: 68 })
})

const columnsOf = (relation: string, cells: Readonly<Record<string, string>>) =>
  Object.entries(relations.find((each) => each.name === relation)?.columns ?? {})
    .map(([column, type]) => {
      const value = {
        int: 'NULL::bigint',
        bool: 'true',
        num: '0::numeric',
        text: `''::text`,
        time: 'NULL::timestamp',
        day: 'NULL::date',
      }[type]
      return `${cells[column] ?? value} AS "${column}"`
    })
    .join(', ')

describe('a superuser', () => {
  let own: Server
  let bearer = ''
  before(async () => {
    const url = urlWith(admin, { schema: 'writable' })
    await makeCompanyAt(url, { stores: [{ id: 1, name: 'Main' }] })
    const writing = (relation: string, work: string) => `
      CREATE FUNCTION write_${relation}() RETURNS bigint LANGUAGE plpgsql VOLATILE AS $$
        BEGIN ${work}; RETURN 1; END $$;
      DROP TABLE ${relation};
      CREATE VIEW ${relation} AS SELECT ${columnsOf(relation, { id: `write_${relation}()` })}`
    const shown = ['transaction_read_only', 'default_transaction_read_only', 'transaction_isolation', 'search_path']
    await scriptOn(
      url,
      `CREATE TABLE written (what text); CREATE SEQUENCE numbers;
       ${writing('customers', `INSERT INTO written VALUES ('a row')`)};
       ${writing('vendors', `PERFORM set_config('transaction_read_only', 'off', true); INSERT INTO written VALUES ('a row')`)};
       ${writing('transfers', `PERFORM nextval('numbers')`)};
       ${writing('adjustments', "EXECUTE 'CREATE TABLE made (what text)'")};
       DROP TABLE departments;
       CREATE VIEW departments AS SELECT ${columnsOf('departments', {
         id: '1::bigint',
         name: `concat_ws(', ', ${shown.map((setting) => `current_setting('${setting}')`).join(', ')})`,
       })}`,
    )
    own = await serve(url)
    bearer = await own.token()
  })

  test('cannot write through the service, whatever a view tries: 503, and nothing is there', async () => {
    for (const path of ['/customers', '/vendors', '/transfers', '/adjustments', '/customers/1']) {
      const answer = await own.ask(path, { token: bearer })
      assert.deepEqual(
        [path, answer.status, answer.body.error?.code],
        [path, 503, 'temporarily_unavailable'],
        answer.text,
      )
      const { cause } = await own.lineOf(answer)
      assert.match(String((cause as { message?: string }).message), /read-only transaction|read-write mode/)
    }
    const [row] = await queryOf(
      urlWith(admin, { schema: 'writable' }),
      `SELECT (SELECT count(*) FROM written), (SELECT is_called FROM numbers), to_regclass('made')::text`,
    )
    assert.deepEqual(row, [0, false, null])
    assert.equal((await own.ask('/stores', { token: bearer })).status, 200)
  })

  test('reads in a read-only transaction of one snapshot, in a session that is read-only by default', async () => {
    const answer = await own.ask('/departments', { token: bearer })
    assert.equal(answer.body.data?.[0]?.name, 'on, on, repeatable read, writable', answer.text)
  })
})
