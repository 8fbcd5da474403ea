// The journal in PostgreSQL names every record whose rows were written, by any role, and never fails a sale.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { relations } from '../../../src/contract/relations.ts'
import { journalReading } from '../../../src/sql/journal-postgres.ts'
import { comparedRows, keepRows } from '../../../src/sql/journal-pruning.ts'
import {
  allMark,
  keptRowsRange,
  prunedAtOnce,
  prunedRarely,
  prunedWhenBehind,
  pruneEvery,
} from '../../../src/sql/journalled.ts'
import { parsePostgresUrl } from '../../../src/platform/postgres/url.ts'
import { prunePostgres } from '../../../src/operate/schema/prune.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { dropDatabases, makeDatabase, type Database, type Session } from '../../support/database.ts'
import { allEvents } from '../../support/journal-rows.ts'

let database: Database
let pos: Session
before(async () => {
  // A server of its own: an open transaction of another test, in whatever database, keeps rows from being pruned.
  delete process.env['VITRINE_TEST_POSTGRES_URL']
  database = await makeDatabase()
  pos = await database.connect()
  await pos.query(schemaStatements(postgresSchema).join(';'))
})
after(async () => {
  await pos.end()
  await dropDatabases()
})

/** The columns that are neither null nor empty, numbers as numbers. */
const filled = (row: Record<string, unknown>) =>
  Object.fromEntries(
    Object.entries(row)
      .filter(([, value]) => value !== null && value !== '')
      .map(([name, value]) => [name, name === 'relation' || value === allMark ? value : Number(value)]),
  )

/** Any record of the relation may have changed. */
const whole = (relation: string) => ({ relation, kind: allMark })

/** What a session writes into the journal, row by row. */
async function named(sql: string, session: Session = pos) {
  const [mark] = await pos.query('SELECT coalesce(max(seq), 0) AS seq FROM vitrine_journal')
  await session.query(sql)
  const rows = await pos.query(
    'SELECT relation, id, kind, store_id, to_store_id, price_list_id FROM vitrine_journal WHERE seq > $1 ORDER BY seq',
    [mark?.['seq']],
  )
  return rows.map(filled)
}

test('every event on every relation names its record', async () => {
  for (const { name, sql, names } of allEvents) assert.deepEqual(await named(sql), names, name)
  assert.equal(new Set(allEvents.map(({ names }) => names[0]?.relation)).size, relations.length)
})

test('ON CONFLICT DO UPDATE and MERGE name the row that was there', async () => {
  await pos.query('INSERT INTO invoices (id, kind, store_id) VALUES (1, 2, 21)')
  const old = [{ relation: 'invoices', id: 1, kind: 2, store_id: 21 }]
  const upsert = 'INSERT INTO invoices (id) VALUES (1) ON CONFLICT (id) DO UPDATE SET paid = true'
  assert.deepEqual(await named(upsert), old)
  const merge = 'MERGE INTO invoices i USING (SELECT 1 AS id) s ON i.id = s.id WHEN MATCHED THEN DELETE'
  assert.deepEqual(await named(merge), old)
})

test('TRUNCATE names the relation without an id, each relation that it reaches', async () => {
  assert.deepEqual(await named('TRUNCATE invoices, quotes'), [whole('invoices'), whole('quotes')])
})

test('what is rolled back leaves nothing; a savepoint writes under the number of its transaction', async () => {
  assert.deepEqual(await named('BEGIN; INSERT INTO vendors (id) VALUES (1); TRUNCATE quotes; ROLLBACK'), [])
  const partly = `BEGIN; INSERT INTO vendors (id) VALUES (32); SAVEPOINT a; INSERT INTO vendors (id) VALUES (33); ROLLBACK TO a;
    SAVEPOINT b; INSERT INTO vendors (id) VALUES (34); RELEASE b; INSERT INTO vendors (id) VALUES (35); COMMIT`
  assert.deepEqual(
    await named(partly),
    [32, 34, 35].map((id) => ({ relation: 'vendors', id })),
  )
  const xids = await pos.query(
    `SELECT DISTINCT xid::text FROM vitrine_journal WHERE relation = 'vendors' AND id IN (32, 34, 35)`,
  )
  assert.equal(xids.length, 1)
  await assert.rejects(named('INSERT INTO vendors (id) VALUES (36), (32)'), /duplicate key/)
  assert.deepEqual(await named('SELECT 1'), [])
})

