// The examples run, against a real service with the demo company, and what they say is what the database has.
import assert from 'node:assert/strict'
import { copyFileSync, globSync, readFileSync, rmSync, statSync, utimesSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, suite, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { insertRows, type Rows } from '../support/pos.ts'
import {
  cleanEnvironment,
  repository,
  runVitrine,
  startProcess,
  startServer,
  temporaryFolder,
  until,
  type Server,
  type Settings,
} from '../support/process.ts'

let demo: string
before(async () => {
  demo = temporaryFolder()
  const made = await runVitrine(['demo', '--scale', '0.1', '--json'], { VITRINE_DATA_DIR: demo })
  assert.equal(made.status, 0, made.stderr)
})
after(() => rmSync(demo, { recursive: true, force: true }))

let server: Server
let settings: Settings

// Each suite has a service of its own: an address may sign in ten times a minute, and an example does so whenever it runs.
function startForSuite() {
  before(async () => {
    server = await startServer({ prepare: (data) => copyFileSync(join(demo, 'pos.db'), join(data, 'pos.db')) })
    const key = await server.makeKey('--rate', '100000')
    settings = {
      VITRINE_URL: `https://127.0.0.1:${server.https}`,
      VITRINE_CLIENT_ID: key.client_id,
      VITRINE_CLIENT_SECRET: key.client_secret,
      NODE_EXTRA_CA_CERTS: server.certificate,
    }
  })
  after(() => server.remove())
}

function startExample(name: string, words: readonly string[] = [], changes: Settings = {}) {
  const file = join(repository, 'examples', `${name}.ts`)
  const env = cleanEnvironment({ ...settings, ...changes })
  return startProcess(process.execPath, [file, ...words], { cwd: server.data, env })
}
const runExample = (...asked: Parameters<typeof startExample>) => startExample(...asked).ended

function inPos<Result>(act: (pos: ReturnType<typeof openSqlite>) => Result): Result {
  const pos = openSqlite(join(server.data, 'pos.db'))
  try {
    return act(pos)
  } finally {
    pos.close()
  }
}
const write = (rows: Rows) => inPos((pos) => insertRows(pos, rows))
const change = (sql: string) => inPos((pos) => pos.exec(sql))
// A line of the journal without an id says that any record may have changed: no earlier cursor of the relation is good any more.
const expireCursors = (relation: string) => change(`INSERT INTO vitrine_journal (relation) VALUES ('${relation}')`)
const query = <Row>(sql: string) => inPos((pos) => pos.prepare(sql).all()) as Row[]

const names = globSync('*.ts', { cwd: join(repository, 'examples') }).map((name) => name.replace('.ts', ''))

// Amounts as they are written, and as the database sums them up.
const cents = (text: string) => BigInt(text.replace('.', ''))
const centsOf = (amount: string) => `SUM(CAST(ROUND(${amount} * 100) AS INTEGER))`
const amount = (text: string | undefined) => Number(text?.replaceAll(',', ''))
const numbers = (chart: string) =>
  chart
    .trim()
    .split('\n')
    .map((line) => [line.split(' ')[0], amount(line.split(' ').at(-1))] as const)

// What can be sold.
const sellable = () =>
  query<{ id: number; price: number; available: number }>(
    `SELECT id, price, MAX(0, ROUND((SELECT TOTAL(quantity) - TOTAL(on_sales_order) FROM product_stock WHERE product_id = id), 6)) AS available
     FROM products WHERE active = 1 AND kind IN (1, 3) AND price > 0 ORDER BY id`,
  ).map((row) => ({ ...row }))

suite('each of them', () => {
  startForSuite()

  for (const name of names)
    test(`${name} fits a screen or two, and says what is missing or refused`, async () => {
      assert(readFileSync(join(repository, 'examples', `${name}.ts`), 'utf8').split('\n').length <= 110)
      const unset = await runExample(name, ['out.json'], { VITRINE_URL: undefined })
      assert.deepEqual([unset.status, unset.stdout], [1, ''])
      assert.match(unset.stderr, /^Set VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET\.\n$/)
      const refused = await runExample(name, name === 'sales-summary' ? [] : [`${name}.out`], {
        VITRINE_CLIENT_SECRET: 'wrong',
      })
      assert.equal(refused.status, 1)
      assert.match(refused.stderr, /^The access key or the security code is missing or wrong\.\n$/)
    })
})

// The requests that an example sent, except for its token.
async function requestsOf(act: () => Promise<unknown>): Promise<string[]> {
  const paths = () =>
    server
      .logged()
      .filter(({ event, path }) => event === 'request' && path !== '/api/v1/auth/token')
      .map(({ path }) => String(path))
  const before = paths().length
  await act()
  // The log comes over a pipe, in order: what this request finds there is complete.
  await server.lineOf(await server.ask('/status'))
  return paths().slice(before, -1)
}

suite('ledger-export', () => {
  startForSuite()

  interface Line {
    readonly export: number
    readonly date: string
    readonly document: string
    readonly account: string
    readonly currency: string
    readonly debit: bigint
    readonly credit: bigint
  }

  async function exportNews(...words: string[]) {
    const { status, stdout, stderr } = await runExample('ledger-export', ['ledger.db', ...words])
    assert.equal(status, 0, stderr)
    const [head, ...rows] = stdout.trimEnd().split('\n')
    assert.equal(head, 'export,date,document,customer,account,currency,exchange_rate,debit,credit')
    const lines = rows.map((row): Line => {
      // A customer's name may hold commas, in quotes.
      const [number = '', date = '', document = '', , account = '', currency = '', , debit = '', credit = ''] = [
        ...row.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g),
      ].map((found) => found[1] ?? '')
      return {
        export: Number(number),
        date,
        document,
        account,
        currency,
        debit: cents(debit),
        credit: cents(credit),
      }
    })
    journal.push(...(words.length > 0 ? [] : lines))
    return { lines, stdout }
  }
  // All that was exported so far.
  const journal: Line[] = []

  const sum = (lines: readonly Line[], side: 'debit' | 'credit') =>
    lines.reduce((total, line) => total + line[side], 0n)
  const booked = (lines: readonly Line[]) =>
    lines.map(({ document, account, debit, credit }) => `${document} ${account} ${debit - credit}`)

  // Every document balances in every export, and together they are what the database has now, to the cent.
  function assertRight() {
    for (const lines of Map.groupBy(journal, (line) => `${line.export} ${line.document} ${line.currency}`).values())
      assert.equal(sum(lines, 'debit'), sum(lines, 'credit'), lines[0]?.document)
    for (const currency of ['HTG', 'USD']) {
      const where = `date >= '2026-01-01' AND status = 3 AND currency = '${currency}'`
      const both =
        '(SELECT * FROM invoices UNION ALL SELECT * FROM invoices_archive WHERE id NOT IN (SELECT id FROM invoices))'
      const of = (kind: number, amount: string) =>
        `(SELECT COALESCE(${centsOf(amount)}, 0) FROM ${both} WHERE kind = ${kind} AND ${where})`
      const [found] = query<{ customers: number; cash: number; tax: number; shipping: number }>(`
        SELECT ${of(1, 'total')} - ${of(2, 'total')} - paid AS customers, cash,
          ${of(2, 'tax')} - ${of(1, 'tax')} AS tax, ${of(2, 'shipping')} - ${of(1, 'shipping')} AS shipping
        FROM (SELECT COALESCE(${centsOf('amount_received')}, 0) AS paid, COALESCE(${centsOf('cash')}, 0) AS cash
          FROM payments WHERE ${where})`)
      const balance = (account: string) => {
        const some = journal.filter((line) => line.currency === currency && line.account === account)
        return Number(sum(some, 'debit') - sum(some, 'credit'))
      }
      assert.deepEqual(
        { customers: balance('1100'), cash: balance('1000'), tax: balance('2200'), shipping: balance('4100') },
        { ...found },
        currency,
      )
    }
  }

  test('first everything since the first day, then nothing, in one request', async () => {
    const { lines, stdout } = await exportNews()
    assert(lines.length > 100)
    assert(lines.every((line) => line.export === 1 && line.date >= '2026-01-01'))
    assertRight()
    assert.deepEqual(await requestsOf(async () => assert.deepEqual((await exportNews()).lines, [])), [
      '/api/v1/changes',
    ])
    assert.equal((await exportNews('1')).stdout, stdout)
  })

  test('both currencies, awkward cents, quotes and commas; without drafts, void ones and what is too old', async () => {
    const row = {
      date: '2026-09-29T10:00:00',
      currency: 'USD',
      exchange_rate: 131.5,
      status: 3,
      updated_at: '2026-09-29T10:00:00',
    }
    const invoice = { ...row, kind: 1, paid: false, tax: 0.1, shipping: 0.2 }
    write({
      invoices: [
        { ...invoice, id: 900_001, number: 'A-1', customer_name: 'Say "hi", Ltd', total: 1.1 },
        {
          ...invoice,
          id: 900_002,
          number: 'A-2',
          customer_name: '=HYPERLINK("x")',
          total: 1_000_000.07,
          tax: 100_000.01,
        },
        { ...invoice, id: 900_003, number: 'A-3', currency: 'HTG', total: 0.3, shipping: 0 },
        { ...invoice, id: 900_004, number: 'A-4', kind: 2, total: 8.29, tax: null },
        { ...invoice, id: 900_005, number: 'A-5', status: 2, total: 5 },
        { ...invoice, id: 900_006, number: 'A-6', status: 4, total: 6 },
        { ...invoice, id: 900_007, number: 'A-7', date: '2025-12-31T23:59:59', total: 7 },
      ],
      payments: [
        { ...row, id: 900_001, number: 'P-1', amount_received: 12.35, cash: 2.35, card: 0, cheque: 10 },
        { ...row, id: 900_002, number: 'P-2', amount_received: 3, cash: null, card: null, cheque: null },
      ],
    })
    const { lines, stdout } = await exportNews()
    const documents = [...new Set(lines.map(({ document }) => document))]
    assert.deepEqual(documents.toSorted(), ['A-1', 'A-2', 'A-3', 'A-4', 'P-1', 'P-2'])
    assert(stdout.includes('2,2026-09-29,A-1,"Say ""hi"", Ltd",1100,USD,131.5,1.10,0.00'))
    // No spreadsheet takes it for a formula.
    assert(stdout.includes(`A-2,"'=HYPERLINK(""x"")",1100,`))
    assertRight()
  })

  test('changed late, voided, deleted: reversed; moved to the archive, or changed in nothing that is booked: left', async () => {
    const before = '2026-09-29T10:00:00'
    change(`UPDATE invoices SET total = 2.1, updated_at = '${before}' WHERE id = 900001;
      UPDATE invoices SET status = 4, updated_at = '${before}' WHERE id = 900003;
      DELETE FROM invoices WHERE id = 900004;
      DELETE FROM payments WHERE id = 900001;
      UPDATE invoices SET status = 3 WHERE id = 900005;
      UPDATE payments SET notes = 'seen' WHERE id = 900002;
      INSERT INTO invoices_archive SELECT * FROM invoices WHERE id = 900002;
      DELETE FROM invoices WHERE id = 900002`)
    const { lines } = await exportNews()
    const expected = `A-1 1100 -110, A-1 1100 210, A-1 2200 -10, A-1 2200 10, A-1 4000 -180, A-1 4000 80, A-1 4100 -20, A-1 4100 20,
      A-3 1100 -30, A-3 2200 10, A-3 4000 20, A-4 1100 829, A-4 4000 -809, A-4 4100 -20,
      A-5 1100 500, A-5 2200 -10, A-5 4000 -470, A-5 4100 -20, P-1 1000 -235, P-1 1020 -1000, P-1 1100 1235`
    assert.deepEqual(booked(lines).toSorted(), expected.split(/,\s+/))
    assertRight()
    assert.deepEqual((await exportNews()).lines, [])
  })

  test('after the cursor has expired: what was deleted meanwhile is reversed, and nothing is booked twice', async () => {
    change('DELETE FROM invoices WHERE id = 900001; UPDATE invoices SET total = 6 WHERE id = 900005')
    expireCursors('invoices')
    const { lines } = await exportNews()
    assert.deepEqual([...new Set(lines.map(({ document }) => document))].toSorted(), ['A-1', 'A-5'])
    assertRight()
  })
})

