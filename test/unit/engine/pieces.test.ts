// Lists that are cut on one axis and go along another, read while tills write: what was counted before a change is used only
// where nothing changed. The same rows in two worlds, one of which has neither indexes nor tallies and walks.
// VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { copyFileSync, mkdtempSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import * as fc from 'fast-check'
import { permissions } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { rememberPieces } from '../../../src/engine/pieces.ts'
import type { Run } from '../../../src/engine/run.ts'
import { createSqliteEngine } from '../../../src/engine/sqlite/engine.ts'
import { openToRead } from '../../../src/engine/sqlite/opening.ts'
import { createLog } from '../../../src/log.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { sqliteTally, tallyTriggers, trustSqliteTally } from '../../../src/sql/sqlite-tallies.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { howMuch, seedOfRun as seed } from '../../support/how-much.ts'
import { makePos } from '../../support/pos.ts'
import { invoicesTally } from '../../support/tallied-invoices.ts'
import { createWorld, type World } from '../../support/world.ts'

const log = createLog('error', () => {})
const everything = { permissions, stores: null, priceList: null }

const id = fc.oneof(fc.integer({ min: 1, max: 30 }), fc.integer({ min: 995, max: 1010 }), fc.constant(200_000))
const day = fc.constantFrom('2023-12-31', '2024-01-01', '2024-01-02', '2024-01-31', '2024-02-01', '2025-01-01')
const time = fc.tuple(day, fc.constantFrom('00:00:00', '12:30:00', '23:59:59')).map((pair) => pair.join(' '))
const row = fc.record({
  id,
  kind: fc.constantFrom(1, 1, 1, 2),
  status: fc.constantFrom(1, 3, 3, 4),
  store_id: fc.constantFrom(1, 2),
  date: time,
  updated_at: time,
})
type Row = typeof row extends fc.Arbitrary<infer Each> ? Each : never
const unique = (rows: readonly Row[]) => [...new Map(rows.map((each) => [each.id, each])).values()]

const text = (value: number | string) => (typeof value === 'number' ? String(value) : `'${value}'`)
const insert = (into: string, each: Row) =>
  `DELETE FROM ${into} WHERE id = ${each.id};` +
  `INSERT INTO ${into} (${Object.keys(each).join()}) VALUES (${Object.values(each).map(text).join()})`
const table = fc.constantFrom('invoices', 'invoices', 'invoices_archive')
const change = fc.oneof(
  fc.tuple(table, row).map(([into, each]) => insert(into, each)),
  // Within the same day and thousand, so that no count tells of it.
  fc.tuple(table, id, time).map(([of, at, when]) => `UPDATE ${of} SET date = '${when}' WHERE id = ${at}`),
  fc.tuple(table, day, time).map(([of, on, when]) => `UPDATE ${of} SET date = '${when}' WHERE updated_at > '${on}'`),
  fc.tuple(table, id, time).map(([of, at, when]) => `UPDATE ${of} SET updated_at = '${when}' WHERE id = ${at}`),
  fc.tuple(table, id).map(([of, at]) => `UPDATE ${of} SET status = 7 - status WHERE id = ${at} AND status > 2`),
  fc.tuple(table, id).map(([of, at]) => `DELETE FROM ${of} WHERE id = ${at}`),
  // Into the archive, as a point-of-sale system does it.
  id.map(
    (at) =>
      `DELETE FROM invoices_archive WHERE id = ${at}; INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = ${at};` +
      `DELETE FROM invoices WHERE id = ${at}`,
  ),
)

const lists = [
  'sort=id&date_from=2024-01-01',
  'sort=-id&date_to=2024-01-31&status=all',
  'sort=updated_at&date_from=2024-01-01&date_to=2024-02-01&store_id=1',
  'sort=-updated_at&date_from=2024-01-02&status=all',
  'sort=date&updated_since=2024-01-01T12:30:00&status=all',
  'sort=-date&updated_since=2024-01-31T00:00:00&status=regular',
  'sort=id&updated_since=2024-01-02',
]

