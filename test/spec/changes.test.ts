// The change feed: decisions on what follows the specification, rule by rule.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { dropJournal, journalTriggers, makeJournal } from '../../src/sql/journal-sqlite.ts'
import {
  dropJournalTable,
  journalTriggerNames,
  makeJournal as makePostgresJournal,
  makeJournalTriggers,
} from '../../src/sql/journal-postgres.ts'
import { relations } from '../../src/contract/relations.ts'
import { copiedEngine, engineUnderTest, isOverViews } from '../support/place.ts'
import { until } from '../support/process.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

const dropPostgresJournal = [
  ...relations.flatMap(({ name }) => journalTriggerNames(name).map((trigger) => `DROP TRIGGER ${trigger} ON ${name}`)),
  ...dropJournalTable,
]

interface Entry {
  readonly resource: string
  readonly id: number
  readonly change: 'record' | 'gone'
}

let world: World
let token = ''
let ofStore1 = ''
before(async () => {
  world = await createWorld({
    rows: {
      stores: [1, 2].map((id) => ({ id, name: `S${id}` })),
      price_lists: [1, 2].map((id) => ({ id, name: `L${id}` })),
      customers: [1, 2, 3].map((id) => ({ id, name: `C${id}`, active: id % 2 })),
      products: [1, 2].map((id) => ({ id, name: `P${id}`, kind: 1, active: 1, cost: 5 })),
      quotes: [1, 2, 3].map((id) => ({ id, store_id: 1 + (id % 2), status: 0 })),
      invoices: [
        { id: 1, kind: 1, store_id: 1, status: 3 },
        { id: 2, kind: 2, store_id: 1, status: 3 },
        { id: 3, kind: 1, store_id: 2, status: 3 },
      ],
      invoices_archive: [{ id: 9, kind: 1, store_id: 1, status: 3 }],
      invoice_lines: [{ id: 1, invoice_id: 1, name: 'Rice' }],
    },
  })
  token = await world.tokenFor()
  ofStore1 = await world.tokenFor({ stores: '1' })
})
after(async () => world?.close())

const options = { skip: isOverViews && 'over views there is no journal' }
// A copy has the journal of every database of ours, which its tills cannot write; and what they write in bulk takes long to copy.
const ofJournal = {
  skip: options.skip || (copiedEngine !== undefined && 'the tills of a copy do not reach its journal'),
}
const ask = (path: string, by = token) => world.ask(path, { token: by })
const entriesOf = ({ body }: Answer) =>
  (body.data as Entry[]).map(({ resource, id, change }) => `${resource}/${id} ${change}`)
const cursorOf = ({ body }: Answer): string => body.meta.cursor

/** From the beginning to the end: the cursor there. */
async function endOf(path: string, by = token): Promise<string> {
  const answer = await ask(`${path}?limit=500`, by)
  assert.equal(answer.body.meta.more, false)
  return cursorOf(answer)
}

/** Runs the SQL and returns the changes that one path then reports to one token. */
async function toldAfter(sql: string, path: string, by = token): Promise<string[]> {
  const cursor = await endOf(path, by)
  await world.place.write(sql)
  const answer = await ask(`${path}?cursor=${cursor}`, by)
  assert.equal(answer.status, 200)
  const again = await ask(`${path}?cursor=${cursorOf(answer)}`, by)
  assert.deepEqual(again.body.data, [])
  return entriesOf(answer)
}

test(
  'it begins with every record that the token may see, resource after resource, in order of id',
  options,
  async () => {
    const { status, body } = await ask('/changes?limit=500')
    assert.equal(status, 200)
    const names = entriesOf({ body } as Answer)
    assert.deepEqual(names, [
      'products/1 record',
      'products/2 record',
      'customers/1 record',
      'customers/2 record',
      'customers/3 record',
      'quotes/1 record',
      'quotes/2 record',
      'quotes/3 record',
      'invoices/1 record',
      'invoices/3 record',
      'invoices/9 record',
      'credit-memos/2 record',
      'stores/1 record',
      'stores/2 record',
      'price-lists/1 record',
      'price-lists/2 record',
    ])
    for (const { resource, id, record } of body.data)
      assert.deepEqual(record, (await ask(`/${resource}/${id}`)).body.data, `${resource}/${id}`)
  },
)

