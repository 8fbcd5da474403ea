// What a search finds and counts by what an engine keeps of words (SQLite its search index, PostgreSQL its tallies) is what a search
// without it does, whatever was written and however. The same rows in two worlds, one of which keeps nothing. VITRINE_TEST_SEED
// repeats a run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { howMuch, seedOfRun as seed } from '../../support/how-much.ts'
import { createWorld } from '../../support/world.ts'

type EngineName = 'sqlite' | 'postgres'
const one = fc.constantFrom
// Letters with other forms (the sign for kelvin, a long s), accents, what LIKE and the index's own language take for signs, other
// scripts.
const letter = one(...'aAbksſK"\'%_-07É', 'é', 'ß', ' ', '名', '🙂')
const word = fc.oneof(
  { weight: 5, arbitrary: fc.array(letter, { maxLength: 6 }).map((letters) => letters.join('')) },
  { weight: 2, arbitrary: one('abk', 'ABK-0', 'ABK-7', 'abk-071', 'kaba', 'abkaba') },
  { weight: 1, arbitrary: one(null, 'a\nb', 'aab\nak') },
)
const id = fc.integer({ min: 0, max: 40 })
const row = fc.record({
  id,
  kind: one(1, 1, 2, null),
  status: one(2, 3, 3, 4, null),
  paid: one<(0 | 1 | null)[]>(0, 1, null),
  currency: one('HTG', 'USD', null),
  store_id: one(1, 2),
  date: fc.integer({ min: 10, max: 28 }).map((day) => `2024-01-${day} 10:00:00`),
  updated_at: one('2024-03-01 10:00:00', null),
  number: word,
  customer_name: word,
  po_number: word,
})
type Row = typeof row extends fc.Arbitrary<infer Each> ? Each : never

// What differs: how a row is put in another's place, and what stands for yes.
interface Writing {
  readonly yes: string
  readonly replace: (table: string, row: Readonly<Record<string, string>>) => string
  readonly move: (table: string, from: number, to: number) => string
  readonly copy: (id: number) => string
  // What an engine does now and then by itself.
  readonly tidy: string
}
const copied = (id: number) => `INTO invoices_archive SELECT * FROM invoices WHERE id = ${id}`
const valuesOf = (row: Readonly<Record<string, string>>) =>
  `(${Object.keys(row).join()}) VALUES (${Object.values(row).join()})`
const writings: Record<EngineName, Writing> = {
  sqlite: {
    yes: '1',
    replace: (table, row) => `INSERT OR REPLACE INTO ${table} ${valuesOf(row)}`,
    move: (table, from, to) => `UPDATE OR REPLACE ${table} SET id = ${to} WHERE id = ${from}`,
    copy: (id) => `INSERT OR IGNORE ${copied(id)}`,
    tidy: 'SELECT 1',
  },
  postgres: {
    yes: 'true',
    replace: (table, row) =>
      `INSERT INTO ${table} ${valuesOf(row)} ON CONFLICT (id) DO UPDATE SET` +
      Object.keys(row)
        .map((name) => ` ${name} = excluded.${name}`)
        .join(),
    move: (table, from, to) =>
      `DELETE FROM ${table} WHERE id = ${to} AND ${from} <> ${to}; UPDATE ${table} SET id = ${to} WHERE id = ${from}`,
    copy: (id) => `INSERT ${copied(id)} ON CONFLICT DO NOTHING`,
    tidy: `DO $$ BEGIN
      IF to_regproc('invoices_tally_fold') IS NOT NULL THEN PERFORM invoices_tally_fold(); END IF; END $$`,
  },
}

const literal = (value: string | number | null) =>
  typeof value === 'string' ? `'${value.replaceAll("'", "''")}'` : String(value)

function changesOf({ yes, replace, move, copy, tidy }: Writing) {
  const table = one('invoices', 'invoices', 'invoices_archive')
  const cells = (each: Row) => ({
    ...Object.fromEntries(Object.entries(each).map(([name, value]) => [name, literal(value)])),
    paid: each.paid === 1 ? yes : each.paid === 0 ? `NOT ${yes}` : 'NULL',
  })
  return fc.oneof(
    { weight: 4, arbitrary: fc.tuple(table, row).map(([into, each]) => replace(into, cells(each))) },
    fc
      .tuple(table, id, row)
      .map(([of, at, to]) => `UPDATE ${of} SET customer_name = ${literal(to.number)} WHERE id = ${at}`),
    fc
      .tuple(table, id, row)
      .map(([of, at, to]) => `UPDATE ${of} SET status = ${literal(to.status)}, paid = ${yes} WHERE id > ${at}`),
    fc.tuple(table, id, id).map(([of, at, to]) => move(of, at, to)),
    fc.tuple(table, id).map(([of, at]) => `DELETE FROM ${of} WHERE id = ${at}`),
    id.map(copy),
    one(tidy),
  )
}

