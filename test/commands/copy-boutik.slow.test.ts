// The example of docs/connect/boutik.sql: its rows, copied by its views and served, are what plain SQL on MariaDB says, to the cent.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { connectFile } from '../support/caisse/scripts.ts'
import { mariadbZone, noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import { runVitrine, startServer, type Server } from '../support/process.ts'

// oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
type AnyRecord = Record<string, any>

const sorted = (rows: readonly unknown[][]) => rows.toSorted((one, other) => (String(one) < String(other) ? -1 : 1))
const pick = (records: readonly AnyRecord[], ...fields: string[]) =>
  sorted(records.map((record) => fields.map((field) => record[field])))
const cents = (amount: unknown) => Math.abs(Math.round(Number(amount) * 100))
const centsOf = (records: readonly AnyRecord[], ...fields: string[]) =>
  sorted(records.map((record) => [record['number'], ...fields.map((field) => cents(record[field]))]))

// Line by line, as a receipt is made. What is added makes doubles round as decimals do: 0.5 × 2.01 is 1.01.
const linesSum = (amount: string) =>
  `(SELECT SUM(SIGN(qty) * ROUND(ABS(${amount}) + 1e-9, 2)) FROM sale_line l WHERE l.sale = s.uuid AND l.removed_at = 0)`
const paymentsSum = (condition: string) => `SUM(IF(${condition}, p.amount, 0))`
const number = `CONCAT(s.till, '-', LPAD(s.receipt, 6, '0'))`

describe('Boutik, the example POS in MariaDB', { skip: noMariadb }, () => {
  let mariadb: MariadbServer
  let server: Server
  let token: string
  const views = connectFile('views-boutik.sql')
  before(async () => {
    mariadb = await startMariadb()
    await mariadb.ask(`CREATE DATABASE boutik; USE boutik; ${readFileSync(connectFile('boutik.sql'), 'utf8')}`)
    server = await startServer({
      settings: { VITRINE_TIME_ZONE: mariadbZone },
      async prepare(folder) {
        const ended = await runVitrine(['copy', '--from', mariadb.address('boutik'), '--views', views], {
          VITRINE_DATABASE_URL: `sqlite:${join(folder, 'pos.db')}`,
          VITRINE_TIME_ZONE: mariadbZone,
        })
        assert.equal(ended.status, 0, ended.stderr)
      },
    })
    token = await server.token()
  })
  after(async () => {
    await server?.remove()
    await mariadb?.remove()
  })

  const list = async (path: string): Promise<AnyRecord[]> => {
    const { status, text, body } = await server.ask(path, { token })
    assert.equal(status, 200, text)
    assert.equal(body.meta.total, body.data.length)
    return body.data
  }
  const detail = async (path: string, number: string): Promise<AnyRecord> => {
    const found = (await list(`${path}?status=all`)).find((record) => record['number'] === number)
    return (await server.ask(`${path}/${found?.['id']}`, { token })).body.data
  }
  const copyAgain = async () => {
    const ended = await server.runProcess('copy', '--from', mariadb.address('boutik'), '--views', views)
    assert.equal(ended.status, 0, ended.stderr)
  }
  // Amounts in cents: plain SQL adds doubles.
  const ask = async (statement: string) =>
    sorted(
      ((await mariadb.ask(`USE boutik; ${statement}`))[1] as unknown[][]).map(([key, ...amounts]) => [
        key,
        ...amounts.map(cents),
      ]),
    )
  const documents = async () => [...(await list('/invoices?status=all')), ...(await list('/credit-memos?status=all'))]

  test('check has notes on it, and no warning', async () => {
    const { stdout } = await server.runProcess('check', '--json')
    const { findings } = JSON.parse(stdout) as { findings: { severity: string; code: string }[] }
    assert.notEqual(findings.length, 0)
    assert.deepEqual(
      findings.filter(({ severity }) => severity !== 'notes'),
      [],
    )
  })

  test('totals that are not stored, taxes in several rows, discounts of lines and coupons: to the cent', async () => {
    const [items, discount] = [linesSum('qty * price'), `(${linesSum('qty * price * discount / 100')} + s.coupon)`]
    const tax = 'ROUND(COALESCE((SELECT SUM(amount) FROM sale_tax t WHERE t.sale = s.uuid), 0), 2)'
    const expected = await ask(
      `SELECT ${number}, ${items}, ${discount}, ${tax}, ${items} - ${discount} + ${tax} FROM sale s WHERE removed_at = 0 AND state <> 9`,
    )
    const shown = (await documents()).filter(({ status }) => status !== 'void')
    assert.deepEqual(centsOf(shown, 'items_total', 'discount_amount', 'tax', 'total'), expected)
    assert.deepEqual(expected[4], ['PV/2-000017', 100030, 0, 3, 100033])
    const sale = await detail('/invoices', 'PV/1-000017')
    assert.deepEqual(
      [sale['items_total'], sale['discount_amount'], sale['tax'], sale['total'], sale['notes']],
      [6466.3, 605.03, 644.74, 6506.01, 'Komin 1%: 58.61, TCA 10%: 586.13'],
    )
    assert.deepEqual(pick(sale['lines'], 'name', 'description', 'quantity', 'unit_price', 'type'), [
      ['Diri 25 liv', null, 0.333, 1999.99, 'Inventory'],
      ['Livrezon', null, 1, 250, 'Service'],
      ['Rhum 5 étoiles', '-10 %', 3, 1850.1, 'Inventory'],
    ])
  })

  test('vouchers and gift cards are deposits; what is owed is on the account; change is taken off', async () => {
    const expected = await ask(
      `SELECT ${number}, ${paymentsSum(`p.method IN ('gift', 'voucher')`)}, ${paymentsSum(`p.method <> 'account'`)}
       FROM sale s LEFT JOIN sale_payment p ON p.sale = s.uuid WHERE s.removed_at = 0 AND s.state <> 9 GROUP BY s.uuid`,
    )
    const shown = (await documents()).filter(({ status }) => status !== 'void')
    assert.deepEqual(centsOf(shown, 'deposit', 'amount_paid'), expected)
    const sale = await detail('/invoices', 'PV/1-000017')
    assert.deepEqual(
      [sale['payment_type'], sale['payment_status'], sale['deposit'], sale['amount_paid']],
      ['cash, gift, voucher', 'paid', 1250, 6506.01],
    )
    assert.deepEqual(pick(sale['payments'], 'cash', 'deposit'), [
      [-743.99, 0],
      [0, 1000],
      [0, 250],
      [6000, 0],
    ])
    const owed = await detail('/invoices', 'JAC/1-000006')
    assert.deepEqual([owed['payment_status'], owed['amount_paid']], ['unpaid', 1000])
    assert.deepEqual(pick(owed['payments'], 'card', 'account'), [
      [0, 2459.69],
      [1000, 0],
    ])
    const sold = await detail('/invoices', 'PV/2-000017')
    assert.deepEqual(pick(sold['lines'], 'name', 'type'), [
      ['Crémasse', 'Inventory'],
      ['Kat kado', 'Special'],
    ])
    assert.deepEqual(pick(sold['payments'], 'cheque', 'cheque_number'), [[1000.33, '000456']])
  })

  test('a refund is a credit memo with positive amounts, a cancelled sale is void, a parked one a draft', async () => {
    const memo = await detail('/credit-memos', 'JAC/1-000004')
    assert.deepEqual([memo['total'], memo['deposit'], memo['quantity_total']], [1848.25, 1848.25, 1])
    assert.deepEqual(pick(memo['lines'], 'quantity', 'unit_price'), [[1, 1850.1]])
    assert.deepEqual(pick(memo['payments'], 'deposit', 'cash'), [[1848.25, 0]])
    assert.deepEqual(pick(await list('/invoices?status=void'), 'number', 'total', 'currency'), [
      ['JAC/1-000005', 0, 'USD'],
    ])
    assert.deepEqual(pick(await list('/invoices?status=hold'), 'number', 'total'), [['PV/1-000018', 2001]])
  })

  test('a till is in a store, also for keys that see one store', async () => {
    const stores = await list('/stores')
    assert.deepEqual(pick(stores, 'code', 'name'), [
      ['JAC', 'Jacmel'],
      ['PV', 'Pétion-Ville'],
    ])
    const codes = new Map(stores.map(({ id, code }) => [id, code]))
    for (const { number: own, store_id } of await documents()) assert.equal(codes.get(store_id), own.split('/')[0])
    const jacmel = stores.find(({ code }) => code === 'JAC')?.['id']
    const only = await server.token('--stores', String(jacmel))
    const { body } = await server.ask('/invoices?status=all', { token: only })
    assert.deepEqual(pick(body.data, 'number'), [['JAC/1-000005'], ['JAC/1-000006']])
    const { body: received } = await server.ask('/receivings', { token: only })
    assert.deepEqual(pick(received.data, 'number', 'store_id'), [
      ['1', jacmel],
      ['2', jacmel],
    ])
  })

  test('a store on each line: one receiving for each store, which add up to the delivery', async () => {
    const expected = await ask(
      `SELECT CAST(d.no AS char), (SELECT SUM(qty * cost) FROM delivery_line l WHERE l.delivery = d.no) + d.freight FROM delivery d`,
    )
    const received = await list('/receivings')
    const sums = Map.groupBy(received, (record) => record['number'] as string)
    assert.deepEqual(
      sorted([...sums].map(([key, records]) => [key, records.reduce((sum, { total }) => sum + cents(total), 0)])),
      expected,
    )
    assert.deepEqual(pick(received, 'number', 'items_total', 'freight', 'total', 'vendor_name', 'date'), [
      ['1', 12005.5, 0, 12005.5, 'Barbancourt', '2026-02-10T00:00:00'],
      ['1', 6000.25, 150, 6150.25, 'Barbancourt', '2026-02-10T00:00:00'],
      ['2', 66825, 0, 66825, 'Agrikòl S.A.', null],
    ])
  })

  test('three levels of departments; latin1, TINYINT, doubles and zero dates', async () => {
    assert.deepEqual(
      pick(
        await list('/products?status=all'),
        'code',
        'name',
        'type',
        'status',
        'department',
        'sub_department',
        'price',
      ),
      [
        ['DIRI-25', 'Diri 25 liv', 'inventory', 'active', 'Manje', 'Diri', 1999.99],
        ['KADO', 'Kat kado', 'special', 'active', null, null, 1000],
        ['KREM', 'Crémasse', 'inventory', 'active', 'Boissons', null, 0.1],
        ['LIVREZON', 'Livrezon', 'service', 'active', null, null, 250],
        ['RHUM-5', 'Rhum 5 étoiles', 'inventory', 'active', 'Boissons', 'Rhum / Vieux', 1850.1],
        ['VIEUX', 'Ancien modèle', 'inventory', 'inactive', 'Manje', null, 5],
      ],
    )
    assert.deepEqual(pick(await list('/sub-departments'), 'code', 'name'), [
      ['rice', 'Diri'],
      ['rum', 'Rhum'],
      ['rum-aged', 'Rhum / Vieux'],
    ])
    assert.deepEqual(pick(await list('/products?search=RHUM'), 'created_at', 'quantity_total'), [
      ['2025-11-03T09:00:00', 15],
    ])
    assert.deepEqual(pick(await list('/products?search=DIRI'), 'created_at', 'quantity_total'), [[null, 40.5]])
    // TIMESTAMP: stored in UTC, shown as the shop's clock had it.
    assert.equal((await detail('/invoices', 'PV/2-000017'))['date'], '2026-07-02T01:24:05')
    assert.deepEqual(pick(await list('/customers'), 'code', 'status', 'balance', 'created_at'), [
      ['C-001', 'active', 1500.5, '2026-01-02T02:04:05'],
      ['C-002', 'inactive', 0, null],
    ])
  })

  test('rows that are marked as removed are gone with the next copy; what is changed gets a time', async () => {
    const { body: begun } = await server.ask('/changes', { token })
    const sale = await detail('/invoices', 'PV/1-000017')
    const removed = await detail('/invoices', 'PV/2-000017')
    await mariadb.ask(`USE boutik; UPDATE sale SET removed_at = NOW() WHERE till = 'PV/2';
      UPDATE sale_line SET removed_at = NOW() WHERE sku = 'LIVREZON'`)
    await copyAgain()
    const changed = await detail('/invoices', 'PV/1-000017')
    assert.deepEqual([changed['id'], changed['items_total'], changed['total']], [sale['id'], 6216.3, 6256.01])
    assert(changed['updated_at'] > sale['updated_at'])
    assert.equal(changed['lines'].length, 2)
    const { body } = await server.ask(`/changes?cursor=${begun.meta.cursor}`, { token })
    assert.deepEqual(pick(body.data, 'resource', 'change', 'id'), [
      ['invoices', 'gone', removed['id']],
      ['invoices', 'record', sale['id']],
    ])
  })
})
