// Business rules 2 to 9 and what was decided about them: drafts, inactive products, the archive, closed orders, credit
// memos, free-text lines, the order of arrays. Void documents have a file of their own.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { company, emptyRow, filledRow, type Row } from '../support/fixture.ts'
import { specification } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

const invoice = (id: number, changes: Row = {}, relation = 'invoices') =>
  filledRow(relation, id, { kind: 1, status: 3, date: `2026-01-0${id % 10}T10:00:00`, ...changes })
const archived = (id: number, changes: Row = {}) => invoice(id, changes, 'invoices_archive')
const quote = (id: number, changes: Row = {}, relation = 'quotes') =>
  filledRow(relation, id, { date: `2026-01-0${id % 10}T10:00:00`, ...changes })

const rows = {
  ...company,
  invoices: [
    invoice(1, { number: 'recent 1' }),
    invoice(3),
    invoice(5, { kind: 2, number: 'memo 5' }),
    invoice(7, { status: 2 }),
    invoice(9, { kind: 2 }),
    invoice(11, { kind: 77 }),
    invoice(12, { kind: null }),
  ],
  invoices_archive: [
    archived(2),
    archived(4),
    archived(6, { kind: 2 }),
    // In both: the recent one counts, of the same kind, of the other kind, and where the recent one is a draft.
    archived(1, { number: 'archived 1' }),
    archived(5, { number: 'archived 5' }),
    archived(7, { number: 'archived 7' }),
    archived(3, { kind: 2, number: 'archived 3' }),
  ],
  invoice_lines: [
    filledRow('invoice_lines', 31, { invoice_id: 1, product_id: 0, kind: 3 }),
    filledRow('invoice_lines', 11, { invoice_id: 1, product_id: null, kind: 1 }),
    filledRow('invoice_lines', 21, { invoice_id: 1, product_id: 8, kind: 2 }),
    filledRow('invoice_lines', 41, { invoice_id: 3 }),
  ],
  invoice_lines_archive: [
    filledRow('invoice_lines_archive', 12, { invoice_id: 1 }),
    filledRow('invoice_lines_archive', 22, { invoice_id: 2, name: 'archived line' }),
  ],
  invoice_payments: [
    filledRow('invoice_payments', 1, { invoice_id: 1, date: '2026-01-03T00:00:00', cheque_number: 'third' }),
    filledRow('invoice_payments', 2, { invoice_id: 1, date: '2026-01-01T00:00:00', cheque_number: 'first' }),
    filledRow('invoice_payments', 4, { invoice_id: 1, date: '2026-01-03T00:00:00', cheque_number: 'fourth' }),
    filledRow('invoice_payments', 3, { invoice_id: 1, date: '2026-01-02T00:00:00', cheque_number: 'second' }),
  ],
  invoice_payments_archive: [
    filledRow('invoice_payments_archive', 1, { invoice_id: 1, cheque_number: 'of the archive' }),
    filledRow('invoice_payments_archive', 5, { invoice_id: 2, cheque_number: 'archived' }),
  ],
  quotes: [quote(1, { number: 'recent 1' }), quote(3), quote(5)],
  quotes_archive: [
    quote(2, {}, 'quotes_archive'),
    quote(4, {}, 'quotes_archive'),
    quote(1, { number: 'archived 1' }, 'quotes_archive'),
  ],
  quote_lines: [filledRow('quote_lines', 1, { quote_id: 1, product_id: null, name: 'recent' })],
  quote_lines_archive: [
    filledRow('quote_lines_archive', 2, { quote_id: 1, name: 'shadowed' }),
    filledRow('quote_lines_archive', 3, { quote_id: 2, product_id: 0, name: 'archived' }),
  ],
  sales_orders: [filledRow('sales_orders', 1, { status: 7 }), filledRow('sales_orders', 2, { status: 2 })],
  sales_order_lines: [filledRow('sales_order_lines', 1, { sales_order_id: 1, product_id: null })],
  sales_order_payments: [2, 1].map((id) =>
    filledRow('sales_order_payments', id, { sales_order_id: 1, date: `2026-01-0${3 - id}T00:00:00` }),
  ),
  purchase_orders: [filledRow('purchase_orders', 1, { status: 7 }), filledRow('purchase_orders', 2, { status: 2 })],
  purchase_order_lines: [filledRow('purchase_order_lines', 1, { purchase_order_id: 1, product_id: null })],
  products: [1, 2, 3].map((id) => filledRow('products', id, { active: [1, 0, null][id - 1] ?? null })),
  product_stock: [],
  customers: [1, 2].map((id) => filledRow('customers', id, { active: id - 1 })),
  vendors: [1, 2].map((id) => filledRow('vendors', id, { active: id - 1 })),
}

let world: World
let token: string
before(async () => {
  world = await createWorld({ rows })
  token = await world.tokenFor()
})
after(() => world.close())

