// Cells as values that compare as the databases compare the cells. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import { compareValues, UnusualValue, valueOf, type Comparable } from '../../../src/finder/values.ts'
import type { Cell } from '../../../src/sql/statement.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import type { ColumnType } from '../../../src/contract/relation.ts'
import { seedOfRun } from '../../support/how-much.ts'
import { randomFrom } from '../../support/random.ts'
import { textFrom } from './plain-list.ts'

const random = randomFrom(seedOfRun)

const timeFrom = () => random.of(['2024-01-31T10:00:00', '2024-02-01T09:59:59', '0000-00-00T00:00:00', ''])

const compare = (type: ColumnType, a: Cell, b: Cell, isFolded = false) =>
  Math.sign(compareValues(type, valueOf(type, isFolded, a) as Comparable, valueOf(type, isFolded, b) as Comparable))

describe(`values, seed ${seedOfRun}`, () => {
  test('folded texts compare as in SQLite under NOCASE, exact texts and times as under BINARY', () => {
    const database = openSqlite(':memory:')
    const statement = database.prepare(
      'SELECT (?1 > ?2 COLLATE NOCASE) - (?1 < ?2 COLLATE NOCASE) AS folded, (?1 > ?2) - (?1 < ?2) AS exact',
    )
    for (let run = 0; run < 20_000; run += 1) {
      const start = textFrom(random, 2)
      const [a, b] = [start + textFrom(random, 3), start.toUpperCase() + textFrom(random, 3)]
      const { folded, exact } = statement.get(a, b) ?? {}
      assert.equal(compare('text', a, b, true), folded, JSON.stringify([a, b]))
      assert.equal(compare('text', a, b), exact, JSON.stringify([a, b]))
      const [from, to] = [timeFrom() + random.of(['', a]), timeFrom() + random.of(['', b])]
      assert.equal(compare('time', from, to), statement.get(from, to)?.['exact'], JSON.stringify([from, to]))
    }
    database.close()
  })

  test('decimals of any length compare exactly, whether they came as numbers or as texts', () => {
    const ascending: Cell[] = [
      `-1${'0'.repeat(400)}`,
      -1e22,
      '-9999999999999999.9',
      '-1.00000000000000000002',
      '-1.00000000000000000001',
      '-1.0',
      -1e-7,
      '-0.00000000000000000000001',
      '-0.00',
      '0.00000000000000000000001',
      0.0000001,
      '0.1',
      '0.10000000000000000000000001',
      0.2,
      '1.5',
      '9007199254740993',
      9007199254740994n,
      '100000000000000000000000',
      `1${'0'.repeat(400)}`,
      `1${'0'.repeat(399)}1`,
    ]
    for (const [x, a] of ascending.entries())
      for (const [y, b] of ascending.entries()) assert.equal(compare('num', a, b), Math.sign(x - y), `${x} and ${y}`)
    assert.deepEqual(
      ['1.50', '001.5', '1.500000000000000000000000'].map((text) => valueOf('num', false, text)),
      [1.5, 1.5, 1.5],
    )
    assert.equal(valueOf('num', false, '012345678901234567.50'), '12345678901234567.5')
    assert.equal(Object.is(valueOf('num', false, -0), 0), true, 'minus zero is zero')
  })

  test('integers beyond 2^53 are exact', () => {
    assert.equal(compare('int', 2n ** 60n, 2n ** 60n + 1n), -1)
    assert.equal(compare('int', -(2n ** 60n), 5), -1)
    assert.equal(compare('int', 12n, 12), 0)
    assert.deepEqual(
      [valueOf('bool', false, true), valueOf('bool', false, false), valueOf('int', false, null)],
      [1, 0, null],
    )
  })

  test('what a column cannot hold exactly is refused', () => {
    const refused: [ColumnType, Cell][] = [
      ['int', '5'],
      ['int', 1.5],
      ['int', 2 ** 60],
      ['bool', 'true'],
      ['num', 'NaN'],
      ['num', 'Infinity'],
      ['num', Infinity],
      ['num', NaN],
      ['num', ''],
      ['num', '1e5'],
      ['num', true],
      ['time', 20240101],
      ['text', 5],
      ['text', new Uint8Array(1)],
      ['num', new Uint8Array(1)],
      ['int', new Uint8Array(1)],
    ]
    for (const [type, cell] of refused)
      assert.throws(() => valueOf(type, false, cell), UnusualValue, `${type} ${String(cell)}`)
  })
})
