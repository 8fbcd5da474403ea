// `schema apply` on a PostgreSQL database that is in use: the tills continue to write, it reports the old transaction that
// it waits for, two runs at once do no harm, and leftovers of a failed run are repaired.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { dropDatabases, makeDatabase, runOn, startOn, type Database, type Session } from '../support/database.ts'
import { until } from '../support/process.ts'

after(dropDatabases)

const apply = (url: string) => runOn(url, 'schema', 'apply', '--json')
const printed = (database: Database) =>
  runOn(database.url, 'schema', 'print', '--dialect', 'postgres').then(({ stdout }) =>
    stdout.split(/;\n\n/).filter((statement) => statement.startsWith('CREATE TABLE')),
  )

/** A transaction that has a snapshot, as a report or a backup has, until it is told to end. */
async function openTransaction(database: Database, statement = 'SELECT 1'): Promise<Session> {
  const session = await database.connect()
  await session.query('BEGIN ISOLATION LEVEL REPEATABLE READ')
  await session.query(statement)
  return session
}

/** The process of the server that builds an index and waits for another transaction to end. */
const waitingBuild = (database: Database) =>
  until('an index build waits', async () => {
    const [row] = await database.query(
      `SELECT pid FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'CREATE INDEX%' AND wait_event_type = 'Lock'`,
      [database.name],
    )
    return row?.['pid'] as number | undefined
  })

const invalidIndexes = async (database: Database) =>
  (await database.query('SELECT indexrelid::regclass::text AS name FROM pg_index WHERE NOT indisvalid')).map(
    ({ name }) => String(name),
  )

describe('schema apply while others are at work', { concurrency: 2 }, () => {
  test('tills write on, also while an index build waits for an older transaction, which is told of; its end ends the wait', async () => {
    const database = await makeDatabase()
    for (const statement of await printed(database)) await database.query(statement)
    const till = await openTransaction(database, `INSERT INTO quote_lines (id, name) VALUES (1, 'First')`)
    const { ended, stderr } = startOn(database.url, 'schema', 'apply')
    await waitingBuild(database)
    // A lock that kept writers out would stand in the queue before these.
    const other = await database.connect()
    await other.query(`SET statement_timeout = '5s'`)
    for (let id = 2; id < 30; id += 1)
      await other.query('INSERT INTO quote_lines (id, name) VALUES ($1, $2)', [id, 'Next'])
    await other.query(`UPDATE quote_lines SET name = 'Changed' WHERE id = 2`)
    const line = await until('it says what it waits for', () => /^.*wait.*$/im.exec(stderr())?.[0])
    assert.match(line, new RegExp(`\\b${till.pid}\\b`))
    await till.query('COMMIT')
    const { status } = await ended
    assert.equal(status, 0, stderr())
    assert.deepEqual(await invalidIndexes(database), [])
    await Promise.all([till.end(), other.end()])
  })

  test('a till that writes all the time into 200,000 invoices is never held up for long, and loses nothing', async () => {
    const database = await makeDatabase()
    for (const statement of await printed(database)) await database.query(statement)
    await database.query(
      `INSERT INTO invoices (id, kind, number, customer_name, date, status, store_id, total)
       SELECT n, 1, 'INV-' || n, 'Customer ' || n % 1000, timestamp '2026-01-01' + n * interval '1 minute', 3, n % 6, n FROM generate_series(1, 200000) n`,
    )
    const till = await database.connect()
    const startedAt = performance.now()
    const applying = startOn(database.url, 'schema', 'apply', '--json')
    let written = 200_000
    let slowestMs = 0
    while (applying.child.exitCode === null) {
      const before = performance.now()
      await till.query(`INSERT INTO invoices (id, kind, number) VALUES ($1, 1, 'NEW')`, [(written += 1)])
      slowestMs = Math.max(slowestMs, performance.now() - before)
      // A few hundred a second: more than tills do, and the server has time for the indexes.
      await wait(3)
    }
    const tookMs = performance.now() - startedAt
    const { status, stderr } = await applying.ended
    assert.deepEqual([status, stderr], [0, ''])
    assert.ok(slowestMs * 10 < tookMs, `slowest ${slowestMs.toFixed()} ms of ${tookMs.toFixed()} ms`)
    assert.deepEqual(await database.query('SELECT count(*)::int AS count FROM invoices'), [{ count: written }])
    assert.deepEqual(await invalidIndexes(database), [])
    await till.end()
  })

  test('three at once: one does it, the others do it again or say that it is being done; none breaks', async () => {
    const database = await makeDatabase()
    const all = await Promise.all([1, 2, 3].map(() => apply(database.url)))
    assert.ok(all.some(({ status }) => status === 0))
    for (const { status, stderr } of all)
      if (status !== 0) {
        assert.equal(status, 1)
        assert.match(stderr, /^vitrine: Another "schema apply".* is at work .*\.\n$/)
      }
    assert.deepEqual(await invalidIndexes(database), [])
    assert.equal((await apply(database.url)).status, 0)
  })

  test('two at once in two schemas of one database: both do it', async () => {
    const database = await makeDatabase()
    const both = await Promise.all(['north', 'south'].map((name) => apply(`${database.url}?schema=${name}`)))
    assert.deepEqual(
      both.map(({ status, stderr }) => [status, stderr]),
      [
        [0, ''],
        [0, ''],
      ],
    )
  })
})

describe('schema apply after one that broke off', () => {
  test('an index left INVALID is built again; one of somebody else is not touched', async () => {
    const database = await makeDatabase()
    for (const statement of await printed(database)) await database.query(statement)
    const report = await openTransaction(database)
    const stranger = await database.connect()
    const theirs = assert.rejects(stranger.query('CREATE INDEX CONCURRENTLY theirs ON transfers (notes)'), /cancel/)
    await database.query('SELECT pg_cancel_backend($1)', [await waitingBuild(database)])
    await theirs
    const broken = startOn(database.url, 'schema', 'apply', '--json')
    const build = await waitingBuild(database)
    const mine = (await invalidIndexes(database)).find((name) => name !== 'theirs') ?? assert.fail('nothing was begun')
    await database.query('SELECT pg_cancel_backend($1)', [build])
    const { status, stderr } = await broken.ended
    assert.equal(status, 1)
    assert.match(stderr, /^vitrine: PostgreSQL at .*cancel.*\.$/m)
    assert.deepEqual((await invalidIndexes(database)).toSorted(), [mine, 'theirs'].toSorted())
    await report.query('COMMIT')
    const again = await apply(database.url)
    assert.equal(again.status, 0, again.stderr)
    assert.deepEqual(await invalidIndexes(database), ['theirs'])
    assert.notDeepEqual(await database.query(`SELECT to_regclass($1) AS index`, [mine]), [{ index: null }])
    await Promise.all([report.end(), stranger.end()])
  })

  test('killed in the middle, it leaves no lock: the next one does the rest', async () => {
    const database = await makeDatabase()
    const report = await openTransaction(database)
    const killed = startOn(database.url, 'schema', 'apply')
    await waitingBuild(database)
    killed.child.kill('SIGKILL')
    await killed.ended
    await report.query('COMMIT')
    // The server finishes the statement under way before it notices that the client is gone.
    const done = await until('the next one gets through', async () => {
      const next = await apply(database.url)
      if (next.status !== 0) assert.match(next.stderr, /at work/)
      return next.status === 0 ? next : undefined
    })
    assert.equal(done.stderr, '')
    assert.deepEqual(await invalidIndexes(database), [])
    await report.end()
  })
})
