// How much each key is used: counted by the hour, handed over in one piece, kept when the state does not take it.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../src/clock.ts'
import type { Usage } from '../../../src/state/state.ts'
import { recordUsage } from '../../../src/state/usage-record.ts'

const hour = Date.UTC(2026, 2, 1, 10)

test('requests, records and refusals of each key and hour', async () => {
  const clock = manualClock(hour + 59 * 60_000)
  const taken: Usage[] = []
  const record = recordUsage({ addUsage: async (usage) => void taken.push(...usage) }, clock)
  record.count('one', 25, false)
  record.count('one', 0, true)
  record.count('two', 1, false)
  clock.advance(60_000)
  record.count('one', 3, false)
  await record.close()
  assert.deepEqual(taken, [
    { hour, accessKey: 'one', requests: 2, records: 25, refusals: 1 },
    { hour, accessKey: 'two', requests: 1, records: 1, refusals: 0 },
    { hour: hour + 3_600_000, accessKey: 'one', requests: 1, records: 3, refusals: 0 },
  ])
})

test('what the state does not take is handed over with the rest, once', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const clock = manualClock(hour)
  let isAway = true
  const taken: Usage[][] = []
  const record = recordUsage(
    {
      async addUsage(usage) {
        if (isAway) throw new Error('away')
        taken.push([...usage])
      },
    },
    clock,
  )
  record.count('one', 1, false)
  context.mock.timers.tick(10_000)
  await new Promise(setImmediate)
  record.count('one', 2, true)
  isAway = false
  context.mock.timers.tick(10_000)
  await new Promise(setImmediate)
  context.mock.timers.tick(10_000)
  await record.close()
  assert.deepEqual(taken, [[{ hour, accessKey: 'one', requests: 2, records: 3, refusals: 1 }]])
})
