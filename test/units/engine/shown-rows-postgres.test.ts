// Rows of PostgreSQL written as JSON from their bytes, against the way that rows of the other engine take: the same text for every value
// that a column of any type may have, usual or not.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { createShapes } from '../../../src/engine/json.ts'
import { readShown } from '../../../src/engine/postgres/shown-rows.ts'
import { readCells } from '../../../src/platform/postgres/cells.ts'
import { showRow } from '../../../src/sql/statement.ts'
import { howMuch, seedOfRun } from '../../support/how-much.ts'
import { randomFrom, type Random } from '../../support/random.ts'

const shapeOf = createShapes(() => {})
const forms = resources.flatMap(({ name }) =>
  (['list', 'detail'] as const).flatMap((shows) => {
    const { form, arrays } = shapeOf({ resource: name, shows, access: { permissions, stores: null, priceList: null } })
    return [form, ...arrays.map((array) => array.form)]
  }),
)

const digits = (random: Random, most: number) =>
  Array.from({ length: 1 + random.upTo(most) }, () => random.upTo(10)).join('')
const sign = (random: Random) => (random.chance(0.3) ? '-' : '')
const characters = [...'aZ09 .,:-_/é漢😀\u2028\u007f\u0080"\\\n\t\u0000\u001f\ufeff']
const integer = (random: Random) =>
  random.chance(0.5) ? String(random.upTo(9)) : String(BigInt(sign(random) + digits(random, 19)))
const decimals = (random: Random) => `${'0'.repeat(random.upTo(9))}${digits(random, 9)}${'0'.repeat(random.upTo(4))}`
const moment = (random: Random) =>
  random.of([
    '2026-01-02 03:04:05',
    '0099-12-31 23:59:59',
    '12026-01-02 03:04:05',
    '0044-03-15 00:00:00 BC',
    'infinity',
  ]) + random.of(['', '', '', '.5', '.123456'])
// What PostgreSQL writes for values of each type.
const texts: Readonly<Record<number, (random: Random) => string>> = {
  16: (random) => random.of(['t', 'f']),
  17: () => String.raw`\x00ff`,
  20: integer,
  21: (random) => String(random.upTo(9) - 2),
  23: (random) => String(random.upTo(2 ** 32) - 2 ** 31),
  25: (random) => Array.from({ length: random.upTo(20) }, () => random.of(characters)).join(''),
  700: (random) => random.of(['0', '-0', '1.5', '1e+20', '1e-07', 'NaN', 'Infinity', '-Infinity', '0.1', '123457']),
  701: (random) =>
    random.of(['-0', '-0.5', '1e+15', '100000000000000', '0.0001', '1e-05', 'NaN', '0.30000000000000004']),
  1042: () => 'abc  ',
  1043: (random) => random.of(['', 'x', '"', 'Étienne', 'a\\b']),
  1082: (random) => random.of(['2026-01-02', '12026-01-02', '0044-03-15 BC', '-infinity']),
  1114: moment,
  1184: (random) => `${moment(random)}+00`,
  1700: (random) =>
    random.chance(0.7)
      ? `${sign(random)}${BigInt(digits(random, random.of([3, 9, 18])))}.${decimals(random)}`
      : random.of(['NaN', 'Infinity', '0', '0.00', '0.000001', '0.0000001', '999999999999999', '9999999999999999']),
  2950: () => '0e37df36-f698-11e6-8dd4-cb9ced3df976',
}
const textOf = (random: Random, type: number) => texts[type]?.(random) ?? ''
const usual = { int: 20, num: 1700, text: 25, bool: 16, time: 1114, day: 1082 }

function bytesOf(cells: readonly (string | null)[]): Buffer {
  const count = Buffer.alloc(2)
  count.writeInt16BE(cells.length)
  const parts = cells.flatMap((cell) => {
    const text = Buffer.from(cell ?? '')
    const length = Buffer.alloc(4)
    length.writeInt32BE(cell === null ? -1 : text.length)
    return [length, text]
  })
  return Buffer.concat([Buffer.from('before'), count, ...parts, Buffer.from('after')])
}

test(`a row is written as its values are; seed ${seedOfRun}`, () => {
  const random = randomFrom(seedOfRun)
  const types = Object.keys(texts).map(Number)
  for (let turn = 0; turn < howMuch(20_000, 1_000_000); turn += 1) {
    const form = random.of(forms)
    const before = Array.from({ length: form.from }, () => random.of(types))
    const shownTypes = form.cells.map((cell) => (cell && random.chance(0.9) ? usual[cell.type] : random.of(types)))
    const stored = [...before, ...shownTypes]
    const cells = stored.map((type) => (random.chance(0.1) ? null : textOf(random, type)))
    const bytes = bytesOf(cells)
    const start = 'before'.length
    const expected = showRow(form, readCells(stored)(bytes, start))
    const { kept, runs } = readShown(form)(stored)(bytes, start)
    assert.deepEqual(runs, expected.runs, `seed ${seedOfRun}: ${JSON.stringify(cells)} of ${stored.join()}`)
    assert.deepEqual(kept, expected.kept.slice(0, form.kept))
  }
})

test('a long text is written whole, and so is what follows', () => {
  const [form] = forms
  assert(form)
  for (const length of [10, 20_000, 100_000, 100])
    for (const character of ['x', 'é', '\n']) {
      const stored = Array<number>(form.from + form.cells.length).fill(25)
      const cells = stored.map((type) => `${type}${character.repeat(length)}`)
      const expected = showRow(form, readCells(stored)(bytesOf(cells), 6))
      assert.deepEqual(readShown(form)(stored)(bytesOf(cells), 6).runs, expected.runs)
    }
})
