// SQLite's search index: how it is asked, what it holds, and what has no place in it.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { permissions } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { findRelation } from '../../../src/contract/relations.ts'
import { createAnswerer } from '../../../src/engine/answer.ts'
import { rememberPieces } from '../../../src/engine/pieces.ts'
import { connect } from '../../../src/engine/sqlite/connection.ts'
import { rememberFrequencies } from '../../../src/engine/sqlite/frequencies.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { stretchesOf } from '../../../src/sql/found.ts'
import { sqliteFinding } from '../../../src/sql/sqlite-finding.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import { fillSearch, hasOdd, makeSearch } from '../../../src/sql/sqlite-search.ts'
import type { Statement } from '../../../src/sql/statement.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { makePos } from '../../support/pos.ts'
import { temporaryFolder } from '../../support/process.ts'
import { createWorld } from '../../support/world.ts'

const vendors = findRelation('vendors')
// In the names, which are looked for by their groups, and in the numbers, which are looked for one by one.
test('where the records that a list begins with do not hold the text, the page is further on', async (context) => {
  const invoices = Array.from({ length: 40 }, (_, at) => ({
    id: at + 1,
    kind: 1,
    status: 3,
    date: `2024-${at < 20 ? '01' : '02'}-${10 + (at % 20)} 10:00:00`,
    number: `${at < 10 || at >= 38 ? 777 : 555}`,
    customer_name: at < 10 ? 'Old Customer' : at < 38 ? 'Another' : 'Oldest',
  }))
  const world = await createWorld({ engine: 'sqlite', rows: { invoices } })
  context.after(() => world.close())
  const token = await world.tokenFor({ permissions: 'all' })
  for (const searched of ['old', 'ol', '777', '77'])
    for (const [page, ids] of [
      [40, 39, 10],
      [9, 8, 7],
      [6, 5, 4],
    ].entries()) {
      const { body } = await world.ask(`/invoices?search=${searched}&per_page=3&page=${page + 1}`, { token })
      const found = body.data.map(({ id: each }: { id: number }) => each)
      assert.deepEqual([body.meta.total, ...found], [12, ...ids], searched)
    }
})

// Five of two hundred, the last of them twenty back.
const isOneOfFive = (id: number) => id % 40 === 20

// How the pages of those are found, among so many in three stores.
async function pagesOf(context: TestContext, isHeld: (id: number) => boolean, records = 200) {
  const folder = temporaryFolder()
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'pos.db')
  const invoices = Array.from({ length: records }, (_, id) => ({
    id,
    kind: 1,
    status: 3,
    store_id: 1 + (id % 3),
    date: new Date(Date.UTC(2024, 0, 1, 12 * id)).toISOString().slice(0, 19),
    number: isHeld(id) ? 'N-77' : 'N-00',
    customer_name: isHeld(id) ? 'Zed' : 'Other',
  }))
  makePos(path, { invoices })
  const { dialect, run, close } = connect(path, 1000, 1)
  context.after(close)
  const answerer = createAnswerer(dialect, () => {}, 1, rememberPieces())
  return async (query: string, stores: readonly number[] | null) => {
    const resource = findResource('invoices')
    assert(resource)
    const planned = planList(resource, query, { permissions, stores, priceList: null })
    assert('plan' in planned)
    const pages: Statement[] = []
    const rows = (statement: Statement) => {
      if (statement.text.startsWith('WITH')) pages.push(statement)
      return run.rows(statement)
    }
    const [list] = await answerer.answer([planned.plan], { ...run, rows })
    assert(list && 'body' in list)
    const { data, meta } = JSON.parse(Buffer.from(list.body).toString())
    const found: number[] = data.map((each: { id: number }) => each.id)
    const [first] = pages
    assert(first)
    const steps = await run.rows({ ...first, text: `EXPLAIN QUERY PLAN ${first.text}` })
    return {
      found: [meta.total, ...found],
      isNamed: / AND \+t\."id" IN \(SELECT /.test(first.text),
      followed: steps.filter(([, , , step]) => /USING INDEX invoices(_archive)?_by_kind_date /.test(String(step)))
        .length,
      pages: pages.length,
    }
  }
}

