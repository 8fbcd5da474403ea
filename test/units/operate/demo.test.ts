// The demo company as its reader will look at it: the same for a seed, complete in kinds and statuses, and with sums
// that add up to the cent.
import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { existsSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import { findRelation, relations } from '../../../src/contract/relations.ts'
import { demoCompany, documentCount } from '../../../demo/company.ts'
import { loadSqlite } from '../../../demo/load-sqlite.ts'
import { findSqliteJournal } from '../../../src/operate/schema/journal.ts'
import { status as statuses } from '../../../demo/story.ts'

// Read as JSON is, without types: the first test holds every value against the contract's.
type Cells = ReturnType<typeof JSON.parse>
type Company = (relation: string) => Cells[]

function makeCompany(scale: number, seed: number): Company {
  const rows = new Map<string, Cells[]>()
  for (const batch of demoCompany({ scale, seed })) {
    const names = Object.keys(findRelation(batch.relation).columns)
    const list = rows.get(batch.relation) ?? []
    rows.set(batch.relation, list)
    for (const row of batch.rows) list.push(Object.fromEntries(names.map((name, at) => [name, row[at]])))
  }
  return (relation) => rows.get(relation) ?? []
}

const company = makeCompany(0.05, 1)
const both = (relation: string) => [...company(relation), ...company(`${relation}_archive`)]
const cents = (value: number) => Math.round(value * 100)
const thousandths = (value: number) => Math.round(value * 1000)
const times = (price: number, quantity: number) => Math.round((cents(price) * thousandths(quantity)) / 1000)
const sum = (rows: Cells[], value: (row: Cells) => number) => rows.reduce((total, row) => total + value(row), 0)
const byId = (rows: Cells[]) => new Map(rows.map((row) => [row.id, row]))
const groupBy = (rows: Cells[], column: string) => Map.groupBy(rows, (row) => row[column])
const money = (row: Cells) => cents(row.cash) + cents(row.card) + cents(row.cheque)

const { new: NEW, open: OPEN, hold: HOLD, regular: REGULAR, void: VOID } = statuses

const decimalsOf = (column: string) => (column === 'exchange_rate' ? 4 : /quantity|on_.*_order/.test(column) ? 3 : 2)
const roundTo = (decimals: number, value: number) => Math.round(value * 10 ** decimals) / 10 ** decimals
const openAmount = (row: Cells) => cents(row.total) - cents(row.amount_paid)
const isVoid = (row: Cells) => row.status === VOID

function stopAtIndexes({ what }: { what: string }): void {
  if (what.startsWith('index')) throw new Error('stopped')
}

function hashOf(seed: number): string {
  const hash = createHash('sha256')
  for (const batch of demoCompany({ scale: 0.05, seed })) hash.update(batch.relation).update(JSON.stringify(batch.rows))
  return hash.digest('hex')
}

describe('rows', () => {
  test('are the same for the same seed, and others for another', () => {
    assert.equal(hashOf(7), hashOf(7))
    assert.notEqual(hashOf(7), hashOf(8))
  })

  test('are as many documents as planned', () => {
    for (const scale of [0.001, 0.05, 0.3]) {
      let documents = 0
      for (const batch of demoCompany({ scale, seed: 3 })) documents += batch.documents
      assert.equal(documents, documentCount(scale))
    }
  })

  test('fit the contract, with real times and few decimals', () => {
    const patterns = { time: /^20\d\d-\d\d-\d\dT\d\d:\d\d:\d\d$/, day: /^20\d\d-\d\d-\d\d$/ }
    for (const { name, columns, key } of relations) {
      assert.ok(company(name).length > 0, name)
      for (const row of company(name)) {
        for (const [column, type] of Object.entries(columns)) {
          const value: unknown = row[column]
          const where = `${name}.${column} ${String(value)}`
          assert.notEqual(value, undefined, where)
          if (value === null) assert.ok(!key.includes(column), where)
          else if (type === 'int') assert.ok(Number.isSafeInteger(value), where)
          else if (type === 'bool') assert.equal(typeof value, 'boolean', where)
          else if (type === 'num') assert.equal(roundTo(decimalsOf(column), value as number), value, where)
          else {
            assert.equal(typeof value, 'string', where)
            if (type !== 'text') assert.match(value as string, patterns[type], where)
          }
        }
      }
    }
  })
})

describe('every status and kind is there', () => {
  const wanted: [string, string | null, number[], string][] = [
    ['invoices', 'kind', [1, 2], 'new open hold regular void'],
    ['quotes', null, [0], 'hold open converted void'],
    ['sales_orders', null, [0], 'new open hold converted refunded closed'],
    ['payments', null, [0], 'regular void'],
    ['purchase_orders', null, [0], 'hold open complete closed'],
    ['receivings', 'kind', [1, 2], 'open hold posted void'],
    ['transfers', null, [0], 'hold open posted'],
    ['adjustments', 'kind', [1, 2], 'hold posted'],
  ]
  for (const scale of [0.001, 0.05])
    test(`at scale ${scale}`, () => {
      const made = makeCompany(scale, 2)
      for (const [relation, kind, kinds, labels] of wanted) {
        const rows = [...made(relation), ...made(`${relation}_archive`)]
        const found = new Set(rows.map((row) => `${kind ? row[kind] : 0} ${row.status}`))
        const codes = labels.split(' ').map((label) => statuses[label as keyof typeof statuses])
        const all = kinds.flatMap((each) => codes.map((code) => `${each} ${code}`))
        assert.deepEqual([...found].toSorted(), all.toSorted(), relation)
      }
      for (const kind of [1, 2, 3, 4]) assert.ok(made('products').some((row) => row.kind === kind))
      for (const relation of ['products', 'customers', 'vendors'])
        assert.equal(new Set(made(relation).map((row) => row.active)).size, 2, relation)
    })

  test('lines are of three kinds, with free text in each kind of sale', () => {
    for (const relation of ['invoice_lines', 'quote_lines', 'sales_order_lines'])
      assert.ok(
        both(relation).some((row) => row.product_id === 0),
        relation,
      )
    const memos = new Set(
      both('invoices')
        .filter((row) => row.kind === 2)
        .map((row) => row.id),
    )
    assert.ok(both('invoice_lines').some((row) => row.product_id === 0 && memos.has(row.invoice_id)))
    assert.deepEqual(new Set(both('invoice_lines').map((row) => row.kind)), new Set([1, 2, 3]))
  })
})

describe('sums add up', () => {
  test('of sale documents and their lines', () => {
    for (const [documents, lines, parent] of [
      ['invoices', 'invoice_lines', 'invoice_id'],
      ['quotes', 'quote_lines', 'quote_id'],
      ['sales_orders', 'sales_order_lines', 'sales_order_id'],
    ] as const) {
      const linesOf = groupBy(both(lines), parent)
      for (const row of both(documents)) {
        const own = linesOf.get(row.id) ?? []
        const items = sum(own, (line) => times(line.unit_price, line.quantity))
        const discount = Math.round((items * cents(row.discount_percent)) / 10_000)
        assert.ok(own.length > 0 && row.total > 0, row.number)
        assert.equal(cents(row.items_total), items, row.number)
        assert.equal(cents(row.discount_amount), discount, row.number)
        assert.ok([0, Math.round((items - discount) / 10)].includes(cents(row.tax)), row.number)
        assert.equal(cents(row.total), items - discount + cents(row.tax) + cents(row.shipping), row.number)
        assert.equal(
          thousandths(row.quantity_total),
          sum(own, (line) => thousandths(line.quantity)),
        )
        if (documents !== 'quotes')
          assert.equal(
            cents(row.cost_total),
            sum(own, (line) => times(line.cost, line.base_quantity)),
          )
      }
      for (const line of both(lines)) {
        const factor = roundTo(6, line.base_quantity / line.quantity)
        assert.ok(Number.isInteger(factor), line.name)
        assert.equal(cents(line.base_unit_price), Math.round(cents(line.unit_price) / factor))
      }
    }
  })

  test('of what was paid at the counter and later', () => {
    const paymentsOf = groupBy(both('invoice_payments'), 'invoice_id')
    const counted = new Set(
      company('payments')
        .filter((row) => row.status === REGULAR)
        .map((row) => row.id),
    )
    const applied = company('payment_applications').filter((row) => counted.has(row.payment_id))
    const appliedTo = groupBy(applied, 'invoice_id')
    for (const row of both('invoices')) {
      const own = paymentsOf.get(row.id) ?? []
      const isDraft = row.status === NEW || row.status === HOLD
      const deposit = sum(own, (paid) => cents(paid.deposit))
      const account = sum(own, (paid) => cents(paid.account))
      const later = sum(appliedTo.get(row.id) ?? [], (each) => cents(each.amount))
      assert.equal(own.length === 0, isDraft, row.number)
      if (!isDraft) assert.equal(sum(own, money) + deposit + account, cents(row.total), row.number)
      assert.equal(cents(row.deposit), deposit, row.number)
      if (row.kind === 1) assert.equal(cents(row.amount_paid), sum(own, money) + deposit + later, row.number)
      else assert.ok([sum(own, money), cents(row.total)].includes(cents(row.amount_paid)), row.number)
      assert.equal(row.paid, row.amount_paid >= row.total, row.number)
      assert.ok(row.amount_paid <= row.total, row.number)
    }
  })

  test('of deposits on sales orders', () => {
    const paymentsOf = groupBy(company('sales_order_payments'), 'sales_order_id')
    for (const row of company('sales_orders'))
      assert.equal(cents(row.amount_paid), sum(paymentsOf.get(row.id) ?? [], money), row.number)
  })

  test('of payments received', () => {
    const applications = groupBy(company('payment_applications'), 'payment_id')
    for (const row of company('payments')) {
      assert.equal(cents(row.amount_received), money(row))
      assert.ok(money(row) >= sum(applications.get(row.id) ?? [], (each) => cents(each.amount)), row.number)
      assert.ok((applications.get(row.id) ?? []).length > 0)
    }
  })

  test('of purchases', () => {
    for (const [documents, lines, parent] of [
      ['purchase_orders', 'purchase_order_lines', 'purchase_order_id'],
      ['receivings', 'receiving_lines', 'receiving_id'],
    ] as const) {
      const linesOf = groupBy(company(lines), parent)
      for (const row of company(documents)) {
        const own = linesOf.get(row.id) ?? []
        const extra = documents === 'receivings' ? ['tax', 'freight', 'fee'] : ['tax']
        const less = documents === 'receivings' ? cents(row.discount_amount) : 0
        assert.equal(
          cents(row.items_total),
          sum(own, (line) => times(line.unit_price, line.quantity)),
        )
        const added = extra.reduce((total, name) => total + cents(row[name]), 0)
        assert.equal(cents(row.total), cents(row.items_total) - less + added, row.number)
        assert.equal(
          thousandths(row.quantity_total),
          sum(own, (line) => thousandths(line.quantity)),
        )
        assert.ok(row.total > 0, row.number)
      }
    }
  })

  test('of transfers and adjustments', () => {
    const moved = groupBy(company('transfer_lines'), 'transfer_id')
    for (const row of company('transfers')) {
      assert.equal(
        thousandths(row.quantity_total),
        sum(moved.get(row.id) ?? [], (line) => thousandths(line.quantity)),
      )
      assert.notEqual(row.from_store_id, row.to_store_id)
    }
    const adjusted = groupBy(company('adjustment_lines'), 'adjustment_id')
    for (const row of company('adjustments')) {
      const value = (line: Cells) =>
        row.kind === 1
          ? times(line.average_cost, line.quantity_difference)
          : times(line.cost_difference, line.on_hand_quantity)
      assert.equal(cents(row.total), sum(adjusted.get(row.id) ?? [], value), row.number)
      for (const line of adjusted.get(row.id) ?? [])
        assert.equal(
          thousandths(line.new_quantity) - thousandths(line.previous_quantity),
          thousandths(line.quantity_difference),
        )
    }
  })

  test('of customer balances', () => {
    const owed = new Map<number, number>()
    const owe = (row: Cells, amount: number) => owed.set(row.customer_id, (owed.get(row.customer_id) ?? 0) + amount)
    for (const row of both('invoices'))
      if (row.status === REGULAR || row.status === OPEN) owe(row, row.kind === 1 ? openAmount(row) : -openAmount(row))
    const applications = groupBy(company('payment_applications'), 'payment_id')
    for (const row of company('payments'))
      if (row.status === REGULAR)
        owe(row, sum(applications.get(row.id) ?? [], (each) => cents(each.amount)) - cents(row.amount_received))
    for (const row of company('customers')) assert.equal(cents(row.balance), owed.get(row.id) ?? 0, row.name)
  })

  test('of what open orders reserve and expect', () => {
    const orders = byId(company('sales_orders').filter((row) => row.status === OPEN || row.status === NEW))
    let waiting = 0
    for (const line of company('sales_order_lines')) {
      const factor = line.base_quantity / line.quantity
      if (line.product_id > 0 && orders.has(line.sales_order_id))
        waiting += Math.round(thousandths(line.quantity - line.delivered_quantity) * factor)
    }
    assert.equal(
      sum(company('product_stock'), (row) => thousandths(row.on_sales_order)),
      waiting,
    )
    assert.ok(sum(company('product_stock'), (row) => row.on_purchase_order) > 0)
    for (const row of company('product_stock')) assert.ok(row.quantity >= 0)
  })
})

describe('the story is consistent', () => {
  test('in prices and costs', () => {
    assert.equal(company('price_lists').length, 7)
    assert.equal(company('product_prices').length, 7 * company('products').length)
    for (const row of company('products')) assert.ok(row.average_cost < row.price, row.name)
    for (const row of both('invoices')) assert.ok(row.exchange_rate > 130 && row.exchange_rate < 134)
  })

  test('in void documents, which keep their amounts', () => {
    for (const row of [...both('invoices'), ...both('quotes'), ...company('receivings')].filter(isVoid)) {
      assert.ok(row.total > 0, row.number)
      assert.ok(row.updated_at > row.created_at, row.number)
    }
    for (const row of company('payments').filter(isVoid)) assert.ok(row.amount_received > 0, row.number)
  })

  test('in time: opening hours, updates after creation, an archive of what is old', () => {
    const documents = ['sales_orders', 'payments', 'purchase_orders', 'receivings', 'transfers', 'adjustments']
    for (const row of [...both('invoices'), ...both('quotes'), ...documents.flatMap((name) => company(name))]) {
      const date: string = row.date
      const closing = new Date(`${date}Z`).getUTCDay() === 0 ? '13:00:00' : '18:00:00'
      assert.ok(date.slice(11) >= '08:00:00' && date.slice(11) < closing, `${row.number} ${date}`)
      assert.ok(date >= '2023-10-01' && row.updated_at < '2026-10-01', row.number)
      assert.ok(row.created_at >= date && row.updated_at >= row.created_at, row.number)
    }
    for (const relation of ['invoices', 'quotes']) {
      for (const row of company(relation)) assert.ok(row.date >= '2025-07-01', row.number)
      for (const row of company(`${relation}_archive`)) assert.ok(row.date < '2025-07-01', row.number)
    }
    for (const relation of ['products', 'customers', 'vendors'])
      for (const row of company(relation)) assert.ok(row.updated_at >= row.created_at, row.name)
  })

  test('in ids and references', () => {
    for (const { name, key } of relations.filter((each) => !each.name.endsWith('_archive'))) {
      const rows = both(name)
      assert.equal(new Set(rows.map((row) => key.map((column) => row[column]).join())).size, rows.length, name)
    }
    const parents: Record<string, string> = { from_store: 'stores', to_store: 'stores' }
    for (const { name, columns } of relations) {
      for (const column of Object.keys(columns).filter((each) => each.endsWith('_id'))) {
        const stem = column.slice(0, -3)
        const target = parents[stem] ?? `${stem}s`
        // Lines and payments of an archived document are in the archive with it.
        const isArchive = name.endsWith('_archive') && ['invoices', 'quotes'].includes(target)
        const found = byId(
          name === 'payment_applications' ? both(target) : company(isArchive ? `${target}_archive` : target),
        )
        for (const row of company(name)) {
          const id: number | null = row[column] ?? null
          const isNone = id === null ? column === 'purchase_order_id' : id === 0 && /product_id|vendor_id/.test(column)
          assert.ok(isNone || found.has(id), `${name}.${column} ${id}`)
        }
      }
    }
  })

  test('from quote to order to invoice to return and payment', () => {
    const numbered = new Map(
      [...both('invoices'), ...both('quotes'), ...company('sales_orders')].map((row) => [row.number, row]),
    )
    const invoices = byId(both('invoices'))
    const isEarlier = (number: string | null, row: Cells) => {
      const source = numbered.get(number ?? '')
      assert.ok(source && source.date < row.date && source.customer_id === row.customer_id, row.number)
      return source
    }
    for (const row of [...both('invoices').filter((each) => each.kind === 1), ...company('sales_orders')]) {
      if (row.quote_number) assert.equal(isEarlier(row.quote_number, row).status, statuses.converted)
      if (row.sales_order_number) isEarlier(row.sales_order_number, row)
    }
    for (const row of both('invoices').filter((each) => each.kind === 2))
      assert.equal(isEarlier(/INV-\w\w-\d{7}/.exec(row.notes)?.[0] ?? null, row).kind, 1)
    const payments = byId(company('payments'))
    for (const row of company('payment_applications')) {
      const invoice = invoices.get(row.invoice_id)
      const payment = payments.get(row.payment_id)
      assert.ok(invoice && payment && invoice.number === row.invoice_number && invoice.date < payment.date)
      assert.ok(invoice.customer_id === payment.customer_id && invoice.currency === payment.currency)
    }
    assert.ok(both('invoices').some((row) => row.quote_number !== null))
    assert.ok(both('invoices').some((row) => row.sales_order_number !== null))
    assert.ok(company('receivings').some((row) => row.purchase_order_id !== null))
  })
})

describe('the SQLite file', () => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-demo-'))
  after(() => rmSync(folder, { recursive: true }))

  test('holds all rows, indexes and the journal, in WAL mode, and replaces an older one', async () => {
    const path = join(folder, 'pos.db')
    writeFileSync(`${path}-wal`, 'stale')
    const steps: string[] = []
    const loaded = await loadSqlite({ path, scale: 0.05, seed: 1, onProgress: ({ what }) => void steps.push(what) })
    assert.equal(loaded.documents, documentCount(0.05))
    assert.deepEqual(readdirSync(folder), ['pos.db'])
    assert.ok(steps.includes('documents') && steps.includes('indexes'))
    const database = new DatabaseSync(path, { readOnly: true })
    for (const { name } of relations) {
      const count = database.prepare(`SELECT count(*) AS count FROM "${name}"`).get()?.['count']
      assert.equal(count, company(name).length, name)
      assert.equal(loaded.rows[name], count, name)
    }
    assert.equal(database.prepare('PRAGMA journal_mode').get()?.['journal_mode'], 'wal')
    assert.deepEqual(findSqliteJournal(database, () => true).faults, [])
    database.close()
  })

  test('is not left behind half made', async () => {
    const path = join(folder, 'failed.db')
    await assert.rejects(loadSqlite({ path, scale: 0.001, seed: 1, onProgress: stopAtIndexes }), /stopped/)
    assert.ok(!existsSync(path))
    assert.ok(!readdirSync(folder).some((name) => name.startsWith('failed')))
  })
})