for (const engine of ['sqlite', 'postgres'] as const)
  describe(`pieces of lists on ${engine}, seed ${seed}`, () => {
    let worlds: readonly World[]
    let tokens: readonly string[]
    before(async () => {
      const rows = {
        invoices: unique(fc.sample(row, { seed, numRuns: 40 })),
        invoices_archive: unique(fc.sample(row, { seed: seed + 1, numRuns: 25 })),
      }
      // One reader: all is remembered in one place.
      worlds = await Promise.all([true, false].map((isIndexed) => createWorld({ engine, rows, isIndexed, readers: 1 })))
      tokens = await Promise.all(worlds.map((world) => world.tokenFor()))
    })
    after(() => Promise.all(worlds.map((world) => world.close())))

    const compare = async (target: string, after: readonly string[]) => {
      const [tallied, walked] = await Promise.all(
        worlds.map((world, at) => world.ask(`/invoices?${target}`, { token: tokens[at] ?? null })),
      )
      assert.equal(walked?.status, 200, target)
      assert.equal(tallied?.text, walked.text, `${target}, seed ${seed}, after\n${after.slice(-5).join(';\n')}`)
    }

    test('whatever is changed between two pages, each is the one that is walked to', async () => {
      const changes = fc.sample(change, { seed: seed + 2, numRuns: howMuch(engine === 'sqlite' ? 80 : 25, 400) })
      const pages = fc.sample(fc.tuple(fc.integer({ min: 1, max: 8 }), fc.constantFrom(1, 3)), {
        seed: seed + 3,
        numRuns: changes.length * lists.length,
      })
      for (const [at, each] of changes.entries()) {
        for (const [of, list] of lists.entries()) {
          const [page, perPage] = pages[at * lists.length + of] ?? [1, 1]
          await compare(`${list}&page=${page}&per_page=${perPage}`, changes.slice(0, at))
        }
        for (const world of worlds) await world.place.write(each)
      }
    })
  })

test('a piece is known for its version alone, and for its list', () => {
  const memory = rememberPieces()
  const pieces = memory.of('one')
  pieces.set('2024', 7, 3)
  assert.equal(pieces.get('2024', 7), 3)
  assert.equal(memory.of('one').get('2024', 7), 3)
  for (const version of [8, '7', null]) assert.equal(pieces.get('2024', version), undefined)
  assert.equal(memory.of('two').get('2024', 7), undefined)
  pieces.set('2025', null, 3)
  assert.equal(pieces.get('2025', null), undefined)
  memory.forget()
  pieces.set('2026', 1, 1)
  assert.equal(memory.of('one').get('2024', 7), undefined)
  assert.equal(memory.of('one').get('2026', 1), undefined)
})

// Ten in the first thousand of ids, twenty in the second.
const thirty = Array.from({ length: 30 }, (_, at) => ({
  id: at < 10 ? at + 1 : at + 1001,
  kind: 1,
  status: 3,
  date: '2024-01-05 10:00:00',
  updated_at: '2024-01-05 10:00:00',
}))
const deepAcross = 'sort=id&date_from=2024-01-01&per_page=5&page=3'

const setMode = (path: string, mode: string) => {
  const database = openSqlite(path)
  database.exec(`PRAGMA journal_mode = ${mode}`)
  database.close()
}
const planOf = (query: string) => {
  const planned = planList(findResource('invoices') ?? assert.fail(), query, everything)
  assert('plan' in planned)
  return planned.plan
}
const firstIdIn = (body: Uint8Array) => Number(JSON.parse(Buffer.from(body).toString()).data[0].id)

// Else everything above would compare walks with walks.
test('where a page begins is counted by the pieces of the tally', async (context) => {
  const world = await createWorld({ engine: 'sqlite', rows: { invoices: thirty } })
  context.after(() => world.close())
  const token = await world.tokenFor()
  const first = async () => (await world.ask(`/invoices?${deepAcross}`, { token })).body.data[0].id
  assert.equal(await first(), 1011)
  // As if the first thousand were empty: the page begins ten records later.
  await world.place.write(`UPDATE invoices_tally SET n = 0 WHERE axis = 'id/13' AND bucket = '0000000000000'`)
  assert.equal(await first(), 1021)
})

test('many lists do not pile up', () => {
  const memory = rememberPieces()
  for (let list = 0; list < 40; list += 1) {
    const pieces = memory.of(String(list))
    for (let bucket = 0; bucket < 1000; bucket += 1) pieces.set(String(bucket), 1, 1)
  }
  assert.equal(memory.of('0').get('5', 1), undefined)
  assert.equal(memory.of('39').get('5', 1), 1)
})