test('of what neither many nor few hold, only the records that the index names are looked at along the list', async (context) => {
  const ask = await pagesOf(context, isOneOfFive)
  for (const [sort, ids] of Object.entries({ '-date': [180, 140, 100, 60, 20], date: [20, 60, 100, 140, 180] }))
    for (const [at, id] of ids.entries()) {
      const answered = await ask(`search=zed&sort=${sort}&per_page=1&page=${at + 1}`, null)
      assert.deepEqual(answered.found, [5, id], sort)
      if (at === 0) assert.deepEqual(answered, { found: [5, id], isNamed: true, followed: 2, pages: 1 }, sort)
    }
})

test('where they are all old, they are sorted after the first walk in vain', async (context) => {
  const ask = await pagesOf(context, (id) => id < 22, 2000)
  const { found, isNamed, pages } = await ask('search=zed&per_page=1', null)
  assert.deepEqual({ found, isNamed, pages }, { found: [22, 21], isNamed: true, pages: 2 })
})

test('numbers, which stand together in time, are not met so; and where they are met, the list is followed, for a key of two stores, too', async (context) => {
  const ask = await pagesOf(context, isOneOfFive)
  for (const sort of ['-date', 'date']) {
    const { isNamed } = await ask(`search=-77&sort=${sort}&per_page=1`, null)
    assert.equal(isNamed, false, sort)
    const many = await ask(`search=-00&sort=${sort}&per_page=1`, [1, 2])
    assert.deepEqual(many, { ...many, isNamed: false, followed: 2, pages: 1 }, sort)
  }
})

test('numbers that were all given long ago, or all lately, are met in either order', async (context) => {
  // Ids against time, too: where the two disagree, nothing is left out.
  const invoices = Array.from({ length: 60 }, (_, at) => ({
    id: at + 1,
    kind: 1,
    status: 3,
    date: `2024-${at === 3 ? '12' : at === 57 ? '01' : '06'}-${at % 2 ? '10' : '20'} 10:00:00`,
    number: `${at < 30 ? 'A' : 'B'}1-${at}`,
  }))
  const world = await createWorld({ engine: 'sqlite', rows: { invoices } })
  context.after(() => world.close())
  const token = await world.tokenFor({ permissions: 'all', rate: '1000' })
  const idsOf = async (query: string) => {
    const { body } = await world.ask(`/invoices?${query}`, { token })
    return [body.meta.total, ...body.data.map(({ id: each }: { id: number }) => each)]
  }
  for (const [searched, first] of Object.entries({ a1: 1, b1: 31 }))
    for (const sort of ['date', '-date', 'id', '-id']) {
      const among = invoices.filter(({ id: each }) => each >= first && each < first + 30)
      const by = ({ id: each, date }: { id: number; date: string }) =>
        sort.endsWith('id') ? each : `${date}${100 + each}`
      const sorted = among.toSorted((x, y) => (by(x) < by(y) ? -1 : 1)).map(({ id: each }) => each)
      // The id decides in the direction of the sort.
      const expected = sort.startsWith('-') ? sorted.toReversed() : sorted
      const query = `search=${searched}&sort=${sort}&per_page=2`
      assert.deepEqual(await idsOf(query), [30, ...expected.slice(0, 2)], query)
      assert.deepEqual(await idsOf(`${query}&page=9`), [30, ...expected.slice(16, 18)], `${query}, page 9`)
    }
})

test('numbers that follow one another are stretches', () => {
  assert.deepEqual(stretchesOf([]), [])
  assert.deepEqual(stretchesOf([4]), [[4, 4]])
  assert.deepEqual(stretchesOf([0, 1, 2, 5, 7, 8]), [
    [0, 2],
    [5, 5],
    [7, 8],
  ])
})

// Four of each store, two in gourdes; of one more, two in dollars.
const alternating = (stores: number, first: number) =>
  Array.from({ length: 4 * stores + 2 }, (_, at) => ({
    id: first + at,
    kind: 1,
    status: 3,
    store_id: at >> 2,
    currency: at & 2 || at >> 2 === stores ? 'USD' : 'HTG',
    date: '2024-01-10 10:00:00',
    customer_name: at % 2 ? 'Marie' : 'Paul',
  }))