test('pages of any size give the same', options, async () => {
  const whole = entriesOf(await ask('/changes?limit=500'))
  for (const limit of [1, 2, 7]) {
    const found: string[] = []
    let answer = await ask(`/changes?limit=${limit}`)
    for (;;) {
      assert(answer.body.data.length <= limit)
      found.push(...entriesOf(answer))
      if (!answer.body.meta.more) break
      assert(answer.body.data.length > 0)
      answer = await ask(`/changes?limit=${limit}&cursor=${cursorOf(answer)}`)
    }
    assert.deepEqual(found, whole, `limit=${limit}`)
  }
})

test('what is written during the first walk comes after it', options, async () => {
  const first = await ask('/changes/customers?limit=1')
  assert.equal(first.body.meta.more, true)
  await world.place.write(
    `UPDATE customers SET name = 'New' WHERE id = 1; INSERT INTO customers (id, name) VALUES (4, 'C4')`,
  )
  const rest = await ask(`/changes/customers?limit=500&cursor=${cursorOf(first)}`)
  assert.deepEqual(entriesOf(rest).toSorted(), [
    'customers/1 record',
    'customers/2 record',
    'customers/3 record',
    'customers/4 record',
  ])
  assert.deepEqual(await toldAfter('DELETE FROM customers WHERE id = 4', '/changes/customers'), ['customers/4 gone'])
})

const told: readonly [about: string, sql: string, path: string, expected: readonly string[], by?: 'store 1'][] = [
  ['an insert', 'INSERT INTO quotes (id, store_id, status) VALUES (20, 2, 0)', '/changes', ['quotes/20 record']],
  ['a delete', 'DELETE FROM quotes WHERE id = 20', '/changes', ['quotes/20 gone']],
  [
    'several writes, once',
    `UPDATE quotes SET status = 1; UPDATE quotes SET status = 0, notes = 'Twice'`,
    '/changes/quotes',
    ['quotes/1 record', 'quotes/2 record', 'quotes/3 record'],
  ],
  ['a line reports its document', `UPDATE invoice_lines SET name = 'Beans'`, '/changes', ['invoices/1 record']],
  [
    'a new line too',
    `INSERT INTO invoice_lines (id, invoice_id, name) VALUES (2, 3, 'Oil')`,
    '/changes',
    ['invoices/3 record'],
  ],
  [
    'a line that moves reports both',
    'UPDATE invoice_lines SET invoice_id = 1 WHERE id = 2',
    '/changes',
    ['invoices/3 record', 'invoices/1 record'],
  ],
  [
    'a deleted line is no deleted document',
    'DELETE FROM invoice_lines WHERE id = 2',
    '/changes',
    ['invoices/1 record'],
  ],
  [
    'a line of no document is nothing',
    `INSERT INTO invoice_lines (id, invoice_id, name) VALUES (3, 77, 'Oil')`,
    '/changes',
    [],
  ],
  [
    'nor is one without a document',
    `INSERT INTO invoice_lines (id, invoice_id, name) VALUES (4, NULL, 'parked'); DELETE FROM invoice_lines WHERE id = 4`,
    '/changes',
    [],
  ],
  [
    'stock reports its product',
    'INSERT INTO product_stock (product_id, store_id, quantity) VALUES (1, 2, 7)',
    '/changes',
    ['products/1 record'],
  ],
  ['but not to a key without that store', 'UPDATE product_stock SET quantity = 8', '/changes', [], 'store 1'],
  [
    'an invoice becomes a credit memo',
    'UPDATE invoices SET kind = 2 WHERE id = 3',
    '/changes',
    ['invoices/3 gone', 'credit-memos/3 record'],
  ],
  [
    'and comes back',
    'UPDATE invoices SET kind = 1 WHERE id = 3',
    '/changes',
    ['invoices/3 record', 'credit-memos/3 gone'],
  ],
  [
    'a document that leaves the store is gone',
    'UPDATE invoices SET store_id = 2 WHERE id = 1',
    '/changes',
    ['invoices/1 gone'],
    'store 1',
  ],
  ['its further changes are no news', 'UPDATE invoices SET total = 7 WHERE id = 1', '/changes', [], 'store 1'],
  ['nor is its end', 'UPDATE invoices SET id = 5 WHERE id = 1', '/changes', [], 'store 1'],
  [
    'back in the store it is a record',
    'UPDATE invoices SET id = 1, store_id = 1 WHERE id = 5',
    '/changes',
    ['invoices/1 record'],
    'store 1',
  ],
  [
    'a document of another store that comes and goes',
    'INSERT INTO invoices (id, kind, store_id) VALUES (30, 1, 2); DELETE FROM invoices WHERE id = 30',
    '/changes',
    [],
    'store 1',
  ],
  [
    'a recent document hides an archived one',
    'INSERT INTO invoices (id, kind, store_id) VALUES (9, 1, 2)',
    '/changes',
    ['invoices/9 gone'],
    'store 1',
  ],
  [
    'what happens to the hidden one is no news',
    'UPDATE invoices_archive SET total = 3 WHERE id = 9',
    '/changes',
    [],
    'store 1',
  ],
  ['nor to those who see the recent one', 'UPDATE invoices_archive SET total = 4 WHERE id = 9', '/changes', []],
  [
    'without the recent one it is there again',
    'DELETE FROM invoices WHERE id = 9',
    '/changes',
    ['invoices/9 record'],
    'store 1',
  ],
  [
    'a hidden one that is deleted',
    'INSERT INTO invoices (id, kind, store_id) VALUES (9, 1, 2)',
    '/changes',
    ['invoices/9 gone'],
    'store 1',
  ],
  ['was gone before', 'DELETE FROM invoices_archive WHERE id = 9', '/changes', [], 'store 1'],
  ['a record of another resource', "UPDATE customers SET name = 'X'", '/changes/quotes', []],
  [
    'a new price list is a change of price-lists alone',
    "INSERT INTO price_lists (id, name) VALUES (3, 'L3')",
    '/changes',
    ['price-lists/3 record'],
  ],
  ['and so is its end', 'DELETE FROM price_lists WHERE id = 3', '/changes', ['price-lists/3 gone']],
  [
    'a renamed department changes no product',
    "INSERT INTO departments (id, name) VALUES (1, 'D1'); UPDATE products SET department_id = 1; UPDATE departments SET name = 'D' WHERE id = 1",
    '/changes/products',
    ['products/1 record', 'products/2 record'],
  ],
  ['nor does another one', "UPDATE departments SET name = 'E' WHERE id = 1", '/changes/products', []],
]