test('a role without a right on the journal writes into it all the same, whatever its search path hides', async () => {
  const role = await database.makeRole()
  await pos.query(`GRANT INSERT, SELECT, UPDATE, DELETE, TRUNCATE ON invoices TO ${role.name};
    CREATE SCHEMA own AUTHORIZATION ${role.name}`)
  const till = await database.connect(role)
  try {
    await till.query(`CREATE TABLE own.vitrine_journal (relation text); CREATE TEMP TABLE vitrine_journal (relation text);
      SET search_path = pg_temp, own, public`)
    const row = { relation: 'invoices', id: 8 }
    const all = 'INSERT INTO invoices (id) VALUES (8); UPDATE invoices SET paid = true; DELETE FROM invoices'
    assert.deepEqual(await named(`${all}; TRUNCATE invoices`, till), [row, row, row, whole('invoices')])
    await assert.rejects(till.query('SELECT 1 FROM public.vitrine_journal'), /permission denied/)
    await assert.rejects(till.query('DELETE FROM public.vitrine_journal'), /permission denied/)
  } finally {
    await till.end()
  }
})

test('the triggers also fire for a subscription (session_replication_role = replica)', async () => {
  const replica =
    'SET session_replication_role = replica; INSERT INTO invoices (id) VALUES (9); TRUNCATE invoices; RESET session_replication_role'
  assert.deepEqual(await named(replica), [{ relation: 'invoices', id: 9 }, whole('invoices')])
})

test('a column that was renamed, or is of another type, fails no sale: the whole relation is named', async () => {
  await pos.query(`BEGIN; INSERT INTO transfers (id, to_store_id) VALUES (1, 5); INSERT INTO stores (id) VALUES (1);
    ALTER TABLE transfers RENAME COLUMN to_store_id TO target; ALTER TABLE stores ALTER COLUMN id TYPE text; COMMIT`)
  assert.deepEqual(await named('UPDATE transfers SET target = 6'), [whole('transfers')])
  assert.deepEqual(await named(`UPDATE stores SET id = 'one'; DELETE FROM stores`), [whole('stores'), whole('stores')])
})

const count = async (session: Session = pos) =>
  Number((await session.query('SELECT count(*) FROM vitrine_journal'))[0]?.['count'])
const rarely = pruneEvery * prunedRarely
const keep = async (rows: number) => {
  for (const statement of keepRows(rows)) await pos.query(statement)
}
/** The next row prunes, whatever the isolation. */
async function makeDue(): Promise<void> {
  const [row] = await pos.query('SELECT max(seq) AS seq FROM vitrine_journal')
  const next = Math.ceil(Number(row?.['seq']) / rarely + 1) * rarely
  await pos.query(`SELECT setval(pg_get_serial_sequence('vitrine_journal', 'seq'), ${next}, false)`)
}
/** So many rows more; everything is old from now on, and the next row prunes. */
async function age(rows: number): Promise<void> {
  await keep(keptRowsRange.most)
  await pos.query(`INSERT INTO vitrine_journal (relation) SELECT '' FROM generate_series(1, ${rows})`)
  await keep(0)
  await makeDue()
}
const floor = async () => Number((await pos.query(`SELECT id FROM vitrine_journal WHERE seq = 0`))[0]?.['id'])
const identity = async () => (await pos.query(`SELECT tag FROM vitrine_journal WHERE seq = 0`))[0]?.['tag'] as unknown