for (const mode of ['WAL', 'DELETE'])
  test(`what is counted while another file is copied over the one that is open is not remembered (${mode})`, async (context) => {
    const folder = mkdtempSync(join(tmpdir(), 'vitrine-pieces-'))
    context.after(() => rmSync(folder, { recursive: true }))
    const [path, older] = [join(folder, 'pos.db'), join(folder, 'older.db')]
    makePos(path, { invoices: thirty })
    setMode(path, mode)
    copyFileSync(path, older)
    const till = openSqlite(path)
    till.exec(`UPDATE invoices SET date = '2023-01-05 10:00:00' WHERE id <= 5`)
    till.close()
    const newer = readFileSync(path)
    const pieces = rememberPieces()
    const plan = planOf(deepAcross)
    // Opened anew each time; what happens between the counts of the tally and those of the records.
    const first = async (between = () => {}) => {
      const { connection, answerer } = openToRead({
        path,
        lockTimeoutMs: 0,
        farInto: 1,
        pieces,
        onUnknownCode: () => {},
      })
      try {
        assert(connection.begin())
        const run: Run = { ...connection.run, rows: (asked) => (between(), connection.run.rows(asked)) }
        const [answer] = await answerer.answer([plan], run)
        assert(answer && 'body' in answer)
        return firstIdIn(answer.body)
      } finally {
        connection.end()
        connection.close()
      }
    }
    await first(() => copyFileSync(older, path))
    writeFileSync(path, newer)
    assert.equal(await first(), 1016)
  })

// Thirty invoices of one day; who asks gets the first id of the third page of five, across the day.
async function overOwnFile(
  use: (first: () => Promise<number>, write: (sql: string) => void, path: string) => Promise<void>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-pieces-'))
  const path = join(folder, 'pos.db')
  makePos(path, { invoices: thirty })
  const engine = createSqliteEngine({ path, readers: 1, statementTimeoutMs: 30_000, log, farInto: 1 })
  const first = async () => {
    const { body } = await engine.list(planOf(deepAcross))
    return firstIdIn(body)
  }
  // Everything is in the file itself when the connection is closed or, where readers are there, by this.
  const write = (sql: string) => {
    const till = openSqlite(path, { lockTimeoutMs: 5000 })
    try {
      till.exec(`${sql}; PRAGMA wal_checkpoint(TRUNCATE)`)
    } finally {
      till.close()
    }
  }
  try {
    await use(first, write, path)
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}

describe('a file that is opened anew', () => {
  // A change that no version tells of: whoever counts again finds the first thousand empty.
  const untold = `CREATE TEMP TABLE kept AS SELECT * FROM invoices_tally;
    UPDATE invoices SET date = '2023-01-05 10:00:00' WHERE id <= 10;
    UPDATE invoices_tally AS t SET changes = k.changes FROM temp.kept k
      WHERE (k.axis, k.bucket, k.cell) = (t.axis, t.bucket, t.cell)`

  test('because its log was emptied into it: what was counted is still known', async () => {
    await overOwnFile(async (first, write) => {
      assert.equal(await first(), 1011)
      write(untold)
      assert.equal(await first(), 1011)
    })
  })

  test('because it could not be read: it is counted again', async () => {
    await overOwnFile(async (first, write, path) => {
      assert.equal(await first(), 1011)
      write(untold)
      renameSync(path, `${path}.aside`)
      writeFileSync(path, 'no database')
      await assert.rejects(first())
      renameSync(`${path}.aside`, path)
      assert.equal(await first(), 1021)
    })
  })

  test('because everything was counted anew: it is counted again', async () => {
    const [drop, make] = [
      tallyTriggers(invoicesTally).map(({ name }) => `DROP TRIGGER ${name}`),
      [...sqliteTally(invoicesTally), trustSqliteTally(invoicesTally)],
    ]
    await overOwnFile(async (first, write) => {
      write(make.join(';'))
      assert.equal(await first(), 1011)
      write([...drop, `UPDATE invoices SET date = '2023-01-05 10:00:00' WHERE id <= 5`, ...make].join(';'))
      assert.equal(await first(), 1016)
    })
  })

  test('because an older one was put back, and changed as often: it is counted again', async () => {
    await overOwnFile(async (first, write, path) => {
      write('')
      const older = readFileSync(path)
      write(`UPDATE invoices SET date = '2023-01-05 10:00:00' WHERE id <= 5`)
      assert.equal(await first(), 1016)
      writeFileSync(path, older)
      write(`UPDATE invoices SET date = '2024-01-06 10:00:00' WHERE id <= 5`)
      assert.equal(await first(), 1011)
    })
  })
})
