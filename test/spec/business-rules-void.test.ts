// Business rule 1: a void document keeps its identity, and every amount of it, its lines and its payments is zero, also
// where nothing is stored and also to a sort. No other status and no other resource zeroes anything.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { emptyRow, filledRow, type Row } from '../support/fixture.ts'
import type { Rows } from '../support/pos.ts'
import { createWorld, type World } from '../support/world.ts'

const VOID = 4

interface Voidable {
  readonly name: string
  readonly relation: string
  readonly suffix: '' | '_archive'
  readonly kind?: number
  readonly parent: string
  readonly zeroed: string
  readonly arrays: Readonly<Record<string, readonly [relation: string, zeroed: string]>>
  readonly total: string
  // The codes of its other statuses.
  readonly others: readonly number[]
}

const saleLine = 'unit_price base_unit_price cost'
const counterPayment = 'cash card cheque account deposit'
const invoice = {
  relation: 'invoices',
  parent: 'invoice_id',
  zeroed: 'items_total tax discount_amount shipping total amount_paid deposit cost_total',
  arrays: { lines: ['invoice_lines', saleLine], payments: ['invoice_payments', counterPayment] },
  total: 'total',
  others: [0, 1, 2, 3],
} as const
const quote = {
  name: 'quotes',
  relation: 'quotes',
  parent: 'quote_id',
  zeroed: 'items_total tax discount_amount shipping total',
  arrays: { lines: ['quote_lines', saleLine] },
  total: 'total',
  others: [1, 2, 5],
} as const

const voidable: readonly Voidable[] = [
  { ...invoice, name: 'invoices', kind: 1, suffix: '' },
  { ...invoice, name: 'invoices', kind: 1, suffix: '_archive' },
  { ...invoice, name: 'credit-memos', kind: 2, suffix: '' },
  { ...invoice, name: 'credit-memos', kind: 2, suffix: '_archive' },
  { ...quote, suffix: '' },
  { ...quote, suffix: '_archive' },
  {
    name: 'receivings',
    relation: 'receivings',
    suffix: '',
    parent: 'receiving_id',
    zeroed: 'items_total discount_amount tax freight fee total',
    arrays: { lines: ['receiving_lines', 'unit_price new_price average_cost previous_cost previous_average_cost'] },
    total: 'total',
    others: [1, 2, 9],
  },
  {
    name: 'payments',
    relation: 'payments',
    suffix: '',
    parent: 'payment_id',
    zeroed: 'amount_received cash card cheque',
    arrays: { applied_to: ['payment_applications', 'amount'] },
    total: 'amount_received',
    others: [3],
  },
]

// For each: a filled void document, an empty one, one of every other status; and for the sort some that are 0 themselves.
const base = (each: Voidable) => (voidable.indexOf(each) + 1) * 100
const rows: Record<string, Row[]> = {}
const put = (relation: string, row: Row) => (rows[relation] ??= []).push(row)
for (const each of voidable) {
  const kind: Row = each.kind ? { kind: each.kind } : {}
  const relation = each.relation + each.suffix
  const document = (id: number, row: Row) => {
    put(relation, row)
    for (const [child] of Object.values(each.arrays)) {
      put(child + each.suffix, filledRow(child + each.suffix, id * 10, { [each.parent]: id }))
      put(child + each.suffix, emptyRow(child + each.suffix, id * 10 + 1, { [each.parent]: id }))
    }
  }
  const first = base(each)
  document(first, filledRow(relation, first, { ...kind, status: VOID }))
  document(first + 1, emptyRow(relation, first + 1, { ...kind, status: VOID }))
  for (const status of each.others)
    document(first + 10 + status, filledRow(relation, first + 10 + status, { ...kind, status }))
}

let world: World
let token: string
before(async () => {
  world = await createWorld({ rows: rows satisfies Rows })
  token = await world.tokenFor()
})
after(() => world.close())

const read = async (target: string) => (await world.ask(target, { token })).body

// A shown value under the name of a stored one is the stored one.
function assertKept(record: Record<string, unknown>, stored: Row, except: readonly string[]) {
  for (const [name, value] of Object.entries(record)) {
    if (except.includes(name) || Array.isArray(value) || !(name in stored) || name === 'status') continue
    assert.equal(value, stored[name] ?? (name === 'product_id' && 'kind' in stored ? 0 : null), name)
  }
}

