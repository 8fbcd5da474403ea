// Whatever writers do to invoices in PostgreSQL, and whenever what they changed is folded: the tally says exactly what a
// count of the visible rows comes to, on every axis. A till that sees its own changes sees them counted, too.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import * as fc from 'fast-check'
import { PostgresFailure, type PostgresConnection } from '../../../src/postgres/connection.ts'
import { assertExact, countedAnew, fold, makeTalliedInvoices, talliedCounts } from '../../support/tallied-invoices.ts'
import type { TalliedInvoices } from '../../support/tallied-invoices.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? randomInt(2 ** 31))
const runs = 60

let invoices: TalliedInvoices
let till: PostgresConnection
let reader: PostgresConnection
before(async () => {
  invoices = await makeTalliedInvoices()
  till = await invoices.connect()
  reader = await invoices.connect()
})
after(() => invoices.remove())

const id = fc.constantFrom(
  '1',
  '2',
  '3',
  '999',
  '1000',
  '1234567',
  '-1',
  '9007199254739999',
  '9007199254740000',
  '10000000000000000',
)
const relation = fc.constantFrom('invoices', 'invoices_archive')
const time = fc.constantFrom(
  ...`NULL;'2026-01-31 23:59:59.999';'2026-02-01';'0001-01-01';'9999-12-31 23:59:59';'10000-01-01'`.split(';'),
  ...`'0044-03-15 BC';'infinity';'-infinity'`.split(';'),
)
const traits = {
  kind: fc.constantFrom('1', '2'),
  status: fc.constantFrom('NULL', '0', '3'),
  paid: fc.constantFrom('NULL', 'true', 'false'),
  currency: fc.constantFrom('NULL', `''`, `'HTG'`, `'U"S,D'`),
  store_id: fc.constantFrom('NULL', '1', '2'),
}
const cells = fc.record({ ...traits, date: time, updated_at: time, notes: fc.constantFrom('NULL', `'n'`) })
const names = 'kind, status, paid, currency, store_id, date, updated_at, notes'
const row = fc.tuple(id, cells).map(([key, each]) => `(${[key, ...Object.values(each)].join(', ')})`)
const rows = fc.array(row, { minLength: 1, maxLength: 4 }).map((list) => list.join(', '))
const sets = cells.chain((each) =>
  fc
    .subarray(Object.entries(each), { minLength: 1 })
    .map((some) => some.map(([name, value]) => `${name} = ${value}`).join(', ')),
)
const some = fc.oneof(
  id.map((each) => `id = ${each}`),
  fc.constantFrom('true', 'store_id = 1', 'status IS NULL', `date >= '2026-01-01'`),
)
const conflicts = fc.constantFrom(
  '',
  'ON CONFLICT DO NOTHING',
  `ON CONFLICT (id) DO UPDATE SET status = 4, date = excluded.date, currency = excluded.currency`,
  `ON CONFLICT (id) DO UPDATE SET id = excluded.id + 1 WHERE excluded.status = 3`,
)
const pair = fc.constantFrom(['invoices', 'invoices_archive'], ['invoices_archive', 'invoices'])

const statement = fc.oneof(
  fc
    .tuple(relation, rows, conflicts)
    .map(([to, list, conflict]) => `INSERT INTO ${to} (id, ${names}) VALUES ${list} ${conflict}`),
  fc.tuple(relation, sets, some).map(([to, set, where]) => `UPDATE ${to} SET ${set} WHERE ${where}`),
  fc.tuple(relation, id, id).map(([to, old, next]) => `UPDATE ${to} SET id = ${next} WHERE id = ${old}`),
  relation.map((to) => `UPDATE ${to} SET id = -id, store_id = 7 WHERE id IN (1, 2, 3)`),
  fc.tuple(relation, some).map(([from, where]) => `DELETE FROM ${from} WHERE ${where}`),
  fc
    .tuple(pair, some)
    .map(
      ([[from, to], where]) =>
        `WITH moved AS (DELETE FROM ${from} WHERE ${where} RETURNING *) INSERT INTO ${to} SELECT * FROM moved`,
    ),
  // Moved in two statements, or left in both.
  fc
    .tuple(pair, id, fc.boolean())
    .map(
      ([[from, to], key, isMoved]) =>
        `INSERT INTO ${to} SELECT * FROM ${from} WHERE id = ${key} ON CONFLICT DO NOTHING` +
        (isMoved ? `; DELETE FROM ${from} WHERE id = ${key}` : ''),
    ),
  fc
    .tuple(relation, row)
    .map(
      ([to, values]) =>
        `MERGE INTO ${to} t USING (VALUES ${values}) v (id, kind) ON t.id = v.id` +
        ` WHEN MATCHED THEN UPDATE SET kind = 3 - t.kind WHEN NOT MATCHED THEN INSERT (id, kind) VALUES (v.id, v.kind)`,
    ),
  fc.constant(fold),
)
const transaction = fc.record({
  isolation: fc.constantFrom('READ COMMITTED', 'READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE'),
  steps: fc.array(fc.record({ sql: statement, isUndone: fc.boolean() }), { minLength: 1, maxLength: 5 }),
  end: fc.constantFrom('COMMIT', 'COMMIT', 'COMMIT', 'ROLLBACK'),
  isFolded: fc.boolean(),
})

