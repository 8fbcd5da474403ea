// The budget of database work of a key: work counts, and requests are refused when it is used up, on both engines.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { manualClock } from '../../../src/platform/clock.ts'
import { createBudget } from '../../../src/engine/budget.ts'
import { ApiError } from '../../../src/errors.ts'
import { createLog } from '../../../src/platform/log.ts'

const begin = Date.UTC(2026, 9, 1, 12)

function makeBudget(limitMs: number) {
  const clock = manualClock(begin)
  const lines: string[] = []
  const budget = createBudget(
    limitMs,
    clock,
    createLog('info', (line) => lines.push(line)),
  )
  const refusal = (key: string) => {
    try {
      budget.check(key)
      return undefined
    } catch (error) {
      assert.ok(error instanceof ApiError && error.code === 'temporarily_unavailable')
      return error.extras.retryAfter
    }
  }
  return { clock, lines, budget, refusal }
}

describe('the budget of a key', () => {
  test('a minute begins with its first work; what is over is refused until it ends, for this key alone', () => {
    const { clock, lines, budget, refusal } = makeBudget(1000)
    assert.equal(refusal('shop'), undefined)
    budget.spend('shop', 999)
    assert.equal(refusal('shop'), undefined)
    clock.advance(10_500)
    budget.spend('shop', 1)
    assert.equal(refusal('shop'), 50)
    assert.equal(refusal('ledger'), undefined)
    clock.advance(49_499)
    assert.equal(refusal('shop'), 1)
    clock.advance(1)
    assert.equal(refusal('shop'), undefined)
    budget.spend('shop', 999)
    assert.equal(refusal('shop'), undefined)
    assert.equal(lines.length, 1)
    assert.match(lines[0] ?? '', /"event":"budget_used_up","key":"shop","limitMs":1000/)
  })

  test('a clock that was set back does not refuse for longer than a minute', () => {
    const { clock, budget, refusal } = makeBudget(10)
    budget.spend('shop', 10)
    clock.advance(-3_600_000)
    assert.equal(refusal('shop'), undefined)
  })

  test('0 is without limit', () => {
    const { budget, refusal } = makeBudget(0)
    budget.spend('shop', 1e9)
    assert.equal(refusal('shop'), undefined)
  })
})
