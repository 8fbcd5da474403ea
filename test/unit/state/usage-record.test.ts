// How much each key is used: counted by the hour, handed over in one piece, kept when the state does not take it.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { manualClock } from '../../../src/clock.ts'
import { openSqlite } from '../../../src/sqlite.ts'
import { startSqliteState } from '../../../src/state/sqlite/state.ts'
import type { LastUse, State, Usage } from '../../../src/state/state.ts'
import { recordUsage } from '../../../src/state/usage-record.ts'
import { until } from '../../support/process.ts'

const hour = Date.UTC(2026, 2, 1, 10)

test('requests, records and refusals of each key and hour', async () => {
  const clock = manualClock(hour + 59 * 60_000)
  const taken: Usage[] = []
  const lastUses: LastUse[] = []
  const addUsage: State['addUsage'] = async (usage, lastUse = []) => {
    taken.push(...usage)
    lastUses.push(...lastUse)
  }
  const record = recordUsage({ addUsage }, clock)
  record.count('one', 25, false, ['invoices:read', 'costs:read'])
  record.count('one', 0, true, [])
  record.count('two', 1, false, ['invoices:read'])
  clock.advance(60_000)
  record.count('one', 3, false, ['invoices:read'])
  await record.close()
  assert.deepEqual(taken, [
    { hour, accessKey: 'one', requests: 2, records: 25, refusals: 1 },
    { hour, accessKey: 'two', requests: 1, records: 1, refusals: 0 },
    { hour: hour + 3_600_000, accessKey: 'one', requests: 1, records: 3, refusals: 0 },
  ])
  assert.deepEqual(
    lastUses.map(({ accessKey, permission, hour: at }) => [accessKey, permission, (at - hour) / 3_600_000]),
    [
      ['one', '', 1],
      ['one', 'invoices:read', 1],
      ['one', 'costs:read', 0],
      ['two', '', 0],
      ['two', 'invoices:read', 0],
    ],
  )
})

test('what the state does not take is handed over with the rest, once', async (context) => {
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
  record.count('one', 1, false, ['vendors:read'])
  context.mock.timers.tick(10_000)
  await new Promise(setImmediate)
  record.count('one', 2, true, [])
  isAway = false
  context.mock.timers.tick(10_000)
  await new Promise(setImmediate)
  context.mock.timers.tick(10_000)
  await record.close()
  assert.deepEqual(taken, [
    [{ hour, accessKey: 'one', requests: 2, records: 3, refusals: 1 }],
    [
      { accessKey: 'one', permission: '', hour },
      { accessKey: 'one', permission: 'vendors:read', hour },
    ],
  ])
})

test('a state that takes its time takes it once: what is late is not handed over again', async (context) => {
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
  const added = state.addUsage([{ hour, accessKey: 'one', requests: 1, records: 2, refusals: 0 }])
  setTimeout(() => {
    lock.exec('COMMIT')
    lock.close()
  }, 200)
  await added
  await until('the state answers in time again', () => state.isEnabled().catch(() => false))
  assert.deepEqual(await state.listUsage(hour, hour + 1), [
    { hour, accessKey: 'one', requests: 1, records: 2, refusals: 0 },
  ])
})
