// How much each key is used: counted by the hour, handed over in one piece, kept when the state does not take it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import type { Permission } from '../../../src/catalogue/access.ts'
import { manualClock } from '../../../src/platform/clock.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { startSqliteState } from '../../../src/state/sqlite/state.ts'
import type { LastUse, State } from '../../../src/state/state.ts'
import type { Usage } from '../../../src/state/usage.ts'
import { recordUsage } from '../../../src/state/usage-record.ts'
import { until } from '../../support/process.ts'

const hour = Date.UTC(2026, 2, 1, 10)

const counted = (
  accessKey: string,
  records: number,
  status: number,
  used: readonly Permission[],
  address = '192.0.2.7',
) => ({ accessKey, resource: 'invoices', status, isHungUp: false, records, used, address })
const use = { hour, accessKey: 'one', resource: 'invoices', outcome: 'answered', requests: 1, records: 0 } as const

test('requests, records and refusals of each key and hour', async () => {
  // Ten seconds into the minute.
  const clock = manualClock(hour + 59 * 60_000 + 10_000)
  const taken: Usage[] = []
  const lastUses: LastUse[] = []
  const addUsage: State['addUsage'] = async (usage, lastUse = []) => {
    taken.push(...usage)
    lastUses.push(...lastUse)
  }
  const record = recordUsage({ addUsage }, clock)
  record.count(counted('one', 25, 200, ['invoices:read', 'costs:read']))
  record.count(counted('one', 0, 429, [], '192.0.2.8'))
  record.count(counted('two', 1, 200, ['invoices:read']))
  clock.advance(60_000)
  record.count(counted('one', 3, 200, ['invoices:read'], '192.0.2.9'))
  await record.close()
  assert.deepEqual(taken, [
    { ...use, records: 25 },
    { ...use, outcome: 'rate_limited' },
    { ...use, accessKey: 'two', records: 1 },
    { ...use, hour: hour + 3_600_000, records: 3 },
  ])
  assert.deepEqual(
    lastUses.map(({ accessKey, permission, at, address }) => [accessKey, permission, (at - hour) / 60_000, address]),
    [
      ['one', '', 60, '192.0.2.9'],
      ['one', 'invoices:read', 60, null],
      ['one', 'costs:read', 59, null],
      ['two', '', 59, '192.0.2.7'],
      ['two', 'invoices:read', 59, null],
    ],
  )
})

test('each status has its cause; a caller that hung up was not refused', async () => {
  const taken: Usage[] = []
  const record = recordUsage({ addUsage: async (usage) => void taken.push(...usage) }, manualClock(hour))
  const statuses = [200, 400, 401, 403, 404, 405, 410, 429, 500, 503]
  for (const status of statuses) record.count(counted('one', 0, status, []))
  record.count({ ...counted('one', 0, 503, []), isHungUp: true })
  record.count({ ...counted('one', 0, 404, []), resource: 'other' })
  await record.close()
  assert.deepEqual(
    taken.map(({ resource, outcome, requests }) => [resource, outcome, requests]),
    [
      ['invoices', 'answered', 2],
      ['invoices', 'bad_request', 3],
      ['invoices', 'not_allowed', 2],
      ['invoices', 'not_found', 1],
      ['invoices', 'rate_limited', 1],
      ['invoices', 'server_error', 2],
      ['other', 'not_found', 1],
    ],
  )
})

test('usage that the state refuses is handed over again with the rest, once', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const clock = manualClock(hour)
  let isAway = true
  const taken: unknown[] = []
  const record = recordUsage(
    {
      async addUsage(usage, lastUse) {
        if (isAway) throw new Error('away')
        taken.push([...usage], lastUse)
      },
    },
    clock,
  )
  record.count(counted('one', 1, 200, ['vendors:read']))
  context.mock.timers.tick(10_000)
  await new Promise(setImmediate)
  record.count(counted('one', 2, 200, [], '192.0.2.8'))
  isAway = false
  context.mock.timers.tick(10_000)
  await new Promise(setImmediate)
  context.mock.timers.tick(10_000)
  await record.close()
  assert.deepEqual(taken, [
    [{ ...use, requests: 2, records: 3 }],
    [
      { accessKey: 'one', permission: '', at: hour, address: '192.0.2.8' },
      { accessKey: 'one', permission: 'vendors:read', at: hour, address: null },
    ],
  ])
})

test('usage that a slow state accepts late is not handed over again', async (context) => {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-usage-'))
  const path = join(folder, 'state.db')
  // Less patience than the file is locked for.
  const state = startSqliteState({ path, clock: manualClock(hour), timeoutMs: 50 })
  context.after(async () => {
    await state.close()
    rmSync(folder, { recursive: true })
  })
  const lock = openSqlite(path)
  lock.exec('BEGIN IMMEDIATE')
  const added = state.addUsage([{ ...use, records: 2 }])
  setTimeout(() => {
    lock.exec('COMMIT')
    lock.close()
  }, 200)
  await added
  await until('the state answers in time again', () => state.isEnabled().catch(() => false))
  const [sum] = await state.sumUsage(['hour'], { from: hour, to: hour + 1 })
  assert.deepEqual([sum?.requests, sum?.records], [1, 2])
})
