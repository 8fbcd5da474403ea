// A bounded cache drops one entry at a time: the least recently used one.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLruCache } from '../../../src/platform/lru-cache.ts'

test('a full cache drops the entry that was used least recently, and no other', () => {
  const cache = createLruCache<string, number>(2)
  assert.equal(cache.set('a', 1), 1)
  cache.set('b', 2)
  assert.equal(cache.get('a'), 1)
  cache.set('c', 3)
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.get(key)),
    [1, undefined, 3],
  )
})

test('an entry that is set again counts once and is the latest', () => {
  const cache = createLruCache<string, number>(2)
  cache.set('a', 1)
  cache.set('b', 2)
  cache.set('a', 4)
  cache.set('c', 3)
  assert.deepEqual(
    ['a', 'b', 'c'].map((key) => cache.get(key)),
    [4, undefined, 3],
  )
  cache.clear()
  assert.equal(cache.get('a'), undefined)
})