test('what is told after each kind of write [N27]', options, async (context) => {
  for (const [about, sql, path, expected, by] of told)
    await context.test(about, async () => {
      assert.deepEqual((await toldAfter(sql, path, by ? ofStore1 : token)).toSorted(), expected.toSorted())
    })
})

const price = (list: number) => `INSERT INTO product_prices (product_id, price_list_id, price) VALUES (2, ${list}, 3)`

test('prices of another list are no news to a key of one list', options, async () => {
  const ofList1 = await world.tokenFor({ priceList: '1' })
  assert.deepEqual(await toldAfter(price(2), '/changes', ofList1), [])
  assert.deepEqual(await toldAfter(price(1), '/changes', ofList1), ['products/2 record'])
  assert.deepEqual(await toldAfter('UPDATE product_prices SET price = 4', '/changes'), ['products/2 record'])
})

test(
  'a cursor belongs to its path and its key, and expires with what the key may see [N28] [N29]',
  options,
  async () => {
    const cursor = await endOf('/changes')
    const refused = async (path: string, by = token) => {
      const { status, body } = await ask(path, by)
      return [status, body.error?.code, body.error?.details?.[0]?.parameter]
    }
    const invalid = [400, 'invalid_parameter', 'cursor']
    assert.deepEqual(await refused(`/changes/customers?cursor=${cursor}`), invalid)
    assert.deepEqual(await refused(`/changes?cursor=${cursor}`, ofStore1), invalid)
    assert.deepEqual(await refused('/changes?cursor=abc'), invalid)
    assert.deepEqual(await refused(`/changes?cursor=${cursor.slice(0, -1)}`), invalid)
    const changed = cursor.replace(/.$/, (last) => (last === 'A' ? 'Q' : 'A'))
    assert.deepEqual(await refused(`/changes?cursor=${changed}`), invalid)
    const key = await world.makeKey({ stores: '1' })
    const signedIn = await world.signIn({
      grant_type: 'client_credentials',
      client_id: key.accessKey,
      client_secret: key.securityCode,
    })
    const own = String(signedIn.body.access_token)
    const before = await endOf('/changes', own)
    await world.state.updateKey(key.accessKey, { stores: [1, 2] })
    assert.deepEqual(await refused(`/changes?cursor=${before}`, own), [410, 'cursor_expired', undefined])
    const narrower = await world.tokenFor({}, 'customers:read')
    assert.equal(
      (await ask('/changes', narrower)).body.data.every((each: Entry) => each.resource === 'customers'),
      true,
    )
  },
)

