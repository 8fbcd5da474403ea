// Lists answered from tallies against the same lists walked over, record by record: the same rows in two worlds, one of which
// has neither indexes nor tallies. Every page of every list, to the byte. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { KeyInput } from '../../../src/keys/keys.ts'
import type { Rows } from '../../support/pos.ts'
import { createWorld, type World } from '../../support/world.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const sample = <Value>(each: fc.Arbitrary<Value>, numRuns: number, more: number) =>
  fc.sample(each, { seed: seed + more, numRuns })

// Days at the edges of months and years, and times at the edges of days. Many are equal.
const day = fc.constantFrom(
  '0001-01-01',
  '2023-12-31',
  '2024-01-01',
  '2024-01-31',
  '2024-02-01',
  '2024-02-29',
  '2024-03-01',
  '9999-12-31',
)
const hour = fc.constantFrom('T00:00:00', 'T11:59:59', ' 12:00:00', 'T12:00:00.75', ' 12:00:01', 'T23:59:59')
const empty = fc.constantFrom(null, '', '0000-00-00 00:00:00')
const time = fc.oneof({ weight: 6, arbitrary: fc.tuple(day, hour).map((pair) => pair.join('')) }, empty)
const full = fc.tuple(day, hour).map((pair) => pair.join(''))
// What stands in a column of times and is none.
const stray = fc.constantFrom('2024-02-01', '2024-01-31T23:59:60', '1/2/2024', 'soon')

const document = (when: fc.Arbitrary<string | null>) =>
  fc.record({
    id: fc.oneof(fc.integer({ min: 1, max: 60 }), fc.integer({ min: 990, max: 1010 })),
    kind: fc.constantFrom(1, 1, 2),
    status: fc.constantFrom(0, 3, 3, 4),
    paid: fc.constantFrom(0, 1, null),
    currency: fc.constantFrom('USD', 'HTG', null),
    store_id: fc.constantFrom(1, 2, null),
    customer_id: fc.constantFrom(1, 2),
    total: fc.constantFrom(0, 5, 7.5),
    date: when,
    updated_at: when,
  })
const unique = <Row extends { readonly id: number }>(rows: readonly Row[]) => [
  ...new Map(rows.map((row) => [row.id, row])).values(),
]
// Ids of some are in both.
const documents = (when: fc.Arbitrary<string | null>): Rows => ({
  invoices: unique(sample(document(when), 45, 1)),
  invoices_archive: unique(sample(document(when), 45, 2)),
})
const transfer = fc.record({
  id: fc.integer({ min: -20, max: 40 }),
  status: fc.constantFrom(0, 3, 4),
  from_store_id: fc.constantFrom(1, 2, 3),
  to_store_id: fc.constantFrom(1, 2, null),
  date: time,
  updated_at: full,
})

const companies: { name: string; rows: () => Rows }[] = [
  { name: 'times at all edges, some empty', rows: () => documents(time) },
  { name: 'no empty time', rows: () => documents(full) },
  { name: 'nothing but empty times', rows: () => documents(empty) },
  { name: 'times that are none', rows: () => documents(fc.oneof({ weight: 9, arbitrary: time }, stray)) },
]

const keys: KeyInput[] = [{}, { stores: '1' }]
const sorts = ['id', '-id', 'date', '-date', 'updated_at', '-updated_at']
const filters = [
  '',
  'status=all',
  'status=void&currency=USD',
  'payment_status=paid,unpaid&store_id=2',
  'customer_id=1',
  'status=all&date_from=2024-01-01',
  'status=all&date_to=2024-01-31',
  'date_from=2023-12-31&date_to=2024-02-29',
  'status=all&date_from=2024-02-01&date_to=2024-02-01&payment_status=paid',
  'date_from=2024-03-01&date_to=2024-01-01',
  'date_from=0001-01-01&date_to=9999-12-31',
  // In the middle of a day, at its last second, and on a day on which nothing was written.
  'status=all&updated_since=2024-01-31T12:00:00',
  'status=all&updated_since=2024-01-31T23:59:59&currency=HTG',
  'updated_since=2024-01-15T10:00:00',
  'updated_since=2024-01-01',
  'status=all&updated_since=9999-12-31T23:59:59',
  'status=all&updated_since=2024-02-01T11:59:59&date_from=2024-01-01',
]

