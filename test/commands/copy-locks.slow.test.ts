// What a round leaves to the tills: a table that was read is free at once, also for an ALTER, while other tables are still read. And a
// table that is made anew before it is read does not give a round without its rows.
import assert from 'node:assert/strict'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { createConnection } from 'mysql2/promise'
import { makeTarget, type Target } from '../support/imported.ts'
import { countsOf, makeCopier, makeSource, type CopySource } from '../support/copied.ts'
import { noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import { connectTo } from '../support/own-company.ts'
import { dropSchemas } from '../support/postgres.ts'
import { until } from '../support/process.ts'

let mariadb: MariadbServer | undefined
before(async () => {
  if (!noMariadb) mariadb = await startMariadb()
})
after(async () => {
  await mariadb?.remove()
  await dropSchemas()
})

interface Till {
  ask(statement: string): Promise<unknown[][]>
  close(): Promise<void>
}

async function connectTill(source: CopySource): Promise<Till> {
  if (source.engine === 'postgres') {
    const connection = await connectTo(source.address)
    return {
      ask: async (statement) => (await connection.rows(statement)) as unknown[][],
      close: () => connection.close(),
    }
  }
  const { port = 0 } = mariadb ?? {}
  const { database } = source.url as { database: string }
  const connection = await createConnection({ host: '127.0.0.1', port, user: 'root', database, rowsAsArray: true })
  return {
    ask: async (statement) => (await connection.query(statement))[0] as unknown as unknown[][],
    close: () => connection.end(),
  }
}

// The view of departments waits while `hold` is on, in a way that no timeout of locks ends.
const words = {
  postgres: {
    setUp: `CREATE FUNCTION held() RETURNS boolean LANGUAGE plpgsql SET lock_timeout = 0 AS $$ BEGIN
      PERFORM pg_advisory_xact_lock_shared(7042); RETURN true; END $$`,
    condition: 'held()',
    hold: 'SELECT pg_advisory_lock(7042)',
    free: 'SELECT pg_advisory_unlock(7042)',
    waiting: `SELECT 1 FROM pg_stat_activity WHERE wait_event = 'advisory' AND query LIKE '%copied%' AND datname = current_database()`,
    impatient: `SET lock_timeout = '5s'`,
    makeAnew: [
      'ALTER TABLE maker ALTER no TYPE bigint',
      'CLUSTER maker USING maker_pkey',
      'VACUUM FULL maker',
      'TRUNCATE maker',
    ],
  },
  mysql: {
    setUp: 'SELECT 1',
    condition: `get_lock('held', 60) = 1`,
    hold: `SELECT get_lock('held', 60)`,
    free: `SELECT release_lock('held')`,
    waiting: `SELECT 1 FROM information_schema.processlist WHERE state = 'User lock' AND info LIKE '%dept%'`,
    impatient: 'SET SESSION lock_wait_timeout = 5',
    makeAnew: ['OPTIMIZE TABLE maker', 'ALTER TABLE maker FORCE', 'TRUNCATE maker'],
  },
}

for (const engine of ['mysql', 'postgres'] as const)
  describe(`a round on ${engine}`, { skip: engine === 'mysql' && noMariadb }, () => {
    const { setUp, condition, hold, free, waiting, impatient, makeAnew } = words[engine]
    let source: CopySource
    let target: Target
    let copier: ReturnType<typeof makeCopier>
    let tills: Till[]
    before(async () => {
      source = await makeSource(engine, mariadb)
      target = await makeTarget('sqlite')
      copier = makeCopier(source, target.url, { wholeEveryMs: 0 })
      await source.script(`
        CREATE TABLE shop (no integer PRIMARY KEY); CREATE TABLE dept (no integer PRIMARY KEY);
        CREATE TABLE maker (no integer PRIMARY KEY, label varchar(20)); ${setUp};
        INSERT INTO shop VALUES (1), (2); INSERT INTO dept VALUES (1); INSERT INTO maker VALUES (1, 'a'), (2, 'b'), (3, 'c')`)
      copier.write(`
        CREATE VIEW stores AS SELECT no AS id FROM shop;
        CREATE VIEW departments AS SELECT no AS id FROM dept WHERE ${condition};
        CREATE VIEW vendors AS SELECT no AS id, label AS name FROM maker`)
    })
    beforeEach(async () => {
      tills = [await connectTill(source), await connectTill(source)]
      for (const till of tills) await till.ask(impatient)
    })
    afterEach(async () => {
      for (const till of tills) await till.close()
    })
    after(async () => {
      copier.remove()
      await target.remove()
      await source.remove()
    })

    /** What the tills do while departments are read, after stores and before vendors. `reads` counts the snapshots. */
    const during = async (work: (till: Till, times: number) => Promise<unknown>) => {
      const [holder, till] = tills as [Till, Till]
      let reads = 0
      await holder.ask(hold)
      const ended = new AbortController()
      const copying = copier
        .copy({ onProgress: ({ what }) => void (what === 'reading departments' && (reads += 1)) })
        .finally(() => ended.abort())
      copying.catch(() => {})
      try {
        for (let times = 1; !ended.signal.aborted; times += 1) {
          const isWaiting = async () => ended.signal.aborted || (await till.ask(waiting)).length > 0
          await until('the round waits', isWaiting)
          if (ended.signal.aborted) break
          await work(till, times)
          await holder.ask(free)
          // As soon as this snapshot ends: a next one waits again.
          await holder.ask(hold)
        }
      } finally {
        await holder.ask(free)
      }
      return { result: await copying.catch((error: Error) => error), reads }
    }

    test('a table that was read can be altered, and read by the tills', async () => {
      const { result, reads } = await during(async (till) => {
        await till.ask('ALTER TABLE shop ADD COLUMN later integer')
        await till.ask('SELECT * FROM shop')
      })
      if (result instanceof Error) throw result
      assert.deepEqual(countsOf(result)['vendors'], [3, 3, 0, 0])
      assert.equal(reads, 1)
    })

    for (const statement of makeAnew)
      test(`${statement}, before the table is read: all is read again`, async () => {
        const { result, reads } = await during(async (till, times) => {
          await till.ask("INSERT INTO maker SELECT coalesce(max(no), 0) + 1, 'new' FROM maker")
          if (times === 1) await till.ask(statement)
        })
        if (result instanceof Error) throw result
        const [[makers] = []] = await (tills[1] as Till).ask('SELECT count(*) FROM maker')
        // The last row came after the second snapshot.
        assert.equal(countsOf(result)['vendors']?.[0], Number(makers) - 1)
        assert.equal(reads, 2)
      })

    test('a table that is made anew in every snapshot: a sentence, after three', async () => {
      const [statement = ''] = makeAnew
      const { result, reads } = await during(async (till, times) => {
        const type = times % 2 === 0 ? 'bigint' : 'integer'
        await till.ask(engine === 'postgres' ? `ALTER TABLE maker ALTER no TYPE ${type}` : statement)
      })
      assert.match(
        (result as Error).message,
        /^The tables of the source are being changed while they are copied: .+\.$/,
      )
      assert.equal(reads, 3)
    })
  })