test('pruning deletes a bounded number of old rows at every isolation but SERIALIZABLE, and remembers up to where', async () => {
  const atOnce = {
    'READ COMMITTED': prunedWhenBehind,
    'READ UNCOMMITTED': prunedWhenBehind,
    'REPEATABLE READ': prunedAtOnce * prunedRarely,
    SERIALIZABLE: 0,
  }
  let id = 1000
  for (const [level, most] of Object.entries(atOnce)) {
    await age(5000)
    const [before, least, as] = [await count(), await floor(), await identity()]
    await pos.query(`BEGIN ISOLATION LEVEL ${level}; INSERT INTO vendors (id) VALUES (${(id += 1)}); COMMIT`)
    assert.equal(await count(), before + 1 - most, level)
    assert((await floor()) >= least && (most === 0 || (await floor()) > 0), level)
    // The last rows up to the floor stay, because cursors and marks from there on are compared with them.
    const compared = `SELECT count(*) FROM vitrine_journal WHERE seq > 0 AND xid::text::bigint <= ${await floor()}`
    assert(most === 0 || Number((await pos.query(compared))[0]?.['count']) >= comparedRows)
    // Only every so often.
    await pos.query(`BEGIN ISOLATION LEVEL ${level}; INSERT INTO vendors (id) VALUES (${(id += 1)}); COMMIT`)
    assert.equal(await count(), before + 2 - most, level)
    assert.equal(await identity(), as, 'it is the same journal')
  }
})

test('under REPEATABLE READ nothing is pruned after a transaction that the snapshot does not show', async () => {
  const [till, other] = await Promise.all([database.connect(), database.connect()])
  await till.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM vendors LIMIT 1')
  const shown = await count(till)
  await age(5000)
  await pos.query('INSERT INTO vendors (id) VALUES (1100)')
  await makeDue()
  await till.query('INSERT INTO vendors (id) VALUES (1101)')
  assert.equal(await count(till), shown + 1)
  await till.query('COMMIT; BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT 1 FROM vendors LIMIT 1')
  const before = await count(till)
  await makeDue()
  await till.query('INSERT INTO vendors (id) VALUES (1102)')
  assert((await count(till)) < before)
  // Whoever deletes by hand waits for it, and has another journal then.
  const as = await identity()
  const deleted = other.query('DELETE FROM vitrine_journal WHERE id = 1100')
  await till.query('COMMIT')
  await deleted
  assert.notEqual(await identity(), as)
  await Promise.all([till.end(), other.end()])
})

test('rows that a running transaction may not have seen stay, and so do the newest', async () => {
  await pos.query('DELETE FROM vitrine_journal')
  const old = await database.connect()
  await old.query('BEGIN; INSERT INTO departments (id) VALUES (1)')
  await age(500)
  await keep(33 * pruneEvery)
  // What was there before that transaction may go, nothing else.
  for (let id = 200; id < 200 + 30 * pruneEvery; id += 1)
    await pos.query('INSERT INTO customers (id) VALUES ($1)', [id])
  const kept = `SELECT count(*) FROM vitrine_journal WHERE relation = '' AND seq > 0`
  assert.equal(Number((await pos.query(kept))[0]?.['count']), 500)
  await old.query('COMMIT')
  await old.end()
  for (let id = 3000; id < 3000 + 4 * pruneEvery; id += 1)
    await pos.query('INSERT INTO customers (id) VALUES ($1)', [id])
  assert.equal(Number((await pos.query(kept))[0]?.['count']), 0)
  const [newest] = await pos.query(`SELECT count(*) FROM vitrine_journal WHERE relation = 'customers'`)
  const left = Number(newest?.['count'])
  assert(left >= 33 * pruneEvery && left <= 34 * pruneEvery, `${left} rows stayed`)
})

test('what was rolled back takes no other row out of the journal', async () => {
  await keep(1000)
  const write = async (rows: number) => {
    for (let row = 0; row < rows; row += 1) await pos.query('UPDATE vendors SET name = name WHERE id = 1001')
  }
  await write(1100)
  const before = await count()
  await pos.query(`BEGIN; INSERT INTO adjustments (id) SELECT generate_series(1, 30000); ROLLBACK`)
  await write(4 * pruneEvery)
  const left = await count()
  assert(left > 1000 && left <= before + 2 * pruneEvery, `${left} of ${before} rows stayed`)
})

const levels = ['READ UNCOMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']
// Each till writes in a relation of its own: PostgreSQL may refuse one of two transactions that write the same relation, journal or not.
// They share the journal alone.
const own = ['payments', 'quotes', 'invoices', 'receivings', 'sales_orders', 'purchase_orders']
let sales = 10_000

