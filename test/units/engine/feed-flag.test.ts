// Whether there is a change feed, as it was last seen: who is told that there is none gives up following.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setImmediate as turn } from 'node:timers/promises'
import { createFeedFlag } from '../../../src/engine/feed-flag.ts'

function startFlag(found: boolean) {
  const seen = { found, looks: 0, now: 0, fails: false }
  const look = async () => {
    seen.looks += 1
    if (seen.fails) throw new Error('the database is away')
    return seen.found
  }
  return { seen, flag: createFeedFlag(look, () => seen.now) }
}

test('that there is none is believed for a second, and looked at again before it is said later', async () => {
  const { seen, flag } = startFlag(false)
  flag.set(false)
  assert.equal(await flag.isThere(), false)
  seen.found = true
  seen.now = 900
  assert.equal(flag.isThere(), false, 'known, without a look')
  seen.now = 3_600_000
  assert.equal(await flag.isThere(), true, 'made meanwhile')
  assert.equal(seen.looks, 2)
})

test('that there is one is said at once, and looked at in the background', async () => {
  const { seen, flag } = startFlag(false)
  assert.equal(flag.isThere(), true)
  await turn()
  seen.now = 500
  assert.equal(await flag.isThere(), false)
})

test('all who ask meanwhile share one look, and a database that is away changes nothing', async () => {
  const { seen, flag } = startFlag(true)
  flag.set(false)
  seen.fails = true
  assert.deepEqual(await Promise.all([flag.isThere(), flag.isThere()]), [false, false])
  assert.equal(seen.looks, 1)
  flag.set(true)
  seen.now = 5000
  assert.equal(flag.isThere(), true)
})
