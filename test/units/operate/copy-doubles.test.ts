// How floating-point numbers of a source are copied, and which of them are reported as not exact.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { roundDouble } from '../../../src/operate/copy/doubles.ts'
import { centsBelow } from '../../../src/operate/copy/source.ts'

const cases: readonly [from: string, to: string, isExact: boolean][] = [
  ['0', '0', true],
  ['12.5', '12.5', true],
  ['0.30000000000000004', '0.3', true],
  // 100,000 times 0.1.
  ['10000.000000018848', '10000', true],
  ['9999.999999999998', '10000', true],
  ['8000000000.300001', '8000000000.300001', true],
  ['-1.0000004', '-1', false],
  ['0.3333333333333333', '0.333333', false],
  ['15.254237288135593', '15.254237', false],
  ['0.0000001', '0', false],
  // Six decimals are more than such a double has; cents it has.
  ['12345678901.23', '12345678901.23', true],
  ['70368744177663.98', '70368744177663.98', true],
  ['70368744177664.02', '70368744177664.02', false],
  ['1e+300', '1e+300', false],
  // In a column of SQLite that also has numbers.
  ['a text', 'a text', true],
]

for (const [from, to, isExact] of cases)
  test(`the double ${from} is copied as ${to}, which is ${isExact ? '' : 'not '}exact`, () => {
    assert.deepEqual(roundDouble(from, centsBelow.double), { text: to, isExact })
  })

test('a single has cents up to 131,072', () => {
  assert.deepEqual(roundDouble('131071.99', centsBelow.single), { text: '131071.99', isExact: true })
  assert.deepEqual(roundDouble('131072.13', centsBelow.single), { text: '131072.13', isExact: false })
})
