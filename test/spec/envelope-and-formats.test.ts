// Envelope and formats: the shape of lists and details, numbers, times, absent values, labels, and stored values that
// are odd: empty dates, fractions of seconds, unknown codes, integers that JSON numbers cannot hold exactly.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { company, emptyRow, filledRow, type Row } from '../support/fixture.ts'
import type { Cell } from '../support/pos.ts'
import { copiedEngine } from '../support/place.ts'
import { specification } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

async function within(
  rows: Record<string, Row[]>,
  run: (ask: (target: string) => Promise<Answered>, world: World) => Promise<void>,
) {
  const world = await createWorld({ rows })
  try {
    const token = await world.tokenFor()
    await run((target) => world.ask(target, { token }), world)
  } finally {
    await world.close()
  }
}
type Answered = Awaited<ReturnType<World['ask']>>

suite('the envelope', () => {
  let world: World
  let token: string
  before(async () => {
    world = await createWorld({ rows: company })
    token = await world.tokenFor()
  })
  after(() => world.close())
  const ask = (target: string) => world.ask(target, { token })

  for (const { name } of specification) {
    test(`a list of ${name} is data and meta, X-Total-Count repeats the total, and a detail is data alone`, async () => {
      const { status, body, headers } = await ask(`/${name}?per_page=3&page=2`)
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['data', 'meta'])
      assert.deepEqual(Object.keys(body.meta), ['page', 'per_page', 'total', 'total_pages'])
      const { total } = body.meta
      assert.ok(Number.isInteger(total) && total > 6)
      assert.deepEqual(body.meta, { page: 2, per_page: 3, total, total_pages: Math.ceil(total / 3) })
      assert.equal(body.data.length, 3)
      assert.equal(headers['X-Total-Count'], String(total))
      assert.match(headers['Content-Type'] ?? '', /^application\/json/)

      const detail = await ask(`/${name}/${body.data[0].id}`)
      assert.deepEqual(Object.keys(detail.body), ['data'])
      assert.equal(detail.body.data.id, body.data[0].id)
      assert.ok(!('X-Total-Count' in detail.headers))
    })

    test(`a page of ${name} beyond the data is empty, with the true total`, async () => {
      const { meta } = (await ask(`/${name}`)).body
      for (const page of [meta.total_pages + 1, 10_000]) {
        const { status, body, headers } = await ask(`/${name}?page=${page}`)
        assert.equal(status, 200)
        assert.deepEqual(body, { data: [], meta: { ...meta, page } })
        assert.equal(headers['X-Total-Count'], String(meta.total))
      }
    })
  }

  test('per_page is 25 and page 1 when they are omitted', async () => {
    const { body } = await ask('/payments')
    assert.equal(body.meta.page, 1)
    assert.equal(body.meta.per_page, 25)
    assert.equal(body.data.length, 25)
  })

  test('the last page holds the rest; a total that fills its pages adds no empty one', async () => {
    const { total } = (await ask('/vendors')).body.meta
    assert.equal(total, 40)
    for (const [perPage, pages, last] of [
      [40, 1, 40],
      [20, 2, 20],
      [39, 2, 1],
      [100, 1, 40],
      [1, 40, 1],
    ] as const) {
      const { body } = await ask(`/vendors?per_page=${perPage}&page=${pages}`)
      assert.equal(body.meta.total_pages, pages)
      assert.equal(body.data.length, last)
    }
  })

  test('where nothing is found the total and total_pages are 0 [N6]', async () => {
    const { status, body, headers } = await ask('/vendors?search=nobody%20has%20this')
    assert.equal(status, 200)
    assert.deepEqual(body, { data: [], meta: { page: 1, per_page: 25, total: 0, total_pages: 0 } })
    assert.equal(headers['X-Total-Count'], '0')
  })
})

