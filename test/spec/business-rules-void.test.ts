// Business rule 1: a void document keeps its identity, and every amount of it, its lines and its payments is zero, also
// where nothing is stored and also to a sort. No other status and no other resource zeroes anything.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { targetOf } from '../model/compare.ts'
import { expectedAnswer, type Request } from '../model/model.ts'
import { emptyRow, filledRow, type Row } from '../support/fixture.ts'
import type { Rows } from '../support/pos.ts'
import { allPermissions } from '../support/routes.ts'
import { specification, zeroedWhenVoid, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

const VOID = 4

interface Voidable {
  readonly rule: ResourceRule
  readonly relation: string
  readonly suffix: '' | '_archive'
  // What it is sorted by.
  readonly total: string
  // The codes of its other statuses.
  readonly others: readonly number[]
}

const voidable: readonly Voidable[] = specification.flatMap((rule) => {
  const codes = rule.labels['status']?.codes ?? {}
  if (codes['void'] !== VOID) return []
  const others = Object.values(codes).filter((code) => code !== VOID)
  const total = rule.sorts.find((name) => zeroedWhenVoid.has(name)) ?? assert.fail(rule.name)
  return (rule.archived ? (['', '_archive'] as const) : ([''] as const)).map((suffix) => {
    return { rule, relation: rule.relation + suffix, suffix, total, others }
  })
})

// For each: a filled void document, an empty one, one of every other status; and for the sort some that are 0 themselves.
const base = (each: Voidable) => (voidable.indexOf(each) + 1) * 100
const rows: Record<string, Row[]> = {}
const put = (relation: string, row: Row) => (rows[relation] ??= []).push(row)
const kindOf = ({ kind }: ResourceRule): Row => (kind === undefined ? {} : { kind })
for (const each of voidable) {
  const { rule, relation, suffix } = each
  const document = (id: number, row: Row) => {
    put(relation, row)
    for (const array of Object.values(rule.arrays)) {
      const child = array.relation + suffix
      put(child, filledRow(child, id * 10, { [array.parent]: id }))
      put(child, emptyRow(child, id * 10 + 1, { [array.parent]: id }))
    }
  }
  const first = base(each)
  document(first, filledRow(relation, first, { ...kindOf(rule), status: VOID }))
  document(first + 1, emptyRow(relation, first + 1, { ...kindOf(rule), status: VOID }))
  for (const status of each.others)
    document(first + 10 + status, filledRow(relation, first + 10 + status, { ...kindOf(rule), status }))
}

let world: World
let token: string
before(async () => {
  world = await createWorld({ rows: rows satisfies Rows })
  token = await world.tokenFor()
})
after(() => world.close())

const everything = { permissions: allPermissions, stores: null, priceList: null }

// To the byte; gives what is shown.
async function assertShown(request: Request) {
  const expected = expectedAnswer(rows, request, everything)
  const { text, body } = await world.ask(targetOf(request), { token })
  assert.equal(text, 'text' in expected ? expected.text : '', targetOf(request))
  return body.data
}

test('quotes, invoices, credit memos, receivings and payments can be void, in both places where there are two', () => {
  const names = ['quotes', 'quotes', 'invoices', 'invoices', 'credit-memos', 'credit-memos', 'payments', 'receivings']
  assert.deepEqual(
    voidable.map(({ rule }) => rule.name),
    names,
  )
})

const zeroed = (fields: ResourceRule['fields']) =>
  fields.map(({ name }) => name).filter((name) => zeroedWhenVoid.has(name))

for (const each of voidable) {
  const { rule } = each
  const detailOf = (id: number): Request => ({ resource: rule.name, id, parameters: {} })

  suite(`${each.suffix ? 'archived' : 'recent'} ${rule.name}`, () => {
    test('a void record, filled or empty, shows zero for each amount and keeps the rest, in its arrays too', async () => {
      await assertShown({ resource: rule.name, id: null, parameters: { status: 'void', sort: 'id', per_page: '100' } })
      for (const id of [base(each), base(each) + 1]) {
        const record = await assertShown(detailOf(id))
        assert.equal(record.status, 'void')
        for (const name of zeroed(rule.fields)) assert.equal(record[name], 0, name)
        for (const [array, { fields }] of Object.entries(rule.arrays)) {
          assert.equal(record[array].length, 2)
          for (const item of record[array])
            for (const name of zeroed(fields)) assert.equal(item[name], 0, `${array}.${name}`)
        }
      }
    })

    test('a record of another status keeps every amount, in its arrays too', async () => {
      for (const status of each.others) {
        const record = await assertShown(detailOf(base(each) + 10 + status))
        for (const name of zeroed(rule.fields)) assert.ok(record[name] > 0, name)
      }
    })
  })
}

test('quantities, discount_percent and exchange_rate of a void document are kept [N5]', async () => {
  const first = voidable.find(({ rule }) => rule.name === 'invoices') ?? assert.fail()
  const data = await assertShown({ resource: 'invoices', id: base(first), parameters: {} })
  for (const name of ['quantity_total', 'discount_percent', 'exchange_rate']) assert.ok(data[name] > 0, name)
  assert.ok(data.lines[0].quantity > 0 && data.lines[0].base_quantity > 0)
  assert.ok(data.payments[1].exchange_rate > 0)
})

// The shown amounts of 1 to 7 are 10, 0, -5, empty, 0, 0 and 0. Archived ones have 10 more in their id, memos 20 more.
const amounts = [10, 5000, -5, null, null, 0, -5000]
const voidIds = new Set([2, 5, 7])
const inOrder = {
  recent: [[4], [3], [2, 5, 6, 7], [1]],
  both: [
    [4, 14],
    [3, 13],
    [2, 5, 6, 7, 12, 15, 16, 17],
    [1, 11],
  ],
}

test('a sort by amount puts void documents among the zeros', async () => {
  const unsorted: Record<string, Row[]> = {}
  for (const each of voidable) {
    const { relation } = each
    const add = (each.rule.kind === 2 ? 20 : 0) + (each.suffix ? 10 : 0)
    const documents = amounts.map((amount, at) => {
      const status = voidIds.has(at + 1) ? VOID : (each.others.at(-1) ?? 1)
      return filledRow(relation, at + 1 + add, {
        ...kindOf(each.rule),
        status,
        [each.total]: amount,
      })
    })
    unsorted[relation] = [...(unsorted[relation] ?? []), ...documents]
  }
  const own = await createWorld({ rows: unsorted })
  try {
    const ownToken = await own.tokenFor()
    for (const { rule, total } of voidable.filter(({ suffix }) => suffix === '')) {
      const { name } = rule
      const add = rule.kind === 2 ? 20 : 0
      const ids = async (sort: string) => {
        const { body } = await own.ask(`/${name}?sort=${sort}&per_page=100`, { token: ownToken })
        return body.data.map((record: { id: number }) => record.id - add)
      }
      const groups = rule.archived ? inOrder.both : inOrder.recent
      assert.deepEqual(await ids(total), groups.flat(), name)
      assert.deepEqual(await ids(`-${total}`), groups.flat().toReversed(), name)
      assert.deepEqual(
        await ids(`${total},-id`),
        groups.flatMap((group) => group.toReversed()),
        name,
      )
    }
  } finally {
    await own.close()
  }
})

const neverVoid = [
  { name: 'sales-orders', relation: 'sales_orders', amounts: 'total items_total tax shipping amount_paid cost_total' },
  { name: 'purchase-orders', relation: 'purchase_orders', amounts: 'total items_total tax' },
  { name: 'adjustments', relation: 'adjustments', amounts: 'total' },
  { name: 'transfers', relation: 'transfers', amounts: 'quantity_total' },
]
test('a resource without the status void shows a stored void as null and keeps its amounts [N2]', async () => {
  const documents = neverVoid.map(({ relation }) => [relation, [filledRow(relation, 1, { status: VOID })]] as const)
  const own = await createWorld({ rows: Object.fromEntries(documents) })
  try {
    const ownToken = await own.tokenFor()
    for (const { name, relation, amounts } of neverVoid) {
      const { body } = await own.ask(`/${name}/1`, { token: ownToken })
      assert.equal(body.data.status, null, name)
      const [row] = documents.find(([other]) => other === relation)?.[1] ?? []
      for (const amount of amounts.split(' ')) assert.equal(body.data[amount], row?.[amount], `${name}.${amount}`)
    }
  } finally {
    await own.close()
  }
})
