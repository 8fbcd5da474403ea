// However many slow requests one key sends, requests of another key are answered: on both engines.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { findRelation } from '../../../src/contract/relations.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { startEngine } from '../../../src/engine/open.ts'
import { createLog } from '../../../src/platform/log.ts'
import { connectPostgres } from '../../../src/platform/postgres/connection.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { makePostgresPos, urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'
import { makeSlowPos } from '../../support/slow-pos.ts'

const log = createLog('silent', () => {})
const options = { readers: 2, statementTimeoutMs: 120_000, log }
const stores = [{ id: 1, name: 'Main' }]

function plan(name: string, query = '') {
  const resource = findResource(name)
  assert(resource)
  const planned = planList(resource, query, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  return planned.plan
}

async function onSqlite(use: (engine: Engine) => Promise<void>) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-share-'))
  makeSlowPos(folder, { rows: 50_000, others: { stores } })
  const engine = await startEngine({ kind: 'sqlite', path: join(folder, 'pos.db') }, options)
  try {
    await use(engine)
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}

async function onPostgres(use: (engine: Engine) => Promise<void>) {
  const url = await urlOf(newSchema('share'))
  const tills = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}, public` })
  await makePostgresPos(tills, url.schema, { stores }, schemaStatements(postgresSchema))
  const columns = Object.keys(findRelation('products').columns).map((name) => `p."${name}"`)
  await tills.script(`ALTER TABLE products RENAME TO own_products;
    CREATE VIEW products AS SELECT ${columns.join()} FROM (SELECT pg_sleep(0.25)) s LEFT JOIN own_products p ON true`)
  const engine = await startEngine(url, options)
  try {
    await use(engine)
  } finally {
    await engine.close()
    await tills.script(`DROP SCHEMA ${url.schema} CASCADE`)
    await tills.close()
  }
}

for (const [name, on] of [
  ['SQLite', onSqlite],
  ['PostgreSQL', onPostgres],
] as const)
  test(`${name}: twelve slow requests of one key do not hold up forty of another`, () =>
    on(async (engine) => {
      // Both know by then that such lists take long.
      await engine.list(plan('products'), { key: 'busy' })
      await engine.list(plan('stores'), { key: 'other' })
      let slow = 0
      const busy = Array.from({ length: 12 }, async (_, at) => {
        await engine.list(plan('products', `page=${at + 1}`), { key: 'busy' })
        slow += 1
      })
      await new Promise(setImmediate)
      for (let turn = 0; turn < 40; turn += 1) {
        const query = turn % 2 ? `search=Main${turn}` : `per_page=${turn + 1}`
        await engine.list(plan('stores', query), { key: 'other' })
      }
      assert(slow < 10, `${slow} of 12 slow ones were done before the others`)
      const { readers, busy: working, waiting } = engine.load()
      assert.deepEqual([readers, working], [2, 1], 'one key leaves a reader to others')
      assert(waiting >= 1)
      await Promise.all(busy)
      const after = engine.load()
      assert.deepEqual([after.readers, after.busy, after.waiting, after.stopped], [2, 0, 0, 0])
    }))