test('a company without any data has empty lists everywhere', () =>
  within({}, async (ask) => {
    for (const { name } of specification) {
      assert.deepEqual((await ask(`/${name}`)).body, {
        data: [],
        meta: { page: 1, per_page: 25, total: 0, total_pages: 0 },
      })
      assert.equal((await ask(`/${name}/1`)).status, 404)
    }
  }))

const stored = [
  { name: 'the form of the contract', date: '2026-03-04T05:06:07', shown: '2026-03-04T05:06:07' },
  { name: 'a blank instead of T', date: '2026-03-04 05:06:07', shown: '2026-03-04T05:06:07' },
  { name: 'fractions, which are cut and not rounded', date: '2026-03-04T05:06:07.999', shown: '2026-03-04T05:06:07' },
  { name: 'many digits of a fraction', date: '2026-03-04 05:06:07.999999', shown: '2026-03-04T05:06:07' },
  { name: 'the last second of a year', date: '2026-12-31 23:59:59.9', shown: '2026-12-31T23:59:59' },
  { name: 'an empty text', date: '', shown: null },
  { name: 'a zero date', date: '0000-00-00', shown: null },
  { name: 'a zero date with a time', date: '0000-00-00 00:00:00', shown: null },
  { name: 'a zero date with T and a fraction', date: '0000-00-00T00:00:00.000', shown: null },
  { name: 'nothing', date: null, shown: null },
]

const days = ['2026-03-04', '', '0000-00-00', null, '2024-02-29', '2026-03-04T00:00:00']
const times = ['2026-03-04 23:59:59.9', '2026-03-04T10:00:00', '2026-03-04 10:00:00.5', '', '0000-00-00 00:00:00', null]
const numbers = [0.1, -0.5, 1e-7, 123456789.25, 1e21, 0, 3]
const texts = [' x ', '', '"quoted" \\ back', 'two\nlines\ttab', 'Kreyòl ayisyen', '中文', '😀', '\u2028</script>']

// A record for each value, which stands in all of the columns.
const each = (relation: string, values: readonly Cell[], ...columns: string[]) =>
  values.map((value, at) => filledRow(relation, at + 1, Object.fromEntries(columns.map((name) => [name, value]))))

