// One snapshot: while another program writes, the total and the data of a list, and a record and its arrays, always come
// from one and the same state of the database.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { filledRow } from '../support/fixture.ts'
import type { Rows } from '../support/pos.ts'
import { createWorld, type World } from '../support/world.ts'

const from = (first: number, last: number) => Array.from({ length: last - first + 1 }, (_, at) => first + at)

const rows: Rows = {
  payments: from(1, 60).map((id) => filledRow('payments', id, { status: 3 })),
  sales_orders: [filledRow('sales_orders', 1, { quantity_total: 1 })],
  sales_order_lines: from(1, 5).map((id) => filledRow('sales_order_lines', id, { sales_order_id: 1, quantity: 1 })),
  sales_order_payments: from(1, 5).map((id) => filledRow('sales_order_payments', id, { sales_order_id: 1, cash: 1 })),
  invoices: from(1, 20).map((id) => filledRow('invoices', id)),
  invoice_lines: from(1, 3).map((id) => filledRow('invoice_lines', id, { invoice_id: 1 })),
  price_lists: from(1, 7).map((id) => filledRow('price_lists', id)),
  products: from(1, 30).map((id) => filledRow('products', id, { price: 1 })),
  product_prices: from(1, 30).flatMap((product_id) =>
    from(1, 7).map((price_list_id) => ({ product_id, price_list_id, price: 1, second_unit_price: 1 })),
  ),
}

// Two states that follow each other without end. Each request must see one of them whole.
const move = (source: string, target: string) =>
  ['invoices', 'invoice_lines']
    .map((name) => [`${name}${source}`, `${name}${target}`, name === 'invoices' ? 'id' : 'invoice_id'])
    .map(
      ([one, other, id]) =>
        `INSERT INTO ${other} SELECT * FROM ${one} WHERE ${id} = 1; DELETE FROM ${one} WHERE ${id} = 1;`,
    )
    .join('\n')
const prices = (price: number) => `UPDATE products SET price = ${price}; UPDATE product_prices SET price = ${price};`
const order = (generation: number) => `
  UPDATE sales_orders SET quantity_total = ${generation};
  UPDATE sales_order_lines SET quantity = ${generation};
  UPDATE sales_order_payments SET cash = ${generation};`

interface Scenario {
  readonly name: string
  readonly target: string
  readonly scripts: readonly [string, string]
  // What tells the two states apart; it fails where they are mixed.
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  readonly stateOf: (body: any, total: string | undefined) => unknown
  readonly states: number
}

const one = (values: readonly unknown[]) => {
  assert.equal(new Set(values).size, 1, `mixed: ${[...new Set(values)].join(' and ')}`)
  return values[0]
}

const scenarios: readonly Scenario[] = [
  {
    name: 'the total of a list is that of its data',
    target: '/payments?status=regular&per_page=100',
    scripts: ['UPDATE payments SET status = 4 WHERE id > 30', 'UPDATE payments SET status = 3'],
    stateOf: ({ data, meta }, total) => one([data.length, meta.total, Number(total)]),
    states: 2,
  },
  {
    name: 'a page is as long as the total says',
    target: '/payments?status=regular&per_page=7&page=6&search=payments',
    scripts: ['UPDATE payments SET status = 4 WHERE id > 38', 'UPDATE payments SET status = 3'],
    stateOf: ({ data, meta }) => one([data.length, Math.min(7, meta.total - 35)]),
    states: 2,
  },
  {
    name: 'an invoice that moves to the archive and back is always there, once',
    target: '/invoices?per_page=100&sort=id',
    scripts: [move('', '_archive'), move('_archive', '')],
    stateOf: ({ data, meta }) => {
      assert.deepEqual(
        data.map(({ id }: { id: number }) => id),
        from(1, 20),
      )
      return one([20, meta.total])
    },
    states: 1,
  },
  {
    name: 'the detail of an invoice that moves always has its lines',
    target: '/invoices/1',
    scripts: [move('', '_archive'), move('_archive', '')],
    stateOf: ({ data }) => one([3, data.lines.length]),
    states: 1,
  },
  {
    name: 'a record and its arrays are of one state',
    target: '/sales-orders/1',
    scripts: [order(2), order(1)],
    stateOf: ({ data }) =>
      one([
        data.quantity_total,
        ...data.lines.map(({ quantity }: { quantity: number }) => quantity),
        ...data.payments.map(({ cash }: { cash: number }) => cash),
      ]),
    states: 2,
  },
  {
    name: 'products and their price lists are of one state',
    target: '/products?per_page=100',
    scripts: [prices(2), prices(1)],
    stateOf: ({ data }) =>
      one(
        data.flatMap(({ price, price_lists }: { price: number; price_lists: { price: number }[] }) => [
          price,
          ...price_lists.map((list) => list.price),
        ]),
      ),
    states: 2,
  },
]

suite('while another program writes', () => {
  let world: World
  let token: string
  before(async () => {
    world = await createWorld({ rows, readers: 2 })
    token = await world.tokenFor()
  })
  after(() => world.close())

  for (const { name, target, scripts, stateOf, states } of scenarios) {
    test(name, async () => {
      // Without a pause, most of the time would go into writing.
      const writer = world.place.keepWriting(scripts, 5)
      const seen = new Set<unknown>()
      try {
        const least = 150
        for (let asked = 0; asked < least || (seen.size < states && asked < 100 * least); asked += 1) {
          const { status, body, headers, text } = await world.ask(target, { token })
          assert.equal(status, 200, text)
          seen.add(stateOf(body, headers['X-Total-Count']))
        }
      } finally {
        await writer.stop()
      }
      assert.equal(seen.size, states, 'every state was seen')
    })
  }
})
