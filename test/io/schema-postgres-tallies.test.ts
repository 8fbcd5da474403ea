// Tallies in a PostgreSQL database that is in use: made while tills write, made again after whatever went past them, never
// in a till's way, and never the reason for a wrong total or none.
import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { permissions } from '../../src/catalogue/access.ts'
import { findResource } from '../../src/catalogue/resources/index.ts'
import { tallies } from '../../src/catalogue/tallies.ts'
import { systemClock } from '../../src/clock.ts'
import { createPostgresEngine } from '../../src/engine/postgres/engine.ts'
import { findTallies, keptTallies } from '../../src/engine/postgres/tallies.ts'
import { createLog } from '../../src/log.ts'
import { connectPostgres, type PostgresConnection } from '../../src/postgres/connection.ts'
import { planList } from '../../src/query/plan-list.ts'
import { parsePostgresUrl, type PostgresUrl } from '../../src/settings/postgres-url.ts'
import { relations } from '../../src/contract/relations.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { applySchema } from '../../src/tools/schema/apply.ts'
import { dropDatabases, makeDatabase, type Database, type Role } from '../support/database.ts'
import { until } from '../support/process.ts'
import { assertExact, fold } from '../support/tallied-invoices.ts'

after(dropDatabases)

const quiet = { onProgress: () => {}, remark: () => {} }
const log = createLog('error', () => {}, systemClock)

function addressOf(database: Database, role?: Role): PostgresUrl {
  const parsed = parsePostgresUrl(database.at('public', role), 'public', '/')
  assert('value' in parsed)
  return parsed.value
}

const apply = (database: Database) => applySchema(addressOf(database), quiet)

async function connect(context: { after(work: () => unknown): void }, url: PostgresUrl): Promise<PostgresConnection> {
  const setUp = `SET lock_timeout = '10s'; SET datestyle = 'ISO, YMD'`
  const connection = await connectPostgres(url, { timeoutMs: 30_000, setUp })
  context.after(() => connection.close())
  return connection
}

/** Asks a running service's engine for totals, and for the page that belongs to one. */
function startReader(context: { after(work: () => unknown): void }, url: PostgresUrl) {
  const engine = createPostgresEngine({ url, readers: 2, statementTimeoutMs: 30_000, log })
  context.after(() => engine.close())
  const total = async (query = '') => {
    const resource = findResource('invoices')
    assert(resource)
    const planned = planList(resource, query, { permissions, stores: null, priceList: null })
    assert('plan' in planned)
    return (await engine.list(planned.plan)).total
  }
  return { total }
}

const insert = (first: number, last: number, relation = 'invoices') =>
  `INSERT INTO ${relation} (id, kind, store_id, date, customer_name)
   SELECT n, 1, n % 3, timestamp '2026-01-01' + n * interval '1 hour', 'Marie'
   FROM generate_series(${first}, ${last}) n`

const tablesOnly = (database: Database) =>
  database.query(relations.flatMap((relation) => postgresSchema.tables(relation)).join(';'))

const dropTriggers = ['invoices', 'invoices_archive']
  .flatMap((name) => [`DROP TRIGGER ${name}_tally ON ${name}`, `DROP TRIGGER ${name}_tally_truncate ON ${name}`])
  .join('; ')

const hasTrigger = async (database: Database, name: string) =>
  (await database.query(`SELECT 1 FROM pg_trigger WHERE tgname = $1 AND tgenabled = 'A'`, [name])).length > 0

