// A bounded cache keeps what was used last, and drops the rest.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBoundedCache } from '../../../src/platform/bounded-cache.ts'

test('of ever more entries, those that were used last are kept, and at most twice as many', () => {
  const cache = createBoundedCache<number, string>(10)
  for (let key = 0; key < 1000; key += 1) {
    assert.equal(cache.set(key, `${key}`), `${key}`)
    assert.equal(cache.get(0), '0')
  }
  const kept = Array.from({ length: 1000 }, (_, key) => key).filter((key) => cache.get(key) !== undefined)
  assert.ok(kept.length <= 20, `${kept.length} are kept`)
  // With the one that was asked for each time.
  assert.deepEqual(
    [0, ...Array.from({ length: 9 }, (_, at) => 991 + at)].filter((key) => !kept.includes(key)),
    [],
  )
})

test('an entry that is set again has the new value, and is used last; nothing is left of a cleared cache', () => {
  const cache = createBoundedCache<string, number>(2)
  for (const [key, value] of [
    ['a', 1],
    ['b', 2],
    ['a', 4],
    ['c', 3],
  ] as const)
    cache.set(key, value)
  assert.deepEqual([cache.get('a'), cache.get('c')], [4, 3])
  cache.clear()
  assert.deepEqual([cache.get('a'), cache.get('c')], [undefined, undefined])
})
