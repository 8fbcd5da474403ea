// Lists, single records, pages and records as iterators: as the service gives them, and typed so that what it would refuse
// does not compile.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import {
  resources,
  type Client,
  type FeedPart,
  type Invoice,
  type InvoiceSummary,
  type ResourceName,
} from '../../client/index.ts'
import { resources as catalogue } from '../../src/catalogue/resources/index.ts'
import { clientOf } from '../support/client.ts'
import { company, filledRow } from '../support/fixture.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let client: Client
const paths: string[] = []
before(async () => {
  const invoices = Array.from({ length: 230 }, (_, at) =>
    filledRow('invoices', at + 1, { kind: 1, status: at % 10 === 0 ? 2 : 3, store_id: (at % 2) + 1, total: at }),
  )
  world = await createWorld({
    rows: { ...company, invoices, invoices_archive: [filledRow('invoices_archive', 1000, { kind: 2, status: 3 })] },
  })
  client = await clientOf(world, { onRequest: (path) => void paths.push(path) })
})
after(() => world.close())

const collect = async <Value>(values: AsyncIterable<Value>) => {
  const all: Value[] = []
  for await (const value of values) all.push(value)
  return all
}

suite('what the service has', () => {
  test('status needs no token, ping tells whose it is', async () => {
    const stranger = await clientOf(world, { clientSecret: 'wrong' })
    assert.equal((await stranger.status()).status, 'ok')
    assert.equal((await client.ping()).client, 'Test')
  })

  test('every resource of the catalogue, as a list and one by one', async () => {
    assert.deepEqual(Object.keys(resources).toSorted(), catalogue.map(({ name }) => name).toSorted())
    for (const name of Object.keys(resources) as ResourceName[]) {
      const { data, meta } = await client.list(name, { sort: 'id', per_page: 1 })
      assert.deepEqual([data.length, meta.page, meta.per_page], [1, 1, 1], name)
      const [first] = data
      assert(first)
      assert.equal((await client.get(name, first.id)).id, first.id, name)
    }
  })

  test('filters, sorts and pages reach the service as they are', async () => {
    const { data, meta } = await client.list('invoices', {
      status: 'hold',
      store_id: 1,
      sort: ['-total', 'id'],
      per_page: 5,
      page: 2,
    })
    assert.deepEqual(
      data.map(({ id, status, store_id }) => [id, status, store_id]),
      [171, 161, 151, 141, 131].map((id) => [id, 'hold', 1]),
    )
    assert.deepEqual(meta, { page: 2, per_page: 5, total: 23, total_pages: 5 })
    assert.equal(new URL(paths.at(-1) ?? '', 'https://x').searchParams.get('sort'), '-total,id')
    const types = await client.list('products', { type: ['service', 'assembly'], status: 'all' })
    assert(types.data.length > 0 && types.data.every(({ type }) => type === 'service' || type === 'assembly'))
    const found = await client.list('invoices', { search: 'a&b=c #?%/é' })
    assert.deepEqual(found.data, [])
  })

  test('pages: from the first to the last, a hundred a page unless told', async () => {
    const pages = await collect(client.pages('invoices', { sort: 'id', status: 'all' }))
    assert.deepEqual(
      pages.map(({ data, meta }) => [meta.page, data.length, meta.total]),
      [
        [1, 100, 230],
        [2, 100, 230],
        [3, 30, 230],
      ],
    )
    assert.equal((await collect(client.pages('invoices', { per_page: 23, status: 'all' }))).length, 10)
    assert.deepEqual(await collect(client.pages('invoices', { customer_id: 1 })), [])
  })

  test('records: each once, in order; who stops early asks for no more pages', async () => {
    const all = await collect(client.records('invoices', { sort: 'id', status: 'all' }))
    assert.deepEqual(
      all.map(({ id }) => id),
      Array.from({ length: 230 }, (_, at) => at + 1),
    )
    paths.length = 0
    for await (const { id } of client.records('invoices', { sort: 'id', status: 'all' })) if (id === 100) break
    assert.equal(paths.length, 1)
  })
})

// Never called: `npm run types` fails when one of these compiles that must not, or the other way round.
export async function typesHold(client: Client) {
  const { data } = await client.list('invoices', { status: 'regular', payment_status: 'paid', sort: '-total' })
  const total: number | null | undefined = data[0]?.total
  const record: Invoice = await client.get('invoices', 1)
  const quantity: number | null | undefined = record.lines[0]?.quantity
  const summaries: AsyncIterable<InvoiceSummary> = client.records('invoices')
  const parts: AsyncIterable<FeedPart<'invoices'>> = client.follow({ resource: 'invoices' })
  // @ts-expect-error -- no such resource
  await client.list('invoice')
  // @ts-expect-error -- no such status
  await client.list('invoices', { status: 'active' })
  // @ts-expect-error -- a filter of another resource
  await client.list('stores', { store_id: 1 })
  // @ts-expect-error -- not a field to sort by
  await client.list('invoices', { sort: 'customer_name' })
  // @ts-expect-error -- ids are numbers
  await client.get('invoices', '1')
  // @ts-expect-error -- a list shows no lines
  void data[0]?.lines
  // @ts-expect-error -- costs are there for some keys only
  const cost: number | null = record.cost_total
  // @ts-expect-error -- records are read, not written
  record.total = 5
  // @ts-expect-error -- `pages` counts by itself
  client.pages('invoices', { page: 2 })
  return [total, quantity, cost, summaries, parts]
}
