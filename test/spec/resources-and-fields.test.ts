// Resources and their fields: every resource of the specification shows exactly its fields, in the specification's order,
// with their types, in the list and in the detail, and the gated ones only to those who hold the permission.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { shownRecord, storedRecords, type Stored } from '../support/expected.ts'
import { company } from '../support/fixture.ts'
import { specification, specified, type FieldType, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
const tokens: Record<string, string> = {}
const addOns = ['costs:read', 'customers:financial']
const plain = 'products customers vendors quotes sales-orders invoices credit-memos payments purchase-orders'
  .concat(' receivings transfers adjustments reference')
  .split(' ')
  .map((name) => `${name}:read`)

before(async () => {
  world = await createWorld({ rows: company })
  tokens['all'] = await world.tokenFor()
  tokens['none'] = await world.tokenFor({ permissions: plain.join(',') })
  for (const addOn of addOns) tokens[addOn] = await world.tokenFor({ permissions: [...plain, addOn].join(',') })
})
after(() => world.close())

const ask = (target: string, token = tokens['all']) => world.ask(target, { token: token ?? null })

// Equal, and the fields in the same order.
function assertShown(actual: unknown, expected: unknown) {
  assert.deepEqual(actual, expected)
  assert.equal(JSON.stringify(actual), JSON.stringify(expected))
}

const filled = (rule: ResourceRule): Stored[] => {
  const ids = rule.name === 'credit-memos' ? [61, 161] : rule.archived ? [1, 101] : [1]
  return storedRecords(company, rule).filter(({ row }) => ids.includes(Number(row['id'])))
}

async function listed(rule: ResourceRule, id: number, token = tokens['all']) {
  const status = rule.status.includes('all') ? '&status=all' : ''
  const { body } = await ask(`/${rule.name}?per_page=100&sort=id${status}`, token)
  return body.data.find((record: { id: number }) => record.id === id)
}

const jsonTypes: Record<FieldType, (value: unknown) => boolean> = {
  integer: (value) => Number.isInteger(value),
  number: (value) => typeof value === 'number',
  string: (value) => typeof value === 'string',
  label: (value) => typeof value === 'string',
  boolean: (value) => typeof value === 'boolean',
  'date-time': (value) => /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d$/.test(String(value)),
  date: (value) => /^\d{4}-\d\d-\d\d$/.test(String(value)),
}

test('the specification names seventeen resources, and each has a list', async () => {
  assert.equal(specification.length, 17)
  for (const { name } of specification) assert.equal((await ask(`/${name}`)).status, 200, name)
})

for (const rule of specification) {
  suite(rule.name, () => {
    test('the list shows exactly the fields of the specification, in its order, each from its own column', async () => {
      for (const stored of filled(rule)) {
        const record = await listed(rule, Number(stored.row['id']))
        assertShown(record, shownRecord(company, rule, stored, 'list'))
        const arrays = Object.entries(rule.arrays).flatMap(([name, { inLists }]) => (inLists ? [name] : []))
        assert.deepEqual(Object.keys(record), [...rule.fields.map(({ name }) => name), ...arrays])
      }
    })

    test('the detail shows the same and the arrays, whose items have exactly the specified fields', async () => {
      for (const stored of filled(rule)) {
        const { status, body } = await ask(`/${rule.name}/${stored.row['id']}`)
        assert.equal(status, 200)
        assertShown(body, { data: shownRecord(company, rule, stored, 'detail') })
        const names = [...rule.fields.map(({ name }) => name), ...Object.keys(rule.arrays)]
        assert.deepEqual(Object.keys(body.data), names)
        for (const [name, { fields }] of Object.entries(rule.arrays)) {
          assert.ok(body.data[name].length > 1, `${name} has items`)
          for (const item of body.data[name])
            assert.deepEqual(
              Object.keys(item),
              fields.map((field) => field.name),
            )
        }
      }
    })

    test('every value of a filled record has the JSON type of the specification', async () => {
      for (const { row } of filled(rule)) {
        const { body } = await ask(`/${rule.name}/${row['id']}`)
        for (const { name, type } of rule.fields)
          assert.ok(jsonTypes[type](body.data[name]), `${name}: ${body.data[name]}`)
        for (const [array, { fields }] of Object.entries(rule.arrays)) {
          for (const { name, type } of fields) {
            const values = body.data[array].map((item: Record<string, unknown>) => item[name])
            assert.ok(values.some(jsonTypes[type]), `${array}.${name}`)
            for (const value of values)
              assert.ok(value === null || jsonTypes[type](value), `${array}.${name}: ${value}`)
          }
        }
      }
    })

    test('a record of which nothing is stored shows every field, as null', async () => {
      const isReference = rule.permission === 'reference:read'
      const id = rule.name === 'credit-memos' ? 62 : isReference ? 12 : 2
      if (rule.name === 'price-lists') return
      const { body } = await ask(`/${rule.name}/${id}`)
      const zero: Record<string, number> =
        rule.name === 'products' ? { vendor_id: 0, quantity_total: 0, on_sales_order: 0, on_purchase_order: 0 } : {}
      for (const { name } of rule.fields) {
        if (name === 'id') assert.equal(body.data[name], id)
        else if (!(name in zero)) assert.equal(body.data[name], null, name)
      }
    })

    test('every record of the company is shown as the specification says, in the list and in the detail', async () => {
      const status = rule.status.includes('all') ? '&status=all' : ''
      const { body } = await ask(`/${rule.name}?per_page=100&sort=id${status}`)
      const records = storedRecords(company, rule).toSorted((a, b) => Number(a.row['id']) - Number(b.row['id']))
      assert.equal(body.meta.total, records.length)
      assertShown(
        body.data,
        records.map((stored) => shownRecord(company, rule, stored, 'list')),
      )
      for (const stored of records) {
        const detail = await ask(`/${rule.name}/${stored.row['id']}`)
        assertShown(detail.body, { data: shownRecord(company, rule, stored, 'detail') })
      }
    })

    for (const held of ['none', ...addOns]) {
      test(`gated fields are absent, not null, for a key with ${held === 'none' ? 'no add-on' : held}`, async () => {
        const permissions = addOns.filter((addOn) => addOn === held)
        for (const stored of filled(rule)) {
          const id = Number(stored.row['id'])
          assertShown(await listed(rule, id, tokens[held]), shownRecord(company, rule, stored, 'list', { permissions }))
          const { body } = await ask(`/${rule.name}/${id}`, tokens[held])
          assertShown(body, { data: shownRecord(company, rule, stored, 'detail', { permissions }) })
        }
      })
    }
  })
}

test('a token that was granted less than its key holds shows what the token holds', async () => {
  const token = await world.tokenFor({ permissions: 'all' }, 'invoices:read customers:read')
  const invoice = await ask('/invoices/1', token)
  assert.ok(!('cost_total' in invoice.body.data))
  assert.ok(!('cost' in invoice.body.data.lines[0]))
  const customer = await ask('/customers/1', token)
  assert.ok(!('credit_limit' in customer.body.data) && !('balance' in customer.body.data))
  assert.equal((await ask('/products/1', token)).status, 403)
})

test('purchase prices belong to the document: they are shown without costs:read', async () => {
  const token = await world.tokenFor({ permissions: 'purchase-orders:read,receivings:read' })
  for (const name of ['purchase-orders', 'receivings']) {
    const { body } = await ask(`/${name}/1`, token)
    assert.equal(typeof body.data.lines[0].unit_price, 'number', name)
    assert.equal(typeof body.data.total, 'number', name)
  }
  assert.ok('new_price' in (await ask('/receivings/1', token)).body.data.lines[0])
})

test('the fixture fills every column that a field shows with a value of its own', () => {
  for (const rule of [specified('invoices'), specified('customers'), specified('receivings')]) {
    const [stored] = filled(rule)
    assert.ok(stored)
    const shown = Object.entries(shownRecord(company, rule, stored, 'list'))
    const values = shown.filter(([name]) => !rule.labels[name] && !/_id$|^id$/.test(name)).map(([, value]) => value)
    assert.equal(new Set(values).size, values.length, rule.name)
  }
})