const ask = (target: string) => world.ask(target, { token })
const ids = async (target: string): Promise<number[]> => {
  const { body, headers } = await ask(target)
  assert.equal(headers['X-Total-Count'], String(body.meta.total))
  return body.data.map(({ id }: { id: number }) => id)
}

// Quotes, both orders, invoices, credit memos, receivings, transfers and adjustments.
const withDrafts = specification.filter((rule) => rule.status.includes('hold'))

const namesIn = async (target: string, array: string, field: string) =>
  (await ask(target)).body.data[array].map((item: Record<string, unknown>) => item[field])

suite('drafts and inactive records', () => {
  test('eight resources have drafts', () => assert.equal(withDrafts.length, 8))

  test('drafts are hidden by default, shown by status=hold and status=all, and by their id', async () => {
    const drafts: Record<string, Row[]> = {}
    for (const { name, relation, kind, status } of withDrafts) {
      const shared: Row = kind ? { kind } : {}
      const first = name === 'credit-memos' ? 3 : 1
      const documents = [
        filledRow(relation, first, { ...shared, status: 2 }),
        filledRow(relation, first + 1, { ...shared, status: status.includes('open') ? 1 : 9 }),
      ]
      drafts[relation] = [...(drafts[relation] ?? []), ...documents]
    }
    const own = await createWorld({ rows: drafts })
    try {
      const ownToken = await own.tokenFor()
      for (const { name } of withDrafts) {
        const [draft, other] = name === 'credit-memos' ? [3, 4] : [1, 2]
        const shown = async (query: string) => {
          const { body } = await own.ask(`/${name}${query}`, { token: ownToken })
          assert.equal(body.meta.total, body.data.length)
          return body.data.map((record: { id: number }) => record.id)
        }
        assert.deepEqual(await shown(''), [other], name)
        assert.deepEqual(await shown('?status=hold'), [draft], name)
        assert.deepEqual(await shown('?status=all&sort=id'), [draft, other], name)
        const { body } = await own.ask(`/${name}/${draft}`, { token: ownToken })
        assert.equal(body.data.status, 'hold', name)
      }
    } finally {
      await own.close()
    }
  })

  test('only active products are listed by default; one without a status needs status=all', async () => {
    assert.deepEqual(await ids('/products'), [1])
    assert.deepEqual(await ids('/products?status=inactive'), [2])
    assert.deepEqual(await ids('/products?status=all&sort=id'), [1, 2, 3])
  })

  test('active and inactive customers and vendors are listed by default', async () => {
    for (const name of ['customers', 'vendors']) assert.deepEqual(await ids(`/${name}?sort=id`), [1, 2], name)
  })

  test('the detail shows inactive records', async () => {
    assert.equal((await ask('/products/2')).body.data.status, 'inactive')
    assert.equal((await ask('/products/3')).body.data.status, null)
    for (const name of ['customers', 'vendors'])
      assert.equal((await ask(`/${name}/1`)).body.data.status, 'inactive', name)
  })
})

suite('the archive', () => {
  test('total, sort and pages cover recent and archived invoices as one collection', async () => {
    assert.deepEqual(await ids('/invoices?sort=id'), [1, 2, 3, 4])
    assert.deepEqual(await ids('/invoices?sort=-date'), [4, 3, 2, 1])
    const pages = []
    for (const page of [1, 2, 3, 4, 5]) {
      const { body } = await ask(`/invoices?sort=date&per_page=1&page=${page}`)
      assert.equal(body.meta.total, 4)
      assert.equal(body.meta.total_pages, 4)
      pages.push(...body.data.map(({ id }: { id: number }) => id))
    }
    assert.deepEqual(pages, [1, 2, 3, 4])
  })

  test('total, sort and pages cover recent and archived quotes as one collection', async () => {
    assert.deepEqual(await ids('/quotes?sort=-id'), [5, 4, 3, 2, 1])
    assert.deepEqual(await ids('/quotes?sort=date&per_page=2&page=2'), [3, 4])
    assert.equal((await ask('/quotes?per_page=2')).body.meta.total_pages, 3)
  })

  test('of two with the same id the recent one counts, whatever the kind or status of the other [N24]', async () => {
    assert.deepEqual(await ids('/invoices?status=all&sort=id'), [1, 2, 3, 4, 7])
    assert.deepEqual(await ids('/credit-memos?status=all&sort=id'), [5, 6, 9])
    assert.deepEqual(await ids('/invoices?search=archived%20'), [])
    assert.deepEqual(await ids('/credit-memos?search=archived%20'), [])
    assert.deepEqual(await ids('/quotes?search=archived%20'), [])
    assert.equal((await ask('/invoices/1')).body.data.number, 'recent 1')
    assert.equal((await ask('/quotes/1')).body.data.number, 'recent 1')
    assert.equal((await ask('/invoices/7')).body.data.status, 'hold')
    assert.equal((await ask('/invoices/5')).status, 404)
    assert.equal((await ask('/credit-memos/3')).status, 404)
  })

  test('a recent document has its recent lines and payments, an archived one its archived ones', async () => {
    assert.deepEqual(await namesIn('/invoices/1', 'lines', 'id'), [11, 21, 31])
    assert.deepEqual(await namesIn('/invoices/2', 'lines', 'name'), ['archived line'])
    assert.deepEqual(await namesIn('/invoices/2', 'payments', 'cheque_number'), ['archived'])
    assert.deepEqual(await namesIn('/quotes/1', 'lines', 'name'), ['recent'])
    assert.deepEqual(await namesIn('/quotes/2', 'lines', 'name'), ['archived'])
  })
})

