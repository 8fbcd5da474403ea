// search: a literal part of a text, without regard to case by Unicode's simple folding, accents counting, nothing trimmed,
// its length in code points; the same in columns and by plain SQL.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { filledRow } from '../support/fixture.ts'
import { engineUnderTest } from '../support/place.ts'
import type { Rows } from '../support/pos.ts'
import { searchScenarios as scenarios } from '../support/search-scenarios.ts'
import { createWorld, type World } from '../support/world.ts'

const rows: Rows = Object.fromEntries(
  ['vendors', 'stores'].map((relation) => [
    relation,
    scenarios.map(({ stored }, at) =>
      filledRow(relation, at + 1, { name: stored, code: null, phone: null, email: null }),
    ),
  ]),
)
const archived = { kind: 1, status: 3, number: null, po_number: null }
const others: Rows = {
  ...rows,
  invoices_archive: scenarios.map(({ stored }, at) =>
    filledRow('invoices_archive', at + 1, { ...archived, customer_name: stored }),
  ),
}
const places = [
  { place: 'columns', resource: 'vendors', isPlain: false },
  { place: 'columns of an archive', resource: 'invoices', isPlain: false },
  { place: 'columns of reference data', resource: 'stores', isPlain: false },
  { place: 'a relation, by plain SQL', resource: 'vendors', isPlain: true },
  { place: 'an archive, by plain SQL', resource: 'invoices', isPlain: true },
]

const vendor = (id: number, name: string, code: string | null = null, phone: string | null = null) =>
  filledRow('vendors', id, { name, code, phone, email: null })
const few: Rows = {
  stores: [filledRow('stores', 1, { name: `x${'Éa'.repeat(50)}y` })],
  vendors: [...[1, 2, 3].map((id) => vendor(id, `before ${id}`)), vendor(10, 'abc', 'def', 'ghi')],
}

let world: World
let small: World
let askPlainly: World['ask']
const tokens = new Map<World['ask'], string>()
before(async () => {
  world = await createWorld({ rows: others })
  askPlainly = await world.askPlainly()
  small = await createWorld({ rows: few })
  tokens.set(world.ask, await world.tokenFor()).set(askPlainly, tokens.get(world.ask) ?? '')
  tokens.set(small.ask, await small.tokenFor())
})
after(() => Promise.all([world.close(), small.close()]))

const search = (ask: World['ask'], resource: string, needle: string) =>
  ask(`/${resource}?per_page=100&search=${encodeURIComponent(needle)}`, { token: tokens.get(ask) ?? null })

for (const { place, resource, isPlain } of places) {
  suite(`search in ${place}`, () => {
    for (const [at, { name, stored, found, missed }] of scenarios.entries()) {
      test(`${name}: ${JSON.stringify(stored)}`, async () => {
        for (const needle of [...found, ...missed]) {
          const { status, text, body } = await search(isPlain ? askPlainly : world.ask, resource, needle)
          assert.equal(status, 200, text)
          assert.equal(body.meta.total, body.data.length)
          const isFound = body.data.some(({ id }: { id: number }) => id === at + 1)
          assert.equal(isFound, found.includes(needle), needle)
        }
      })
    }
  })
}

suite('the length of a search', () => {
  const lengths: readonly (readonly [name: string, needle: string, status: number])[] = [
    ['one character', 'a', 400],
    ['one character beyond the basic plane', '😀', 400],
    ['two characters', 'ab', 200],
    ['two characters beyond the basic plane', '😀😀', 200],
    ['a letter and its combining accent', 'e\u0301', 200],
    ['100 characters', 'é'.repeat(100), 200],
    ['100 characters beyond the basic plane', '😀'.repeat(100), 200],
    ['101 characters', 'x'.repeat(101), 400],
    ['101 characters beyond the basic plane', '😀'.repeat(101), 400],
    ['one blank', ' ', 400],
    ['100 blanks', ' '.repeat(100), 200],
  ]
  for (const [name, needle, expected] of lengths) {
    test(`${name}: ${expected}`, async () => {
      for (const resource of ['vendors', 'stores', 'invoices']) {
        const { status, body } = await search(world.ask, resource, needle)
        assert.equal(status, expected)
        if (expected === 400) assert.equal(body.error.details[0].parameter, 'search')
      }
    })
  }

  test('a text of 100 characters is found by all of them', async () => {
    assert.equal((await search(small.ask, 'stores', 'éA'.repeat(50))).body.meta.total, 1)
  })
})

const total = async (needle: string) => (await search(small.ask, 'vendors', needle)).body.meta.total

test('columns are searched one by one, never across two, and an empty column holds nothing', async () => {
  for (const needle of ['abc', 'DEF', 'hi']) assert.equal(await total(needle), 1)
  for (const needle of ['cd', 'abcdef', 'bcde', 'abc\ndef', 'c\nd', 'abc def', 'c d', 'null', 'fgh', 'i\n'])
    assert.equal(await total(needle), 0, needle)
})

const replace =
  engineUnderTest === 'sqlite'
    ? `INSERT OR REPLACE INTO vendors (id, name) VALUES (2, 'after 2')`
    : `INSERT INTO vendors (id, name) VALUES (2, 'after 2') ON CONFLICT (id) DO UPDATE SET name = excluded.name`

test('what another program writes is found at once, and what it removed no more', async () => {
  const ids = async (needle: string) =>
    (await search(small.ask, 'vendors', needle)).body.data.map(({ id }: { id: number }) => id)
  assert.deepEqual(await ids('before'), [1, 2, 3])
  await small.place.write(`
    UPDATE vendors SET name = 'after 1' WHERE id = 1;
    ${replace};
    INSERT INTO vendors (id, name) VALUES (4, 'after 4');
    DELETE FROM vendors WHERE id = 3;
    UPDATE vendors SET id = 9 WHERE id = 4;
  `)
  assert.deepEqual(await ids('before'), [])
  assert.deepEqual(await ids('after'), [1, 2, 9])
  assert.deepEqual(await ids('AFTER 4'), [9])
})
