// The queue before the readers: bounded, so that too many requests are refused at once instead of piling up.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { permissions } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { startEngine } from '../../../src/engine/open.ts'
import type { ApiError } from '../../../src/errors.ts'
import { createLog } from '../../../src/platform/log.ts'
import { planList } from '../../../src/query/plan-list.ts'
import type { DetailPlan } from '../../../src/query/plan.ts'
import { until } from '../../support/process.ts'
import { makeSlowPos } from '../../support/slow-pos.ts'

test('past its bound the queue refuses at once, and closing refuses the rest', async () => {
  const log = createLog('silent', () => {})
  const engine = await startEngine(
    { kind: 'sqlite', path: '/nowhere/pos.db' },
    { readers: 1, statementTimeoutMs: 60_000, log },
  )
  const access = { permissions: [], stores: null, priceList: null }
  const plan: DetailPlan = { shows: 'detail', resource: 'stores', access, conditions: [], id: 1 }
  const causes: unknown[] = []
  // Of one key only half as many may wait.
  const keys = [...Array.from({ length: 260 }, () => 'one'), ...Array.from({ length: 260 }, (_, at) => `key ${at % 9}`)]
  const asked = keys.map((key) =>
    engine.detail(plan, { key }).catch((error: ApiError) => {
      assert.equal(error.code, 'temporarily_unavailable')
      causes.push(error.cause)
    }),
  )
  for (let turn = 0; causes.length < 20 && turn < 10; turn += 1) await new Promise(setImmediate)
  const refused = Array.from({ length: 10 }, () => 'too many requests of one key wait for a reader')
  refused.push(...Array.from({ length: 10 }, () => 'too many requests wait for a reader'))
  assert.deepEqual(causes, refused)
  await engine.close()
  await Promise.all(asked)
  assert.equal(causes.length, 520)
})

test('of plans that are handed over in one call, the one that takes too long is refused, and no other', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-queue-'))
  makeSlowPos(folder, { rows: 1_000_000_000, others: { stores: [{ id: 1 }, { id: 2 }, { id: 3 }] } })
  const log = createLog('silent', () => {})
  const engine = await startEngine(
    { kind: 'sqlite', path: join(folder, 'pos.db') },
    // Long enough for a reader to be replaced on a busy machine, while the last plan waits.
    { readers: 1, statementTimeoutMs: 3000, log },
  )
  context.after(async () => {
    await engine.close()
    rmSync(folder, { recursive: true })
  })
  const access = { permissions, stores: null, priceList: null }
  const store = (id: number) => engine.detail({ shows: 'detail', resource: 'stores', access, conditions: [], id })
  const products = findResource('products')
  assert(products)
  const slow = planList(products, '', access)
  assert('plan' in slow)
  await until('the reader has started', () => store(3).catch(() => undefined))
  const [first, late, last] = await Promise.allSettled([store(1), engine.list(slow.plan), store(2)])
  assert.equal(late.status, 'rejected')
  for (const [at, each] of [first, last].entries()) {
    assert.equal(each.status, 'fulfilled')
    assert.match(Buffer.from(each.value ?? []).toString(), new RegExp(`"id":${at + 1},`))
  }
})
