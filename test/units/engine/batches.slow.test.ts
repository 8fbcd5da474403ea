// Details that are asked for at the same time are read in batches, and each answer is the same as if read alone: on both engines.
import assert from 'node:assert/strict'
import { mkdtempSync, openSync, readFileSync, rmSync, writeSync, closeSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Access } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { relationsOf } from '../../../src/catalogue/resource.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { createAnswerer } from '../../../src/engine/answer.ts'
import { batchKeyOf } from '../../../src/engine/batches.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { startEngine } from '../../../src/engine/open.ts'
import { createFinder } from '../../../src/finder/finder.ts'
import type { Snapshot } from '../../../src/finder/snapshot.ts'
import { findRelation } from '../../../src/contract/relations.ts'
import { createLog } from '../../../src/platform/log.ts'
import { restrictions, type DetailPlan } from '../../../src/query/plan.ts'
import { sqlite } from '../../../src/sql/sqlite.ts'
import { showRow } from '../../../src/sql/statement.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { company } from '../../support/fixture.ts'
import { makePostgresViewsPlace } from '../../support/caisse/place-postgres.ts'
import { makePlace } from '../../support/make-place.ts'
import type { EngineName, Place } from '../../support/place.ts'
import { makePos } from '../../support/pos.ts'
import { until } from '../../support/process.ts'

const log = createLog('silent', () => {})
const options = { readers: 2, statementTimeoutMs: 20_000, log }
const everything: Access = { permissions, stores: null, priceList: null }
const accesses: readonly Access[] = [
  everything,
  { permissions, stores: [1, 2], priceList: 2 },
  { permissions: permissions.filter((name) => name !== 'costs:read'), stores: [], priceList: null },
]

const planOf = (name: string, id: number, access = everything): DetailPlan => {
  const resource = resources.find((each) => each.name === name) ?? assert.fail()
  return { shows: 'detail', resource: name, access, conditions: restrictions(resource, access), id }
}
const textOf = (bytes: Uint8Array | null) => bytes && Buffer.from(bytes).toString()

// Every id there is, recent and archived, some twice in a row, and some unknown ids.
const plans = resources.flatMap((resource) => {
  const stored = relationsOf(resource).flatMap(({ name }) => (company[name] ?? []).map(({ id }) => Number(id)))
  const ids = [...new Set(stored)].filter(Number.isSafeInteger)
  return accesses.flatMap((access) =>
    [987_654, ...ids.slice(0, 3).flatMap((id) => [id, id]), ...ids].map((id) => planOf(resource.name, id, access)),
  )
})

const engineNames: readonly EngineName[] = ['sqlite', 'postgres']

for (const name of engineNames)
  test(`${name}: details that are asked for at once have the answers of single details`, async () => {
    const place = await makePlace({ rows: company, hasJournal: true }, name)
    const using = async (use: (engine: Engine) => Promise<(string | null)[]>) => {
      const engine = await place.startEngine(options)
      try {
        return await use(engine)
      } finally {
        await engine.close()
      }
    }
    // Another engine remembers none of it. Few enough at once that none is refused. Those of different keys are never in one batch.
    const askAll = (keyOf: (at: number) => string) =>
      using(async (engine) => {
        const texts: (string | null)[] = []
        for (let at = 0; at < plans.length; at += 100) {
          const asked = plans.slice(at, at + 100).map((plan, place) => engine.detail(plan, { key: keyOf(place) }))
          texts.push(...(await Promise.all(asked)).map(textOf))
        }
        return texts
      })
    try {
      const [alone, together] = [await askAll(String), await askAll(() => 'one')]
      assert.deepEqual(together, alone)
      assert(alone.filter((text) => text !== null).length > 500, `${alone.length}`)
      assert(alone.includes(null))
    } finally {
      await place.remove()
    }
  })

// The number of reads for 20 simultaneous details. All details of one batch report the same time, so different times are counted.
async function readsOf(place: Place): Promise<number> {
  const spent: number[] = []
  const budget = { check: () => {}, spend: (_key: string, ms: number) => void spent.push(ms) }
  const engine = await place.startEngine({ ...options, budget })
  try {
    // After these, the engine knows the schema, and that details are quick.
    for (const id of [1, 30, 31]) await engine.detail(planOf('products', id))
    spent.length = 0
    await Promise.all(Array.from({ length: 20 }, (_, at) => engine.detail(planOf('products', at + 2), { key: 'one' })))
    return new Set(spent).size
  } finally {
    await engine.close()
  }
}

for (const name of engineNames)
  test(`${name}: details of tables are read in batches`, async () => {
    const place = await makePlace({ rows: company, hasJournal: true }, name)
    // On a machine that is busy with other things even these may take long, and those after them then go one by one.
    let reads = await readsOf(place)
    for (let attempt = 0; reads > 3 && attempt < 20; attempt += 1) reads = await readsOf(place)
    await place.remove()
    assert(reads <= 3, `${reads}`)
  })

test('details of views are read one by one', async () => {
  const place = await makePostgresViewsPlace({ rows: company, hasJournal: true })
  const reads = await readsOf(place)
  await place.remove()
  assert(reads > 10, `${reads}`)
})

test('a batch key is that of one resource and access', () => {
  const plan = planOf('invoices', 1)
  assert.equal(batchKeyOf(planOf('invoices', 2, { ...everything })), batchKeyOf(plan))
  const others = [
    planOf('quotes', 1),
    ...[
      { ...everything, stores: [1] },
      { ...everything, priceList: 1 },
      { ...everything, permissions: permissions.slice(1) },
    ].map((access) => planOf('invoices', 2, access)),
  ].map(batchKeyOf)
  assert.equal(new Set([batchKeyOf(plan), ...others]).size, 5)
  assert.equal(batchKeyOf({ ...plan, shows: 'list', order: [], page: 1, perPage: 25 }), undefined)
})

