// The signal of a caller that hangs up: made when somebody asks for it, before or after.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { HangUp } from '../../../src/http/node-request.ts'

test('hang-up: a signal that was asked for before is aborted, and so is one that is asked for afterwards', () => {
  const [before, after] = [new HangUp(), new HangUp()]
  const { signal } = before
  assert.deepEqual([before.hasHappened, signal.aborted], [false, false])
  before.happen()
  assert.deepEqual([before.hasHappened, signal.aborted, before.signal === signal], [true, true, true])
  after.happen()
  assert.equal(after.signal.aborted, true)
})
