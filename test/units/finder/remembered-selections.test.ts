// Which selections are remembered, and for how long.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { bytesOfBase, createBuilder } from '../../../src/finder/columns.ts'
import { createRememberedSelections } from '../../../src/finder/selections.ts'
import type { Condition } from '../../../src/catalogue/condition.ts'
import { things } from './plain-list.ts'

const byId = [{ field: 'id', descending: false }]
const kindIs = (value: number): Condition => ({ is: 'equal', column: 'kind', value })

function baseOf(ids: number[]) {
  const builder = createBuilder(things)
  builder.add(
    'recent',
    ids.map((id) => [id, 1, ...Array.from({ length: 9 }, () => null)]),
  )
  return builder.finish()
}

test('the selection that was used longest ago goes first, and the bound in bytes holds', () => {
  const base = baseOf(Array.from({ length: 100 }, (_, id) => id))
  const remembered = createRememberedSelections(1500)
  const list = (descending: boolean) => remembered.select(base, [], [{ field: 'id', descending }])
  const [up, down] = [list(false), list(true)]
  assert.equal(list(false), up, 'remembered')
  const third = remembered.select(base, [kindIs(1)], byId)
  assert.equal(list(false), up, 'used since')
  assert(remembered.bytes() <= 1500)
  assert.notEqual(list(true), down, 'forgotten for the third')
  assert.notEqual(remembered.select(base, [kindIs(1)], byId), third, 'forgotten for the one that came back')
  assert(remembered.bytes() > 800 && remembered.bytes() <= 1500)
})

test('a selection that is larger than the bound is given and not remembered', () => {
  const remembered = createRememberedSelections(90)
  const base = baseOf([1, 2, 3])
  assert.deepEqual([...remembered.select(base, [], byId)], [0, 1, 2])
  assert.equal(remembered.bytes(), 0)
})

test('another base of the same collection has selections of its own', () => {
  const remembered = createRememberedSelections(10_000)
  assert.equal(remembered.select(baseOf([1, 2]), [], byId).length, 2)
  assert.equal(remembered.select(baseOf([1, 2, 3]), [], byId).length, 3)
})

test('the size of a base is that of its memory', () => {
  const [small, large] = [bytesOfBase(baseOf([1])), bytesOfBase(baseOf([1, 2]))]
  // An id, a code of a byte in eight columns and two texts, and a row number in each of five indexes.
  assert.equal(large - small, 8 + 8 + 2 + 5 * 4)
})