const stockFile = () => join(server.data, 'stock.json')
const lookAtStock = async () => {
  const { status, stdout, stderr } = await runExample('stock-feed', [stockFile()])
  assert.equal(status, 0, stderr)
  return stdout
}

suite('stock-feed', () => {
  startForSuite()

  interface Feed {
    readonly cursor: string
    readonly products: readonly { id: number; price: number; available: number }[]
  }
  const read = () => JSON.parse(readFileSync(stockFile(), 'utf8')) as Feed
  const feed = () => read().products.map(({ id, price, available }) => ({ id, price, available }))
  test('what can be sold, as the database has it; a quiet look is one request, and leaves the file alone', async () => {
    assert.match(await lookAtStock(), / products, \d+ in stock, written\n$/)
    assert(sellable().length > 100)
    assert.deepEqual(feed(), sellable())

    utimesSync(stockFile(), 1, 1)
    const requests = await requestsOf(async () => assert.match(await lookAtStock(), /unchanged\n$/))
    assert.deepEqual(requests, ['/api/v1/changes/products'])
    assert.equal(statSync(stockFile()).mtimeMs, 1000)
  })

  test('sold, reserved, made inactive, without a price, deleted, new: without any change of updated_at', async () => {
    change(`UPDATE product_stock SET quantity = 0.3, on_sales_order = 0.1 WHERE product_id = 2;
      UPDATE products SET active = 0 WHERE id = 3; UPDATE products SET price = 0 WHERE id = 4;
      DELETE FROM product_stock WHERE product_id = 6; DELETE FROM products WHERE id = 6;
      UPDATE product_stock SET quantity = quantity - 1 WHERE product_id = 7`)
    const requests = await requestsOf(async () => assert.match(await lookAtStock(), /written\n$/))
    assert.deepEqual(requests, ['/api/v1/changes/products'])
    assert.deepEqual(feed(), sellable())
    assert(feed().every(({ id }) => ![3, 4, 6].includes(id)))
    change('UPDATE products SET active = 1 WHERE id = 3')
    await lookAtStock()
    assert.deepEqual(feed(), sellable())
    assert.deepEqual(globSync('stock.json*', { cwd: server.data }), ['stock.json'])
  })

  test('after the cursor has expired it begins again, and products deleted meanwhile are gone', async () => {
    change('DELETE FROM product_stock WHERE product_id = 7; DELETE FROM products WHERE id = 7')
    expireCursors('products')
    const requests = await requestsOf(async () => assert.match(await lookAtStock(), /written\n$/))
    // The one that was refused, and one for every 500 products.
    assert.equal(requests.length, 1 + Math.ceil(query('SELECT id FROM products').length / 500))
    assert.deepEqual(feed(), sellable())
  })

  test('as a program that runs: each look is one request, and shows what was sold before it', async (context) => {
    const { child, stdout, ended } = startExample('stock-feed', [stockFile(), '0.2'])
    context.after(() => child.kill())
    const looks = () => stdout().split('\n').length - 1
    const quiet = (count: number) => until('it has looked', () => looks() >= count)
    await quiet(1)
    const requests = await requestsOf(async () => {
      change('UPDATE product_stock SET quantity = quantity + 5 WHERE product_id = 8')
      await until('the sale is in the file', () => stdout().includes('written'))
      await quiet(looks() + 3)
      child.kill()
      await ended
    })
    assert.deepEqual(feed(), sellable())
    assert(requests.every((each) => each === '/api/v1/changes/products'))
    // The first look may have been logged late, and the last one cut off.
    assert(Math.abs(requests.length - (looks() - 1)) <= 1, `${requests.length} requests, ${looks()} looks`)
  })
})

