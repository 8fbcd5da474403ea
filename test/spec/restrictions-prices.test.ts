// The price-list restriction: one price per product, which falls back to the base price, no other list anywhere; and
// stock sums of products for keys restricted to stores.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { filledRow, type Row } from '../support/fixture.ts'
import type { Rows } from '../support/pos.ts'
import { createWorld, type World } from '../support/world.ts'

const product = (id: number, price: number | null, second: number | null, more: Row = {}) =>
  filledRow('products', id, { price, second_unit_price: second, ...more })
const listPrice = (
  product_id: number,
  price_list_id: number,
  price: number | null,
  second_unit_price: number | null,
) => ({
  product_id,
  price_list_id,
  price,
  second_unit_price,
})
const inStore = (store_id: number, quantity: number | null, sales: number | null, purchase: number | null) => ({
  product_id: 1,
  store_id,
  quantity,
  on_sales_order: sales,
  on_purchase_order: purchase,
})

// What a key of list 2 reads, product by product: the base prices are 100 and 50 where nothing else is said.
const prices = [
  { name: 'both prices of the list', own: [80, 40], shown: [80, 40] },
  { name: 'a price of zero falls back alone', own: [0, 40], shown: [100, 40] },
  { name: 'a second price of zero falls back alone', own: [80, 0], shown: [80, 50] },
  { name: 'an empty price falls back alone', own: [null, 40], shown: [100, 40] },
  { name: 'an empty second price falls back alone', own: [80, null], shown: [80, 50] },
  { name: 'zero and empty fall back', own: [0, null], shown: [100, 50] },
  { name: 'no record of the list falls back', own: null, shown: [100, 50] },
] as const

const rows: Rows = {
  stores: [1, 2, 3].map((id) => filledRow('stores', id)),
  // Not in the order of their ids.
  price_lists: [3, 1, 7, 2, 5, 4, 6].map((id) => filledRow('price_lists', id)),
  products: [
    ...prices.map((_, at) => product(at + 1, 100, 50)),
    product(20, null, null),
    product(21, null, 0),
    product(22, 100, 50),
  ],
  product_prices: [
    ...prices.flatMap(({ own }, at) => [
      listPrice(at + 1, 1, 1, 2),
      ...(own ? [listPrice(at + 1, 2, own[0], own[1])] : []),
    ]),
    listPrice(21, 2, 9, 8),
    listPrice(22, 7, 77, 78),
    listPrice(22, 4, null, 44),
    // A list that the company does not have (any more).
    listPrice(22, 9, 99, 99),
  ],
  product_stock: [inStore(3, 0.2, 0.7, null), inStore(1, 0.1, 0.1, 5), inStore(2, 10, null, 0.25)],
  customers: [filledRow('customers', 1, { price_list_id: 5 })],
}

let world: World
const tokens: Record<string, string> = {}
before(async () => {
  world = await createWorld({ rows })
  tokens['free'] = await world.tokenFor()
  tokens['list 2'] = await world.tokenFor({ priceList: '2' })
  tokens['list 99'] = await world.tokenFor({ priceList: '99' })
  tokens['list 2, stores 1 and 3'] = await world.tokenFor({ priceList: '2', stores: '1,3' })
  tokens['store 2'] = await world.tokenFor({ stores: '2' })
  tokens['no store'] = await world.tokenFor({ stores: 'none' })
})
after(() => world.close())

const ask = (who: string, target: string) => world.ask(target, { token: tokens[who] ?? null })

const unnamed = (text: string, id = '') => text.replaceAll(id, '')

// The record of a product, from the list and from its detail.
async function both(who: string, id: number) {
  const { body } = await ask(who, `/products?sort=id&per_page=100`)
  const listed = body.data.find((record: { id: number }) => record.id === id)
  const detail = (await ask(who, `/products/${id}`)).body.data
  assert.deepEqual(listed, detail)
  return detail
}

suite('a key without a price list', () => {
  test('reads the base prices and one entry for each price list, ordered by id, missing prices as 0 [N7]', async () => {
    const record = await both('free', 22)
    assert.deepEqual([record.price, record.second_unit_price], [100, 50])
    assert.deepEqual(record.price_lists, [
      { price_list_id: 1, price: 0, second_unit_price: 0 },
      { price_list_id: 2, price: 0, second_unit_price: 0 },
      { price_list_id: 3, price: 0, second_unit_price: 0 },
      { price_list_id: 4, price: 0, second_unit_price: 44 },
      { price_list_id: 5, price: 0, second_unit_price: 0 },
      { price_list_id: 6, price: 0, second_unit_price: 0 },
      { price_list_id: 7, price: 77, second_unit_price: 78 },
    ])
  })

  test('reads a base price that is not stored as null', async () => {
    const record = await both('free', 20)
    assert.deepEqual([record.price, record.second_unit_price], [null, null])
    assert.equal(record.price_lists.length, 7)
  })

  test('sees every price list', async () => {
    const { data } = (await ask('free', '/price-lists?sort=id')).body
    assert.deepEqual(
      data.map(({ id }: { id: number }) => id),
      [1, 2, 3, 4, 5, 6, 7],
    )
  })
})

