// Two companies whose histories differ only in what a key may not see: the change feed tells that key the same, entry for entry.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { howMuch, seedOfRun, told } from '../support/how-much.ts'
import { randomFrom } from '../support/random.ts'
import { createWorld, type World } from '../support/world.ts'

const rounds = howMuch(150, 2000)
const random = randomFrom(seedOfRun)

interface Follower {
  readonly world: World
  readonly token: string
  cursor: string | null
}

const seen = [1, 2, 3, 4, 5, 6]
const hidden = [101, 102, 103, 104]
const key = { permissions: 'products:read,invoices:read', stores: '1', priceList: '1' }
const invoice = (id: number, store: number) => ({ id, kind: 1, store_id: store, status: 3, total: id })
const products = seen.map((id) => ({ id, name: `P${id}`, kind: 1, active: 1 }))
const common = {
  stores: [1, 2].map((id) => ({ id, name: `S${id}` })),
  price_lists: [1, 2].map((id) => ({ id, name: `L${id}` })),
  products,
}

let quiet: Follower
let busy: Follower
before(async () => {
  const own = seen.slice(0, 4).map((id) => invoice(id, 1))
  const worlds = await Promise.all([
    createWorld({ rows: { ...common, invoices: own } }),
    createWorld({ rows: { ...common, invoices: [...own, ...hidden.map((id) => invoice(id, 2))] } }),
  ])
  ;[quiet, busy] = (await Promise.all(
    worlds.map(async (world) => ({ world, token: await world.tokenFor(key), cursor: null })),
  )) as [Follower, Follower]
})
after(() => Promise.all([quiet, busy].map(({ world }) => world.close())))

async function take(follower: Follower, limit: number) {
  const { world, token, cursor } = follower
  const { status, body } = await world.ask(`/changes?limit=${limit}${cursor === null ? '' : `&cursor=${cursor}`}`, {
    token,
  })
  assert.equal(status, 200, JSON.stringify(body))
  follower.cursor = body.meta.cursor as string
  return { data: body.data as unknown[], more: body.meta.more as boolean, length: follower.cursor.length }
}

function seenWrite(): string {
  const id = random.of(seen)
  return random.of([
    `UPDATE invoices SET total = ${random.upTo(1000)} WHERE id = ${id} AND store_id = 1`,
    `DELETE FROM invoices WHERE id = ${id}`,
    `INSERT INTO invoices (id, kind, store_id, status) VALUES (${id}, 1, 1, 3) ON CONFLICT (id) DO UPDATE SET status = 3`,
    `DELETE FROM invoice_lines WHERE id = ${id}; INSERT INTO invoice_lines (id, invoice_id, quantity) VALUES (${id}, ${random.of(seen)}, ${random.upTo(9)})`,
    stock(id, 1),
    price(id, 1),
    `UPDATE products SET name = 'N${random.upTo(1000)}' WHERE id = ${id}`,
  ])
}

const stock = (product: number, store: number) =>
  `INSERT INTO product_stock (product_id, store_id, quantity) VALUES (${product}, ${store}, ${random.upTo(9)})
    ON CONFLICT (product_id, store_id) DO UPDATE SET quantity = excluded.quantity`
const price = (product: number, list: number) =>
  `INSERT INTO product_prices (product_id, price_list_id, price) VALUES (${product}, ${list}, ${random.upTo(9)})
    ON CONFLICT (product_id, price_list_id) DO UPDATE SET price = excluded.price`

// Another store, another price list, and resources that the key has no permission for.
function hiddenWrite(): string {
  const id = random.of(hidden)
  return random.of([
    `UPDATE invoices SET total = ${random.upTo(1000)} WHERE id = ${id}`,
    `DELETE FROM invoices WHERE id = ${id}`,
    `INSERT INTO invoices (id, kind, store_id, status) VALUES (${id}, 1, 2, 3) ON CONFLICT (id) DO UPDATE SET status = 3`,
    `DELETE FROM invoice_lines WHERE id = ${id}; INSERT INTO invoice_lines (id, invoice_id) VALUES (${id}, ${id})`,
    `DELETE FROM invoices_archive WHERE id = ${id}; INSERT INTO invoices_archive (id, kind, store_id) VALUES (${id}, 2, 2)`,
    stock(random.of(seen), 2),
    price(random.of(seen), 2),
    `UPDATE stores SET name = 'N${random.upTo(1000)}'`,
    `DELETE FROM customers WHERE id = ${id}; INSERT INTO customers (id, name) VALUES (${id}, 'C')`,
    `DELETE FROM quotes WHERE id = ${id}; INSERT INTO quotes (id, store_id) VALUES (${id}, 1)`,
  ])
}

const many = (write: () => string) => Array.from({ length: 1 + random.upTo(3) }, write)

test(`the same entries, in the same parts; seed ${seedOfRun}`, async () => {
  let entries = 0
  let hiddenWrites = 0
  for (let round = 0; round < rounds; round += 1) {
    for (const own of many(seenWrite)) {
      await quiet.world.place.write(own)
      await busy.world.place.write([own, ...(random.chance(0.3) ? many(hiddenWrite) : [])].join(';\n'))
      // A burst now and then: more than is read from the journal at once.
      const between = Array.from({ length: random.chance(0.2) ? 150 : random.upTo(4) }, hiddenWrite)
      hiddenWrites += between.length
      if (between.length > 0) await busy.world.place.write(between.join(';\n'))
    }
    if (random.chance(0.6)) continue
    const limit = 1 + random.upTo(8)
    const [one, other] = [await take(quiet, limit), await take(busy, limit)]
    assert.deepEqual(other, one, `seed ${seedOfRun}, round ${round}`)
    entries += one.data.length
  }
  told(`${entries} entries are the same with ${hiddenWrites} hidden writes, seed ${seedOfRun}`)
})
