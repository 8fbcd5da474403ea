// Resources and their fields: every record of the company is shown as the specification says, in the list and in the detail, with its
// fields in the specification's order and their types, and the gated ones only to those who hold the permission.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { visibleRecords, type Access } from '../model/access.ts'
import { targetOf } from '../model/compare.ts'
import { expectedAnswer, listOfAll, type Request } from '../model/model.ts'
import { company } from '../support/fixture.ts'
import { addOns } from '../support/gates.ts'
import { allPermissions } from '../support/routes.ts'
import { specification, type FieldRule, type FieldType, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

const accessWith = (...held: readonly string[]): Access => ({
  permissions: allPermissions.filter((each) => !addOns.includes(each) || held.includes(each)),
  stores: null,
  priceList: null,
})
const everything = accessWith(...addOns)
const narrower = [accessWith(), ...addOns.map((addOn) => accessWith(addOn))]

let world: World
const tokens = new Map<Access, string>()
before(async () => {
  world = await createWorld({ rows: company })
  for (const access of [everything, ...narrower])
    tokens.set(access, await world.tokenFor({ permissions: access.permissions.join(',') }))
})
after(() => world.close())

const ask = (target: string, access = everything) => world.ask(target, { token: tokens.get(access) ?? null })

// To the byte: so the fields are in the same order, too.
async function assertShown(request: Request, access = everything) {
  const { status, text } = await ask(targetOf(request), access)
  const expected = expectedAnswer(company, request, access)
  assert.deepEqual([status, text], [expected.status, 'text' in expected ? expected.text : ''], targetOf(request))
}

const idsOf = (rule: ResourceRule) => visibleRecords(rule, company, everything).map(({ row }) => Number(row['id']))
const isFilled = (id: number) => [1, 61, 101, 161].includes(id)
const detailOf = ({ name }: ResourceRule, id: number): Request => ({ resource: name, id, parameters: {} })

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
    test('every record is shown as the specification says, in the list and in the detail', async () => {
      await assertShown(listOfAll(rule))
      for (const id of idsOf(rule)) await assertShown(detailOf(rule, id))
    })

    test('every value of a filled record has the JSON type of the specification, and each array has items', async () => {
      for (const id of idsOf(rule).filter(isFilled)) {
        const { data } = (await ask(`/${rule.name}/${id}`)).body
        const isType = ({ name, type }: FieldRule) => jsonTypes[type](data[name])
        assert.deepEqual(
          rule.fields.filter((field) => !isType(field)).map(({ name }) => name),
          [],
        )
        for (const [array, { fields }] of Object.entries(rule.arrays)) {
          assert.ok(data[array].length > 1, `${array} has items`)
          for (const { name, type } of fields) {
            const values = data[array].map((item: Record<string, unknown>) => item[name])
            assert.ok(values.some(jsonTypes[type]), `${array}.${name}`)
            for (const value of values)
              assert.ok(value === null || jsonTypes[type](value), `${array}.${name}: ${value}`)
          }
        }
      }
    })

    for (const access of narrower) {
      const held = addOns.filter((addOn) => access.permissions.includes(addOn))
      test(`gated fields are absent, not null, for a key with ${held.join() || 'no add-on'}`, async () => {
        await assertShown(listOfAll(rule), access)
        for (const id of idsOf(rule).filter(isFilled)) await assertShown(detailOf(rule, id), access)
      })
    }
  })
}

test('a token that was granted less than its key holds shows what the token holds', async () => {
  const token = await world.tokenFor({ permissions: 'all' }, 'invoices:read customers:read')
  const invoice = await world.ask('/invoices/1', { token })
  assert.ok(!('cost_total' in invoice.body.data))
  assert.ok(!('cost' in invoice.body.data.lines[0]))
  const customer = await world.ask('/customers/1', { token })
  assert.ok(!('credit_limit' in customer.body.data) && !('balance' in customer.body.data))
  assert.equal((await world.ask('/products/1', { token })).status, 403)
})

test('purchase prices belong to the document: they are shown without costs:read', async () => {
  const token = await world.tokenFor({ permissions: 'purchase-orders:read,receivings:read' })
  for (const name of ['purchase-orders', 'receivings']) {
    const { body } = await world.ask(`/${name}/1`, { token })
    assert.equal(typeof body.data.lines[0].unit_price, 'number', name)
    assert.equal(typeof body.data.total, 'number', name)
  }
  assert.ok('new_price' in (await world.ask('/receivings/1', { token })).body.data.lines[0])
})

test('the fixture fills every column that a field shows with a value of its own', async () => {
  for (const name of ['invoices', 'customers', 'receivings']) {
    const { data } = (await ask(`/${name}/1`)).body
    const values = Object.entries(data).flatMap(([field, value]) =>
      /^(id|status|type|payment_status|.*_id)$/.test(field) || Array.isArray(value) ? [] : [value],
    )
    assert.equal(new Set(values).size, values.length, name)
  }
})
