// Counts that engines on PostgreSQL remember are never old: what was committed before a request is in its total, and a version
// of a tally never stands for two different counts.
import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { after, before, test } from 'node:test'
import { permissions, type Access } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { systemClock } from '../../../src/clock.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { createPostgresEngine } from '../../../src/engine/postgres/engine.ts'
import { createLog } from '../../../src/log.ts'
import { connectPostgres, type PostgresConnection } from '../../../src/postgres/connection.ts'
import { planList } from '../../../src/query/plan-list.ts'
import type { PostgresUrl } from '../../../src/settings/postgres-url.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { postgresTally, tallyVersion } from '../../../src/sql/postgres-tallies.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { makePostgresPos, urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'
import { fold, invoicesTally, talliedCounts } from '../../support/tallied-invoices.ts'

const rounds = 1000
const all: Access = { permissions, stores: null, priceList: null }

let url: PostgresUrl
let till: PostgresConnection
let engines: Engine[]
before(async () => {
  url = await urlOf(newSchema('remembered'))
  till = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}, public` })
  await makePostgresPos(till, url.schema, {}, schemaStatements(postgresSchema))
  await till.script(`SET search_path = ${url.schema}, public; ${postgresTally(invoicesTally).join(';')}`)
  const log = createLog('error', () => {}, systemClock)
  engines = [1, 2].map(() => createPostgresEngine({ url, readers: 3, statementTimeoutMs: 30_000, log }))
})
after(async () => {
  for (const engine of engines) await engine.close()
  await till.script(`DROP SCHEMA ${url.schema} CASCADE`)
  await till.close()
})

interface Asked {
  readonly query: string
  readonly access: Access
  readonly where: string
}
const march = `date >= '2026-03-01' AND date < '2026-04-01'`
const questions: Asked[] = [
  { query: '', access: all, where: 'true' },
  { query: 'status=open', access: all, where: 'status = 1' },
  { query: 'currency=HTG', access: all, where: `currency = 'HTG'` },
  { query: 'date_from=2026-03-01&date_to=2026-03-31', access: all, where: march },
  { query: '', access: { ...all, stores: [2] }, where: 'store_id = 2' },
  { query: 'store_id=2', access: { ...all, stores: [1, 2] }, where: 'store_id = 2' },
]

async function totalOf(engine: Engine | undefined, { query, access }: Asked): Promise<number> {
  const resource = findResource('invoices')
  assert(resource && engine)
  const planned = planList(resource, `${query}&per_page=1`, access)
  assert('plan' in planned, JSON.stringify(planned))
  return (await engine.list(planned.plan)).total
}

const visible = `(SELECT * FROM invoices UNION ALL SELECT * FROM invoices_archive a
  WHERE NOT EXISTS (SELECT FROM invoices r WHERE r.id = a.id)) v`
const countAll = `SELECT ${questions.map(({ where }) => `count(*) FILTER (WHERE ${where})::int`).join(', ')} FROM ${visible}`

function change(): string {
  const id = 1 + randomInt(12)
  const [from, to] = randomInt(2) ? ['invoices', 'invoices_archive'] : ['invoices_archive', 'invoices']
  const cells = `1, ${randomInt(2)}, '${randomInt(2) ? 'HTG' : 'USD'}', ${1 + randomInt(3)}, '2026-0${2 + randomInt(3)}-0${1 + randomInt(9)}'`
  const columns = 'id, kind, status, currency, store_id, date'
  const set = 'status = excluded.status, store_id = excluded.store_id, date = excluded.date'
  const changes = [
    `INSERT INTO ${to} (${columns}) VALUES (${id}, ${cells}) ON CONFLICT (id) DO UPDATE SET ${set}`,
    // As many go as come: the number of changes alone tells nothing.
    `UPDATE ${to} SET status = 1 - status WHERE id = ${id}`,
    `WITH gone AS (DELETE FROM ${from} WHERE id = ${id} RETURNING *) INSERT INTO ${to} SELECT * FROM gone ON CONFLICT DO NOTHING`,
    `DELETE FROM ${to} WHERE id = ${id}`,
    fold,
    `BEGIN; DELETE FROM ${to}; ${fold}; ROLLBACK`,
  ]
  return changes[randomInt(changes.length)] ?? fold
}

test('totals of two engines hold whatever was committed before they were asked for', async () => {
  for (let round = 0; round < rounds; round += 1) {
    const sql = change()
    await till.script(sql)
    const [expected] = await till.rows(countAll)
    // The same twice, so that what was remembered is asked for; different ones on the two, so that each has missed some.
    const at = randomInt(questions.length)
    for (const engine of randomInt(3) ? [engines[round % 2]] : [...engines, ...engines]) {
      const asked = questions[at]
      assert(asked)
      assert.equal(
        await totalOf(engine, asked),
        expected?.[at],
        `${JSON.stringify(asked)} after ${sql}, round ${round}`,
      )
    }
  }
})

test('requests that run while others write and fold each see one state that was', async () => {
  // Every transaction leaves as many open invoices as paid ones.
  await till.script(`DELETE FROM invoices; DELETE FROM invoices_archive`)
  const asked = new AbortController()
  let number = 0
  const writing = (async () => {
    while (!asked.signal.aborted) {
      number += 1
      await till.script(`BEGIN; INSERT INTO invoices (id, kind, status) VALUES (${number}, 1, 0), (${-number}, 1, 1);
        ${number % 4 ? 'SELECT 1' : fold}; COMMIT`)
    }
  })()
  const ask = async (engine: Engine) => {
    for (let n = 0; n < 150; n += 1) {
      const least = number - 1
      const total = await totalOf(engine, { query: '', access: all, where: '' })
      assert.equal(total % 2, 0)
      assert(total >= 2 * least, `${total} when ${least} pairs had been committed before`)
      assert(total <= 2 * number, `${total} of ${number} pairs`)
    }
  }
  try {
    await Promise.all([...engines, ...engines].map(ask))
  } finally {
    asked.abort()
    await writing
  }
})

test('a version of the tally stands for one state of the counts alone, also after it was made anew', async () => {
  const known = new Map<string, string>()
  const note = async (after: string) => {
    const [row] = await till.rows(tallyVersion(invoicesTally))
    const version = String(row?.[0])
    assert.notEqual(version, 'null')
    const counts = (await talliedCounts(till)).join('\n')
    assert.equal(known.get(version) ?? counts, counts, `version ${version} again after ${after}`)
    known.set(version, counts)
  }
  for (let round = 0; round < rounds / 5; round += 1) {
    const sql = round % 25 === 24 ? `BEGIN; ${postgresTally(invoicesTally).join(';')}; COMMIT` : change()
    await till.script(sql)
    await note(sql)
  }
  assert(known.size > rounds / 20)
})