// As many stretches as are compared with, one more, and none at all.
for (const stores of [6, 7, 0])
  test(`combinations of traits in ${stores} stretches: what is found of them is counted`, async (context) => {
    const world = await createWorld({
      engine: 'sqlite',
      rows: { invoices: alternating(stores, 1001), invoices_archive: alternating(stores, 1) },
    })
    context.after(() => world.close())
    const token = await world.tokenFor({ permissions: 'all' })
    const totals = async (searched: string) => {
      const answers = await Promise.all(
        ['HTG', 'USD'].map((currency) => world.ask(`/invoices?search=${searched}&currency=${currency}`, { token })),
      )
      return answers.map(({ body }) => body.meta.total)
    }
    // By trigrams and, for two letters, in the copy of the words.
    for (const searched of ['mar', 'ma'])
      assert.deepEqual(await totals(searched), [2 * stores, 2 * stores + 2], searched)
  })

function matchFor(rows: Record<string, number>, searched: string): unknown {
  const finding = sqliteFinding({
    searchIndexes: new Set(['vendors']),
    frequencyOf: (_, match) => Math.min(...match.split(' AND ').map((each) => rows[each] ?? 50)),
    few: 10,
  })
  const bound: unknown[] = []
  finding.contains({ relation: vendors, alias: 't', columns: vendors.search, text: searched }, (value) => {
    bound.push(value)
    return '?'
  })
  return bound.at(-1)
}

const named = (...ids: number[]) =>
  ids.map((each) => ({
    id: each,
    kind: 1,
    status: 3,
    date: '2024-01-10 10:00:00',
    number: 'F-7',
    customer_name: 'Marie',
  }))

test('an archived record whose id a recent one has is not counted, wherever it lies', async (context) => {
  const world = await createWorld({
    engine: 'sqlite',
    rows: { invoices: named(100, 101, 150), invoices_archive: named(50, 100, 150, 160) },
  })
  context.after(() => world.close())
  const token = await world.tokenFor({ permissions: 'all' })
  for (const searched of ['mar', 'ma', 'f-7', '-7'])
    assert.equal((await world.ask(`/invoices?search=${searched}`, { token })).body.meta.total, 5, searched)
})

test('more combinations than are compared with at all: each is counted', async (context) => {
  const invoices = Array.from({ length: 501 }, (_, at) => ({
    id: at + 1,
    kind: 1,
    status: 3,
    store_id: at,
    date: '2024-01-10 10:00:00',
    customer_name: 'Marie',
  }))
  const world = await createWorld({ engine: 'sqlite', rows: { invoices } })
  context.after(() => world.close())
  const token = await world.tokenFor({ permissions: 'all' })
  assert.equal((await world.ask('/invoices?search=mar&per_page=1', { token })).body.meta.total, 501)
})

test('combinations of what is there are numbered in their order, whatever the order of the records', () => {
  const database = openSqlite(':memory:')
  const invoices = findRelation('invoices')
  const rows = Array.from(
    { length: 24 },
    (_, at) =>
      `INSERT INTO invoices (id, kind, status, store_id) VALUES (${at}, ${1 + (at % 2)}, 3, ${(at * 7) % 24});`,
  )
  for (const each of [...sqliteSchema.tables(invoices), ...rows, ...sqliteSchema.searchIndex(invoices)])
    database.exec(each)
  const cells = database.prepare('SELECT cell FROM invoices_search_cells WHERE kind = 1 ORDER BY cell').all()
  assert.equal(cells.length, 12)
  assert.equal(stretchesOf(cells.map(({ cell }) => Number(cell))).length, 1)
  database.close()
})