interface Pair {
  readonly worlds: readonly World[]
  // By key, one for each world.
  readonly tokens: readonly (readonly string[])[]
}

async function makePair(rows: Rows): Promise<Pair> {
  const worlds = await Promise.all([true, false].map((isIndexed) => createWorld({ engine: 'sqlite', rows, isIndexed })))
  const tokens: string[][] = []
  for (const key of keys) tokens.push(await Promise.all(worlds.map((world) => world.tokenFor(key))))
  return { worlds, tokens }
}

// Every page and the one after the last. How many there were.
async function comparePages({ worlds, tokens }: Pair, list: string, perPage: number): Promise<number> {
  let compared = 0
  for (const [key, held] of tokens.entries())
    for (let page = 1, last = 1; page <= last + 1; page += 1) {
      const target = `${list}&per_page=${perPage}&page=${page}`
      const [tallied, walked] = await Promise.all(
        worlds.map((world, at) => world.ask(target, { token: held[at] ?? null })),
      )
      assert.equal(walked?.status, 200, target)
      assert.equal(tallied?.text, walked.text, `${target} with ${JSON.stringify(keys[key])}, seed ${seed}`)
      last = Number(walked.body.meta.total_pages)
      compared += 1
    }
  return compared
}

for (const company of companies)
  describe(`a company with ${company.name}, seed ${seed}`, () => {
    let pair: Pair
    before(async () => {
      pair = await makePair(company.rows())
    })
    after(() => Promise.all(pair.worlds.map((world) => world.close())))

    for (const sort of sorts)
      test(`sorted by ${sort}, every page of every list is the one that is walked to`, async () => {
        let compared = 0
        for (const [at, filter] of filters.entries()) {
          // One by one, pages begin in the very day in which the list does.
          const perPage = filter.includes(':') ? 1 : 4 + (at % 5)
          compared += await comparePages(pair, `/invoices?sort=${sort}&${filter}`, perPage)
          if (at % 4 === 0) compared += await comparePages(pair, `/credit-memos?sort=${sort}&${filter}`, 2)
        }
        assert(compared > 60, `only ${compared} pages`)
      })
  })

test(`transfers between two stores, with ids below zero: pages and totals are those walked to, seed ${seed}`, async () => {
  const pair = await makePair({ transfers: unique(sample(transfer, 60, 3)) })
  try {
    for (const sort of sorts)
      for (const filter of ['', 'status=all', 'status=all&date_to=2024-02-01', 'updated_since=2024-01-31T12:00:00'])
        await comparePages(pair, `/transfers?sort=${sort}&${filter}`, 4)
  } finally {
    await Promise.all(pair.worlds.map((world) => world.close()))
  }
})

// Else everything above would compare walks with walks.
test('where nothing is in the way, totals and deep pages do come from the tally', async () => {
  const rows = Array.from({ length: 40 }, (_, at) => ({
    id: at + 1,
    kind: 1,
    status: 3,
    date: `2024-01-${String((at % 20) + 1).padStart(2, '0')} 10:00:00`,
    updated_at: '2024-01-01 10:00:00',
  }))
  const world = await createWorld({ engine: 'sqlite', rows: { invoices: rows } })
  try {
    const token = await world.tokenFor()
    const read = async (query: string) => (await world.ask(`/invoices?${query}`, { token })).body
    const before = await read('sort=date&page=3&per_page=10')
    await world.place.write(`UPDATE invoices_tally SET n = n + 5 WHERE axis = ''`)
    assert.equal((await read('sort=date')).meta.total, 45)
    assert.equal((await read('sort=date&date_from=2024-01-02')).meta.total, 38)
    // On the first day, two records less: the page begins two records later.
    await world.place.write(`UPDATE invoices_tally SET n = n - 2 WHERE axis LIKE 'date/%' AND bucket = '2024-01-01'`)
    const later = await read('sort=date&page=3&per_page=10')
    assert.deepEqual(
      later.data.slice(0, 8).map(({ id }: { id: number }) => id),
      before.data.slice(2).map(({ id }: { id: number }) => id),
    )
  } finally {
    await world.close()
  }
})