test('every fault at once, and the limits', options, async () => {
  const { status, body } = await ask('/changes?limit=501&cursor=x&page=2')
  assert.equal(status, 400)
  assert.deepEqual(body.error.details.map(({ parameter }: { parameter: string }) => parameter).toSorted(), [
    'cursor',
    'limit',
    'page',
  ])
  for (const limit of ['0', '-1', '1.5', 'x']) assert.equal((await ask(`/changes?limit=${limit}`)).status, 400)
  const scoped = await world.tokenFor({ permissions: 'customers:read' })
  assert.equal((await ask('/changes/quotes', scoped)).body.error.code, 'insufficient_scope')
  assert.equal((await ask('/changes/nothing')).status, 404)
})

test('cursors have one length and never repeat', options, async () => {
  const cursors = [
    cursorOf(await ask('/changes?limit=1')),
    await endOf('/changes'),
    await endOf('/changes'),
    await endOf('/changes', ofStore1),
  ]
  assert.deepEqual(new Set(cursors.map(({ length }) => length)), new Set([512]))
  assert.equal(new Set(cursors).size, cursors.length)
})

test('a request counts once in the window, whatever its limit', options, async () => {
  const counted = await world.tokenFor({ rate: '5' })
  for (const left of [4, 3]) {
    const { headers } = await ask('/changes?limit=500', counted)
    assert.equal(headers['X-RateLimit-Remaining'], String(left))
  }
})

test('all that may have changed at once expires a cursor', ofJournal, async () => {
  const [customers, quotes] = [await endOf('/changes/customers'), await endOf('/changes/quotes')]
  await world.place.write(`INSERT INTO vitrine_journal (relation) VALUES ('customers')`)
  assert.equal((await ask(`/changes/customers?cursor=${customers}`)).body.error.code, 'cursor_expired')
  assert.equal((await ask(`/changes/quotes?cursor=${quotes}`)).status, 200)
  assert.deepEqual((await ask(`/changes/customers?cursor=${await endOf('/changes/customers')}`)).body.data, [])
})

const names = async (own: World, by: string) => {
  const resources = await own.ask('/resources', { token: by })
  const document = await own.ask('/openapi.json', { token: by })
  const paths = Object.keys(document.body.paths as object).filter((path) => path.startsWith('/changes'))
  return { named: resources.body.data[0].changes as unknown, paths: paths.length }
}

test('it is named where it is, and not where there is no journal [N30]', async (context) => {
  if (!isOverViews) assert.deepEqual(await names(world, token), { named: '/api/v1/changes/products', paths: 18 })
  // A copy is never without one.
  if (copiedEngine !== undefined) return
  const plain = await createWorld({ hasJournal: false })
  context.after(() => plain.close())
  const own = await plain.tokenFor()
  await until('it is known that there is none', () => plain.engine.hasFeed() === false)
  assert.deepEqual(await names(plain, own), { named: undefined, paths: 0 })
  for (const path of ['/changes', '/changes/products'])
    assert.equal((await plain.ask(path, { token: own })).body.error.code, 'not_found')
})

const rewriteStore = async (times: number) => {
  for (let time = 0; time < times; time += 1) await world.place.write('UPDATE stores SET name = name WHERE id = 1')
}

const keepRows = (count: number) =>
  world.place.write(
    engineUnderTest === 'sqlite'
      ? `UPDATE vitrine_journal SET id = ${count} WHERE seq = 0`
      : `UPDATE vitrine_journal SET store_id = '${count}' WHERE seq = 0`,
  )