test('records of one name and one kind of number are one group, whatever the digits', () => {
  const database = openSqlite(':memory:')
  for (const each of [...sqliteSchema.tables(vendors), ...makeSearch(vendors)]) database.exec(each)
  for (const digit of '0123456789')
    database.exec(`INSERT INTO vendors (id, name, code) VALUES (${digit}, 'Plain', 'V-${digit}${digit}')`)
  assert.deepEqual(
    { ...database.prepare('SELECT words, n FROM vendors_search_groups').get() },
    { words: 'Plain\nV-00\n\n', n: 10 },
  )
  // Groups that are there twice, as only somebody who writes into them can make them, are no reason to refuse a record.
  database.exec(`INSERT INTO vendors_search_groups (cell, words, n) SELECT cell, words, 0 FROM vendors_search_groups;
    INSERT INTO vendors (id, name, code) VALUES (10, 'Plain', 'V-99'); DELETE FROM vendors WHERE id = 10;
    DELETE FROM vendors_search_groups WHERE n = 0`)
  database.exec('DELETE FROM vendors WHERE id > 3')
  assert.deepEqual(
    { ...database.prepare('SELECT sum(n) AS n, count(*) AS groups FROM vendors_search_groups').get() },
    { n: 4, groups: 1 },
  )
  database.close()
})

test('nothing is left in the index of a name that was erased', () => {
  const database = openSqlite(':memory:')
  for (const each of [...sqliteSchema.tables(vendors), ...makeSearch(vendors)]) database.exec(each)
  database.exec(`INSERT INTO vendors (id, name, phone) VALUES (1, 'Erased', '509-1'), (2, 'Changed', '509-2');
    UPDATE vendors SET name = 'Other', phone = NULL WHERE id = 2; DELETE FROM vendors WHERE id = 1`)
  const left = ['vendors_search', 'vendors_search_words', 'vendors_search_groups'].flatMap((table) =>
    database.prepare(`SELECT words FROM ${table}`).all(),
  )
  assert.deepEqual(
    left.map(({ words }) => words),
    ['Other\n\n\n', 'Other\n\n\n'],
  )
  database.close()
})

test('a number is looked for by its last three trigrams where these are rare, else by its rarest, else as a whole', () => {
  assert.equal(matchFor({}, 'abcde1'), '"abcde1"')
  assert.equal(matchFor({ '"bcd"': 10 }, 'abcde1'), '"de1" AND "cde" AND "bcd"')
  assert.equal(matchFor({ '"abc"': 10 }, 'abcde1'), '"abc" AND "de1" AND "cde"')
  // Of many digits, by these alone.
  assert.equal(matchFor({ '"234"': 10 }, '12345-de'), '"345" AND "234" AND "123"')
  assert.equal(matchFor({ '"bcd"': 11 }, 'abcde1'), '"abcde1"')
  // Where letters fold otherwise, a phrase would miss some.
  assert.equal(matchFor({}, 'abcd1Ω'), '"cd1" AND "bcd" AND "abc"')
})

test('how many rows hold a text is counted as far as it matters, once', () => {
  const database = openSqlite(':memory:')
  for (const each of [...sqliteSchema.tables(vendors), ...makeSearch(vendors)]) database.exec(each)
  const add = (count: number) => {
    for (let at = 0; at < count; at += 1) database.exec(`INSERT INTO vendors (name, code) VALUES ('Plain', 'V-77')`)
  }
  add(3)
  const frequencyOf = rememberFrequencies(database, 5)
  assert.equal(frequencyOf(vendors, '"-77"'), 3)
  add(9)
  assert.equal(frequencyOf(vendors, '"-77"'), 3)
  assert.equal(rememberFrequencies(database, 5)(vendors, '"-77"'), 5)
  database.close()
})

test('what is more than few is not taken for few', (context) => {
  const folder = temporaryFolder()
  context.after(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'pos.db')
  makePos(path, { vendors: [1, 2, 3, 4].map((id) => ({ id, name: 'Plain', code: `V-7${id}` })) })
  const areFew = (few: number) => {
    const { dialect, close } = connect(path, 1000, few)
    const found = dialect.found([vendors], { columns: vendors.search, text: 'V-7' })
    close()
    return found === 'few'
  }
  assert.deepEqual([4, 3].map(areFew), [true, false])
})

test('a text without a digit is looked for as a whole, or by any of its trigrams', () => {
  assert.equal(matchFor({}, 'abcdef'), '"abcdef"')
  assert.equal(matchFor({}, 'abcdeΩ'), '"abc" AND "bcd" AND "cde"')
  assert.equal(matchFor({}, 'a'.repeat(25)), '"aaa"')
})

