// The guess behind every "did you mean": which words are offered, and above all which are not.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { nearest } from '../../../src/terminal/nearest.ts'

const names = ['name', 'permissions', 'price_list', 'stores', 'rate', 'id']

const scenarios: { say: string; word: string; expect: string | undefined }[] = [
  { say: 'a missing letter', word: 'permisions', expect: 'permissions' },
  { say: 'a surplus letter', word: 'storess', expect: 'stores' },
  { say: 'a wrong letter', word: 'prise_list', expect: 'price_list' },
  { say: 'another case', word: 'RATE', expect: 'rate' },
  { say: 'the word itself', word: 'stores', expect: 'stores' },
  { say: 'nothing like it', word: 'colour', expect: undefined },
  { say: 'a short word is not turned into another short word', word: 'xy', expect: undefined },
  { say: 'a beginning that one alone has', word: 'price', expect: 'price_list' },
  { say: 'a beginning of two letters is too little', word: 'pe', expect: undefined },
  { say: 'the empty word', word: '', expect: undefined },
  { say: 'four edits are too many even in a long word', word: 'premixsunz', expect: undefined },
]

for (const { say, word, expect } of scenarios) {
  test(`nearest: ${say}`, () => assert.equal(nearest(word, names), expect))
}

test('nearest: a beginning that several have is judged by its letters', () => {
  assert.equal(nearest('date', ['sort', 'date_from', 'date_to']), undefined)
  assert.equal(nearest('store', ['sort', 'store_id']), 'store_id')
})

test('nearest: two neighbours swapped cost one edit, not two', () => {
  assert.equal(nearest('hsot', ['host']), 'host')
})

test('nearest: the nearer of two wins, and of two equally near the first', () => {
  assert.equal(nearest('stares', ['shores', 'stores']), 'stores')
  assert.equal(nearest('cart', ['card', 'care']), 'card')
})

test('nearest: a word of a megabyte costs nothing', () => {
  const start = performance.now()
  assert.equal(nearest('x'.repeat(1_000_000), names), undefined)
  assert.ok(performance.now() - start < 1000)
})