suite('a key restricted to one price list', () => {
  for (const who of ['list 2', 'list 2, stores 1 and 3']) {
    for (const [at, { name, shown }] of prices.entries()) {
      test(`${who}: ${name}`, async () => {
        const record = await both(who, at + 1)
        assert.deepEqual([record.price, record.second_unit_price], shown)
      })
    }
  }

  test('reads the price of its list where there is no base price, and null where there is neither', async () => {
    const { price, second_unit_price } = await both('list 2', 21)
    assert.deepEqual([price, second_unit_price], [9, 8])
    assert.equal((await both('list 2', 20)).price, null)
  })

  test('reads the base prices when the company does not have its list', async () => {
    for (const [at] of prices.entries()) {
      const { price, second_unit_price } = await both('list 99', at + 1)
      assert.deepEqual([price, second_unit_price], [100, 50])
    }
    assert.equal((await ask('list 99', '/price-lists')).body.meta.total, 0)
  })

  test('does not get price_lists, in lists, details or /resources', async () => {
    for (const who of ['list 2', 'list 99', 'list 2, stores 1 and 3']) {
      assert.ok(!('price_lists' in (await both(who, 1))), who)
      assert.ok(!(await ask(who, '/resources')).text.includes('"price_lists"'), who)
    }
    assert.ok((await ask('free', '/resources')).text.includes('"price_lists"'))
  })

  test('sees its own list alone at /price-lists, whatever it asks', async () => {
    for (const query of ['', '?sort=-id', '?search=price_lists', '?per_page=100', '?search=price_lists.name.']) {
      const { body, headers } = await ask('list 2', `/price-lists${query}`)
      assert.deepEqual(body.data, [filledRow('price_lists', 2)], query)
      assert.equal(headers['X-Total-Count'], '1')
    }
    assert.equal((await ask('list 2', '/price-lists?search=price_lists.name.3')).body.meta.total, 0)
    assert.equal((await ask('list 2', '/price-lists/2')).status, 200)
  })

  test('is answered for another list exactly as for one that does not exist', async () => {
    const [one, other] = [await world.tokenFor({ priceList: '2' }), await world.tokenFor({ priceList: '2' })]
    const hidden = await world.ask('/price-lists/3', { token: one })
    const absent = await world.ask('/price-lists/300', { token: other })
    assert.equal(hidden.status, 404)
    assert.equal(
      unnamed(hidden.text, hidden.headers['X-Request-Id']),
      unnamed(absent.text, absent.headers['X-Request-Id']),
    )
    assert.deepEqual({ ...hidden.headers, 'X-Request-Id': '' }, { ...absent.headers, 'X-Request-Id': '' })
  })

  test('still sees customers of other lists', async () => {
    assert.equal((await ask('list 2', '/customers/1')).body.data.price_list_id, 5)
    assert.equal((await ask('list 2', '/customers?price_list_id=5')).body.meta.total, 1)
  })
})

suite('stock', () => {
  const scenarios = [
    { who: 'free', totals: [10.3, 0.8, 5.25], stores: [1, 2, 3] },
    { who: 'list 2', totals: [10.3, 0.8, 5.25], stores: [1, 2, 3] },
    { who: 'list 2, stores 1 and 3', totals: [0.3, 0.8, 5], stores: [1, 3] },
    { who: 'store 2', totals: [10, 0, 0.25], stores: [2] },
    { who: 'no store', totals: [0, 0, 0], stores: [] },
  ]
  for (const { who, totals, stores } of scenarios) {
    test(`${who}: sums and entries of its stores alone, ordered by store, 0.1 + 0.2 being 0.3 [N23]`, async () => {
      const record = await both(who, 1)
      assert.deepEqual([record.quantity_total, record.on_sales_order, record.on_purchase_order], totals)
      assert.deepEqual(
        record.stock.map((entry: { store_id: number }) => entry.store_id),
        stores,
      )
    })
  }

  test('an entry shows what is stored, and a product without stock has totals of 0', async () => {
    assert.deepEqual((await both('free', 1)).stock, [
      { store_id: 1, quantity: 0.1, on_sales_order: 0.1, on_purchase_order: 5 },
      { store_id: 2, quantity: 10, on_sales_order: null, on_purchase_order: 0.25 },
      { store_id: 3, quantity: 0.2, on_sales_order: 0.7, on_purchase_order: null },
    ])
    const record = await both('free', 2)
    assert.deepEqual(
      [record.quantity_total, record.on_sales_order, record.on_purchase_order, record.stock],
      [0, 0, 0, []],
    )
  })
})
