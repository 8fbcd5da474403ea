// Fixed windows: a minute from the first request, shown in whole seconds, and the effect of a clock that is set back.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { manualClock } from '../../../src/platform/clock.ts'
import { anonymousWindows } from '../../../src/http/anonymous-windows.ts'
import { describeWindow, isOver } from '../../../src/state/window.ts'

const start = 1_000_000

test('window: it is over a minute after its start, and when it starts in the future', () => {
  for (const [now, over] of [
    [start - 1, true],
    [start, false],
    [start + 59_999, false],
    [start + 60_000, true],
    [start + 900_000, true],
  ] as const)
    assert.equal(isOver({ startedAt: start, count: 1 }, now), over, String(now - start))
})

const described: readonly [
  count: number,
  sinceMs: number,
  remaining: number,
  resetSeconds: number,
  isExceeded: boolean,
][] = [
  [1, 0, 2, 60, false],
  [3, 0, 0, 60, false],
  [4, 0, 0, 60, true],
  [400, 0, 0, 60, true],
  [1, 1, 2, 60, false],
  [1, 999, 2, 60, false],
  [1, 1000, 2, 59, false],
  [1, 58_999, 2, 2, false],
  [1, 59_000, 2, 1, false],
  [4, 59_999, 0, 1, true],
  // Over: nothing is used of the next one.
  [4, 60_000, 3, 60, false],
  [4, -1, 3, 60, false],
]

for (const [count, sinceMs, remaining, resetSeconds, isExceeded] of described) {
  test(`window: after ${count} requests of 3 and ${sinceMs} ms, ${remaining} are left and ${resetSeconds} s`, () => {
    assert.deepEqual(describeWindow(3, { startedAt: start, count }, start + sinceMs), {
      limit: 3,
      remaining,
      resetSeconds,
      isExceeded,
    })
  })
}

test('anonymous windows: each address has its own, and a clock set back starts a new one', () => {
  const clock = manualClock(start)
  const windows = anonymousWindows(2, clock)
  const count = (address: string) => {
    const { remaining, resetSeconds, isExceeded } = windows.count(address)
    return [remaining, resetSeconds, isExceeded]
  }
  assert.deepEqual(
    [count('a'), count('a'), count('a')],
    [
      [1, 60, false],
      [0, 60, false],
      [0, 60, true],
    ],
  )
  assert.deepEqual(count('b'), [1, 60, false])
  clock.advance(-10_000)
  assert.deepEqual(count('a'), [1, 60, false])
  clock.advance(59_999)
  assert.deepEqual(count('a'), [0, 1, false])
  clock.advance(1)
  assert.deepEqual(count('a'), [1, 60, false])
})

test('anonymous windows: an address that keeps calling is still counted, however many others call', () => {
  const clock = manualClock(start)
  const windows = anonymousWindows(1000, clock)
  for (let address = 0; address < 50_000; address += 1) windows.count(`10.${address}`)
  windows.count('mine')
  for (let address = 0; address < 50_000; address += 1) windows.count(`11.${address}`)
  assert.equal(windows.count('mine').remaining, 998)
})
