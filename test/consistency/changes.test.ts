// The change feed: a copy that follows it equals the truth, in every field and line, for every key, whatever is written. And no key
// hears of a record that it could never see.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { resources } from '../../src/catalogue/resources/index.ts'
import { findRelation } from '../../src/contract/relations.ts'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { copiedEngine, engineUnderTest } from '../support/place.ts'
import { randomFrom } from '../support/random.ts'
import { createWorld, type World } from '../support/world.ts'

// A copy is made after each write.
const rounds = copiedEngine === undefined ? howMuch(60, 3000) : howMuch(15, 200)
const random = randomFrom(seedOfRun)
const mostId = 14

interface Entry {
  readonly resource: string
  readonly id: number
  readonly change: 'record' | 'gone'
  readonly record?: unknown
}

// A copy of what one key sees at one path.
interface Copy {
  readonly name: string
  readonly path: string
  readonly token: string
  cursor: string | null
  readonly records: Map<string, unknown>
  // Every record that the key could see at some time.
  readonly seen: Set<string>
}

let world: World
let copies: Copy[] = []
// Whether a key must not hear of records that it never saw.
let isStrict = true

before(async () => {
  const ids = [1, 2, 3, 4, 5]
  world = await createWorld({
    rows: {
      stores: [1, 2, 3].map((id) => ({ id, name: `S${id}` })),
      price_lists: [1, 2].map((id) => ({ id, name: `L${id}` })),
      invoices: ids.map((id) => ({ id, kind: 1 + (id % 2), store_id: 1 + (id % 3), status: 3, total: id })),
      invoices_archive: [4, 5, 6, 7].map((id) => ({ id, kind: 1, store_id: 1 + (id % 2), status: 3, total: id })),
      quotes: ids.map((id) => ({ id, store_id: 1 + (id % 3), status: 0 })),
      transfers: ids.map((id) => ({ id, from_store_id: 1 + (id % 3), to_store_id: 1 + ((id + 1) % 3), status: 3 })),
      products: ids.map((id) => ({ id, name: `P${id}`, kind: 1, active: 1 })),
      customers: ids.map((id) => ({ id, name: `C${id}`, active: id % 2 })),
    },
  })
  const keys = {
    everything: {},
    'stores 1 and 2': { stores: '1,2' },
    'store 3': { stores: '3' },
    'price list 1': { priceList: '1' },
    'credit memos alone': { permissions: 'credit-memos:read' },
  }
  copies = await Promise.all(
    Object.entries(keys).map(async ([name, key]) => ({
      name,
      path: '/changes',
      token: await world.tokenFor(key),
      cursor: null,
      records: new Map<string, unknown>(),
      seen: new Set<string>(),
    })),
  )
  const [all] = copies
  assert(all)
  copies.push({ ...all, name: 'invoices alone', path: '/changes/invoices', records: new Map(), seen: new Set() })
})
after(async () => world?.close())

async function take(copy: Copy): Promise<{ entries: readonly Entry[]; more: boolean }> {
  const limit = random.chance(0.3) ? 1 : 1 + random.upTo(20)
  const cursor = copy.cursor === null ? '' : `&cursor=${copy.cursor}`
  const { status, body } = await world.ask(`${copy.path}?limit=${limit}${cursor}`, { token: copy.token })
  assert.equal(status, 200, JSON.stringify(body))
  const entries = body.data as readonly Entry[]
  assert(entries.length <= limit)
  assert(entries.length > 0 || !body.meta.more)
  assert.equal(body.meta.cursor.length, 512)
  copy.cursor = body.meta.cursor
  for (const { resource, id, change, record } of entries) {
    const name = `${resource}/${id}`
    if (change === 'record') copy.records.set(name, record)
    else {
      copy.records.delete(name)
      assert(
        !isStrict || !isRestricted(copy) || copy.seen.has(name),
        `seed ${seedOfRun}: ${copy.name} is told of ${name}, which it never saw`,
      )
    }
  }
  return { entries, more: body.meta.more }
}

const writable = ['invoices', 'invoices_archive', 'quotes', 'quotes_archive', 'transfers', 'products', 'customers']
const children: readonly (readonly [child: string, parent: string, of: string])[] = [
  ['invoice_lines', 'invoice_id', 'invoices'],
  ['invoice_lines_archive', 'invoice_id', 'invoices_archive'],
  ['invoice_payments', 'invoice_id', 'invoices'],
  ['quote_lines', 'quote_id', 'quotes'],
  ['transfer_lines', 'transfer_id', 'transfers'],
]

