// Several tills write invoices at once, in every isolation: none waits for another because of the tally, none fails because
// of it, and the counts are exact, also of twins that two tills made without seeing each other.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { PostgresFailure, type PostgresConnection } from '../../../src/postgres/connection.ts'
import { assertExact, fold, makeTalliedInvoices } from '../../support/tallied-invoices.ts'
import type { TalliedInvoices } from '../../support/tallied-invoices.ts'

const isolations = ['READ COMMITTED', 'REPEATABLE READ', 'SERIALIZABLE']
const tillCount = 6

let invoices: TalliedInvoices
let reader: PostgresConnection
let tills: PostgresConnection[]
before(async () => {
  invoices = await makeTalliedInvoices()
  reader = await invoices.connect()
  // Each gives up when it has waited for two seconds.
  tills = await Promise.all(Array.from({ length: tillCount }, () => invoices.connect()))
})
after(() => invoices.remove())
beforeEach(async () => {
  await Promise.all(tills.map((till) => till.script('ROLLBACK')))
  await reader.script(`DELETE FROM invoices; DELETE FROM invoices_archive; ${fold}`)
})

function pick(at: number): PostgresConnection {
  const till = tills[at]
  assert(till)
  return till
}

for (const isolation of isolations)
  test(`${isolation}: a till that has written, folded and not ended holds up nobody, and nobody's folding waits`, async () => {
    const [open, other] = [pick(0), pick(1)]
    await reader.script(`INSERT INTO invoices (id, store_id) SELECT n, 1 FROM generate_series(1, 20) n; ${fold}`)
    await open.script(`BEGIN ISOLATION LEVEL ${isolation}; INSERT INTO invoices (id, store_id) VALUES (100, 1)`)
    await open.script(
      `UPDATE invoices SET status = 2 WHERE id = 1; ${fold}; DELETE FROM invoices WHERE id = 2; ${fold}`,
    )
    for (const each of isolations) {
      await other.script(`BEGIN ISOLATION LEVEL ${each}; INSERT INTO invoices (id, store_id) VALUES (200, 1)`)
      await other.script(
        `${fold}; UPDATE invoices SET status = 2 WHERE id = 3; DELETE FROM invoices WHERE id = 4; ${fold}`,
      )
      await other.script(`WITH moved AS (DELETE FROM invoices WHERE id = 5 RETURNING *)
        INSERT INTO invoices_archive SELECT * FROM moved; ${fold}`)
      await other.script(each === 'SERIALIZABLE' ? 'COMMIT' : 'ROLLBACK')
      await assertExact(reader)
    }
    // As many as are sure to fold by themselves.
    for (let id = 1000; id < 1400; id += 1) await other.script(`INSERT INTO invoices (id, store_id) VALUES (${id}, 1)`)
    await assertExact(reader)
    await open.script('COMMIT')
    await assertExact(reader)
    await other.script(fold)
    await assertExact(reader)
  })

for (const isolation of isolations.slice(1))
  test(`${isolation}: what others appended and folded since its snapshot does not make a till's writing fail`, async () => {
    const till = pick(0)
    await reader.script('INSERT INTO invoices (id, kind) VALUES (1, 1), (2, 1)')
    await till.script(`BEGIN ISOLATION LEVEL ${isolation}`)
    await till.rows('SELECT now(), txid_current_snapshot()')
    await reader.script(
      `INSERT INTO invoices (id, kind) VALUES (3, 1); ${fold}; INSERT INTO invoices (id) VALUES (4); ${fold}`,
    )
    // Of many rows some would fold, were it allowed.
    await till.script('INSERT INTO invoices (id, kind) SELECT n, 1 FROM generate_series(1000, 1999) n')
    await till.script(`${fold}; COMMIT`)
    await assertExact(reader)
    await reader.script(fold)
    await assertExact(reader)
  })

/** All orders of two lists of steps, each list in its own order. */
function orders(first: readonly string[], second: readonly string[]): [number, string][][] {
  const [a, ...restA] = first
  const [b, ...restB] = second
  if (a === undefined || b === undefined)
    return [[...first.map((step): [number, string] => [0, step]), ...second.map((step): [number, string] => [1, step])]]
  return [
    ...orders(restA, second).map((rest): [number, string][] => [[0, a], ...rest]),
    ...orders(first, restB).map((rest): [number, string][] => [[1, b], ...rest]),
  ]
}

