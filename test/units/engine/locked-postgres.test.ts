// A till, or an upgrade of the POS, holds a lock on one relation: requests for others do not wait behind those that wait for it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { createLog } from '../../../src/platform/log.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { makePlace } from '../../support/make-place.ts'
import { connectTills, urlOf } from '../../support/place-postgres.ts'
import { totalOf } from '../../support/total-of.ts'
import { until } from '../../support/process.ts'

const planOf = (name: string, query: string) => {
  const resource = findResource(name)
  assert(resource)
  const planned = planList(resource, query, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  return planned.plan
}

test('requests for another relation are answered while one is locked', async (context) => {
  const rows = [1, 2, 3].map((id) => ({ id, name: `N${id}`, active: 1 }))
  const place = await makePlace({ rows: { customers: rows, vendors: rows }, hasJournal: true }, 'postgres')
  const log = createLog('error', () => {})
  const engine = await place.startEngine({ readers: 1, statementTimeoutMs: 60_000, log, indexMemoryBytes: 0 })
  context.after(async () => {
    await engine.close()
    await place.remove()
  })
  assert.equal(await totalOf(engine, 'customers'), 3)
  // Held until the gate is closed.
  const gate = await connectTills(await urlOf('public'))
  await gate.script(`SELECT pg_advisory_lock(${process.pid})`)
  const locking = place.write(`LOCK vendors IN ACCESS EXCLUSIVE MODE; SELECT pg_advisory_xact_lock(${process.pid})`)
  let page = 100
  await until('it is locked', () =>
    totalOf(engine, 'vendors', `page=${(page += 1)}`).then(
      () => false,
      () => true,
    ),
  )
  let ended = 0
  const waiting = [1, 2, 3, 4, 5, 6, 7].map((each) =>
    engine
      .list(planOf('vendors', `page=${each}`), { key: 'one' })
      .catch(() => {})
      .finally(() => (ended += 1)),
  )
  try {
    await engine.list(planOf('customers', 'per_page=2'), { key: 'other' })
    await turn()
    assert(ended <= 3, `it waited for ${ended} that waited for the lock`)
  } finally {
    await gate.close()
  }
  await Promise.all([locking, ...waiting])
})