test('a cursor that the journal no longer reaches back to has expired', ofJournal, async () => {
  const looks: (number | null)[] = []
  const asking = world.askWith({ onLook: ({ oldestAt }) => looks.push(oldestAt) })
  const cursor = await endOf('/changes/vendors')
  await asking('/changes/vendors', { token })
  await keepRows(10)
  for (let id = 1; id <= 200; id += 1) await world.place.write(`INSERT INTO vendors (id) VALUES (${id})`)
  const { status, body } = await ask(`/changes/vendors?cursor=${cursor}`)
  assert.deepEqual([status, body.error?.code], [410, 'cursor_expired'])
  assert.match(body.error.message, /no longer reaches back/)
  const again = await asking('/changes/vendors?limit=500', { token })
  assert.equal(again.body.data.length, 200)
  assert.equal(looks[0], null)
  assert((looks[1] ?? 0) > 1_700_000_000)
})

test(
  'until it expires, a cursor is good for every instance, and no other reason is given when it does',
  ofJournal,
  async () => {
    await keepRows(100)
    await rewriteStore(300)
    const cursor = await endOf('/changes/stores')
    const found: string[] = []
    for (let turn = 0; turn < 14; turn += 1) {
      await rewriteStore(16)
      const { status, body } = await (await world.askPlainly())(`/changes/stores?cursor=${cursor}`, { token })
      found.push(status === 200 ? 'good' : body.error.message)
    }
    const good = found.findIndex((each) => each !== 'good')
    assert(good > 0, found.join())
    assert(
      found.slice(good).every((each) => /no longer reaches back/.test(each)),
      found.join(),
    )
  },
)

const ofStore2 = (from: number, to: number) =>
  Array.from({ length: to - from }, (_, at) => `(${from + at}, 1, 2, 3)`).join()

test(
  'a journal that somebody emptied, in whole or in part, expires every cursor, and goes on',
  ofJournal,
  async (context) => {
    const other = await createWorld({ rows: { stores: [1, 2, 3].map((id) => ({ id, name: `S${id}` })) } })
    context.after(() => other.close())
    const own = await other.tokenFor()
    const askFrom = async (cursor?: string) =>
      other.ask(`/changes${cursor === undefined ? '' : `?cursor=${cursor}`}`, { token: own })
    const write = (sql: string) => other.place.write(sql)
    for (const deleted of ['', 'WHERE seq > 0', 'WHERE seq = (SELECT max(seq) FROM vitrine_journal)']) {
      const cursor = cursorOf(await askFrom())
      await write(`UPDATE stores SET name = name || '.'`)
      const later = cursorOf(await askFrom(cursor))
      await write(`DELETE FROM vitrine_journal ${deleted}`)
      // Of the rows that an older cursor has not read, SQLite cannot tell.
      const told = deleted === '' || engineUnderTest === 'postgres' ? [cursor, later] : [later]
      for (const each of told) assert.equal((await askFrom(each)).body.error?.code, 'cursor_expired', deleted)
      // An empty journal of SQLite has nothing to begin from.
      await write('UPDATE stores SET name = name WHERE id = 3')
      const again = await askFrom()
      assert.equal(again.status, 200)
      await write('UPDATE stores SET name = name WHERE id = 2')
      assert.deepEqual(entriesOf(await askFrom(cursorOf(again))), ['stores/2 record'], deleted)
    }
  },
)

test(
  'in a table of SQLite that takes anything, a row whose id is no whole number is no record',
  { skip: ofJournal.skip || (engineUnderTest === 'postgres' && 'PostgreSQL keeps the type of a column') },
  async (context) => {
    const other = await createWorld({ rows: { stores: [{ id: 1, name: 'S1' }] } })
    context.after(() => other.close())
    const triggers = journalTriggers().filter(({ relation }) => relation === 'vendors')
    await other.place.write(
      `DROP TABLE vendors; CREATE TABLE vendors (id, name, active); ${triggers.map(({ statement }) => `${statement};`).join('')}
       INSERT INTO vendors VALUES (1, 'V1', 1), (2.0, 'V2', 1)`,
    )
    const token = await other.tokenFor()
    const first = await other.ask('/changes/vendors', { token })
    for (const id of ["'abc'", "'7'", '7.5', '9e999', "x'37'"]) {
      await other.place.write(
        `INSERT INTO vendors VALUES (${id}, 'none', 1); UPDATE vendors SET name = name WHERE id IS ${id}`,
      )
      const later = await other.ask(`/changes/vendors?cursor=${cursorOf(first)}`, { token })
      assert.deepEqual([later.status, entriesOf(later)], [200, []], id)
      assert.equal(entriesOf(await other.ask('/changes/vendors', { token })).length, 2, id)
      for (const sort of ['id', '-id', 'name', '-name']) {
        const { status, body } = await other.ask(`/vendors?sort=${sort}`, { token })
        assert.deepEqual([status, body.meta?.total], [200, 2], `${id} ${sort}`)
      }
    }
    await other.place.write(`UPDATE vendors SET name = 'N' WHERE id = 2`)
    assert.deepEqual(entriesOf(await other.ask(`/changes/vendors?cursor=${cursorOf(first)}`, { token })), [
      'vendors/2 record',
    ])
  },
)