suite('sales-summary', () => {
  startForSuite()

  for (const columns of [80, 40])
    test(`in ${columns} columns: sums by day, store and currency, as the database has them`, async () => {
      const { status, stdout, stderr } = await runExample('sales-summary', [], { COLUMNS: String(columns) })
      assert.equal(status, 0, stderr)
      const widths = stdout.split('\n').map((line) => line.length)
      assert.equal(Math.max(...widths), columns)
      const [, byDay = '', byStore = '', totals = ''] = stdout.split(/\n?(?:Sales by .*|\d+ documents)\n/)

      const all = `SELECT *, CASE kind WHEN 1 THEN total ELSE -total END AS net,
          CASE kind WHEN 1 THEN total ELSE -total END * CASE currency WHEN 'USD' THEN exchange_rate ELSE 1 END AS gourdes
        FROM (SELECT * FROM invoices UNION ALL SELECT * FROM invoices_archive) WHERE status = 3
          AND date(date) > (SELECT date(MAX(date), '-30 days') FROM invoices WHERE status = 3 AND kind = 1)
          AND date(date) <= (SELECT date(MAX(date)) FROM invoices WHERE status = 3 AND kind = 1)`
      const days = new Map(
        query<{ day: string; sum: number }>(
          `SELECT date(date) AS day, ROUND(SUM(gourdes)) AS sum FROM (${all}) GROUP BY day`,
        ).map(({ day, sum }) => [day, sum]),
      )
      assert.equal(numbers(byDay).length, 30)
      for (const [day = '', shown] of numbers(byDay)) assert.equal(shown, days.get(day) ?? 0, day)
      assert.deepEqual(
        numbers(byStore).map(([, shown]) => shown),
        query<{ sum: number }>(
          `SELECT ROUND(SUM(gourdes)) AS sum FROM (${all}) GROUP BY store_id ORDER BY sum DESC`,
        ).map(({ sum }) => sum),
      )
      assert.deepEqual(
        totals
          .trim()
          .split('\n')
          .map((line) => [line.slice(0, 3), amount(line.slice(4))]),
        query<{ currency: string; sum: number }>(
          `SELECT currency, ROUND(SUM(net), 2) AS sum FROM (${all}) GROUP BY currency ORDER BY currency`,
        ).map(({ currency, sum }) => [currency, sum]),
      )
      assert.match(
        stdout,
        new RegExp(`^${query<{ count: number }>(`SELECT COUNT(*) AS count FROM (${all})`)[0]?.count} documents$`, 'm'),
      )
    })
})