const begin = (isolation: string) => `BEGIN ISOLATION LEVEL ${isolation}; SELECT FROM invoices LIMIT 0`
const pairs = isolations.flatMap((one) => isolations.map((two) => [one, two] as const))
for (const [one, two] of pairs)
  test(`twins that a till in ${one} and one in ${two} make and unmake are counted once, whoever folds when`, async () => {
    let id = 0
    const runs = orders(
      [`INSERT INTO invoices (id, kind) VALUES (#, 1)`, fold, 'COMMIT'],
      [`INSERT INTO invoices_archive (id, kind) VALUES (#, 1)`, fold, 'COMMIT'],
    )
    for (const run of runs) {
      id += 1
      await pick(0).script(begin(one))
      await pick(1).script(begin(two))
      for (const [at, step] of run) {
        await pick(at).script(step.replace('#', String(id)))
        if (step === 'COMMIT') await assertExact(reader, JSON.stringify(run))
      }
      await reader.script(fold)
      await assertExact(reader, `folded after ${JSON.stringify(run)}`)
    }
    assert.deepEqual((await reader.rows('SELECT count(*) FROM invoices_tally_twins')).flat().map(Number), [runs.length])
    // One loses its recent row, one its archived one, and two tills change the two rows of a third.
    await pick(0).script(
      `${begin(one)}; DELETE FROM invoices WHERE id = 1; UPDATE invoices SET status = 3 WHERE id = 3; ${fold}`,
    )
    await pick(1).script(`${begin(two)}; DELETE FROM invoices_archive WHERE id = 2`)
    await pick(1).script(`UPDATE invoices_archive SET status = 4, date = '2026-01-01' WHERE id = 3; ${fold}`)
    await assertExact(reader)
    await pick(0).script('COMMIT')
    await assertExact(reader)
    // In SERIALIZABLE the two may be refused as they would be without a tally: small tables are locked as a whole.
    await pick(1)
      .script('COMMIT')
      .catch((error: unknown) => assertRefused(error, ['40001']))
    await reader.script(fold)
    await assertExact(reader)
  })

function assertRefused(error: unknown, codes: readonly string[]): void {
  assert(error instanceof PostgresFailure && codes.includes(error.code ?? ''), String(error))
  assert.doesNotMatch(error.message, /tally/)
}

test('tills that write documents of their own, in every isolation and with folding between: none fails or waits', async () => {
  await reader.script('SET enable_seqscan = off')
  await Promise.all(
    tills.map(async (till, at) => {
      const first = (at + 1) * 1_000_000
      for (let n = 0; n < 60; n += 1) {
        const isolation = isolations[(n + at) % 3]
        await till.script(
          `BEGIN ISOLATION LEVEL ${isolation};
           INSERT INTO invoices (id, kind, store_id) VALUES (${first + n}, 1, ${at}), (${first + n + 500}, 2, ${at})
           ON CONFLICT DO NOTHING; ${n % 5 === at ? fold : 'SELECT 1'};
           INSERT INTO invoices_archive (id, kind, store_id) VALUES (${first + n}, 1, ${at}); COMMIT`,
        )
        if (isolation === 'SERIALIZABLE') continue
        await till.script(
          `BEGIN ISOLATION LEVEL ${isolation}; DELETE FROM invoices WHERE id = ${first + n};
           UPDATE invoices_archive SET date = '2026-01-01' WHERE id = ${first + n}; COMMIT`,
        )
      }
    }),
  )
  await assertExact(reader)
  await reader.script(fold)
  await assertExact(reader)
})

test('tills that fight for the same documents are refused what they would be without a tally, and counts stay exact', async () => {
  const refused = ['23505', '40001', '40P01']
  const written = new AbortController()
  const watching = (async () => {
    while (!written.signal.aborted) await assertExact(reader, 'while tills write')
  })()
  const write = async (till: PostgresConnection) => {
    for (let n = 0; n < 80; n += 1) {
      const [id, other] = [randomInt(8), randomInt(8)]
      const [from, to] = n % 2 ? ['invoices', 'invoices_archive'] : ['invoices_archive', 'invoices']
      const steps = [
        `INSERT INTO ${to} (id, kind) VALUES (${id}, 1)`,
        `INSERT INTO ${to} (id, kind) VALUES (${id}, 1) ON CONFLICT (id) DO UPDATE SET status = ${randomInt(3)}`,
        `WITH moved AS (DELETE FROM ${from} WHERE id = ${id} RETURNING *) INSERT INTO ${to} SELECT * FROM moved`,
        `UPDATE ${from} SET id = ${other} WHERE id = ${id}`,
        `DELETE FROM ${to} WHERE id = ${id}`,
        fold,
      ]
      const some = Array.from({ length: 3 }, () => steps[randomInt(steps.length)]).join('; ')
      const end = n % 7 === 0 ? 'ROLLBACK' : 'COMMIT'
      try {
        // They do wait for each other here, for the documents themselves, and on a busy machine for long.
        const begin = `BEGIN ISOLATION LEVEL ${isolations[randomInt(3)]}; SET LOCAL lock_timeout = 0`
        await till.script(`${begin}; ${some}; ${end}`)
      } catch (error) {
        assertRefused(error, refused)
        await till.script('ROLLBACK')
      }
    }
  }
  try {
    await Promise.all(tills.map(write))
  } finally {
    written.abort()
  }
  await watching
  await assertExact(reader)
  await reader.script(fold)
  await assertExact(reader)
})