// One statement of a till, and the resources and ids that it may show or hide.
function randomWrite(): string {
  const relation = random.of(writable)
  const id = 1 + random.upTo(mostId)
  const columns = Object.keys(findRelation(relation).columns)
  const value = (column: string) => {
    if (column === 'id') return id
    if (column === 'kind') return 1 + random.upTo(2)
    if (column.endsWith('store_id')) return random.of([1, 2, 3, 'NULL'])
    if (column === 'status') return random.of([0, 3, 4])
    if (column === 'active') return engineUnderTest === 'postgres' ? random.of(['true', 'false']) : random.upTo(2)
    return random.upTo(1000)
  }
  const some = columns.filter((column) => /^(id|kind|.*store_id|status|active|total|notes|name)$/.test(column))
  const quoted = (column: string) => (/^(notes|name)$/.test(column) ? `'${value(column)}'` : value(column))
  const values = some.map((column) => quoted(column))
  const sets = some.filter((column) => column !== 'id').map((column) => `${column} = ${quoted(column)}`)
  const [child, parent] = random.of(children)
  const product = 1 + random.upTo(5)
  const store = 1 + random.upTo(3)
  const list = 1 + random.upTo(2)
  const isSqlite = engineUnderTest === 'sqlite'
  const other = mostId + 1 + random.upTo(3)
  const upsert = `INSERT INTO ${relation} (${some.join()}) VALUES (${values.join()}) ON CONFLICT (id) DO UPDATE SET ${sets.join()}`
  const move = (from: string, to: string) => {
    const all = Object.keys(findRelation(from).columns).join()
    return `DELETE FROM ${to} WHERE id = ${id}; INSERT INTO ${to} (${all}) SELECT ${all} FROM ${from} WHERE id = ${id}; DELETE FROM ${from} WHERE id = ${id}`
  }
  return random.of([
    upsert,
    upsert,
    isSqlite ? `INSERT OR REPLACE INTO ${relation} (${some.join()}) VALUES (${values.join()})` : upsert,
    `UPDATE ${relation} SET ${random.of(sets)} WHERE id = ${id}`,
    `UPDATE ${relation} SET ${random.of(sets)} WHERE id = ${id}`,
    `DELETE FROM ${relation} WHERE id = ${id}`,
    `DELETE FROM ${relation} WHERE id = ${other}; UPDATE ${relation} SET id = ${other} WHERE id = ${id}`,
    move('invoices', 'invoices_archive'),
    move('quotes', 'quotes_archive'),
    `DELETE FROM ${child} WHERE id = ${id}; INSERT INTO ${child} (id, ${parent}) VALUES (${id}, ${1 + random.upTo(6)})`,
    `UPDATE ${child} SET ${parent} = ${1 + random.upTo(6)} WHERE id = ${id}`,
    `DELETE FROM ${child} WHERE id = ${id}`,
    `INSERT INTO product_stock (product_id, store_id, quantity) VALUES (${product}, ${store}, ${random.upTo(9)})
      ON CONFLICT (product_id, store_id) DO UPDATE SET quantity = excluded.quantity`,
    `DELETE FROM product_stock WHERE product_id = ${product} AND store_id = ${store}`,
    `INSERT INTO product_prices (product_id, price_list_id, price) VALUES (${product}, ${list}, ${random.upTo(9)})
      ON CONFLICT (product_id, price_list_id) DO UPDATE SET price = excluded.price`,
  ])
}

// What is written, and how a list shows all of it.
const shown = {
  invoices: 'status=all',
  'credit-memos': 'status=all',
  quotes: 'status=all',
  transfers: 'status=all',
  products: 'status=all',
  customers: '',
} as const

const followed = ({ path }: Copy) => resources.filter(({ name }) => path === '/changes' || path === `/changes/${name}`)

// What the key sees now, by the detail route.
async function truthOf(copy: Copy): Promise<Map<string, unknown>> {
  const records = new Map<string, unknown>()
  for (const { name } of followed(copy)) {
    const names = Array.from({ length: mostId + 4 }, (_, at) => `${name}/${at + 1}`)
    const answers = await Promise.all(names.map((each) => world.ask(`/${each}`, { token: copy.token })))
    for (const [at, { status, text, body }] of answers.entries()) {
      assert([200, 403, 404].includes(status), text)
      if (status === 200) records.set(names[at] ?? '', body.data)
    }
  }
  return records
}

const followable = Object.keys(shown) as (keyof typeof shown)[]

// The others see every record at some time.
const isRestricted = ({ name }: Copy) => /store|alone/.test(name)

async function noteSeenBy({ token, seen }: Copy, name: keyof typeof shown): Promise<void> {
  const { status, body } = await world.ask(`/${name}?${shown[name]}&per_page=100`, { token })
  assert(status === 200 || status === 403, JSON.stringify(body))
  if (status === 200) for (const { id } of body.data as { id: number }[]) seen.add(`${name}/${id}`)
}

const noteSeen = () =>
  Promise.all(copies.filter(isRestricted).flatMap((copy) => followable.map((name) => noteSeenBy(copy, name))))

// SQLite does not tell which rows belong to one transaction, so a key may hear of records that it could have seen within one.
const mostAtOnce = { 'one by one': 1, together: 4 } as const

for (const how of ['one by one', 'together'] as const)
  test(`writes ${how}: a copy equals the truth, and knows of nothing else; seed ${seedOfRun}`, async () => {
    isStrict = engineUnderTest === 'postgres'
    let entries = 0
    await noteSeen()
    for (let round = 0; round < rounds; round += 1) {
      const statements = Array.from({ length: 1 + random.upTo(mostAtOnce[how]) }, randomWrite)
      await world.place.write(statements.join(';\n'))
      await noteSeen()
      for (const copy of copies) if (random.chance(0.4)) entries += (await take(copy)).entries.length
    }
    for (const copy of copies) {
      for (;;) {
        const taken = await take(copy)
        entries += taken.entries.length
        if (!taken.more) break
      }
      assert.deepEqual(sorted(copy.records), sorted(await truthOf(copy)), `seed ${seedOfRun}, ${copy.name}`)
      assert.deepEqual(await take(copy), { entries: [], more: false })
    }
    told(`${rounds} transactions, ${entries} entries: ${copies.length} copies equal the truth, seed ${seedOfRun}`)
  })

const sorted = (records: ReadonlyMap<string, unknown>) =>
  Object.fromEntries([...records].toSorted(([one], [other]) => (one < other ? -1 : 1)))