for (const each of voidable) {
  const where = each.suffix ? 'archived' : 'recent'
  const zeroed = each.zeroed.split(' ')
  const storedOf = (relation: string, id: number) =>
    rows[relation + each.suffix]?.find((row) => row['id'] === id) ?? assert.fail(`no ${id}`)

  suite(`${where} ${each.name}`, () => {
    for (const [at, what] of ['filled', 'empty'].entries()) {
      test(`a void record that is stored ${what} shows zero for each amount and keeps the rest`, async () => {
        const id = base(each) + at
        const { data: detail } = await read(`/${each.name}/${id}`)
        const { data: list } = await read(`/${each.name}?status=void&sort=id&per_page=100`)
        const listed = list.find((record: { id: number }) => record.id === id)
        for (const record of [detail, listed]) {
          assert.equal(record.status, 'void')
          for (const name of zeroed) assert.equal(record[name], 0, name)
          assertKept(record, storedOf(each.relation, id), zeroed)
        }
      })

      test(`the arrays of a void record that is stored ${what} show zero for each amount and keep the rest`, async () => {
        const id = base(each) + at
        const { data } = await read(`/${each.name}/${id}`)
        for (const [array, [relation, names]] of Object.entries(each.arrays)) {
          const zeros = names.split(' ')
          assert.equal(data[array].length, 2)
          const byEmptiness = array === 'payments' ? [1, 0] : [0, 1]
          for (const [place, offset] of byEmptiness.entries()) {
            const item = data[array][place]
            for (const name of zeros) assert.equal(item[name], 0, `${array}.${name}`)
            assertKept(item, storedOf(relation, id * 10 + offset), zeros)
          }
        }
      })
    }

    for (const status of each.others) {
      test(`a record of the status ${status} keeps every amount, in its arrays too`, async () => {
        const id = base(each) + 10 + status
        const { data } = await read(`/${each.name}/${id}`)
        assertKept(data, storedOf(each.relation, id), [])
        for (const name of zeroed) assert.ok(data[name] > 0, name)
        for (const [array, [relation, names]] of Object.entries(each.arrays)) {
          const item = data[array].find((other: Record<string, unknown>) =>
            names.split(' ').every((name) => other[name] !== null),
          )
          assertKept(item, storedOf(relation, id * 10), [])
        }
      })
    }
  })
}

test('quantities, discount_percent and exchange_rate of a void document are kept [N5]', async () => {
  const { data } = await read(`/invoices/100`)
  for (const name of ['quantity_total', 'discount_percent', 'exchange_rate']) assert.ok(data[name] > 0, name)
  assert.ok(data.lines[0].quantity > 0 && data.lines[0].base_quantity > 0)
  assert.ok(data.payments[1].exchange_rate > 0)
})

// The shown amounts of 1 to 7 are 10, 0, -5, empty, 0, 0 and 0. Archived ones have 10 more in their id, memos 20 more.
const amounts = [10, 5000, -5, null, null, 0, -5000]
const voidIds = new Set([2, 5, 7])
const sortScenarios = [
  { name: 'invoices', total: 'total', add: 0, archived: true },
  { name: 'credit-memos', total: 'total', add: 20, archived: true },
  { name: 'quotes', total: 'total', add: 0, archived: true },
  { name: 'receivings', total: 'total', add: 0, archived: false },
  { name: 'payments', total: 'amount_received', add: 0, archived: false },
]
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
    const relation = each.relation + each.suffix
    const add = (each.kind === 2 ? 20 : 0) + (each.suffix ? 10 : 0)
    const documents = amounts.map((amount, at) => {
      const status = voidIds.has(at + 1) ? VOID : (each.others.at(-1) ?? 1)
      return filledRow(relation, at + 1 + add, {
        ...(each.kind ? { kind: each.kind } : {}),
        status,
        [each.total]: amount,
      })
    })
    unsorted[relation] = [...(unsorted[relation] ?? []), ...documents]
  }
  const own = await createWorld({ rows: unsorted })
  try {
    const ownToken = await own.tokenFor()
    for (const { name, total, add, archived } of sortScenarios) {
      const ids = async (sort: string) => {
        const { body } = await own.ask(`/${name}?sort=${sort}&per_page=100`, { token: ownToken })
        return body.data.map((record: { id: number }) => record.id - add)
      }
      const groups = archived ? inOrder.both : inOrder.recent
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