suite('documents', () => {
  test('closed sales orders and purchase orders keep their amounts', async () => {
    const kept = {
      'sales-orders': ['sales_orders', 'cost_total amount_paid'],
      'purchase-orders': ['purchase_orders', 'tax'],
    }
    for (const [name, [relation = '', more = '']] of Object.entries(kept)) {
      const { data } = (await ask(`/${name}/1`)).body
      assert.equal(data.status, 'closed')
      for (const amount of ['total', 'items_total', ...more.split(' ')])
        assert.equal(data[amount], filledRow(relation, 1)[amount], amount)
      assert.ok(data.lines[0].unit_price > 0)
    }
  })

  test('a credit memo is not readable as an invoice, and the reverse', async () => {
    assert.deepEqual(await ids('/credit-memos?sort=id'), [5, 6, 9])
    for (const [id, target] of [
      [5, '/invoices/5'],
      [6, '/invoices/6'],
      [1, '/credit-memos/1'],
      [2, '/credit-memos/2'],
    ] as const) {
      const { status, body } = await ask(target)
      assert.equal(status, 404, `${id}`)
      assert.equal(body.error.code, 'not_found')
    }
    for (const target of ['/credit-memos/5', '/credit-memos/6', '/invoices/1', '/invoices/2'])
      assert.equal((await ask(target)).status, 200, target)
  })

  test('a record of a kind that is neither is no invoice and no credit memo', async () => {
    for (const id of [11, 12])
      for (const name of ['invoices', 'credit-memos']) assert.equal((await ask(`/${name}/${id}`)).status, 404)
  })

  test('product_id is 0 for a free-text line of a sale, and the line types are labels', async () => {
    const { lines } = (await ask('/invoices/1')).body.data
    assert.deepEqual(
      lines.map((line: { product_id: number; type: string }) => [line.product_id, line.type]),
      [
        [0, 'Inventory'],
        [8, 'Service'],
        [0, 'Special'],
      ],
    )
    for (const target of ['/quotes/1', '/quotes/2', '/sales-orders/1'])
      assert.equal((await ask(target)).body.data.lines[0].product_id, 0, target)
    assert.equal((await ask('/purchase-orders/1')).body.data.lines[0].product_id, null)
  })

  test('a line gives facts: there is no line total', async () => {
    for (const target of ['/invoices/1', '/quotes/1', '/sales-orders/1', '/purchase-orders/1'])
      for (const line of (await ask(target)).body.data.lines)
        assert.deepEqual(
          Object.keys(line).filter((name) => /total|amount/.test(name)),
          [],
          target,
        )
  })

  test('arrays are ordered by id, payments by date and then id; payments show no id', async () => {
    const { payments, lines } = (await ask('/invoices/1')).body.data
    assert.deepEqual(
      lines.map(({ id }: { id: number }) => id),
      [11, 21, 31],
    )
    assert.deepEqual(
      payments.map((payment: { cheque_number: string }) => payment.cheque_number),
      ['first', 'second', 'third', 'fourth'],
    )
    assert.ok(payments.every((payment: object) => !('id' in payment)))
    const deposits = (await ask('/sales-orders/1')).body.data.payments
    assert.deepEqual(
      deposits.map((payment: { date: string }) => payment.date.slice(8, 10)),
      ['01', '02'],
    )
  })

  test('a document without lines and payments shows empty arrays', async () => {
    const { data } = (await ask('/invoices/4')).body
    assert.deepEqual(data.lines, [])
    assert.deepEqual(data.payments, [])
  })
})

test('a status that is not stored or not known is listed by default and by status=all alone [N1]', async () => {
  const orders = [emptyRow('sales_orders', 1), filledRow('sales_orders', 2, { status: 9 })]
  const own = await createWorld({ rows: { sales_orders: orders } })
  try {
    const ownToken = await own.tokenFor()
    const found = async (query: string) =>
      (await own.ask(`/sales-orders?${query}`, { token: ownToken })).body.meta.total
    assert.equal(await found(''), 2)
    assert.equal(await found('status=all'), 2)
    for (const status of ['new', 'open', 'hold', 'converted', 'refunded', 'closed'])
      assert.equal(await found(`status=${status}`), 0, status)
  } finally {
    await own.close()
  }
})