test('a long text that is not rare is counted in the copy of the words', async (context) => {
  const finding = sqliteFinding({ searchIndexes: new Set(['vendors']) })
  const from = (searched: string) => {
    const found = finding.found([vendors], { columns: vendors.search, text: searched })
    assert(found && found !== 'few')
    return found[0]?.from
  }
  assert.equal(from('0'.repeat(24)), '"vendors_search" f')
  assert.equal(from('0'.repeat(25)), '"vendors_search_content" w')
  assert.equal(from('o'.repeat(24)), '"vendors_search_words" f CROSS JOIN "vendors_search_groups" g')
  assert.equal(from('o'.repeat(25)), '"vendors_search_groups" g')
  const rows = ['0', 'o'].flatMap((letter, which) =>
    [20, 24, 25, 26, 100, 100].map((times, at) => ({ id: 10 * which + at, name: letter.repeat(times), active: 1 })),
  )
  const world = await createWorld({ engine: 'sqlite', rows: { vendors: rows } })
  context.after(() => world.close())
  const token = await world.tokenFor({ permissions: 'all' })
  for (const letter of ['0', 'o'])
    for (const [times, total] of Object.entries({ 24: 5, 25: 4, 26: 3, 100: 2 })) {
      const { body } = await world.ask(`/vendors?search=${letter.repeat(Number(times))}&per_page=1`, { token })
      assert.deepEqual([body.meta.total, body.data.length], [total, 1], `${times} times ${letter}`)
    }
})

const add = (key: string, code = `'x'`) =>
  `INSERT INTO vendors (id, name, code, phone, active) VALUES (${key}, 'Plain', ${code}, 'Zulu', 1);`
const odd = {
  'an id below zero': add('-3') + add('3'),
  'an id that is too large': add('8796093022208') + add('3'),
  'an id that became too large': `${add('2')}${add('3')}UPDATE vendors SET id = 8796093022208 WHERE id = 3`,
  'a text that holds a NUL': add('2', `'x' || char(0) || 'zebra'`) + add('3', `'x' || char(0) || 'zebra'`),
}
for (const [what, write] of Object.entries(odd))
  test(`${what} has no place in the index: it is found all the same, and so are the others`, async (context) => {
    const world = await createWorld({ engine: 'sqlite', rows: { vendors: [{ id: 1, name: 'Plain', active: 1 }] } })
    context.after(() => world.close())
    const token = await world.tokenFor({ permissions: 'all', rate: '1000' })
    const totals = async () => {
      const searches = ['plain', 'pl', 'zulu', 'zu', 'zebra', 'ze'].map((each) =>
        world.ask(`/vendors?search=${each}`, { token }),
      )
      return (await Promise.all(searches)).map(({ body }) => body.meta.total as number)
    }
    assert.deepEqual(await totals(), [1, 1, 0, 0, 0, 0])
    await world.place.write(write)
    assert.deepEqual(await totals(), [3, 3, 2, 2, 0, 0])
    await world.place.write(add('4'))
    assert.deepEqual(await totals(), [4, 4, 3, 3, 0, 0])
  })

/** In memory, with the index made by the last statement; whether the index has a place for all that is there. */
function isWholeAfter(statements: readonly string[], then: readonly string[] = []): boolean {
  const database = openSqlite(':memory:')
  try {
    for (const each of [...statements, ...makeSearch(vendors), ...fillSearch(vendors), ...then]) database.exec(each)
    return database.prepare(hasOdd(vendors)).get() === undefined
  } finally {
    database.close()
  }
}
// As a point-of-sale system may have it: any value in any column.
const loose = sqliteSchema.tables(vendors).map((each) => each.replace(/ STRICT$/, ''))