test('tills that write all the time while tallies are made lose nothing, fail at nothing, and all is counted; again makes nothing', async (context) => {
  const database = await makeDatabase()
  await tablesOnly(database)
  await database.query(`${insert(1, 3000)}; ${insert(2900, 5000, 'invoices_archive')}`)
  const url = addressOf(database)
  const applied = new AbortController()
  const write = async (at: number) => {
    const till = await connect(context, url)
    for (let id = at * 1_000_000; !applied.signal.aborted; id += 2) {
      await till.script(`${insert(id, id + 1)}; UPDATE invoices SET status = 3 WHERE id = ${id}`)
      // Moved in the order in which it can be done safely: first there, then not here.
      await till.script(`BEGIN; INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = ${id}`)
      await till
        .script(`DELETE FROM invoices WHERE id = ${id}; ${fold.replace('SELECT', id % 5 ? '--' : 'SELECT')}`)
        .catch(
          // Before there is anything to fold.
          (error: unknown) => assert.match(String(error), /invoices_tally_fold\(\) does not exist/),
        )
      await till.script('COMMIT')
    }
  }
  const writing = Promise.all([1, 2, 3].map(write))
  const first = await apply(database).finally(() => applied.abort())
  await writing
  const owner = await connect(context, url)
  assert.deepEqual([...(await keptTallies(owner))].length, tallies.length)
  await assertExact(owner)
  await owner.script(fold)
  await assertExact(owner)
  const madeBy = () => owner.rows(`SELECT cell FROM invoices_tally WHERE axis = 'made'`)
  const before = await madeBy()
  const again = await apply(database)
  assert.equal(again.statements, first.statements - tallies.length)
  assert.deepEqual(await madeBy(), before)
})

test('a till that stays open holds up the making of triggers, and no other till; it is not aborted, in whatever order it writes', async (context) => {
  const database = await makeDatabase()
  // The indexes are there: to build one waits for an open till, too.
  await apply(database)
  await database.query(`${dropTriggers}; DROP TABLE invoices_tally, invoices_tally_changes, invoices_tally_twins`)
  await database.query(insert(1, 100))
  const url = addressOf(database)
  const [open, other] = [await connect(context, url), await connect(context, url)]
  await open.script('BEGIN; INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = 1')
  let isApplied = false
  const applying = apply(database).finally(() => (isApplied = true))
  await until('the archive alone is without its trigger', () => hasTrigger(database, 'invoices_tally'))
  // Half of what the tool gives itself would be too strict for a busy machine; to wait for the till would be endless.
  await other.script(`SET lock_timeout = '3s'`)
  for (let id = 1000; id < 1200; id += 1) await other.script(insert(id, id, 'invoices_archive'))
  assert.equal(isApplied, false)
  await open.script('DELETE FROM invoices WHERE id = 1; COMMIT')
  await applying
  await assertExact(other)
})

test('a tally that is being made again is not in the way of a till that has written, and folds', async (context) => {
  const database = await makeDatabase()
  await apply(database)
  await database.query(`${insert(1, 100)}; ALTER TABLE invoices_archive DISABLE TRIGGER invoices_archive_tally`)
  const url = addressOf(database)
  const [open, other] = [await connect(context, url), await connect(context, url)]
  await open.script(`BEGIN; ${insert(101, 101)}; UPDATE invoices SET notes = 'n' WHERE id = 1`)
  const applying = apply(database)
  await until('it is tried to remove the triggers', async () => {
    const sql = `SELECT 1 FROM pg_locks WHERE relation = 'invoices'::regclass AND mode = 'AccessExclusiveLock'`
    return (await database.query(sql)).length > 0
  })
  await open.script(`${insert(102, 300)}; ${fold}; ${insert(301, 301, 'invoices_archive')}; COMMIT`)
  await applying
  await assertExact(other)
})

test('a tally that is being made again is not read before all is counted', async (context) => {
  const database = await makeDatabase()
  await apply(database)
  await database.query(insert(1, 10))
  const url = addressOf(database)
  const { total } = startReader(context, url)
  assert.equal(await total(), 10)
  await database.query(`${dropTriggers}; ${insert(11, 30)}`)
  assert.equal(await total(), 30)
  // As one has it that is folding: the counting waits for it.
  const open = await connect(context, url)
  await open.script(`BEGIN; SELECT pg_advisory_xact_lock('invoices_tally'::regclass::bigint)`)
  let isApplied = false
  const applying = apply(database).finally(() => (isApplied = true))
  await until('the counting waits', async () => {
    const sql = `SELECT 1 FROM pg_stat_activity WHERE datname = current_database() AND wait_event = 'advisory'`
    return (await database.query(sql)).length > 0 && hasTrigger(database, 'invoices_archive_tally')
  })
  assert.equal(isApplied, false)
  assert.equal(await total(), 30)
  await open.script('COMMIT')
  await applying
  assert.equal(await total(), 30)
  await assertExact(open)
})

