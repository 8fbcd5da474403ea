// Answers that the engine on PostgreSQL remembers: used again until the journal names one of their relations, and never where it cannot
// tell. On its own server, which loses connections.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { startEngine } from '../../../src/engine/open.ts'
import { createPostgresSource } from '../../../src/engine/postgres/source.ts'
import { watchPostgres } from '../../../src/engine/postgres/watch.ts'
import { rememberAnswers } from '../../../src/engine/remembered-answers.ts'
import type { Snapshot } from '../../../src/finder/snapshot.ts'
import { createLog } from '../../../src/platform/log.ts'
import { connectPostgres, type PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { parsePostgresUrl, type PostgresUrl } from '../../../src/platform/postgres/url.ts'
import { journalTriggerNames, makeJournalTriggers } from '../../../src/sql/journal-postgres.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { makePostgresPos } from '../../support/place-postgres.ts'
import { startPostgres, type PostgresServer } from '../../support/postgres.ts'
import { until } from '../../support/process.ts'
import { untilLoaded } from '../../support/until-loaded.ts'

let server: PostgresServer
let url: PostgresUrl
let till: PostgresConnection
let other: PostgresConnection
const connectTill = () => connectPostgres(url, { timeoutMs: 30_000, setUp: 'SET search_path = pos, public' })
before(async () => {
  server = await startPostgres()
  const parsed = parsePostgresUrl(server.url, 'pos', '/')
  assert('value' in parsed)
  url = parsed.value
  till = await connectTill()
  other = await connectTill()
  await makePostgresPos(till, 'pos', {}, schemaStatements(postgresSchema))
})
after(async () => {
  await till.close()
  await other.close()
  await server.stop()
})

const customers = findResource('customers')
assert(customers)
const planOf = (query: string) => {
  const planned = planList(customers, query, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  return planned.plan
}
const plan = planOf('')

// The memory and a reader's source alone: asked for one plan again and again, whose answer shows customers and stores, they tell how often
// that was read.
async function watched(use: (ask: () => Promise<number>) => Promise<void>) {
  const watch = watchPostgres(
    url,
    30_000,
    createLog('silent', () => {}),
  )
  const source = createPostgresSource(url, 30_000, () => {})
  const remembered = rememberAnswers(watch.look)
  const relations = ['customers', 'stores']
  let reads = 0
  const ask = async () => {
    await remembered(plan, () =>
      source.within(async (snapshot) => {
        reads += 1
        const answer = { total: reads, records: 0, body: new Uint8Array() }
        return { answer, database: snapshot.database, relations }
      }),
    )
    return reads
  }
  try {
    await use(ask)
  } finally {
    await watch.close()
    await source.close()
  }
}

const times = async (count: number, ask: () => Promise<number>) => {
  const reads: number[] = []
  for (let turn = 0; turn < count; turn += 1) reads.push(await ask())
  return reads
}

describe('what is in memory', () => {
  test('is given again until one of its relations is written', () =>
    watched(async (ask) => {
      assert.deepEqual(await times(4, ask), [1, 1, 1, 1])
      await till.script(`INSERT INTO customers (id, name) VALUES (1, 'A')`)
      assert.deepEqual(await times(3, ask), [2, 2, 2])
      await till.script('DELETE FROM customers')
      assert.deepEqual(await times(2, ask), [3, 3])
      await till.script('BEGIN; DELETE FROM customers; INSERT INTO stores (id) VALUES (78); ROLLBACK')
      await till.script(
        `INSERT INTO vendors (id) VALUES (1); CREATE TABLE others (n integer); INSERT INTO others VALUES (1)`,
      )
      assert.deepEqual(await times(2, ask), [3, 3])
      await till.script('TRUNCATE vendors')
      assert.deepEqual(await times(2, ask), [3, 3])
      await till.script('TRUNCATE stores')
      assert.deepEqual(await times(2, ask), [4, 4])
    }))

  test('is read again when a transaction that was long under way is committed', () =>
    watched(async (ask) => {
      await other.script(`BEGIN; INSERT INTO customers (id, name) VALUES (2, 'B')`)
      assert.deepEqual(await times(3, ask), [1, 1, 1])
      await other.script('COMMIT')
      assert.deepEqual(await times(2, ask), [2, 2])
      // In two steps: the number of the transaction is older than others that were committed.
      await other.script(`BEGIN; DELETE FROM customers`)
      await till.script(`UPDATE stores SET name = 'x'; INSERT INTO stores (id, name) VALUES (77, 'y')`)
      assert.deepEqual(await times(2, ask), [3, 3])
      await other.script('COMMIT')
      assert.deepEqual(await times(2, ask), [4, 4])
    }))

  test('is void after more was written than a look reads, or than the journal has kept', () =>
    watched(async (ask) => {
      assert.deepEqual(await times(2, ask), [1, 1])
      await till.script('INSERT INTO vendors (id) SELECT generate_series(100, 6000)')
      assert.deepEqual(await times(2, ask), [2, 2])
      await till.script(
        `UPDATE vitrine_journal SET id = pg_current_xact_id()::text::bigint WHERE xid = '0' AND seq = 0`,
      )
      assert.deepEqual(await times(2, ask), [3, 3])
    }))

  test('is forgotten with a connection: perhaps the server went with it', () =>
    watched(async (ask) => {
      assert.deepEqual(await times(2, ask), [1, 1])
      const [ended] = await till.rows(`SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE query ~ 'vitrine_journal|pg_stat|pg_prepared' AND pid <> pg_backend_pid()`)
      assert.equal(Number(ended?.[0]), 1)
      const [first, , third, fourth] = await times(4, ask)
      assert.equal(first, 2)
      assert.equal(third, fourth)
    }))
})

const kinds: { name: string; make: string; undo: string }[] = [
  {
    name: 'a view',
    make: 'ALTER TABLE vendors RENAME TO own_vendors; CREATE VIEW vendors AS SELECT * FROM own_vendors',
    undo: 'DROP VIEW vendors; ALTER TABLE own_vendors RENAME TO vendors',
  },
  {
    name: 'a table with a policy',
    make: 'ALTER TABLE vendors ENABLE ROW LEVEL SECURITY',
    undo: 'ALTER TABLE vendors DISABLE ROW LEVEL SECURITY',
  },
  {
    name: 'a partitioned table',
    make: 'ALTER TABLE vendors RENAME TO own_vendors; CREATE TABLE vendors (LIKE own_vendors) PARTITION BY RANGE (id)',
    undo: 'DROP TABLE vendors; ALTER TABLE own_vendors RENAME TO vendors',
  },
  {
    name: 'a table that has heirs',
    make: 'CREATE TABLE heir () INHERITS (vendors)',
    undo: 'DROP TABLE heir; ANALYZE vendors',
  },
]

describe('what the journal does not tell of is not remembered', () => {
  for (const { name, make, undo } of kinds)
    test(name, () =>
      watched(async (ask) => {
        assert.deepEqual(await times(2, ask), [1, 1])
        await till.script(make)
        try {
          assert.deepEqual(await times(3, ask), [2, 3, 4])
        } finally {
          await till.script(undo)
        }
        // Where it could not tell, it is asked again after a second.
        await until('it is remembered again', async () => (await ask()) === (await ask()))
      }),
    )
})

test('work that asks for more than was likely is done again, in one snapshot, over the same connection', async () => {
  let [connections, runs] = [0, 0]
  const source = createPostgresSource(url, 30_000, () => (connections += 1))
  const count = { text: 'SELECT count(*) FROM "vendors"', values: [] }
  const once = async (snapshot: Snapshot) => {
    runs += 1
    const [one, other] = await Promise.all([snapshot.rows(count), snapshot.rows(count)])
    assert.deepEqual(one, other)
    await till.script('INSERT INTO vendors (id) SELECT 1 + coalesce(max(id), 0) FROM vendors')
    return one
  }
  try {
    await source.within(once, undefined, 'one-step')
    assert.equal(runs, 1)
    await source.within(
      async (snapshot) => assert.deepEqual(await once(snapshot), await snapshot.rows(count)),
      undefined,
      'one-step',
    )
    assert.deepEqual({ runs, connections }, { runs: 3, connections: 1 })
  } finally {
    await source.close()
  }
})

test('a connection that saw the triggers go sees them come again', async () => {
  const source = createPostgresSource(url, 30_000, () => {})
  const look = () => source.within((snapshot) => snapshot.mark(['vendors']))
  try {
    assert('mark' in (await look()))
    const dropped = journalTriggerNames('vendors').map((name) => `DROP TRIGGER ${name} ON vendors`)
    await till.script(dropped.join('; '))
    assert.deepEqual([await look(), await look()], [{ whyPlain: 'triggers' }, { whyPlain: 'triggers' }])
    await till.script(makeJournalTriggers('vendors').join('; '))
    assert('mark' in (await look()))
  } finally {
    await source.close()
  }
})

test('a thousand times: what was committed before a request began is in its answer', async () => {
  const log = createLog('error', () => {})
  const engine = await startEngine(url, { readers: 2, statementTimeoutMs: 30_000, log })
  await untilLoaded(engine)
  const names = async () => {
    const { body } = await engine.list(plan)
    return (JSON.parse(Buffer.from(body).toString()) as { data: { name: string }[] }).data.map(({ name }) => name)
  }
  try {
    await till.script(`DELETE FROM customers; INSERT INTO customers (id, name) VALUES (1, 'start')`)
    let expected = 'start'
    for (let round = 0; round < 1000; round += 1) {
      if (round % 3 === 0) {
        expected = `round ${round}`
        await (round % 2 ? till : other).script(`UPDATE customers SET name = '${expected}'`)
      }
      assert.deepEqual(await Promise.all([names(), names(), names()]), [[expected], [expected], [expected]])
    }
  } finally {
    await engine.close()
  }
})

// A server that crashed may have lost the last transactions, and count others by the same numbers.
test('columns are forgotten with a connection', async (context) => {
  const log = createLog('silent', () => {})
  const engine = await startEngine(url, { readers: 1, statementTimeoutMs: 30_000, log })
  context.after(() => engine.close())
  const total = async () => (await engine.list(planOf('status=active'))).total
  await till.script('DELETE FROM customers; INSERT INTO customers (id, active) SELECT generate_series(1, 10), true')
  await untilLoaded(engine)
  assert.equal(await total(), 10)
  // A write that is not on record.
  await till.script(`BEGIN; UPDATE customers SET active = false WHERE id > 7;
    UPDATE vitrine_journal SET relation = '' WHERE xid = pg_current_xact_id(); COMMIT`)
  assert.equal(await total(), 10, 'columns know of writes by the journal alone')
  await till.script(`SELECT pg_terminate_backend(pid) FROM pg_stat_activity
    WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()`)
  other = await connectTill()
  assert.equal(await until('the engine has a connection again', () => total().catch(() => undefined)), 7)
  await untilLoaded(engine)
  assert.equal(await total(), 7)
})