suite('stored values', () => {
  let world: World
  let token: string
  before(async () => {
    const dates = stored.map(({ date }) => date)
    world = await createWorld({
      rows: {
        payments: each('payments', dates, 'date', 'created_at', 'updated_at'),
        payment_applications: each('payment_applications', dates, 'date').map((row) => ({
          ...row,
          payment_id: row['id'] ?? null,
        })),
        receivings: each('receivings', days, 'receipt_date'),
        adjustments: each('adjustments', times, 'date', 'updated_at'),
        purchase_orders: each('purchase_orders', numbers, 'total'),
        vendors: each('vendors', texts, 'name'),
        stores: each('stores', [1, 0, null], 'is_headquarters'),
        products: [filledRow('products', 1, { department_id: 99, sub_department_id: null })],
        transfers: [filledRow('transfers', 1, { from_store_id: 99, to_store_id: null })],
        customers: [filledRow('customers', 1, { customer_type_id: 99 })],
      },
    })
    token = await world.tokenFor()
  })
  after(() => world.close())
  const read = async (target: string) => (await world.ask(target, { token })).body.data
  const column = async (target: string, name: string) =>
    (await read(target)).map((record: Record<string, unknown>) => record[name])

  for (const [at, { name, date, shown }] of stored.entries()) {
    test(`${name}: the time ${date} is shown as ${shown}, in records and in arrays`, async () => {
      const detail = await read(`/payments/${at + 1}`)
      const list = await read('/payments?sort=id')
      for (const record of [detail, list[at]])
        assert.deepEqual([record.date, record.created_at, record.updated_at], [shown, shown, shown])
      assert.equal(detail.applied_to[0].date, shown)
    })
  }

  test('a date is shown as a day, an empty or zero one as null', async () => {
    const shown = ['2026-03-04', null, null, null, '2024-02-29', '2026-03-04']
    assert.deepEqual(await column('/receivings?sort=id', 'receipt_date'), shown)
  })

  const queries: readonly (readonly [query: string, ids: readonly number[]])[] = [
    ['sort=date', [4, 5, 6, 2, 3, 1]],
    ['sort=-date', [1, 3, 2, 6, 5, 4]],
    ['sort=updated_at,-id', [6, 5, 4, 3, 2, 1]],
    ['sort=id&date_to=2026-03-04', [1, 2, 3]],
    ['sort=id&date_from=2026-03-04', [1, 2, 3]],
    ['sort=id&date_from=2026-03-05', []],
    ['sort=id&updated_since=2026-03-04T10:00:00', [1, 2, 3]],
    ['sort=id&updated_since=2026-03-04T10:00:01', [1]],
    ['sort=id&updated_since=2026-03-05', []],
    ['sort=id&updated_since=0001-01-01', [1, 2, 3]],
  ]
  for (const [query, ids] of queries) {
    test(`filters and sorts see times as they are shown: ${query}`, async () => {
      assert.deepEqual(await column(`/adjustments?${query}`, 'id'), ids)
    })
  }

  test('numbers are JSON numbers, exact as stored', async () => {
    // A copy rounds the doubles of SQLite to the decimals of an amount.
    const stored = copiedEngine === 'sqlite' ? numbers.map((number) => (number === 1e-7 ? 0 : number)) : numbers
    assert.deepEqual(await column('/purchase-orders?sort=id', 'total'), stored)
  })

  test('text is shown as it is: blanks, quotes, line breaks, other scripts; an empty text is not null', async () => {
    assert.deepEqual(await column('/vendors?sort=id', 'name'), texts)
  })

  test('a boolean is true, false or null', async () => {
    assert.deepEqual(await column('/stores?sort=id', 'is_headquarters'), [true, false, null])
  })

  test('names by reference are null where the reference is empty or dangles', async () => {
    const product = await read('/products/1')
    assert.deepEqual([product.department_id, product.department, product.sub_department], [99, null, null])
    const transfer = await read('/transfers/1')
    assert.deepEqual([transfer.from_store_id, transfer.from_store, transfer.to_store], [99, null, null])
    assert.equal((await read('/customers/1')).customer_type, null)
  })
})

test('a code that is not in the table is null, and the log gets one warning for it', () =>
  within(
    {
      invoices: [1, 2].map((id) => filledRow('invoices', id, { status: 42 })),
      invoice_lines: [1, 2].map((id) => filledRow('invoice_lines', id, { invoice_id: 1, kind: 9 })),
      receivings: [filledRow('receivings', 1, { kind: 7, status: 1 })],
      payments: [filledRow('payments', 1, { status: 1 }), emptyRow('payments', 2)],
    },
    async (ask, world) => {
      const warnings = () => world.logged.filter(({ event }) => event === 'unknown_code').length
      for (let round = 0; round < 3; round += 1) {
        assert.deepEqual(
          (await ask('/invoices')).body.data.map((record: { status: null }) => record.status),
          [null, null],
        )
        assert.equal((await ask('/invoices/2')).body.data.status, null)
      }
      assert.equal(warnings(), 1)
      for (let round = 0; round < 3; round += 1) {
        const { lines } = (await ask('/invoices/1')).body.data
        assert.deepEqual(
          lines.map((line: { type: null }) => line.type),
          [null, null],
        )
      }
      assert.equal(warnings(), 2)
      assert.equal((await ask('/receivings/1')).body.data.type, null)
      assert.equal(warnings(), 3)
      // A status of other documents is not one of payments; a status that is not stored is no unknown code.
      assert.equal((await ask('/payments/1')).body.data.status, null)
      assert.equal((await ask('/payments/2')).body.data.status, null)
      assert.equal(warnings(), 4)
      assert.match(JSON.stringify(world.logged.find(({ event }) => event === 'unknown_code')), /status.*42/)
    },
  ))
