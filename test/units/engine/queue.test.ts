// The queue before the readers: bounded, so that too many requests are refused at once instead of piling up.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { startEngine } from '../../../src/engine/open.ts'
import type { Engine } from '../../../src/engine/engine.ts'
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

// An engine with one reader, and what its callers were charged.
async function charged(
  rows: number,
  use: (engine: Engine, spent: [string, number][]) => Promise<void>,
  statementTimeoutMs = 30_000,
) {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-queue-'))
  makeSlowPos(folder, { rows, others: { stores: [{ id: 1 }, { id: 2 }] } })
  const spent: [string, number][] = []
  const budget = { check: () => {}, spend: (key: string, ms: number) => void spent.push([key, ms]) }
  const log = createLog('silent', () => {})
  const engine = await startEngine(
    { kind: 'sqlite', path: join(folder, 'pos.db') },
    { readers: 1, statementTimeoutMs, log, budget },
  )
  try {
    await use(engine, spent)
  } finally {
    await engine.close()
    rmSync(folder, { recursive: true })
  }
}
const listOf = (name: string, query = '') => {
  const planned = planList(findResource(name) ?? assert.fail(), query, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  return planned.plan
}
const keysOf = (spent: readonly [string, number][]) => spent.map(([key]) => key)

test('16 callers of one list cause one reading, for which each is charged, also if the first one hangs up', () =>
  charged(1000, async (engine, spent) => {
    const hangUp = new AbortController()
    const keys = Array.from({ length: 16 }, (_, at) => `key ${at % 4}`)
    const answers = keys.map((key) => engine.list(listOf('stores'), { key }))
    const first = engine.list(listOf('stores'), { key: 'key 0', signal: hangUp.signal })
    hangUp.abort()
    await assert.rejects(first)
    const bodies = (await Promise.all(answers)).map(({ body }) => Buffer.from(body).toString())
    assert.match(bodies[0] ?? '', /"total":2/)
    assert.equal(new Set(bodies).size, 1)
    assert.deepEqual(keysOf(spent).toSorted(), keys.toSorted())
    // Each reading takes another time.
    assert.equal(new Set(spent.map(([, ms]) => ms)).size, 1)
  }))

test('all who share a reading that takes too long are refused, and each is charged for all of it', () =>
  charged(
    1_000_000_000,
    async (engine, spent) => {
      await until('the reader has started', () =>
        engine.list(listOf('stores'), { key: 'store' }).catch(() => undefined),
      )
      const target = listOf('products', 'search=zz')
      const asked = ['one', 'other'].map((key) => engine.list(target, { key }).catch(({ code }: ApiError) => code))
      assert.deepEqual(await Promise.all(asked), ['temporarily_unavailable', 'temporarily_unavailable'])
      const late = spent.filter(([key]) => key !== 'store')
      assert.deepEqual(late, [
        ['one', 1500],
        ['other', 1500],
      ])
    },
    1500,
  ))

test('the caller who comes first may hang up while all wait for the reading, and the others are answered', () =>
  charged(1_000_000, async (engine, spent) => {
    const hangUp = new AbortController()
    const target = listOf('products', 'search=zz')
    const first = engine.list(target, { key: 'first', signal: hangUp.signal })
    const others = ['second', 'third'].map((key) => engine.list(target, { key }))
    await until('the reading has begun', () => engine.load().busy === 1)
    hangUp.abort()
    const late = engine.list(target, { key: 'late' })
    assert.deepEqual(
      (await Promise.all([...others, late])).map(({ total }) => total),
      [0, 0, 0],
    )
    await first
    // What has begun may be older than the caller.
    const [began, , , own] = spent
    assert.deepEqual(keysOf(spent).toSorted(), ['first', 'late', 'second', 'third'])
    assert.notEqual(own?.[1], began?.[1])
  }))

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
