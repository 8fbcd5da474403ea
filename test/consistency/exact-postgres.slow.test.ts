// PostgreSQL: columns give the same results as plain SQL in the same snapshot, on a primary and on its replica, whatever the tills and
// the operator do meanwhile.
import assert from 'node:assert/strict'
import { chmodSync, cpSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, afterEach, before, suite, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { planOf } from '../../src/query/plan-named.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { prunePostgres } from '../../src/operate/schema/prune.ts'
import { PostgresFailure } from '../../src/platform/postgres/connection.ts'
import { keepRows } from '../../src/sql/journal-pruning.ts'
import { keptRowsRange } from '../../src/sql/journalled.ts'
import { journalTriggerNames, makeJournalTriggers } from '../../src/sql/journal-postgres.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../src/sql/schema.ts'
import { companyOf, randomPlan, startOracle, type Oracle } from '../support/exact.ts'
import { howMuch, isLong, seedOfRun, told } from '../support/how-much.ts'
import { connectTo, queryOf, scriptOn, urlWith } from '../support/own-company.ts'
import { makePostgresPos } from '../support/place-postgres.ts'
import { startTill } from '../support/postgres-tills.ts'
import { startPostgres, type PostgresServer } from '../support/postgres.ts'
import { ownFolder } from '../support/postgres-binaries.ts'
import { until } from '../support/process.ts'
import { randomFrom } from '../support/random.ts'

const random = randomFrom(seedOfRun)
const answers = howMuch(25, 1000)
// With the tills', thirty transactions are open.
const openWriters = 24
const all = planOf('invoices', 'status=all&sort=-total&per_page=100')

const posOf = ({ url }: PostgresServer, schema = 'pos') => urlWith(url, { schema })

async function makeCompany(server: PostgresServer, schema: string): Promise<void> {
  const connection = await connectTo(posOf(server, schema))
  await makePostgresPos(connection, schema, companyOf(random), schemaStatements(postgresSchema))
  await connection.close()
}

function urlOf(server: PostgresServer, schema?: string) {
  const parsed = parsePostgresUrl(posOf(server, schema), 'public', '/')
  if ('fault' in parsed) throw new Error(parsed.fault)
  return parsed.value
}

const oracleOf = (server: PostgresServer, schema?: string): Promise<Oracle> =>
  startOracle({ kind: 'postgres', url: urlOf(server, schema), timeoutMs: 30_000 })

let primary: PostgresServer
before(async () => {
  primary = await startPostgres()
})
after(() => primary?.remove())

const rewritten = new Set(['TRUNCATE', 'a column is written again'])

async function checkMany(oracle: Oracle, name: string): Promise<void> {
  for (let done = 0; done < answers; done += 1)
    try {
      await oracle.check(randomPlan(random), `seed ${seedOfRun}, ${name}:`, rewritten.has(name))
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error
      // The server is not there, or the replica had to give up the snapshot.
      await wait(20)
    }
}

test('while six tills write on the primary, every list of it and of its replica is exact', async () => {
  await makeCompany(primary, 'pos')
  const standby = await startPostgres({ standbyOf: primary, settings: { max_standby_streaming_delay: '100ms' } })
  const url = posOf(primary)
  const script = (text: string) => scriptOn(url, text)
  // One of the open transactions may have pruned the journal: while it lasts, nobody else can change which rows are kept.
  const unlessLocked = (text: string) =>
    script(`SET lock_timeout = '1s'; ${text}`).catch((error: unknown) => {
      if (!(error instanceof PostgresFailure && error.code === '55P03')) throw error
    })
  const oracles = await Promise.all([primary, standby].map((server) => oracleOf(server)))
  const stop = new AbortController()
  const open = () =>
    Promise.all(
      Array.from({ length: openWriters }, async (_, at) => {
        const connection = await connectTo(url)
        const row = `INSERT INTO invoices_archive (id, kind, status, total) VALUES (${999_999 - at}, 1, 1, 999)`
        await connection.script(`BEGIN; ${row}`)
        return connection
      }),
    )
  const seeds = Array.from({ length: 6 }, () => random.upTo(2 ** 31))
  await Promise.all(oracles.map((oracle) => oracle.untilLoaded()))
  // They go on for the whole test, but for the restarts of their server.
  let opened = await open()
  const tills = Promise.all(seeds.map((seed) => startTill(url, randomFrom(seed), stop.signal)))
  const disable = 'ALTER TABLE invoices DISABLE TRIGGER ALL; UPDATE invoices SET total = total + 1 WHERE id % 7 = 0'
  const [row = '', truncate = ''] = journalTriggerNames('invoices')
  const always = [row, truncate].map((name) => `ALTER TABLE invoices ENABLE ALWAYS TRIGGER ${name}`).join(';')
  const acts: Record<string, () => Promise<unknown>> = {
    nothing: async () => {},
    'triggers disabled in one transaction': () => script(`BEGIN; ${disable}; ${always}; COMMIT`),
    'triggers disabled and enabled': async () => {
      await script(disable)
      await script('ALTER TABLE invoices ENABLE TRIGGER ALL')
      await script(always)
    },
    'a trigger dropped and made again': async () => {
      await script(
        `DROP TRIGGER ${row} ON invoices; DROP TRIGGER ${truncate} ON invoices; DELETE FROM invoices WHERE id % 9 = 0`,
      )
      await script(makeJournalTriggers('invoices').join(';'))
    },
    'the replica starts again': async () => {
      await standby.stop()
      await standby.start()
    },
    'VACUUM FULL and GRANT': async () => {
      for (const statement of ['VACUUM FULL customers', 'GRANT SELECT ON customers TO pg_monitor'])
        await script(statement)
    },
    'a column is written again': () => script('ALTER TABLE customers ALTER COLUMN name TYPE text USING upper(name)'),
    'old rows are deleted': async () => {
      await unlessLocked(keepRows(keptRowsRange.least).join(';'))
      await prunePostgres(urlOf(primary))
    },
    'the journal is emptied': () => unlessLocked('DELETE FROM vitrine_journal'),
    TRUNCATE: () => script('TRUNCATE customers'),
    'an import': () =>
      script(
        `INSERT INTO invoices_archive (id, kind, store_id, status, total, date)
         SELECT n, 1, 1, 1, n % 50, '2026-01-02' FROM generate_series(100001, 106000) n ON CONFLICT DO NOTHING`,
      ),
    'what was imported goes': () => script('DELETE FROM invoices_archive WHERE id BETWEEN 100001 AND 106000'),
    'the primary starts again': async () => {
      await primary.stop()
      await primary.start()
      opened = await open()
    },
    'the primary crashes': async () => {
      await primary.stop('immediate')
      await primary.start()
      opened = await open()
    },
  }
  const namesMuch = new Set(['TRUNCATE', 'an import', 'what was imported goes'])
  try {
    for (const [name, act] of Object.entries(acts)) {
      await Promise.all([act(), ...oracles.map((oracle) => checkMany(oracle, name))])
      // A replica does not tell which transactions were open at a mark: what they may have written stays named until the oldest has ended.
      const loaded = isLong || namesMuch.has(name) ? oracles.slice(0, 1) : oracles
      await Promise.all(loaded.map((oracle) => oracle.untilLoaded()))
      await Promise.all(oracles.map((oracle) => checkMany(oracle, name)))
    }
    for (const connection of opened) await connection.rows('COMMIT')
    await Promise.all(oracles.map((oracle) => checkMany(oracle, 'the open transactions have ended')))
    stop.abort()
    const committed = (await tills).reduce((sum, count) => sum + count, 0)
    for (const [at, { counted }] of oracles.entries()) {
      const { columns, overlay, plain } = counted
      told(
        `PostgreSQL, ${at === 0 ? 'primary' : 'replica'}: ${columns} answers from columns (${overlay} with an overlay) were exact, ` +
          `${plain} by plain SQL, ${committed} transactions, seed ${seedOfRun}`,
      )
      // In a long run more is named since the open transaction began than a replica reads again: it goes by plain SQL.
      assert((at > 0 || columns > plain) && overlay > 4 * answers, 'columns were used while tills wrote')
    }
    assert(committed > 100)
  } finally {
    stop.abort()
    await tills
    await Promise.allSettled(opened.map((connection) => connection.close()))
    await Promise.all(oracles.map((oracle) => oracle.close()))
    await standby.remove()
  }
})

/** The record becomes one of the first of these. */
const setTotal = (id: number, total: number) =>
  `UPDATE invoices SET total = ${total}, kind = 1, status = 1 WHERE id = ${id}`

suite('one thing at a time', () => {
  let oracle: Oracle
  let schema = ''
  let made = 0
  const script = (text: string) => scriptOn(posOf(primary, schema), text)
  const start = async () => {
    schema = `one_${(made += 1)}`
    await makeCompany(primary, schema)
    oracle = await oracleOf(primary, schema)
    await inColumns()
  }
  afterEach(async () => {
    await oracle.close()
  })
  /** Not while the server is away. */
  const check = async () => {
    for (let turn = 0; turn < 100; turn += 1)
      try {
        return await oracle.check(all)
      } catch (error) {
        if (error instanceof assert.AssertionError) throw error
        await wait(20)
      }
    throw new Error('the server did not come back')
  }
  /** Until the loader has noticed what happened, and has loaded them. */
  const inColumns = () => until('lists are found in columns', check)

  test('a transaction that commits after later ones is seen', async () => {
    await start()
    const plain = oracle.counted.plain
    const late = await connectTo(posOf(primary, schema))
    await late.script(`BEGIN; ${setTotal(5, 1_000_001)}`)
    await script(setTotal(6, 1_000_002))
    assert(await oracle.check(all))
    await late.script(`SAVEPOINT s; ${setTotal(7, 1_000_003)}; RELEASE s`)
    await script(setTotal(8, 1_000_004))
    assert(await oracle.check(all))
    await late.rows('COMMIT')
    assert(await oracle.check(all))
    assert.equal(oracle.counted.plain, plain)
    await late.close()
  })

  test('a base of a later moment than a snapshot is not used in it', async () => {
    await start()
    const later = await oracleOf(primary, schema)
    await later.untilLoaded()
    await oracle.source.within(async (snapshot) => {
      await snapshot.rows({ text: 'SELECT 1 FROM invoices LIMIT 1', values: [] })
      await script(setTotal(5, 1_000_001))
      const mark = await later.source.within((its) => its.mark(['invoices']))
      assert('mark' in mark)
      assert.equal(await snapshot.changesSince(mark.mark, ['invoices']), undefined)
    })
    // One that began earlier and is still open is hidden from both.
    const open = await connectTo(posOf(primary, schema))
    await open.script(`BEGIN; ${setTotal(6, 1_000_002)}`)
    assert(await oracle.check(all))
    assert(await oracle.check(all))
    await open.close()
    await later.close()
  })

  test('triggers that were disabled for a write, and are as they were: the columns are void', async () => {
    await start()
    const names = journalTriggerNames('invoices')
    const each = (how: string) => names.map((name) => `ALTER TABLE invoices ${how} TRIGGER ${name}`).join(';')
    await script(`${each('DISABLE')}; ${setTotal(5, 1_000_001)}; ${each('ENABLE ALWAYS')}`)
    await inColumns()
  })

  test('a column made anew with other values, and a table that inherits: the columns are void', async () => {
    await start()
    await script('ALTER TABLE invoices ALTER COLUMN total TYPE numeric USING total * 2')
    await inColumns()
    await script('ALTER TABLE invoices DROP COLUMN total; ALTER TABLE invoices ADD COLUMN total numeric DEFAULT 7')
    await inColumns()
    await script('CREATE TABLE more () INHERITS (invoices)')
    await script(`INSERT INTO more (id, kind, status, total) VALUES (777777, 1, 1, 1000001)`)
    await oracle.check(all)
  })

  test('a lost connection makes the columns void, though the server is the same', async () => {
    await start()
    const before = oracle.finder.capture(all)?.id ?? 0
    await queryOf(
      primary.url,
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid() AND datname IS NOT NULL',
    )
    await wait(100)
    await inColumns()
    assert((oracle.finder.capture(all)?.id ?? 0) > before, 'they were loaded anew')
  })

  test('a database that lost transactions, whose numbers went to others', async () => {
    await start()
    const [data, backup] = [join(primary.folder, 'data'), join(primary.folder, 'backup')]
    await primary.stop()
    cpSync(data, backup, { recursive: true })
    await primary.start()
    await script(setTotal(5, 1_000_001))
    await inColumns()
    const lost = await oracle.source.within((snapshot) => snapshot.mark(['invoices']))
    assert('mark' in lost)
    await primary.stop()
    rmSync(data, { recursive: true })
    cpSync(backup, data, { recursive: true })
    chmodSync(data, 0o700)
    ownFolder(data)
    await primary.start()
    await script(setTotal(6, 1_000_002))
    await inColumns()
    assert.equal(await oracle.source.within((snapshot) => snapshot.changesSince(lost.mark, ['invoices'])), undefined)
  })

  // From here on all rows of the journal are old enough to be pruned.
  const grown = keepRows(0).join(';')
  const touch = 'UPDATE invoices SET total = total WHERE id <= 200'

  test('what was pruned before it was read makes the columns void', async () => {
    await start()
    await script(setTotal(300, 1_000_001))
    await script(grown)
    for (let turn = 0; turn < 8; turn += 1) await script(touch)
    const [row] = await queryOf(posOf(primary, schema), 'SELECT count(*)::int FROM vitrine_journal WHERE id = 300')
    assert.equal(row?.[0], 0, 'it was pruned')
    await inColumns()
  })

  test('no till fails because another one prunes the journal', async () => {
    await start()
    for (const isolation of ['REPEATABLE READ', 'SERIALIZABLE']) {
      await script(touch)
      await script(grown)
      const till = await connectTo(posOf(primary, schema))
      await till.script(`BEGIN ISOLATION LEVEL ${isolation}; SELECT count(*) FROM customers`)
      const floor = () => queryOf(posOf(primary, schema), `SELECT kind FROM vitrine_journal WHERE xid = '0'`)
      const before = await floor()
      await script(touch)
      assert.notDeepEqual(await floor(), before, 'it was pruned')
      await till.script(
        `UPDATE customers SET name = name; UPDATE products SET name = name; UPDATE customers SET name = name; COMMIT`,
      )
      await till.close()
      await inColumns()
    }
  })
})
