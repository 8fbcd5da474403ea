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

function runExample(name: string, words: readonly string[] = [], changes: Settings = {}) {
  const file = join(repository, 'examples', `${name}.ts`)
  const env = cleanEnvironment({ ...settings, ...changes })
  return startProcess(process.execPath, [file, ...words], { cwd: server.data, env }).ended
}

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
      assert(readFileSync(join(repository, 'examples', `${name}.ts`), 'utf8').split('\n').length <= 101)
      const unset = await runExample(name, ['out.json'], { VITRINE_URL: undefined })
      assert.deepEqual([unset.status, unset.stdout], [1, ''])
      assert.match(unset.stderr, /^Set VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET\.\n$/)
      const refused = await runExample(name, name === 'stock-feed' ? ['out.json'] : [], {
        VITRINE_CLIENT_SECRET: 'wrong',
      })
      assert.equal(refused.status, 1)
      assert.match(refused.stderr, /^The access key or the security code is missing or wrong\.\n$/)
    })
})

suite('ledger-export', () => {
  startForSuite()

  interface Line {
    readonly document: string
    readonly account: string
    readonly currency: string
    readonly debit: bigint
    readonly credit: bigint
  }

  async function journalOf(...words: string[]) {
    const { status, stdout, stderr } = await runExample('ledger-export', words)
    assert.equal(status, 0, stderr)
    const [head, ...rows] = stdout.trimEnd().split('\n')
    assert.equal(head, 'date,document,customer,account,currency,exchange_rate,debit,credit')
    const lines = rows.map((row): Line => {
      // A customer's name may hold commas, in quotes.
      const [, document = '', , account = '', currency = '', , debit = '', credit = ''] = [
        ...row.matchAll(/("(?:[^"]|"")*"|[^,]*)(?:,|$)/g),
      ].map((found) => found[1] ?? '')
      return { document, account, currency, debit: cents(debit), credit: cents(credit) }
    })
    return { lines, stderr, stdout }
  }

  const sum = (lines: readonly Line[], side: 'debit' | 'credit') =>
    lines.reduce((total, line) => total + line[side], 0n)

  // Each document balances, and so does each currency, to the cent that the database has.
  function assertRight(lines: readonly Line[], day: string) {
    for (const document of new Set(lines.map((line) => line.document))) {
      const own = lines.filter((line) => line.document === document)
      assert.equal(sum(own, 'debit'), sum(own, 'credit'), document)
    }
    for (const currency of ['HTG', 'USD']) {
      const where = `substr(date, 1, 10) = '${day}' AND status = 3 AND currency = '${currency}'`
      const both = '(SELECT * FROM invoices UNION ALL SELECT * FROM invoices_archive)'
      const of = (kind: number, amount: string) =>
        `(SELECT COALESCE(${centsOf(amount)}, 0) FROM ${both} WHERE kind = ${kind} AND ${where})`
      const [found] = query<{ customers: number; all_of: number; tax: number }>(`
        SELECT ${of(1, 'total')} - ${of(2, 'total')} - paid AS customers, ${of(1, 'total')} + ${of(2, 'total')} + paid AS all_of,
          ${of(2, 'tax')} - ${of(1, 'tax')} AS tax
        FROM (SELECT COALESCE(${centsOf('amount_received')}, 0) AS paid FROM payments WHERE ${where})`)
      const own = lines.filter((line) => line.currency === currency)
      const balance = (account: string) => {
        const some = own.filter((line) => line.account === account)
        return Number(sum(some, 'debit') - sum(some, 'credit'))
      }
      assert.deepEqual(
        { customers: balance('1100'), all_of: Number(sum(own, 'debit')), tax: balance('2200') },
        { ...found },
        `${day} ${currency}`,
      )
    }
  }

  test('days of the demo company', async () => {
    const days = query<{ day: string }>(
      'SELECT substr(date, 1, 10) AS day, COUNT(DISTINCT currency) + COUNT(DISTINCT kind) AS kinds FROM invoices WHERE status = 3 GROUP BY day ORDER BY kinds DESC, day LIMIT 4',
    )
    for (const { day } of days) {
      const { lines, stderr } = await journalOf(day)
      assert(lines.length > 0)
      assert.match(stderr, new RegExp(`^${day} (HTG|USD): \\d+ documents, debit ([\\d.]+) = credit \\2$`, 'm'))
      assertRight(lines, day)
    }
  })

  test('yesterday, with both currencies, awkward cents, quotes and commas; without drafts and void ones', async () => {
    const { time } = (await server.ask('/status')).body as { time: string }
    const day = new Date(Date.parse(time.slice(0, 10)) - 86_400_000).toISOString().slice(0, 10)
    const row = {
      date: `${day}T10:00:00`,
      currency: 'USD',
      exchange_rate: 131.5,
      status: 3,
      updated_at: `${day}T10:00:00`,
    }
    const old = { ...row, date: '2026-01-05T10:00:00' }
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
        { ...invoice, ...old, kind: 1, id: 900_007, number: 'A-7', status: 4, total: 7 },
      ],
      payments: [
        { ...row, id: 900_001, number: 'P-1', amount_received: 12.35, cash: 2.35, card: 0, cheque: 10 },
        { ...row, id: 900_002, number: 'P-2', amount_received: 3, cash: null, card: null, cheque: null },
      ],
    })
    const { lines, stderr, stdout } = await journalOf()
    assert.deepEqual([...new Set(lines.map(({ document }) => document))].toSorted(), [
      'A-1',
      'A-2',
      'A-3',
      'A-4',
      'P-1',
      'P-2',
    ])
    assert(stdout.includes('A-1,"Say ""hi"", Ltd",1100,USD,131.5,1.10,0.00'))
    // No spreadsheet takes it for a formula.
    assert(stdout.includes(`A-2,"'=HYPERLINK(""x"")",1100,`))
    assertRight(lines, day)
    assert.match(stderr, /^A-7 of 2026-01-05 is void: reverse it if it was booked\.$/m)
    assert.doesNotMatch(stderr, /A-6/)
    change('DELETE FROM invoices WHERE id > 900000; DELETE FROM payments WHERE id > 900000')
  })
})

suite('stock-feed', () => {
  startForSuite()

  interface Feed {
    readonly products: readonly { id: number; price: number; available: number }[]
  }

  test('what can be sold, as the database has it; written when it has changed, and only then', async () => {
    const path = join(server.data, 'stock.json')
    const run = async () => {
      const { status, stdout, stderr } = await runExample('stock-feed', [path])
      assert.equal(status, 0, stderr)
      return stdout
    }
    const feed = () =>
      (JSON.parse(readFileSync(path, 'utf8')) as Feed).products.map(({ id, price, available }) => ({
        id,
        price,
        available,
      }))

    assert.match(await run(), / products, \d+ in stock, written\n$/)
    assert(sellable().length > 100)
    assert.deepEqual(feed(), sellable())

    utimesSync(path, 1, 1)
    assert.match(await run(), /unchanged\n$/)
    assert.equal(statSync(path).mtimeMs, 1000)

    change(`UPDATE product_stock SET quantity = 0.3, on_sales_order = 0.1 WHERE product_id = 2;
      UPDATE products SET active = 0 WHERE id = 3; UPDATE products SET price = 0 WHERE id = 4`)
    assert.match(await run(), /written\n$/)
    assert.deepEqual(feed(), sellable())
    assert(feed().every(({ id }) => id !== 3 && id !== 4))
    assert.deepEqual(globSync('stock.json*', { cwd: server.data }), ['stock.json'])
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