const pastTallies: [string, string, number][] = [
  ['TRUNCATE', `TRUNCATE invoices; ${insert(1, 4)}`, 9],
  ['a TRUNCATE of the archive', 'TRUNCATE invoices_archive', 10],
  ['a trigger that is dropped', `DROP TRIGGER invoices_tally ON invoices; ${insert(11, 13)}`, 18],
  ['a trigger that is off', `ALTER TABLE invoices DISABLE TRIGGER invoices_tally; ${insert(11, 13)}`, 18],
  [
    'triggers off and on again, as a bulk load does it',
    `ALTER TABLE invoices DISABLE TRIGGER ALL; ${insert(11, 13)}; ALTER TABLE invoices ENABLE TRIGGER ALL`,
    18,
  ],
  ['a TRUNCATE that nobody tells of', 'DROP TRIGGER invoices_tally_truncate ON invoices; TRUNCATE invoices', 5],
  [
    'a table that is made anew',
    `DROP TABLE invoices; ${postgresSchema.tables(relations.find(({ name }) => name === 'invoices') ?? assert.fail()).join(';')}; ${insert(1, 2)}`,
    7,
  ],
]

const otherRows: [string, string, number][] = [
  ['rows that the role may not see', 'ALTER TABLE invoices ENABLE ROW LEVEL SECURITY', 5],
  [
    'a table of more rows beneath it',
    'CREATE TABLE own () INHERITS (invoices); INSERT INTO own (id, kind, status) VALUES (99, 1, 3)',
    16,
  ],
]
for (const [what, sql, expected] of otherRows)
  test(`${what}: the total is that of what is listed`, async (context) => {
    const database = await makeDatabase()
    const owner = await connect(context, addressOf(database))
    await apply(database)
    await database.query(`${insert(1, 10)}; ${insert(101, 105, 'invoices_archive')}; ${sql}`)
    const role = await database.makeRole()
    await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`)
    const { total } = startReader(context, addressOf(database, role))
    assert.equal(await total(), expected)
    assert.equal((await keptTallies(owner)).has('invoices'), false)
  })

test('what goes past a tally while the service runs makes no total wrong, neither before nor after it is made again', async (context) => {
  const database = await makeDatabase()
  const owner = await connect(context, addressOf(database))
  await apply(database)
  const role = await database.makeRole()
  await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`)
  await database.query(`ALTER DEFAULT PRIVILEGES GRANT SELECT ON TABLES TO ${role.name}`)
  const { total } = startReader(context, addressOf(database, role))
  for (const [what, sql, expected] of pastTallies) {
    await database.query('DELETE FROM invoices; DELETE FROM invoices_archive')
    await database.query(`${insert(1, 10)}; ${insert(101, 105, 'invoices_archive')}`)
    // Counted anew, as after the last time: a version that came twice would be taken for what it was then.
    await database.query(`DELETE FROM invoices_tally WHERE axis = 'made'`)
    await apply(database)
    assert.equal(await total(), 15, what)
    await database.query(sql)
    assert.equal(await total(), expected, what)
    assert.equal(await total('search=ma'), await total('search=ma&date_from=2000-01-01'), what)
    assert.equal((await keptTallies(owner)).has('invoices'), false, what)
    await apply(database)
    assert.equal((await keptTallies(owner)).has('invoices'), true, what)
    assert.equal(await total(), expected, `${what}, made again`)
    assert.equal(await total('date_from=2000-01-01'), expected, `${what}, made again`)
    await assertExact(owner, what)
  }
})

