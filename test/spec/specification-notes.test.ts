// The lines of docs/specification-notes.md that no other test of the specification states.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { copiedEngine, engineUnderTest } from '../support/place.ts'
import { createWorld, type World } from '../support/world.ts'

const isSqlite = engineUnderTest === 'sqlite' && copiedEngine === undefined

let world: World
let token = ''
let askPlainly: World['ask']
before(async () => {
  world = await createWorld({
    rows: {
      products: [
        { id: 1, name: 'P1', kind: 1, active: 1, vendor_id: null },
        { id: 2, name: 'P2', kind: 1, active: 1, vendor_id: 0 },
        { id: 3, name: 'P3', kind: 1, active: 1, vendor_id: 7 },
      ],
      product_stock: [
        { product_id: 3, store_id: 1, quantity: 0.000001 },
        { product_id: 3, store_id: 2, quantity: 0.7 },
        { product_id: 3, store_id: 3, quantity: 0.1 },
      ],
      vendors: isSqlite ? [{ id: 1, name: 'ab\0cd' }] : [],
    },
  })
  token = await world.tokenFor()
  askPlainly = await world.askPlainly()
})
after(() => world?.close())

const both = async (path: string) => {
  const answer = await world.ask(path, { token })
  assert.equal(answer.status, 200, answer.text)
  assert.equal((await askPlainly(path, { token })).text, answer.text, 'plain SQL')
  return answer.body.data as { id: number; vendor_id: number; quantity_total: number }[]
}

test('vendor_id=0 finds the products that have none, and they show it [N13]', async () => {
  const found = await both('/products?vendor_id=0&sort=id')
  assert.deepEqual(
    found.map((each) => [each.id, each.vendor_id]),
    [
      [1, 0],
      [2, 0],
    ],
  )
})

test('a label that is given twice counts once, and empty segments are no parameters [N15]', async () => {
  // Where it counted twice, all types that there are would be one too many.
  const once = await both('/products?type=inventory&sort=id')
  assert.deepEqual(await both('/products?&&type=inventory,inventory&&sort=id&'), once)
  const { status, body } = await world.ask('/products?type=nope,nope', { token })
  assert.equal(status, 400)
  assert.equal(body.error.details[0].message.match(/"nope"|nope/g).length, 1)
})

test('api_not_enabled comes with Retry-After: 3600 [N18]', async (context) => {
  await world.state.setEnabled(false)
  context.after(() => world.state.setEnabled(true))
  for (const path of ['/ping', '/resources', '/products']) {
    const { status, headers } = await world.ask(path, { token })
    assert.deepEqual([status, headers['Retry-After']], [503, '3600'], path)
  }
})

test('sums of stock are exact to six decimals [N23]', async () => {
  const product = (await both('/products?vendor_id=7'))[0]
  assert.equal(product?.quantity_total, 0.800001)
})

test('a text that holds a NUL compares up to it [N26]', { skip: !isSqlite && 'only SQLite stores one' }, async () => {
  assert.equal((await both('/vendors?search=AB')).length, 1)
  assert.equal((await both('/vendors?search=cd')).length, 0)
})