test(
  'many changes that a key may not see are passed over, in more than one request if it takes long',
  ofJournal,
  async (context) => {
    const other = await createWorld({ rows: { stores: [{ id: 1, name: 'S1' }] }, statementTimeoutMs: 60_000 })
    context.after(() => other.close())
    const hidden = await other.tokenFor({ stores: '1' })
    let cursor = cursorOf(await other.ask('/changes', { token: hidden }))
    for (let from = 0; from < 60_000; from += 5000)
      await other.place.write(
        `INSERT INTO invoices (id, kind, store_id, status) VALUES ${ofStore2(from + 1, from + 5001)}`,
      )
    const seen = new Set([cursor])
    for (let more = true; more;) {
      const part = await other.ask(`/changes?cursor=${cursor}`, { token: hidden })
      assert.deepEqual([part.status, part.body.data], [200, []])
      cursor = cursorOf(part)
      assert(!seen.has(cursor), 'each request gets further')
      seen.add(cursor)
      more = part.body.meta.more
    }
    assert(seen.size < 10)
  },
)

test(
  'while the journal is away, who has a cursor is told to wait; with another journal it has expired [N30]',
  ofJournal,
  async (context) => {
    const other = await createWorld({ rows: { stores: [{ id: 1, name: 'S1' }] } })
    context.after(() => other.close())
    const own = await other.tokenFor()
    const cursor = cursorOf(await other.ask('/changes', { token: own }))
    const askFrom = (path = `/changes?cursor=${cursor}`) => other.ask(path, { token: own })
    const write = (statements: readonly string[]) => other.place.write(statements.join(';'))
    const isSqlite = engineUnderTest === 'sqlite'
    await write(isSqlite ? dropJournal : dropPostgresJournal)
    await until('there is none', async () => (await askFrom('/changes')).status === 404)
    const away = await askFrom()
    assert.deepEqual(
      [away.status, away.body.error.code, away.headers['Retry-After']],
      [503, 'temporarily_unavailable', '30'],
    )
    assert.deepEqual((await askFrom('/changes?cursor=made-up')).status, 400)
    await write(isSqlite ? makeJournal() : makePostgresJournal())
    await until('it is another one', async () => (await askFrom()).status === 410)
    assert.match((await askFrom()).body.error.message, /database was replaced/)
    assert.equal((await askFrom('/changes')).status, 200)
  },
)

// A trigger made again by hand is noticed on PostgreSQL alone.
const ofPostgres = { skip: ofJournal.skip || (engineUnderTest === 'sqlite' && 'of PostgreSQL') }

test('whoever is told to begin again can do so at once', ofPostgres, async (context) => {
  const other = await createWorld({})
  context.after(() => other.close())
  const own = await other.tokenFor()
  const askAt = (path: string) => other.ask(path, { token: own })
  const cursor = cursorOf(await askAt('/changes'))
  await other.place.write(`DROP TRIGGER ${journalTriggerNames('stores')[0]} ON stores`)
  await until('it is known that there is none', () => other.engine.hasFeed() === false)
  await other.place.write(
    [`DROP TRIGGER ${journalTriggerNames('stores')[1]} ON stores`, ...makeJournalTriggers('stores')].join(';'),
  )
  assert.equal((await askAt(`/changes?cursor=${cursor}`)).status, 410)
  assert.equal((await askAt('/changes')).status, 200)
})
