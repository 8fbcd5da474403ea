// The queries for Excel and Power BI in docs/integrate/excel.md: Microsoft's parser reads them, what they name is in the OpenAPI
// document, and an interpreter of ours runs them against a real service. There is no Power Query on this machine to run them with.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { filledRow } from '../support/fixture.ts'
import { pointerTo, resolve, wholeDocument } from '../support/openapi.ts'
import { parseQuery, runQuery, type Request, type Table } from '../support/power-query.ts'
import { startServer, type Server } from '../support/process.ts'
import { sampleFile, samples } from '../support/samples.ts'

const files = ['invoices.pq', 'stock.pq'] as const

const date = (day: number) => `2026-${day > 30 ? '09' : '08'}-${String((day % 28) + 1).padStart(2, '0')}T10:00:00`
const ids = (count: number) => Array.from({ length: count }, (_, at) => at + 1)
const columns = (code: string) => [...code.matchAll(/\{"(\w+)", /g)].map((found) => found[1] ?? '')
const sorted = (list: unknown[][]) =>
  list.toSorted((one, other) => Number(one[0]) - Number(other[0]) || Number(one[1]) - Number(other[1]))

let server: Server
let filled: Record<(typeof files)[number], string>
before(async () => {
  server = await startServer({
    rows: {
      // 30 are too old, and one is a draft: 230 in three pages.
      invoices: ids(261).map((id) => filledRow('invoices', id, { status: id === 40 ? 2 : 3, kind: 1, date: date(id) })),
      products: ids(600).map((id) => filledRow('products', id, { active: id % 2, kind: 1 })),
      product_stock: ids(600).flatMap((product_id) =>
        [1, 2].map((store_id) => ({ product_id, store_id, quantity: product_id + 0.5, on_sales_order: store_id })),
      ),
    },
  })
  const key = await server.makeKey()
  const fill = (file: string) =>
    sampleFile(file)
      .code.replace('svc_ak_…', key.client_id)
      .replace('svc_sk_…', key.client_secret)
      .replace(':8443', `:${server.https}`)
  filled = { 'invoices.pq': fill('invoices.pq'), 'stock.pq': fill('stock.pq') }
})
after(() => server.remove())

function change(sql: string): void {
  const pos = openSqlite(join(server.data, 'pos.db'))
  try {
    pos.exec(sql)
  } finally {
    pos.close()
  }
}

async function run(file: (typeof files)[number], onAnswer: (requests: number) => void = () => {}) {
  const requests: Request[] = []
  const result = await runQuery(filled[file], async (request) => {
    const { address, path, query, headers, content } = request
    assert.equal(address, `https://127.0.0.1:${server.https}`)
    const answer = await server.ask(`/${path}?${new URLSearchParams(query).toString()}`.replace(/\?$/, ''), {
      headers,
      ...(content === undefined ? {} : { method: 'POST', body: content }),
    })
    assert.equal(answer.status, 200, answer.text)
    requests.push(request)
    onAnswer(requests.length)
    return answer.text
  })
  return { requests, ...(result as Table) }
}

test('every query of the guide is one of these, and the parser finds no fault in it; it does in a broken one', async () => {
  assert.deepEqual(
    samples.filter(({ language }) => language === 'powerquery').map(({ file }) => file),
    files,
  )
  for (const file of files) {
    await parseQuery(sampleFile(file).code)
    await assert.rejects(parseQuery(sampleFile(file).code.replace('\nin\n', '\n')), /not valid M/)
  }
})

test('every path, parameter and field that a query names is in the OpenAPI document', async () => {
  const document = wholeDocument()
  const fieldsAt = (pointer: string): string[] => Object.keys(resolve(document, pointer).part.properties)
  for (const file of files) {
    const { requests } = await run(file)
    for (const { path, query, content } of requests) {
      const place = pointerTo('paths', path.replace('api/v1', ''), content === undefined ? 'get' : 'post')
      const { part } = resolve(document, place)
      assert.ok(part, path)
      const at = Object.keys(part.parameters ?? {})
      const known = new Set(at.map((each) => resolve(document, `${place}/parameters/${each}`).part.name))
      for (const name of Object.keys(query)) assert.ok(known.has(name), `${path} ${name}`)
    }
  }
  const invoice = fieldsAt('#/components/schemas/InvoiceSummary')
  for (const name of columns(sampleFile('invoices.pq').code)) assert.ok(invoice.includes(name), name)
  const stock = columns(sampleFile('stock.pq').code)
  const [product, place] = [fieldsAt('#/components/schemas/Product'), fieldsAt('#/components/schemas/ProductStock')]
  for (const name of stock.slice(0, 7)) assert.ok(product.includes(name), name)
  for (const name of stock.slice(7)) assert.ok(place.includes(name), name)
})

test('invoices.pq: every invoice since the day, typed, in one request for each 100', async () => {
  const { requests, names, rows } = await run('invoices.pq')
  assert.deepEqual(
    requests.map(({ path, query }) => [path, query['page']]),
    [
      ['api/v1/auth/token', undefined],
      ['api/v1/invoices', '1'],
      ['api/v1/invoices', '2'],
      ['api/v1/invoices', '3'],
    ],
  )
  assert.equal(names[0], 'id')
  const expected = Array.from({ length: 261 }, (_, at) => at + 1).filter((id) => id > 30 && id !== 40)
  assert.deepEqual(
    rows.map(([id]) => id),
    expected,
  )
  assert.ok(rows[0]?.[names.indexOf('date')] instanceof Date)
  assert.equal(typeof rows[0]?.[names.indexOf('total')], 'number')
})

test('stock.pq: every product as it is at the end, though products change and are deleted while it is read', async () => {
  const { requests, names, rows } = await run('stock.pq', (count) => {
    if (count !== 2) return
    change(`UPDATE product_stock SET quantity = 77 WHERE product_id = 7 AND store_id = 2;
      DELETE FROM product_stock WHERE product_id = 5; DELETE FROM products WHERE id = 5`)
  })
  assert.deepEqual(
    requests.map(({ path, query }) => [path, query['limit'], 'cursor' in query]),
    [
      ['api/v1/auth/token', undefined, false],
      ['api/v1/changes/products', '500', false],
      ['api/v1/changes/products', '500', true],
      ...(requests.length > 3 ? [['api/v1/changes/products', '500', true]] : []),
    ],
  )
  const shown = rows.map((row) =>
    ['id', 'store_id', 'quantity', 'on_sales_order'].map((name) => row[names.indexOf(name)]),
  )
  const expected = Array.from({ length: 600 }, (_, at) => at + 1)
    .filter((id) => id !== 5)
    .flatMap((id) => [1, 2].map((store) => [id, store, id === 7 && store === 2 ? 77 : id + 0.5, store]))
  assert.deepEqual(sorted(shown), sorted(expected))
  assert.deepEqual(new Set(rows.map((row) => row[names.indexOf('status')])), new Set(['active', 'inactive']))
})
