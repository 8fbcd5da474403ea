// Client restrictions: what keys limited to all, some, one or no store see, in lists, details, sums and filters, and that
// a hidden record cannot be told from one that does not exist.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { isSeen, shownRecord, storedRecords, type Seen } from '../support/expected.ts'
import { company, filledRow, type Row } from '../support/fixture.ts'
import type { Rows } from '../support/pos.ts'
import { specification, specified, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

const keys: readonly { readonly name: string; readonly stores: string; readonly seen: Seen }[] = [
  { name: 'every store', stores: 'all', seen: {} },
  { name: 'one store', stores: '1', seen: { stores: [1] } },
  { name: 'several stores', stores: '1,3', seen: { stores: [1, 3] } },
  { name: 'a store nobody has', stores: '99', seen: { stores: [99] } },
  { name: 'no store', stores: 'none', seen: { stores: [] } },
]
// Everything that belongs to a store; all else is the company's.
const ofStores = new Set(
  'quotes sales-orders invoices credit-memos payments purchase-orders receivings transfers adjustments stores'.split(
    ' ',
  ),
)

let world: World
const tokens: Record<string, string> = {}
before(async () => {
  world = await createWorld({ rows: company })
  for (const { stores } of keys) tokens[stores] = await world.tokenFor({ stores })
})
after(() => world.close())

const everything = (rule: ResourceRule) => (rule.status.includes('all') ? 'status=all&per_page=100' : 'per_page=100')

const ask = (stores: string, target: string) => world.ask(target, { token: tokens[stores] ?? null })
const nameOf = (store: unknown) => company['stores']?.find(({ id }) => id === store)?.['name']

for (const { name, stores, seen } of keys) {
  suite(`a key with ${name}`, () => {
    for (const rule of specification) {
      const records = storedRecords(company, rule).toSorted((a, b) => Number(a.row['id']) - Number(b.row['id']))
      const visible = records.filter(({ row }) => isSeen(rule, row, seen))
      const hidden = records.filter(({ row }) => !isSeen(rule, row, seen))

      test(`sees exactly its ${rule.name}, with its stock alone`, async () => {
        assert.equal(hidden.length > 0, ofStores.has(rule.name) && seen.stores !== undefined)
        const { body, headers } = await ask(stores, `/${rule.name}?sort=id&${everything(rule)}`)
        assert.deepEqual(
          body.data,
          visible.map((stored) => shownRecord(company, rule, stored, 'list', seen)),
        )
        assert.equal(body.meta.total, visible.length)
        assert.equal(headers['X-Total-Count'], String(visible.length))
      })

      test(`reads its ${rule.name} by id and gets 404 for the others`, async () => {
        for (const stored of visible.filter((_, at) => at % 3 === 0)) {
          const { body } = await ask(stores, `/${rule.name}/${stored.row['id']}`)
          assert.deepEqual(body.data, shownRecord(company, rule, stored, 'detail', seen))
        }
        for (const { row } of hidden.filter((_, at) => at % 3 === 0)) {
          const { status, body } = await ask(stores, `/${rule.name}/${row['id']}`)
          assert.equal(status, 404)
          assert.equal(body.error.code, 'not_found')
        }
      })
    }
  })
}

suite('documents without a store', () => {
  for (const name of [...ofStores].filter((each) => each !== 'stores')) {
    test(`${name}: seen by an unrestricted key alone`, async () => {
      const rule = specified(name)
      const columns = name === 'transfers' ? ['from_store_id', 'to_store_id'] : ['store_id']
      const lost = storedRecords(company, rule).filter(({ row }) => columns.every((column) => row[column] === null))
      assert.ok(lost.length > 0)
      for (const { row } of lost) {
        assert.equal((await ask('all', `/${name}/${row['id']}`)).status, 200)
        for (const stores of ['1', '1,3', 'none'])
          assert.equal((await ask(stores, `/${name}/${row['id']}`)).status, 404)
      }
    })
  }
})

test('a transfer is seen with either of its stores, and shows the name of the other', async () => {
  const transfers = storedRecords(company, specified('transfers')).map(({ row }) => row)
  const between = (one: number, other: number) =>
    transfers.find((row) => row['from_store_id'] === one && row['to_store_id'] === other) ??
    assert.fail('no such transfer')
  for (const row of [between(1, 2), between(2, 1)]) {
    const { status, body } = await ask('1', `/transfers/${row['id']}`)
    assert.equal(status, 200)
    assert.equal(body.data.from_store, nameOf(row['from_store_id']))
    assert.equal(body.data.to_store, nameOf(row['to_store_id']))
  }
  assert.equal((await ask('1', `/transfers/${between(2, 3)['id']}`)).status, 404)
})

test('a restricted key may learn which documents of other stores its own ones refer to, and balances', async () => {
  const own = await createWorld({
    rows: {
      invoices: [filledRow('invoices', 7, { store_id: 2, number: 'F-7' })],
      payments: [filledRow('payments', 1, { store_id: 1 })],
      payment_applications: [
        filledRow('payment_applications', 1, { payment_id: 1, invoice_id: 7, invoice_number: 'F-7' }),
      ],
      purchase_orders: [filledRow('purchase_orders', 8, { store_id: 2 })],
      receivings: [filledRow('receivings', 1, { store_id: 1, purchase_order_id: 8 })],
      customers: [filledRow('customers', 1, { balance: 12.5 })],
    },
  })
  try {
    const token = await own.tokenFor({ stores: '1' })
    const read = async (target: string) => (await own.ask(target, { token })).body.data
    const [applied] = (await read('/payments/1')).applied_to
    assert.deepEqual([applied.invoice_id, applied.invoice_number], [7, 'F-7'])
    assert.equal((await read('/receivings/1')).purchase_order_id, 8)
    assert.equal((await read('/customers/1')).balance, 12.5)
    for (const target of ['/invoices/7', '/purchase-orders/8'])
      assert.equal((await own.ask(target, { token })).status, 404)
  } finally {
    await own.close()
  }
})

suite('filters and searches never widen what a key sees', () => {
  const queries = ['store_id=2', 'store_id=3', 'from_store_id=2', 'to_store_id=2', 'from_store_id=2&to_store_id=3']
  for (const rule of specification.filter(({ name }) => ofStores.has(name))) {
    test(rule.name, async () => {
      const seen = { stores: [1] }
      const seenIds = new Set(
        storedRecords(company, rule).flatMap(({ row }) => (isSeen(rule, row, seen) ? [Number(row['id'])] : [])),
      )
      const status = rule.status.map((each) => `status=${each}`)
      const applicable = queries.filter((query) =>
        query.split('&').every((term) => (term.split('=')[0] as string) in rule.filters),
      )
      const hidden = storedRecords(company, rule).find(({ row }) => !isSeen(rule, row, seen))?.row
      const needle = encodeURIComponent(String(hidden?.['number'] ?? hidden?.['name']))
      for (const query of [...applicable, ...status, `search=${needle}`]) {
        const all = query.startsWith('status') || !rule.status.includes('all') ? '' : 'status=all&'
        const { status: code, body } = await ask('1', `/${rule.name}?${all}${query}&per_page=100`)
        assert.equal(code, 200)
        assert.equal(body.meta.total, body.data.length)
        for (const { id } of body.data) assert.ok(seenIds.has(id), `${query} shows ${id}`)
        if (query.startsWith('store_id')) assert.equal(body.meta.total, 0)
      }
    })
  }
})

test('a recent document of another store hides the archived one of the same id [N24]', async () => {
  const own = await createWorld({
    rows: {
      invoices: [filledRow('invoices', 1, { store_id: 2 })],
      invoices_archive: [filledRow('invoices_archive', 1, { store_id: 1 })],
      quotes: [filledRow('quotes', 1, { store_id: null })],
      quotes_archive: [filledRow('quotes_archive', 1, { store_id: 1 })],
    },
  })
  try {
    const token = await own.tokenFor({ stores: '1' })
    for (const name of ['invoices', 'quotes']) {
      assert.equal((await own.ask(`/${name}`, { token })).body.meta.total, 0)
      assert.equal((await own.ask(`/${name}/1`, { token })).status, 404)
    }
  } finally {
    await own.close()
  }
})

// Apart from the request id, nothing of two answers differs: not the status, the body or any header.
function alike({ status, headers, text, body }: Answer) {
  const id = headers['X-Request-Id'] ?? assert.fail('no request id')
  assert.equal(body.error.request_id, id)
  return { status, headers: { ...headers, 'X-Request-Id': '' }, text: text.replaceAll(id, '') }
}

test('a hidden record is answered exactly like one that does not exist', async () => {
  for (const rule of specification.filter(({ name }) => ofStores.has(name))) {
    const hidden = storedRecords(company, rule).find(({ row }) => !isSeen(rule, row, { stores: [1] }))
    assert.ok(hidden)
    // Two keys that have asked nothing yet, so that their windows are the same.
    const [one, other] = [await world.tokenFor({ stores: '1' }), await world.tokenFor({ stores: '1' })]
    const ofHidden = await world.ask(`/${rule.name}/${hidden.row['id']}`, { token: one })
    const ofAbsent = await world.ask(`/${rule.name}/123456`, { token: other })
    assert.equal(ofHidden.status, 404)
    assert.deepEqual(alike(ofHidden), alike(ofAbsent))
  }
})

// Everything that a key with store 1 may not see, changed or gone. The names of stores stay: transfers show them.
function withoutHidden(rows: Rows): Rows {
  const seen = { stores: [1] }
  const hiddenIds = new Map<string, Set<unknown>>()
  const kept: Record<string, readonly Row[]> = { ...rows }
  for (const rule of specification.filter(({ name }) => ofStores.has(name) && name !== 'stores')) {
    for (const relation of rule.archived ? [rule.relation, `${rule.relation}_archive`] : [rule.relation]) {
      const isHidden = (row: Row) => !isSeen(rule, row, seen)
      hiddenIds.set(relation, new Set((rows[relation] ?? []).filter(isHidden).map(({ id }) => id)))
      kept[relation] = (rows[relation] ?? []).filter((row) => !isHidden(row))
      for (const { relation: child, parent } of Object.values(rule.arrays)) {
        const name = relation.endsWith('_archive') ? `${child}_archive` : child
        kept[name] = (rows[name] ?? []).filter((row) => !hiddenIds.get(relation)?.has(row[parent]))
      }
    }
  }
  kept['product_stock'] = (rows['product_stock'] ?? []).filter((row) => row['store_id'] === 1)
  kept['stores'] = (rows['stores'] ?? []).map((row) =>
    row['id'] === 1
      ? row
      : filledRow('stores', Number(row['id']) + 500, { id: row['id'] ?? 0, name: row['name'] ?? null }),
  )
  return kept
}

test('two databases that differ only in hidden data give byte-identical answers', async () => {
  // Ids in both relations are left out: there a recent record, hidden or not, takes the place of the archived one.
  const apart = { ...company }
  for (const relation of ['invoices', 'quotes'])
    apart[`${relation}_archive`] = (company[`${relation}_archive`] ?? []).filter(({ id }) => Number(id) > 100)
  const other = await createWorld({ rows: withoutHidden(apart) })
  const same = await createWorld({ rows: apart })
  try {
    const otherToken = await other.tokenFor({ stores: '1' })
    const sameToken = await same.tokenFor({ stores: '1' })
    const targets = ['/resources', '/ping']
    for (const rule of specification) {
      for (const query of ['', 'sort=-id', everything(rule), 'per_page=2&page=3', 'search=al'])
        targets.push(`/${rule.name}?${query}`)
      for (const { row } of storedRecords(apart, rule))
        if (isSeen(rule, row, { stores: [1] })) targets.push(`/${rule.name}/${row['id']}`)
    }
    let shown = 0
    for (const target of targets) {
      const [one, two] = [await same.ask(target, { token: sameToken }), await other.ask(target, { token: otherToken })]
      assert.equal(one.text, two.text, target)
      assert.deepEqual({ ...one.headers, 'X-Request-Id': '' }, { ...two.headers, 'X-Request-Id': '' })
      shown += one.status === 200 ? 1 : 0
    }
    assert.equal(shown, targets.length)
  } finally {
    await Promise.all([other.close(), same.close()])
  }
})
