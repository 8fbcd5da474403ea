// Integers beyond 2^53 in the database break nothing: the records that hold one are shown, labelled, zeroed, counted,
// sorted and filtered like all others, and the number itself is shown with every digit.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { filledRow, type Row } from '../support/fixture.ts'
import type { Rows } from '../support/pos.ts'
import { createWorld, type World } from '../support/world.ts'

const large = 1152921504606846977n
const digits = String(large)
const document = (relation: string, id: number, changes: Row) =>
  filledRow(relation, id, { customer_id: large, store_id: 1, ...changes })

const rows: Rows = {
  stores: [filledRow('stores', 1)],
  price_lists: [filledRow('price_lists', 1)],
  invoices: [
    document('invoices', 1, { status: 3, paid: 1, total: 10 }),
    document('invoices', 2, { status: 4, paid: 0, total: 99 }),
    document('invoices', 3, { status: 2, paid: 0, total: 5 }),
    filledRow('invoices', 4, { status: 3, customer_id: 7, store_id: 1, total: 7 }),
  ],
  invoices_archive: [document('invoices_archive', 11, { status: 4, total: 50 })],
  invoice_lines: [1, 2].map((id) => filledRow('invoice_lines', id, { invoice_id: id, kind: 2, product_id: large })),
  invoice_payments: [1, 2].map((id) => filledRow('invoice_payments', id, { invoice_id: id })),
  invoice_lines_archive: [
    filledRow('invoice_lines_archive', 11, { invoice_id: 11, name: 'archived', product_id: large }),
  ],
  invoice_payments_archive: [filledRow('invoice_payments_archive', 11, { invoice_id: 11 })],
  products: [filledRow('products', 1, { kind: 4, active: 1, department_id: large, vendor_id: 3 })],
  product_prices: [{ product_id: 1, price_list_id: 1, price: 11, second_unit_price: 12 }],
  product_stock: [{ product_id: 1, store_id: 1, quantity: 5, on_sales_order: 6, on_purchase_order: 7 }],
  payments: [document('payments', 1, { status: 4 })],
  payment_applications: [filledRow('payment_applications', 1, { payment_id: 1, invoice_id: large })],
  transfers: [filledRow('transfers', 1, { from_store_id: large, to_store_id: 1, status: 9 })],
}

let world: World
let token: string
before(async () => {
  world = await createWorld({ rows })
  token = await world.tokenFor()
})
after(() => world.close())

const ask = (target: string) => world.ask(target, { token })
const ids = async (query: string) =>
  (await ask(`/invoices?${query}`)).body.data.map((record: { id: number }) => record.id)

suite('integers beyond 2^53', () => {
  test('are shown with every digit, in lists, details and arrays [N23]', async () => {
    assert.ok((await ask('/invoices')).text.includes(`"customer_id":${digits}`))
    assert.ok((await ask('/invoices/1')).text.includes(`"customer_id":${digits}`))
    assert.ok((await ask('/invoices/1')).text.includes(`"product_id":${digits}`))
    assert.ok((await ask('/payments/1')).text.includes(`"invoice_id":${digits}`))
    assert.ok((await ask('/transfers/1')).text.includes(`"from_store_id":${digits}`))
    assert.ok((await ask('/products')).text.includes(`"department_id":${digits}`))
  })

  test('leave the labels of their record and of their line alone', async () => {
    const { data } = (await ask('/invoices/1')).body
    assert.deepEqual([data.status, data.payment_status, data.lines[0].type], ['regular', 'paid', 'Service'])
    const labels = (await ask('/invoices?status=all&sort=id')).body.data.map(
      (record: { status: string; payment_status: string }) => `${record.status} ${record.payment_status}`,
    )
    assert.deepEqual(labels, ['regular paid', 'void unpaid', 'hold unpaid', 'regular paid', 'void paid'])
    const product = (await ask('/products/1')).body.data
    assert.deepEqual([product.type, product.status], ['special', 'active'])
    assert.equal((await ask('/transfers/1')).body.data.status, 'posted')
  })

  test('cause no warning about codes', async () => {
    for (const target of ['/invoices', '/invoices/1', '/products', '/payments/1', '/transfers/1']) await ask(target)
    assert.deepEqual(
      world.logged.filter(({ event, level }) => event === 'unknown_code' || level === 'error'),
      [],
    )
  })

  test('leave a void document with zeros, in its lines and payments too', async () => {
    for (const id of [2, 11]) {
      const { data } = (await ask(`/invoices/${id}`)).body
      assert.equal(data.status, 'void')
      assert.equal(data.total, 0)
      assert.equal(data.lines.length, 1)
      const [line] = data.lines
      assert.deepEqual([line.unit_price, line.base_unit_price, line.cost], [0, 0, 0], `${id}`)
      const [payment] = data.payments
      assert.deepEqual([payment.cash, payment.card, payment.account, payment.deposit], [0, 0, 0, 0], `${id}`)
    }
    const { data } = (await ask('/payments/1')).body
    assert.deepEqual([data.amount_received, data.applied_to[0].amount], [0, 0])
  })

  test('leave an archived document with its archived lines', async () => {
    const { data } = (await ask('/invoices/11')).body
    assert.deepEqual(
      data.lines.map((line: { name: string }) => line.name),
      ['archived'],
    )
    assert.equal(data.payments.length, 1)
  })

  test('leave totals, filters, sorts and pages alone', async () => {
    assert.equal((await ask('/invoices')).body.meta.total, 4)
    assert.deepEqual(await ids('sort=total'), [2, 11, 4, 1])
    assert.deepEqual(await ids('sort=-id&per_page=2&page=2'), [2, 1])
    assert.deepEqual(await ids('customer_id=7'), [4])
    assert.deepEqual(await ids('status=hold'), [3])
    assert.deepEqual(await ids('payment_status=unpaid'), [2])
    assert.deepEqual(await ids('customer_id=9007199254740991'), [])
  })

  test('leave prices, stock and a restricted access alone', async () => {
    const { data } = (await ask('/products')).body
    assert.deepEqual(data[0].price_lists, [{ price_list_id: 1, price: 11, second_unit_price: 12 }])
    assert.deepEqual([data[0].quantity_total, data[0].on_sales_order, data[0].on_purchase_order], [5, 6, 7])
    assert.deepEqual(data[0].stock, [{ store_id: 1, quantity: 5, on_sales_order: 6, on_purchase_order: 7 }])
    const restricted = await world.tokenFor({ stores: '1' })
    assert.equal((await world.ask('/transfers/1', { token: restricted })).status, 200)
    assert.equal((await world.ask('/transfers', { token: restricted })).body.meta.total, 1)
  })
})

test('a record whose own id is beyond 2^53 is listed with what belongs to it', async () => {
  const own = await createWorld({
    rows: {
      price_lists: [filledRow('price_lists', 1)],
      products: [filledRow('products', 1), filledRow('products', 2, { id: large, name: 'large' })],
      product_stock: [{ product_id: large, store_id: 1, quantity: 5, on_sales_order: 6, on_purchase_order: 7 }],
      product_prices: [{ product_id: large, price_list_id: 1, price: 11, second_unit_price: 12 }],
    },
  })
  try {
    const ownToken = await own.tokenFor()
    const { status, text, body } = await own.ask('/products?search=large', { token: ownToken })
    assert.equal(status, 200)
    assert.ok(text.includes(`"id":${digits}`))
    const [product] = body.data
    assert.equal(product.quantity_total, 5)
    assert.equal(product.stock.length, 1)
    assert.equal(product.price_lists[0].price, 11)
  } finally {
    await own.close()
  }
})