// unique_violation, and cardinality_violation: one statement would change a row twice.
const refusals = new Set(['23505', '21000'])

/** Whether it was done: a key that is there already is refused, as it is without a tally. */
async function tryStep(sql: string): Promise<boolean> {
  try {
    await till.script(sql)
    return true
  } catch (error) {
    const isRefusal = error instanceof PostgresFailure && refusals.has(error.code ?? '')
    if (isRefusal && !error.message.includes('tally')) return false
    throw new Error(`${sql} failed`, { cause: error })
  }
}

async function run({ isolation, steps, end, isFolded }: typeof transaction extends fc.Arbitrary<infer T> ? T : never) {
  await till.script(`BEGIN ISOLATION LEVEL ${isolation}`)
  for (const { sql, isUndone } of steps) {
    await till.script('SAVEPOINT here')
    const isDone = await tryStep(sql)
    if (isDone) assert.deepEqual(await talliedCounts(till), await countedAnew(till), `after ${sql}`)
    await till.script(isUndone || !isDone ? 'ROLLBACK TO here' : 'RELEASE here')
  }
  await assertExact(reader, 'while the transaction is open')
  await till.script(end)
  await assertExact(reader, `after ${end}`)
  if (isFolded) await till.script(fold)
  await assertExact(reader, 'after folding')
}

test(`counts are those of the visible rows, after each statement and each transaction (seed ${seed})`, async () => {
  console.log(`tallies: seed ${seed}`)
  const work = fc.tuple(
    fc.array(transaction, { minLength: 1, maxLength: 6 }),
    fc.double({ min: 0, max: 1, noNaN: true }),
  )
  await fc.assert(
    fc.asyncProperty(work, async ([transactions, chance]) => {
      await till.script(
        `ROLLBACK; DELETE FROM invoices; DELETE FROM invoices_archive; SELECT setseed(${chance}); ${fold}`,
      )
      for (const each of transactions) await run(each)
    }),
    // A counterexample is made smaller for so long, no longer.
    { seed, numRuns: runs, interruptAfterTimeLimit: 60_000 },
  )
})

test('what was folded is gone from the changes, and twins that are none any more from the twins', async () => {
  await till.script('DELETE FROM invoices; DELETE FROM invoices_archive')
  const left = () =>
    till.rows('SELECT (SELECT count(*) FROM invoices_tally_changes), (SELECT count(*) FROM invoices_tally_twins)')
  await till.script('INSERT INTO invoices (id) VALUES (1), (2); INSERT INTO invoices_archive (id) VALUES (2), (3)')
  await till.script(fold)
  assert.deepEqual(
    (await left()).map((each) => each.map(Number)),
    [[0, 1]],
  )
  await till.script(`DELETE FROM invoices_archive WHERE id = 2; ${fold}`)
  assert.deepEqual(
    (await left()).map((each) => each.map(Number)),
    [[0, 0]],
  )
  await assertExact(reader)
})

test('words that no record has any more are kept nowhere once they are folded', async () => {
  await till.script(`DELETE FROM invoices; DELETE FROM invoices_archive; ${fold}`)
  const left = () =>
    till.rows('SELECT words FROM invoices_tally_words UNION ALL SELECT words FROM invoices_tally_changes')
  assert.deepEqual(await left(), [])
  await till.script(`INSERT INTO invoices (id, customer_name) VALUES (1, 'Erased'), (2, 'Changed'); ${fold}`)
  await till.script(`DELETE FROM invoices WHERE id = 1; UPDATE invoices SET customer_name = 'Other'; ${fold}`)
  assert.deepEqual(await left(), [['\nOther\n']])
})