const text = fc.oneof(
  { weight: 3, arbitrary: fc.array(letter, { minLength: 1, maxLength: 4 }).map((letters) => letters.join('')) },
  { weight: 2, arbitrary: one('ABK', 'bka', 'ak', 'kab', 'sk', 'Kab', 'ſk', 'a\nb') },
  // Digits are the same in a group, and not in a record.
  { weight: 3, arbitrary: one('k-0', 'k-7', 'k-07', '-0', '71', '07', '0\n7', 'abk-071') },
  // Some records have them, and not too few.
  { weight: 4, arbitrary: one('ab', 'abk') },
)
const list = fc
  .record({
    of: one('invoices', 'invoices', 'credit-memos'),
    filter: one(
      '',
      '&status=all',
      '&status=all',
      '&status=void',
      '&payment_status=paid&currency=HTG',
      '&date_from=2024-01-15',
    ),
    sort: one('', '', '', '&sort=id', '&sort=date', '&sort=updated_at', '&sort=-updated_at', '&sort=total'),
    page: one(1, 1, 1, 2, 3),
    perPage: one(1, 1, 2, 5),
    text,
  })
  .map(
    ({ of, filter, sort, page, perPage, text: searched }) =>
      `/${of}?search=${encodeURIComponent(searched)}${filter}${sort}&page=${page}&per_page=${perPage}`,
  )

const unique = (more: number) => [
  ...new Map(fc.sample(row, { seed: seed + more, numRuns: 25 }).map((each) => [each.id, each])).values(),
]

for (const engine of ['sqlite', 'postgres'] as const)
  test(`${engine}: whatever is written, a search finds and counts what one does that keeps nothing, seed ${seed}`, async (context) => {
    const rows = { invoices: unique(1), invoices_archive: unique(2) }
    const worlds = await Promise.all(
      [true, false].map((isIndexed) => createWorld({ engine, rows, isIndexed, readers: 1 })),
    )
    context.after(() => Promise.all(worlds.map((world) => world.close())))
    const keys = [
      { permissions: 'all', rate: '100000' },
      { permissions: 'all', rate: '100000', stores: '2' },
    ]
    const tokens = await Promise.all(keys.map((key) => Promise.all(worlds.map((world) => world.tokenFor(key)))))
    const changes = fc.sample(changesOf(writings[engine]), { seed: seed + 3, numRuns: howMuch(60, 1500) })
    const lists = fc.sample(list, { seed: seed + 4, numRuns: changes.length * 10 })
    let found = 0
    for (const [at, each] of changes.entries()) {
      for (const target of lists.slice(at * 10, at * 10 + 10)) {
        const held = tokens[at % 2] ?? []
        const [kept, plain] = await Promise.all(
          worlds.map((world, which) => world.ask(target, { token: held[which] ?? null })),
        )
        assert(kept && plain)
        // What may not be searched for is refused by both alike.
        if (plain.status === 400) continue
        assert.equal(plain.status, 200, plain.text)
        const why = `${target}, seed ${seed}, after\n${changes.slice(0, at).slice(-6).join(';\n')}`
        assert.deepEqual([kept.body.meta, kept.body.data], [plain.body.meta, plain.body.data], why)
        if (plain.body.meta.total > 0) found += 1
      }
      for (const world of worlds) await world.place.write(each)
    }
    assert(found > changes.length, `only ${found} of ${lists.length} searches found anything`)
  })

for (const engine of ['sqlite', 'postgres'] as const)
  test(`${engine}: a long number is found by all of it, not by its digits alone`, async (context) => {
    const numbers = ['INV1-0012345', 'CM1-0012345', 'INV1-0012345-77777', '0012345', 'inv1-001234']
    const invoices = numbers.map((number, at) => ({ id: at + 1, kind: 1, status: 3, number }))
    const world = await createWorld({ engine, rows: { invoices } })
    context.after(() => world.close())
    const token = await world.tokenFor({ permissions: 'all' })
    for (const [searched, expected] of Object.entries({
      'inv1-0012345': [1, 3],
      '1-0012345': [1, 2, 3],
      '0012345': [1, 2, 3, 4],
      '0012345-77777': [3],
    })) {
      const { body } = await world.ask(`/invoices?search=${searched}&sort=id`, { token })
      const ids = body.data.map((each: { id: number }) => each.id)
      assert.deepEqual([body.meta.total, ...ids], [expected.length, ...expected], searched)
    }
  })

for (const engine of ['sqlite', 'postgres'] as const)
  test(`${engine}: a name alone, a digit alone or a trait alone that changes is counted so from then on`, async (context) => {
    const invoices = [1, 2, 3].map((each) => ({
      id: each,
      kind: 1,
      status: 3,
      date: '2024-01-10 10:00:00',
      number: 'F-1',
      customer_name: 'Marie',
    }))
    const world = await createWorld({ engine, rows: { invoices } })
    context.after(() => world.close())
    const token = await world.tokenFor({ permissions: 'all', rate: '1000' })
    const totals = async () => {
      const asked = ['mar', 'ma', 'paul', 'f-', 'f-1', '-2'].map((each) =>
        world.ask(`/invoices?search=${each}&per_page=1`, { token }),
      )
      return (await Promise.all(asked)).map(({ body }) => body.meta.total)
    }
    assert.deepEqual(await totals(), [3, 3, 0, 3, 3, 0])
    const steps = [
      [`UPDATE invoices SET customer_name = 'Paul' WHERE id = 1`, [2, 2, 1, 3, 3, 0]],
      [`UPDATE invoices SET number = 'F-2' WHERE id = 2`, [2, 2, 1, 3, 2, 1]],
      [`UPDATE invoices SET status = 2 WHERE id = 3`, [1, 1, 1, 2, 1, 1]],
    ] as const
    for (const [write, expected] of steps) {
      await world.place.write(write)
      assert.deepEqual(await totals(), expected, write)
      await world.place.write(writings[engine].tidy)
      assert.deepEqual(await totals(), expected, `${write}, folded`)
    }
  })