test('a service without rights on the tallies, and one whose rights were taken away, are served all the same', async (context) => {
  const database = await makeDatabase()
  await apply(database)
  await database.query(insert(1, 10))
  const role = await database.makeRole()
  const tables = relations.map(({ name }) => name).join(', ')
  await database.query(`GRANT SELECT ON ${tables} TO ${role.name}`)
  const { total } = startReader(context, addressOf(database, role))
  assert.deepEqual([await total(), await total('date_from=2000-01-01')], [10, 10])
  await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`)
  const granted = startReader(context, addressOf(database, role))
  assert.equal(await granted.total(), 10)
  // Counts of a tally that the next version makes otherwise.
  await database.query(`ALTER TABLE invoices_tally ADD COLUMN more int; DELETE FROM invoices_tally WHERE axis = 'made'`)
  await apply(database)
  assert.deepEqual([await total(), await granted.total()], [10, 10])
})

const versionsBefore = {
  'did not count changes': 'ALTER TABLE invoices_tally DROP COLUMN changes',
  'kept no words': 'DROP TABLE invoices_tally_words; ALTER TABLE invoices_tally_changes DROP COLUMN words',
}
for (const [what, made] of Object.entries(versionsBefore))
  test(`a tally of a version before, which ${what}: it is made as it is now, and who could read it can`, async (context) => {
    const database = await makeDatabase()
    await apply(database)
    const role = await database.makeRole()
    await database.query(`GRANT SELECT ON ALL TABLES IN SCHEMA public TO ${role.name}`)
    await database.query(
      `DROP TRIGGER invoices_tally ON invoices; ${made}; DELETE FROM invoices_tally WHERE axis = 'made'`,
    )
    await database.query(insert(1, 10))
    const { total } = startReader(context, addressOf(database, role))
    assert.equal(await total(), 10)
    const reader = await connect(context, addressOf(database, role))
    assert.deepEqual((await findTallies(reader)).stale, ['invoices'])
    // One that may read the counts alone does not get to read names.
    const counter = await database.makeRole()
    await database.query(`GRANT SELECT ON invoices_tally TO ${counter.name}`)
    await apply(database)
    assert.equal((await keptTallies(reader)).has('invoices'), true)
    const [right] = await database.query(`SELECT has_table_privilege($1, 'invoices_tally_words', 'SELECT') AS is`, [
      counter.name,
    ])
    assert.equal(right?.['is'], false)
    assert.equal(await startReader(context, addressOf(database, role)).total(), 10)
  })

test('tills with rights on the relations alone write, whatever they put in the way; so does replication', async (context) => {
  const database = await makeDatabase()
  await apply(database)
  const role = await database.makeRole()
  await database.query(`GRANT SELECT, INSERT, UPDATE, DELETE ON invoices, invoices_archive TO ${role.name}`)
  const till = await connect(context, addressOf(database, role))
  const owner = await connect(context, addressOf(database))
  await till.script(
    `${insert(1, 300)}; UPDATE invoices SET status = 2 WHERE id < 10; DELETE FROM invoices WHERE id = 1`,
  )
  await till.script(
    `SET search_path = pg_catalog; INSERT INTO public.invoices_archive (id, kind) VALUES (2, 1), (900, 1)`,
  )
  await assertExact(owner)
  await assert.rejects(till.script('DELETE FROM public.invoices_tally_changes'), /permission denied/)
  await till.script(
    `SET search_path = public; CREATE TEMP TABLE invoices_tally_changes (LIKE invoices); ${insert(301, 500)}`,
  )
  await assertExact(owner)
  await owner.script(`SET session_replication_role = replica; ${insert(501, 700)}; DELETE FROM invoices WHERE id = 600`)
  await owner.script(`${fold}; RESET session_replication_role`)
  await assertExact(owner)
})
