// `schema apply` on a SQLite file takes turns with the tills: they write between its steps, and nothing they write is missed.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { keptSearches } from '../../../src/engine/sqlite/searches.ts'
import { keptTallies } from '../../../src/engine/sqlite/tallies.ts'
import { openSqlite, type Sqlite } from '../../../src/sqlite.ts'
import { applySchema } from '../../../src/tools/schema/apply.ts'
import { inTurns } from '../../../src/tools/schema/turns.ts'

let folder = ''
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-turns-'))
})
after(() => rmSync(folder, { recursive: true }))

const apply = (path: string) => applySchema({ kind: 'sqlite', path }, { onProgress: () => {}, remark: () => {} })
const numberIn = (database: Sqlite, sql: string) => Number(database.prepare(sql).get()?.['n'])

// Two connections to a file: ours and a till's. The till writes as soon as it may.
async function withTill(name: string, use: (ours: Sqlite, till: Sqlite) => Promise<void>): Promise<void> {
  const path = join(folder, name)
  const [ours, till] = [openSqlite(path), openSqlite(path)]
  ours.exec('PRAGMA journal_mode = WAL; CREATE TABLE own (id INTEGER)')
  try {
    await use(ours, till)
  } finally {
    ours.close()
    till.close()
  }
}

function writeOnceAllowed(till: Sqlite, sql: string): Promise<void> {
  return new Promise((resolve) => {
    const attempt = () => {
      try {
        till.exec(sql)
        resolve()
      } catch {
        setImmediate(attempt)
      }
    }
    setImmediate(attempt)
  })
}

const takeLong = () => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 150)

test('after a step that took long, a till comes in before the next', () =>
  withTill('in.db', async (ours, till) => {
    const seen: number[] = []
    const look = () => void seen.push(numberIn(ours, 'SELECT count(*) AS n FROM own'))
    let written: Promise<void> | undefined
    await inTurns(ours, async (turn) => {
      written = writeOnceAllowed(till, 'INSERT INTO own VALUES (1)')
      await turn(look)
      await turn(takeLong)
      await turn(look)
    })
    await written
    assert.deepEqual(seen, [0, 1])
  }))

test('a schema that somebody changed between two steps ends it, and the last step is undone', () =>
  withTill('changed.db', async (ours, till) => {
    await assert.rejects(
      inTurns(ours, async (turn) => {
        void writeOnceAllowed(till, 'CREATE TABLE another (id INTEGER)')
        await turn(takeLong)
        await turn(() => ours.exec('INSERT INTO own VALUES (1)'))
      }),
      /Somebody else changed the schema meanwhile\. Run "schema apply" again\./,
    )
    assert.equal(numberIn(ours, 'SELECT count(*) AS n FROM own'), 0)
    assert(!ours.isTransaction)
  }))

test('what a till writes while all is made anew is counted and found', async () => {
  const path = join(folder, 'apply.db')
  await apply(path)
  const till = openSqlite(path)
  try {
    till.exec(`WITH RECURSIVE n (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM n WHERE n < 60000)
      INSERT INTO vendors (id, active, name) SELECT n * 3, n % 2, 'Vendor ' || n FROM n;
      CREATE TABLE own (id INTEGER)`)
    const over = new AbortController()
    let written = 0
    const writing = (async () => {
      while (!over.signal.aborted) {
        const id = ((written * 7919) % 180_000) + 1
        await writeOnceAllowed(
          till,
          `BEGIN IMMEDIATE; UPDATE vendors SET name = 'Changed ' || id, active = 1 - active WHERE id >= ${id} AND id < ${id + 9};
           INSERT OR REPLACE INTO vendors (id, active, name) VALUES (${id}, 1, 'New'); DELETE FROM vendors WHERE id = ${id + 30}; COMMIT`,
        )
        written += 1
      }
    })()
    await apply(path).finally(() => over.abort())
    await writing
    assert(written > 1, `${written} transactions`)
    assert(keptSearches(till).has('vendors') && keptTallies(till).has('vendors'))
    const rows = numberIn(till, 'SELECT count(*) AS n FROM vendors')
    assert.equal(numberIn(till, `SELECT sum(n) AS n FROM vendors_tally WHERE axis = ''`), rows)
    const isNumbered = `v.name GLOB '*[0-9]*'`
    const right = `SELECT count(*) AS n FROM vendors v JOIN vendors_search s ON s.rowid >> 20 = v.id
      WHERE s.words = v.name || char(10) || char(10) || char(10)`
    const numbered = numberIn(till, `SELECT count(*) AS n FROM vendors v WHERE ${isNumbered}`)
    assert(numbered > 0 && numbered < rows)
    assert.equal(numberIn(till, right), numbered)
    assert.equal(numberIn(till, 'SELECT count(*) AS n FROM vendors_search'), numbered + 1)
    const grouped = `SELECT count(*) AS n FROM vendors v JOIN vendors_search_members m ON m.id = v.id
      JOIN vendors_search_groups g ON g.grp = m.grp WHERE iif(${isNumbered}, g.words GLOB '*0*', g.words = v.name || char(10, 10, 10))`
    assert.equal(numberIn(till, grouped), rows)
    assert.equal(numberIn(till, 'SELECT sum(n) AS n FROM vendors_search_groups'), rows)
  } finally {
    till.close()
  }
})
