// The last day of a key: when it ends in the company's zone, invalid days, how near it is, and when it is logged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../src/platform/clock.ts'
import { daysLeft, readExpiry } from '../../../src/keys/expiry.ts'
import { noticeExpiries } from '../../../src/keys/expiry-notices.ts'
import type { InputFault } from '../../../src/keys/faults.ts'
import { createLog } from '../../../src/platform/log.ts'
import type { KeyExpiry } from '../../../src/state/state.ts'

const read = (text: string, timeZone: string, now = 0) => {
  const faults: InputFault[] = []
  return { expires: readExpiry({ text, timeZone, now }, faults), faults: faults.map(({ code }) => code) }
}

const ends: readonly [day: string, zone: string, end: string, why: string][] = [
  ['2026-12-31', 'America/Port-au-Prince', '2027-01-01T05:00:00Z', 'west of Greenwich'],
  ['2026-12-31', 'UTC', '2027-01-01T00:00:00Z', 'at Greenwich'],
  ['2026-12-31', 'Asia/Kolkata', '2026-12-31T18:30:00Z', 'half an hour off'],
  ['2026-12-31', 'Pacific/Kiritimati', '2026-12-31T10:00:00Z', 'farthest east'],
  ['2028-02-29', 'UTC', '2028-03-01T00:00:00Z', 'a leap day'],
  ['2026-03-08', 'America/Port-au-Prince', '2026-03-09T04:00:00Z', 'the day clocks go forward'],
  ['2026-11-01', 'America/Port-au-Prince', '2026-11-02T05:00:00Z', 'the day clocks go back'],
  ['2026-10-31', 'America/Port-au-Prince', '2026-11-01T04:00:00Z', 'the day before'],
  // Havana goes back from one to midnight: that is the next day already.
  ['2026-10-31', 'America/Havana', '2026-11-01T04:00:00Z', 'midnight comes twice'],
  // Santiago goes forward from midnight to one: there is no midnight.
  ['2026-09-05', 'America/Santiago', '2026-09-06T04:00:00Z', 'midnight does not come'],
  // Santiago goes back from midnight to eleven in the evening of the same day.
  ['2026-04-04', 'America/Santiago', '2026-04-05T04:00:00Z', 'the last hour comes twice'],
]

for (const [day, zone, end, why] of ends)
  test(`the end of ${day} in ${zone}: ${why}`, () => {
    const { expires, faults } = read(day, zone)
    assert.deepEqual(
      [expires?.day, new Date(expires?.at ?? 0).toISOString(), faults],
      [day, end.replace('Z', '.000Z'), []],
    )
  })

for (const text of [
  '',
  'tomorrow',
  '2026-13-01',
  '2026-02-30',
  '2026-2-3',
  '31/12/2026',
  '20261231',
  '2026-12-31T10:00:00',
  ' 2026-12-31',
  '9999-12-31',
  '0001-01-01',
  'all',
])
  test(`"${text}" is no day`, () => assert.deepEqual(read(text, 'UTC'), { expires: null, faults: ['expires.invalid'] }))

test('never takes the end away', () => assert.deepEqual(read('never', 'UTC'), { expires: null, faults: [] }))

test('a day that is over there is refused, today is not', () => {
  const now = Date.UTC(2026, 9, 2, 4)
  assert.deepEqual(read('2026-10-01', 'America/Port-au-Prince', now - 1).faults, [])
  assert.deepEqual(read('2026-10-01', 'America/Port-au-Prince', now).faults, ['expires.past'])
})

const dayMs = 86_400_000

test('an expiry is announced thirty days ahead, not earlier, and not afterwards', () => {
  const left = (ms: number) => daysLeft({ expires: { day: '', at: 1_000 * dayMs } }, 1_000 * dayMs - ms)
  assert.deepEqual([31 * dayMs, 31 * dayMs - 1, 2 * dayMs, dayMs, dayMs - 1, 1, 0, -1].map(left), [
    null,
    30,
    2,
    1,
    0,
    0,
    null,
    null,
  ])
  assert.equal(daysLeft({ expires: null }, 0), null)
})

const soon = (left: number) => ['warn', 'key_expires_soon', 'soon', 'Key soon', '2026-10-10', left]

test('each key that expires soon is logged at the start and then once a day, and no other', async (context) => {
  context.mock.timers.enable({ apis: ['setInterval'] })
  const clock = manualClock(Date.UTC(2026, 9, 1, 12))
  const lines: Record<string, unknown>[] = []
  const log = createLog('info', (line) => lines.push(JSON.parse(line) as Record<string, unknown>), clock)
  const key = (accessKey: string, days: number): KeyExpiry => ({
    accessKey,
    name: `Key ${accessKey}`,
    expires: { day: '2026-10-10', at: clock.now() + days * dayMs },
  })
  let keys = [key('soon', 9), key('later', 40), key('over', -1)]
  let isAway = false
  const notices = noticeExpiries(
    { listExpiries: async () => (isAway ? Promise.reject(new Error('away')) : keys) },
    clock,
    log,
  )
  const told = () =>
    lines
      .splice(0)
      .map(({ event, level, key: of, name, expires, days_left: left }) => [level, event, of, name, expires, left])
  const pass = async (hours: number) => {
    for (let hour = 0; hour < hours; hour += 1) {
      clock.advance(3_600_000)
      context.mock.timers.tick(3_600_000)
      await new Promise(setImmediate)
    }
  }
  await new Promise(setImmediate)
  assert.deepEqual(told(), [soon(9)])
  await pass(23)
  assert.deepEqual(told(), [])
  await pass(1)
  assert.deepEqual(told(), [soon(8)])
  // One that does not answer is no reason to be told twice, or never again.
  isAway = true
  await pass(24)
  assert.deepEqual(told(), [])
  isAway = false
  keys = [...keys, key('new', 3)]
  await pass(1)
  assert.deepEqual(
    told().map(([, , of]) => of),
    ['soon', 'new'],
  )
  await notices.close()
  await pass(48)
  assert.deepEqual(told(), [])
})
