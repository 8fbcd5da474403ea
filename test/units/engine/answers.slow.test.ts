// What the SQLite engine and its state remember is never used once another process has written: not an answer, not a total,
// not a schema, not the status of a key.
import assert from 'node:assert/strict'
import { mkdtempSync, readFileSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { findRelation } from '../../../src/contract/relations.ts'
import { startEngine } from '../../../src/engine/open.ts'
import { rememberAnswers } from '../../../src/engine/remembered-answers.ts'
import { watchSqlite } from '../../../src/engine/sqlite/watch.ts'
import { createLog } from '../../../src/platform/log.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { journalTriggers } from '../../../src/sql/journal-sqlite.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { makePos } from '../../support/pos.ts'
import { untilLoaded } from '../../support/until-loaded.ts'
import { createWorld, type World } from '../../support/world.ts'

const everything = { permissions, stores: null, priceList: null }
let world: World
let token: string
before(async () => {
  world = await createWorld({ engine: 'sqlite', readers: 2 })
  token = await world.tokenFor()
})
after(() => world.close())

// Tests of this file are told apart by their store.
const insert = (store: number, id: string) =>
  `INSERT INTO invoices (id, kind, status, store_id, date, updated_at, customer_name) VALUES` +
  ` (${id}, 1, 3, ${store}, '2024-01-01 10:00:00', '2024-01-01 10:00:00', 'A');`
const newest = '(SELECT coalesce(max(id), 0) + 1 FROM invoices)'
const ask = (path: string) => world.ask(path, { token })

// An engine over a file that a connection of this thread writes to, row by row, as fast as it can.
type Total = (query: string) => Promise<number>
async function overOwnFile(use: (total: Total, write: () => void, path: string) => Promise<void>, mode = 'WAL') {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-answers-'))
  const path = join(folder, 'pos.db')
  makePos(path, {})
  const till = openSqlite(path)
  till.exec(`PRAGMA journal_mode = ${mode}`)
  const log = createLog('error', () => {})
  const engine = await startEngine({ kind: 'sqlite', path }, { readers: 2, statementTimeoutMs: 30_000, log })
  await untilLoaded(engine)
  const invoices = findResource('invoices')
  assert(invoices)
  const total: Total = async (query) => {
    const planned = planList(invoices, query, everything)
    assert('plan' in planned)
    return (await engine.list(planned.plan)).total
  }
  try {
    till.exec('PRAGMA synchronous = OFF')
    const row = till.prepare(insert(1, newest))
    await use(total, () => row.run(), path)
  } finally {
    till.close()
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}

// Everything is in the file itself afterwards.
const writerInto = (path: string) => (sql: string) => {
  const till = openSqlite(path)
  till.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`)
  till.close()
}

describe('the data', () => {
  test('two thousand times: what was written before a request began is in its answer, remembered or not', async () => {
    await overOwnFile(async (total, write) => {
      let written = 0
      for (let round = 0; round < 2000; round += 1) {
        // Now and then nothing, now and then several at once.
        const more = round % 3
        for (let each = 0; each < more; each += 1) write()
        written += more
        const totals = await Promise.all([total(''), total(''), total('date_to=2024-01-01')])
        assert.deepEqual(totals, [written, written, written], `round ${round}`)
      }
    })
  })

  test('a file that was away and is put back is not taken for what it was', async () => {
    await overOwnFile(async (total, write, path) => {
      assert.deepEqual([await total(''), await total('')], [0, 0])
      renameSync(path, `${path}.aside`)
      writeFileSync(path, 'no database')
      await assert.rejects(total(''))
      write()
      renameSync(`${path}.aside`, path)
      assert.equal(await total(''), 1)
    })
  })

  for (const mode of ['WAL', 'DELETE'])
    test(`an older file that is copied back, with its times, and then changed as often is noticed (${mode})`, async () => {
      await overOwnFile(async (total, _write, path) => {
        const write = writerInto(path)
        write(insert(1, '1'))
        const older = readFileSync(path)
        write(`UPDATE invoices SET status = 4 WHERE id = 1`)
        utimesSync(path, 1, 1)
        assert.deepEqual([await total('status=void'), await total('status=void')], [1, 1])
        writeFileSync(path, older)
        write(`UPDATE invoices SET status = 3, notes = 'later' WHERE id = 1`)
        utimesSync(path, 1, 1)
        assert.equal(await total('status=void'), 0)
      }, mode)
    })

  for (const mode of ['WAL', 'DELETE'])
    test(`an older file that is copied back takes with it what was read since the last look (${mode})`, async () => {
      await overOwnFile(async (total, _write, path) => {
        const write = writerInto(path)
        write(insert(1, '1'))
        assert.deepEqual([await total(''), await total('')], [1, 1])
        const older = readFileSync(path)
        write(insert(1, '2'))
        // Asked for the first time, so nothing is looked at.
        assert.equal(await total('status=regular'), 2)
        writeFileSync(path, older)
        write('INSERT INTO vendors (id) VALUES (1)')
        assert.equal(await total('status=regular'), 1)
      }, mode)
    })

  test('what was read of another file, which stood in its place for a moment, is not remembered', async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-answers-'))
    const path = join(folder, 'pos.db')
    makePos(path, {})
    const watch = watchSqlite(path)
    const remembered = rememberAnswers(watch.look)
    context.after(async () => {
      await watch.close()
      rmSync(folder, { recursive: true })
    })
    const planned = planList(findResource('stores') ?? assert.fail(), '', everything)
    assert('plan' in planned)
    let reads = 0
    const ask = (database: string) =>
      remembered(planned.plan, async () => ({ database, relations: [], answer: new Uint8Array([(reads += 1)]) }))
    const here = (await watch.look(undefined))?.database ?? assert.fail()
    for (const from of ['1:2', '1:2', here, here, here]) await ask(from)
    assert.equal(reads, 3)
  })

  test('while writes go on, each total is one from between the begin of its request and its end', async () => {
    await overOwnFile(async (total, write) => {
      let written = 0
      const pending = new Set<Promise<void>>()
      const request = async () => {
        const before = written
        const found = await total('')
        assert(found >= before && found <= written, `${found} is not within ${before} to ${written}`)
      }
      for (let round = 0; round < 3000; round += 1) {
        if (round % 2 === 0) {
          write()
          written += 1
          // What was sent after it comes in another callback of a socket.
          await Promise.resolve()
        }
        const asked: Promise<void> = request().finally(() => pending.delete(asked))
        pending.add(asked)
        // Several are under way at any time, begun before and after the writes.
        if (pending.size > 8) await Promise.race(pending)
        else if (round % 5 === 0) await new Promise(setImmediate)
      }
      await Promise.all(pending)
      assert.equal(await total(''), written)
    })
  })

  test('a record: not there, there, changed, gone, each at the very next request', async () => {
    const path = '/invoices/900000001'
    for (let round = 0; round < 10; round += 1) {
      assert.deepEqual([(await ask(path)).status, (await ask(path)).status], [404, 404])
      await world.place.write(insert(3, '900000001'))
      assert.equal((await ask(path)).body.data.status, 'regular')
      assert.equal((await ask(path)).body.data.status, 'regular')
      await world.place.write('UPDATE invoices SET status = 4 WHERE id = 900000001')
      assert.equal((await ask(path)).body.data.status, 'void')
      await world.place.write('DELETE FROM invoices WHERE id = 900000001')
    }
  })

  test('what was remembered for one key is not given to another', async () => {
    await world.place.write(insert(4, '900000004') + insert(5, '900000005'))
    const keys = [
      { store: 4, held: await world.tokenFor({ stores: '4' }) },
      { store: 5, held: await world.tokenFor({ stores: '5' }) },
    ]
    for (let round = 0; round < 3; round += 1)
      for (const { store, held } of keys) {
        const { body } = await world.ask('/invoices', { token: held })
        assert.deepEqual(
          body.data.map((each: { store_id: number }) => each.store_id),
          [store],
        )
        const statuses = [4, 5].map(async (id) => (await world.ask(`/invoices/90000000${id}`, { token: held })).status)
        assert.deepEqual(await Promise.all(statuses), store === 4 ? [200, 404] : [404, 200])
      }
  })
})

test('what a view shows may change without a write: it is not remembered, nor are its totals', async () => {
  const own = await createWorld({ engine: 'sqlite' })
  try {
    const held = await own.tokenFor()
    const { columns } = findRelation('stores')
    const shown = Object.keys(columns).map((column) => (column === 'name' ? 'hex(randomblob(8)) AS name' : column))
    await own.place.write(`INSERT INTO stores (id, name) VALUES (1, 'A'); ALTER TABLE stores RENAME TO own_stores;
      CREATE VIEW stores AS SELECT ${shown.join()} FROM own_stores WHERE abs(random()) % 2 = 0 OR random() < 0`)
    const answers = new Set<string>()
    const totals = new Set<number>()
    for (let turn = 0; turn < 60; turn += 1) {
      const { text, body } = await own.ask('/stores', { token: held })
      answers.add(text)
      totals.add(body.meta.total)
    }
    assert(answers.size > 10, `${answers.size} different answers of 60`)
    assert.deepEqual(
      [...totals].toSorted((a, b) => a - b),
      [0, 1],
    )
  } finally {
    await own.close()
  }
})

describe('the schema', () => {
  const three = insert(6, newest).repeat(3)
  const swap = 'DROP TABLE invoices; ALTER TABLE anew RENAME TO invoices'
  // What is written in turn, and how many invoices there are then.
  const ways: { name: string; scripts: [sql: string, total: number][] }[] = [
    {
      name: 'a trigger is dropped, then rows are written',
      scripts: [
        ['DROP TRIGGER vitrine_invoices_insert', 0],
        [three, 3],
      ],
    },
    { name: 'both in one transaction', scripts: [[`DROP TRIGGER vitrine_invoices_insert; ${three}`, 3]] },
    {
      name: 'a trigger is dropped, then rows are removed',
      scripts: [
        [three, 3],
        ['DROP TRIGGER vitrine_invoices_delete', 3],
        ['DELETE FROM invoices WHERE id = 1', 2],
      ],
    },
    {
      name: 'the table is made anew, as some do who add a column',
      scripts: [
        [three, 3],
        [`PRAGMA legacy_alter_table = ON; CREATE TABLE anew AS SELECT * FROM invoices; ${swap}`, 3],
        [three, 6],
      ],
    },
    {
      name: 'a unique index is made, and a row replaced by one with another id',
      scripts: [
        ['CREATE UNIQUE INDEX own ON invoices (customer_id) WHERE customer_id > 0', 0],
        [`${insert(6, '1')} UPDATE invoices SET customer_id = 7 WHERE id = 1`, 1],
        ['INSERT OR REPLACE INTO invoices (id, kind, status, customer_id) VALUES (2, 1, 3, 7)', 1],
      ],
    },
  ]

  const insertTrigger = journalTriggers().find((each) => each.name === 'vitrine_invoices_insert')
  assert(insertTrigger)
  ways.push(
    {
      name: 'a trigger is dropped, rows are written, and it is put back as it was',
      scripts: [
        [three, 3],
        [`DROP TRIGGER vitrine_invoices_insert; ${three} ${insertTrigger.statement}`, 6],
        [three, 9],
      ],
    },
    {
      name: 'a unique index is made, a row replaced by one with another id, and the index dropped',
      scripts: [
        [`${insert(6, '1')} UPDATE invoices SET customer_id = 7 WHERE id = 1`, 1],
        [
          `CREATE UNIQUE INDEX own ON invoices (customer_id) WHERE customer_id > 0;
           INSERT OR REPLACE INTO invoices (id, kind, status, customer_id) VALUES (2, 1, 3, 7); DROP INDEX own`,
          1,
        ],
      ],
    },
    {
      name: 'a trigger of the tills moves what is deleted to the archive',
      scripts: [
        [three, 3],
        [
          `CREATE TRIGGER own AFTER DELETE ON invoices BEGIN
             INSERT OR REPLACE INTO invoices_archive (id, kind, status, store_id) VALUES (old.id, 1, 3, 6); END`,
          3,
        ],
        ['DELETE FROM invoices WHERE id < 3', 3],
        ['DROP TRIGGER own', 3],
        ['DELETE FROM invoices_archive WHERE id = 1', 2],
      ],
    },
  )

  for (const { name, scripts } of ways)
    test(`${name}: the next total is right`, async () => {
      const own = await createWorld({ engine: 'sqlite' })
      try {
        const held = await own.tokenFor()
        const total = async () => (await own.ask('/invoices', { token: held })).body.meta.total
        assert.deepEqual([await total(), await total()], [0, 0])
        for (const [script, expected] of scripts) {
          await own.place.write(script)
          assert.deepEqual([await total(), await total()], [expected, expected], script)
        }
      } finally {
        await own.close()
      }
    })
})

describe('keys', () => {
  test('revoked, disabled or restricted by another hand: so from the very next request on', async () => {
    const other = await world.place.openState(world.clock)
    try {
      for (let round = 0; round < 25; round += 1) {
        const { accessKey, securityCode } = await world.makeKey({ rate: '1000' })
        const grant = { grant_type: 'client_credentials', client_id: accessKey, client_secret: securityCode }
        const { body } = await world.signIn(grant, { address: `10.9.0.${round}` })
        const status = async () => (await world.ask('/stores', { token: String(body.access_token) })).status
        assert.deepEqual([await status(), await status()], [200, 200])
        await other.updateKey(accessKey, { permissions: ['invoices:read'] })
        assert.equal(await status(), 403)
        await other.updateKey(accessKey, { permissions: ['reference:read'] })
        assert.equal(await status(), 200)
        if (round % 2 === 0) await other.revokeKey(accessKey)
        else await other.updateKey(accessKey, { isDisabled: true })
        assert.deepEqual([await status(), await status()], [401, 401])
      }
    } finally {
      await other.close()
    }
  })

  test('a window goes on, to the request, while others write to the state and the rate changes', async () => {
    const other = await world.place.openState(world.clock)
    try {
      const { accessKey, securityCode } = await world.makeKey({ rate: '50' })
      const grant = { grant_type: 'client_credentials', client_id: accessKey, client_secret: securityCode }
      const { body } = await world.signIn(grant, { address: '10.9.1.1' })
      const request = () => world.ask('/ping', { token: String(body.access_token) })
      for (let left = 49; left >= 20; left -= 1) {
        // Everything remembered of keys and tokens is forgotten at each write; the window is not.
        if (left % 2 === 0) await other.updateKey(accessKey, { name: `Name ${left}` })
        assert.equal((await request()).headers['X-RateLimit-Remaining'], String(left))
      }
      await other.updateKey(accessKey, { rate: 40 })
      const answers = await Promise.all(Array.from({ length: 30 }, request))
      assert.equal(answers.filter(({ status }) => status === 200).length, 10, '30 of 40 had passed')
      world.clock.advance(60_000)
      const later = await Promise.all(Array.from({ length: 45 }, request))
      assert.equal(later.filter(({ status }) => status === 200).length, 40)
    } finally {
      await other.close()
    }
  })
})