// On a busy machine a thread may take longer to start than a request may wait. What was asked for before is remembered without it.
const readerIsThere = (engine: Engine, unasked: DetailPlan) =>
  until('a reader is there', () =>
    engine.detail(unasked).then(
      () => true,
      () => undefined,
    ),
  )

async function overOwnFile(
  make: (path: string) => void,
  { statementTimeoutMs }: { statementTimeoutMs: number },
  use: (engine: Engine) => Promise<void>,
) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-batches-'))
  const path = join(folder, 'pos.db')
  make(path)
  const engine = await startEngine({ kind: 'sqlite', path }, { ...options, readers: 1, statementTimeoutMs })
  try {
    // By then it has told what is in the file.
    await readerIsThere(engine, planOf('stores', 2))
    await use(engine)
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}
const threeQuotes = { quotes: [1, 2, 3].map((id) => ({ id, status: 3, notes: `note ${id} `.repeat(3000) })) }
const statuses = (settled: readonly PromiseSettledResult<unknown>[]) => settled.map(({ status }) => status)

test('if a relation has an id twice, the first row is the record, alone or in a batch', async () => {
  const finder = createFinder(sqlite, 0, { onVoid: () => {}, onGrown: () => {} })
  const answerer = createAnswerer(sqlite, finder, () => {})
  const stored: [number, string][] = [
    [1, 'first'],
    [2, 'other'],
    [1, 'second'],
  ]
  const snapshot: Snapshot = {
    database: '',
    rows: () => assert.fail(),
    shown: async (_, form) => stored.map((cells) => showRow(form, [0, null, ...cells])),
    mark: () => assert.fail(),
    changesSince: () => assert.fail(),
    written: () => assert.fail(),
    journal: () => assert.fail(),
  }
  for (const ids of [[1], [1, 2, 1]] as const) {
    const [one, ...others] = ids.map((id) => planOf('departments', id))
    assert(one)
    const answers = await answerer.answer([one, ...others], undefined, snapshot)
    const texts = answers.map((answer) => textOf(answer as Uint8Array))
    assert.deepEqual(
      texts.map((text) => /first|other|second/.exec(text ?? '')?.[0]),
      ids.map((id) => (id === 1 ? 'first' : 'other')),
    )
  }
})

test('sqlite: a damaged record is refused, and the others of its batch are not', () =>
  overOwnFile(
    (path) => {
      makePos(path, threeQuotes)
      // Long texts go on from page to page: the number of the next is lost.
      const bytes = readFileSync(path)
      const pageSize = bytes.readUInt16BE(16)
      const page = Math.floor(bytes.lastIndexOf('note 2 note 2 note 2') / pageSize)
      assert.match(bytes.toString('latin1', page * pageSize + 4, page * pageSize + 100), /^[note 2]+$/)
      const before = bytes.lastIndexOf('note 2 note 2 note 2', page * pageSize - 200)
      const file = openSync(path, 'r+')
      writeSync(file, Buffer.from([0x7f, 0xff, 0xff, 0xff]), 0, 4, Math.floor(before / pageSize) * pageSize)
      closeSync(file)
    },
    options,
    async (engine) => {
      const asked = [1, 2, 3].map((id) => engine.detail(planOf('quotes', id), { key: 'one' }))
      assert.deepEqual(statuses(await Promise.allSettled(asked)), ['fulfilled', 'rejected', 'fulfilled'])
    },
  ))

test('sqlite: callers that hang up while they wait are left out of the batch', () =>
  overOwnFile(
    (path) => makePos(path, threeQuotes),
    options,
    async (engine) => {
      for (const left of [[0, 1, 2], [1], []]) {
        const callers = [1, 2, 3].map(() => new AbortController())
        const asked = callers.map(({ signal }, at) => engine.detail(planOf('quotes', at + 1), { key: 'one', signal }))
        for (const at of left) callers[at]?.abort()
        const expected = callers.map((_, at) => (left.includes(at) ? 'rejected' : 'fulfilled'))
        assert.deepEqual(statuses(await Promise.allSettled(asked)), expected)
      }
    },
  ))

test('sqlite: a late batch is refused as a whole, and its details are then read one by one', () =>
  overOwnFile(
    (path) => {
      makePos(path, threeQuotes)
      // A table all the same: a column of it takes seconds to compute for one record.
      const work = Array.from({ length: 12 }, (_, at) => `length(replace(hex(zeroblob(5000000 + ${at})), '0', '12'))`)
      const database = openSqlite(path)
      const names = Object.keys(findRelation('quotes').columns)
      database.exec(`ALTER TABLE quotes RENAME TO own_quotes;
        CREATE TABLE quotes (${names
          .filter((name) => name !== 'notes')
          .map((name) => (name === 'id' ? 'id INTEGER PRIMARY KEY' : `"${name}"`))
          .join()}, notes AS (CASE WHEN id = 2 THEN CAST(${work.join(' + ')} AS text) END));
        INSERT INTO quotes (id, status) SELECT id, status FROM own_quotes`)
      database.close()
    },
    { statementTimeoutMs: 500 },
    async (engine) => {
      const ask = (id: number) => engine.detail(planOf('quotes', id), { key: 'one' })
      const asked = [1, 2, 3].map(ask)
      assert.deepEqual(statuses(await Promise.allSettled(asked)), ['rejected', 'rejected', 'rejected'])
      assert.equal(engine.load().stopped, 1)
      await readerIsThere(engine, planOf('stores', 1))
      const again = [1, 3, 2].map(ask)
      assert.deepEqual(statuses(await Promise.allSettled(again)), ['fulfilled', 'fulfilled', 'rejected'])
    },
  ))
