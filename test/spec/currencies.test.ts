// The currencies of a company: the `currency` filter takes those of VITRINE_CURRENCIES and no others, and every description names them.
// Without the setting they are `USD` and `HTG`, as the specification says.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { ApiDescription } from '../../src/describe/openapi/document.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

const filtered = ['quotes', 'sales-orders', 'invoices', 'credit-memos', 'payments', 'purchase-orders', 'receivings']
const own = ['EUR', 'USD', 'GBP']
const rows = {
  invoices: ['EUR', 'GBP', 'HTG', 'eur'].map((currency, at) => ({ id: at + 1, kind: 1, status: 3, currency })),
}

let world: World
let token: string
let ask: World['ask']
before(async () => {
  world = await createWorld({ rows })
  token = await world.tokenFor()
  ask = world.askWith({ currencies: own })
})
after(() => world.close())

const ids = ({ body }: Answer) => (body.data as { id: number }[]).map(({ id }) => id)

test('the filter takes each of them, and compares exactly [N14]', async () => {
  for (const [currency, found] of Object.entries({ EUR: [1], GBP: [2], USD: [] }))
    assert.deepEqual(ids(await ask(`/invoices?currency=${currency}`, { token })), found)
})

test('every other value is refused with the ones that are allowed, at every resource', async () => {
  for (const name of filtered)
    for (const wrong of ['HTG', 'eur', 'EUR,USD']) {
      const { status, body } = await ask(`/${name}?currency=${wrong}`, { token })
      assert.equal(status, 400, `${name} ${wrong}`)
      assert.match(JSON.stringify(body.error), /EUR, USD, GBP/)
    }
})

test('records show what is stored, whatever it is [N14]', async () => {
  const { body } = await ask('/invoices?sort=id', { token })
  assert.deepEqual(
    (body.data as { currency: string }[]).map(({ currency }) => currency),
    ['EUR', 'GBP', 'HTG', 'eur'],
  )
})

const filtersOf = ({ body }: Answer) =>
  (body.data as { name: string; filters: { name: string; values?: string[] }[] }[]).flatMap(({ name, filters }) =>
    filters.filter((filter) => filter.name === 'currency').map(({ values }) => [name, values]),
  )

test('/resources names them', async () => {
  assert.deepEqual(
    filtersOf(await ask('/resources', { token })),
    filtered.map((name) => [name, own]),
  )
  assert.deepEqual(
    filtersOf(await world.ask('/resources', { token })),
    filtered.map((name) => [name, ['USD', 'HTG']]),
  )
})

for (const how of ['with a token', 'without one'])
  test(`/openapi.json names them, ${how}`, async () => {
    const { body } = await ask('/openapi.json', how === 'with a token' ? { token } : {})
    const { paths } = body as unknown as ApiDescription
    for (const name of filtered) {
      const list = paths[`/${name}`]
      const parameters = list && 'get' in list ? (list.get.parameters ?? []) : []
      const parameter = parameters.find((each) => 'name' in each && each.name === 'currency')
      assert.deepEqual(parameter && 'schema' in parameter && parameter.schema['enum'], own, name)
    }
  })

test('/docs names them', async () => {
  const { text } = await ask('/docs')
  assert.match(text, /EUR.{0,30}USD.{0,30}GBP/)
})