/** How many rows they wrote into the journal. A sale that fails, or waits for another one, fails the test. */
async function sell(rounds: number, levelOf: (till: number, round: number) => string | undefined): Promise<number> {
  const tills = await Promise.all(own.map(() => database.connect()))
  await Promise.all(
    tills.map(async (till, at) => {
      const relation = own[at]
      await till.query(`SET lock_timeout = '20s'`)
      for (let round = 0; round < rounds; round += 1) {
        const id = (sales += 1)
        await till.query(`BEGIN ISOLATION LEVEL ${levelOf(at, round)}`)
        await till.query(`INSERT INTO ${relation} (id) SELECT ${id} * 100 + n FROM generate_series(1, 40) n`)
        if (round % 3 === 0) await till.query(`SAVEPOINT a; DELETE FROM ${relation} WHERE id = ${id}; ROLLBACK TO a`)
        await till.query(`UPDATE ${relation} SET notes = 'x' WHERE id BETWEEN ${id} * 100 AND ${id} * 100 + 40`)
        await till.query('COMMIT')
      }
    }),
  )
  await Promise.all(tills.map((till) => till.end()))
  return tills.length * rounds * 80
}

test('tills of every isolation that write while pruning is due never fail because of it, nor wait for one another', async () => {
  await pos.query('DELETE FROM vitrine_journal')
  await keep(keptRowsRange.least)
  await sell(60, () => 'REPEATABLE READ')
  // Of 28,800 that each of these writes. Usually it is a twentieth over the bound.
  const most = 1.5 * keptRowsRange.least
  assert((await count()) < most, `${await count()} rows stayed under REPEATABLE READ`)
  await sell(60, (till, round) => levels[(till + round) % levels.length])
  assert((await count()) < most, `${await count()} rows stayed under all`)
})

test('"schema prune" does it for tills that are SERIALIZABLE, and beside all others', async () => {
  const parsed = parsePostgresUrl(database.url, 'public', '/')
  assert('value' in parsed)
  const [before, as] = [await count(), await identity()]
  const written = await sell(40, () => 'SERIALIZABLE')
  assert.equal(await count(), before + written)
  const pruned = await prunePostgres(parsed.value)
  assert.deepEqual([pruned.rows, pruned.keptRows], [(await count()) - 1, keptRowsRange.least])
  // But for rows after one of a transaction that began earlier and wrote later.
  assert(pruned.rows <= 1.05 * keptRowsRange.least, `${pruned.rows} rows stayed`)
  assert.equal(pruned.deleted, before + written - 1 - pruned.rows)
  assert.equal(await identity(), as, 'it is the same journal')
  // Against tills that prune as well.
  const until = new AbortController()
  const selling = sell(15, (till, round) => levels[(till + round) % levels.length]).finally(() => until.abort())
  while (!until.signal.aborted) await prunePostgres(parsed.value)
  await selling
})

test('"schema prune" waits in vain for no transaction that has pruned and stays open', async () => {
  const parsed = parsePostgresUrl(database.url, 'public', '/')
  assert('value' in parsed)
  await pos.query('BEGIN')
  await pos.query(keepRows(keptRowsRange.least)[0] ?? '')
  assert.equal((await prunePostgres(parsed.value)).deleted, 0)
  await pos.query('ROLLBACK')
})

test('a look at a long journal reads only its ends', async () => {
  await pos.query('BEGIN')
  await pos.query(`INSERT INTO vitrine_journal (relation, id) SELECT 'vendors', g FROM generate_series(1, 20000) g`)
  await pos.query('ANALYZE vitrine_journal')
  const again = journalReading.lookAgain
    .replace('$1', "''")
    .replace('$2', "'5'")
    .replaceAll(/\$[34]/g, "'{1}'")
  const plan = [
    ...(await pos.query(`EXPLAIN ${journalReading.look.replace('$1', "'{invoices}'")}`)),
    ...(await pos.query(`EXPLAIN ${again}`)),
  ]
  await pos.query('ROLLBACK')
  const lines = plan.map((line) => String(line['QUERY PLAN']))
  assert.ok(lines.some((line) => /Index .*Scan.* on vitrine_journal/.test(line)))
  assert.deepEqual(
    lines.filter((line) => /Seq Scan on vitrine_journal/.test(line)),
    [],
  )
})