test('what has no place in an index is noticed by the triggers and by whoever makes it, each by itself', () => {
  const ordinary = add('1')
  const oddities = [add('-1'), add('8796093022208'), add('2', `x'7A65627261'`), add('2', `'x' || char(0)`)]
  assert.equal(isWholeAfter([...loose, ordinary], [add('2')]), true)
  for (const each of oddities) {
    assert.equal(isWholeAfter([...loose, ordinary, each]), false, each)
    assert.equal(isWholeAfter([...loose, ordinary], [each]), false, each)
  }
  const many = `INSERT INTO vendors_search_cells (cell) VALUES (1048576)`
  assert.equal(isWholeAfter([...loose, ordinary], [many, add('2')]), false)
})

test('traits that a column takes for the same are kept apart, and every row has its place', () => {
  const database = openSqlite(':memory:')
  const table = loose.map((each) => each.replace(/"active" \w+/, '"active" TEXT COLLATE NOCASE'))
  const rows = ['a', 'A', 'b'].map(
    (active, at) => `INSERT INTO vendors (id, name, active) VALUES (${at}, 'N', '${active}')`,
  )
  for (const each of [...table, ...rows, ...makeSearch(vendors), ...fillSearch(vendors)]) database.exec(each)
  database.exec(
    `INSERT INTO vendors (id, name, active) VALUES (9, 'N', 'B'); UPDATE vendors SET active = 'C' WHERE id = 2`,
  )
  const found = database.prepare('SELECT count(*) AS n FROM vendors_search_members').get()
  assert.equal(found?.['n'], 4)
  database.close()
})

test('what the index keeps of traits, made otherwise or gone: it is not used, and searches go on', async (context) => {
  for (const spoil of ['cells', 'groups', 'members', 'words'].flatMap((each) => [
    `DROP TABLE vendors_search_${each}; CREATE TABLE vendors_search_${each} (x)`,
    `DROP TABLE vendors_search_${each}`,
  ])) {
    const world = await createWorld({ engine: 'sqlite', rows: { vendors: [{ id: 1, name: 'Plain', active: 1 }] } })
    context.after(() => world.close())
    const token = await world.tokenFor({ permissions: 'all' })
    await world.place.write(spoil)
    for (const searched of ['plain', 'pl']) {
      const { status, body } = await world.ask(`/vendors?search=${searched}`, { token })
      assert.deepEqual([status, body.meta?.total], [200, 1], spoil)
    }
  }
})

test('a writer that fails on conflicts does not meet any because of the index', async (context) => {
  const world = await createWorld({ engine: 'sqlite', rows: {} })
  context.after(() => world.close())
  for (const [at, or] of ['OR ABORT', 'OR FAIL', 'OR ROLLBACK', 'OR IGNORE', 'OR REPLACE'].entries())
    for (const times of [1, 2])
      await world.place.write(`INSERT ${or} INTO vendors (id, name) VALUES (${-10 * at - times}, 'Plain')`)
  const token = await world.tokenFor({ permissions: 'all' })
  assert.equal((await world.ask('/vendors?search=plain', { token })).body.meta.total, 10)
})

test('words that the index still has, and the record no longer, are not listed', async (context) => {
  const world = await createWorld({ engine: 'sqlite', rows: { vendors: [{ id: 1, name: 'Plain' }] } })
  context.after(() => world.close())
  const token = await world.tokenFor({ permissions: 'all', rate: '1000' })
  // As only somebody who writes into the index itself can.
  await world.place.write(`UPDATE vendors_search_words SET words = 'Plain Zebra';
    UPDATE vendors_search_groups SET words = 'Plain Zebra'; INSERT INTO vendors_search (rowid, words) VALUES ((1 << 20) + 1, '747')`)
  const listed = ['la', 'lai', 'lain', 'ze', 'zeb', 'zebra', '74', '747'].map(async (searched) => {
    const { body } = await world.ask(`/vendors?search=${searched}`, { token })
    return [searched, body.data.length, body.meta.total]
  })
  // What is counted in the index alone is counted; a number that is as rare as this is counted among the records.
  assert.deepEqual(await Promise.all(listed), [
    ['la', 1, 1],
    ['lai', 1, 1],
    ['lain', 1, 1],
    ['ze', 0, 1],
    ['zeb', 0, 1],
    ['zebra', 0, 1],
    ['74', 0, 1],
    ['747', 0, 0],
  ])
})
