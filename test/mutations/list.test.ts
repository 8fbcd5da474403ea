// The list is run by hand, so this keeps it true: each place is there once, and so are the tests.
import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { mutations } from './list.ts'

test('each mutation finds its place once, and its tests exist', () => {
  assert(mutations.length >= 60)
  for (const { rule, file, from, to, tests } of mutations) {
    assert.equal(readFileSync(file, 'utf8').split(from).length, 2, `${rule}: ${file} has "${from}" once`)
    assert.notEqual(from, to, rule)
    assert(tests.length > 0, rule)
    for (const each of tests) assert(existsSync(each), `${rule}: ${each} exists`)
  }
})
