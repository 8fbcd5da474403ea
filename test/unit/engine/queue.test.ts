// The queue before the readers: bounded, so that too many requests are refused at once instead of piling up.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSqliteEngine } from '../../../src/engine/sqlite/engine.ts'
import type { ApiError } from '../../../src/errors.ts'
import { createLog } from '../../../src/log.ts'
import type { DetailPlan } from '../../../src/query/plan.ts'

test('past its bound the queue refuses at once, and closing refuses the rest', async () => {
  const log = createLog('silent', () => {})
  const engine = createSqliteEngine({ path: '/nowhere/pos.db', readers: 1, statementTimeoutMs: 60_000, log })
  const access = { permissions: [], stores: null, priceList: null }
  const plan: DetailPlan = { shows: 'detail', resource: 'stores', access, conditions: [], id: 1 }
  const causes: unknown[] = []
  const asked = Array.from({ length: 510 }, () =>
    engine.detail(plan).catch((error: ApiError) => {
      assert.equal(error.code, 'temporarily_unavailable')
      causes.push(error.cause)
    }),
  )
  await new Promise(setImmediate)
  assert.deepEqual(
    causes,
    Array.from({ length: 10 }, () => 'too many requests wait for a reader'),
  )
  await engine.close()
  await Promise.all(asked)
  assert.equal(causes.length, 510)
})
