// Nasty cells on purpose, by the type of a column. Few different values, so that ties, matches and duplicates happen.
// What an engine's type cannot hold (an empty text for a time) its world may store as null: both are shown as null.
import * as fc from 'fast-check'
import { typeOf } from './relations.ts'
import type { Cell } from '../support/pos.ts'

// Names that differ only in case, accents or normalisation; cases that one character folds and several do not;
// characters around the ASCII letters and beyond the basic plane, for the order; SQL and JSON specials.
export const nastyTexts = [
  [
    '',
    ' ',
    'a',
    'A',
    'Ann',
    'ANN',
    'ann',
    'anN ',
    ' Ann',
    'Annabel',
    'banann',
    'zZ',
    'Zz',
    '[z',
    '_z',
    '^z',
    '`z',
    '{z',
  ],
  ['Élodie', 'élodie', 'ÉLODIE', 'Elodie', 'E\u0301lodie', 'e\u0301LODIE', 'Ångström', 'ÅNGSTRÖM', '\u212bngström'],
  ['ΣΊΣΥΦΟΣ', 'σίσυφος', 'σίσυφοσ', 'ΐδιο', '\u1fd3διο', '\u03b0', '\u1fe3', 'ᾳᾼ', 'ΑΙ', '\u0345\u0399ι\u1fbe', 'µμΜ'],
  ['Сергей', 'СЕРГЕЙ', 'сергеи', 'İstanbul', 'istanbul', 'ISTANBUL', 'ıstanbul', 'i\u0307stanbul', 'Iğdır', 'IĞDIR'],
  ['Straße', 'STRASSE', 'STRAẞE', 'strasse', 'ﬆraße', 'ﬅrasse', 'Kelvin', '\u212aelvin', 'ſoſ', 'SOS', 'ǄǅǆDŽ', 'ꭰᎠ'],
  ['ᲐᲑაბ', 'Ꭰꭰ', '𐐀𐐨𐐀', '𞤀𞤢', '漢字', '漢字かな', '日本', '😀', '😀 Café', '👩‍👩‍👧', '🇭🇹🇭🇹'],
  ['\ue000', '\uffff', '𐀀', '\u{10ffff}', 'e\u0301\u0327', 'a\u200bb', '\ufeffbom', '\u00a0', '\u2028\u2029'],
  ["O'Brien", "''", '"quoted"', '100%', '50_50', '%', '_', '%%', '__', '*', 'a*b', 'back\\slash', '\\', '\\\\', 'a?b'],
  ['tab\tnew\nline\r', '\u0001\u001f', '\u007f\u0080', '</script>', '$&', '(a|b)+', 'NULL', 'null', '1e3', '-1', '0'],
  [
    'USD',
    'HTG',
    'usd',
    '2024-01-31',
    'INV-0001',
    'inv-0001',
    'INV-00010',
    'INV/0001',
    '+509 3712-0001',
    'a@b.ht;c@d.ht',
  ],
].flat()

const nastyLetter = fc.constantFrom(...'aAbBzZ iIıİsSſßẞkK\u212aσςΣéÉe\u0301%_\\\'"😀𐐀𐐨漢0.-')
const shortText = fc.string({ unit: nastyLetter, minLength: 1, maxLength: 6 })
const known = fc.constantFrom(...nastyTexts)
const text: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 24, arbitrary: known },
  { weight: 6, arbitrary: shortText },
  { weight: 4, arbitrary: fc.tuple(known, shortText).map((parts) => parts.join('')) },
  { weight: 1, arbitrary: fc.tuple(known, known).map(([one, other]) => `${one.repeat(300)}x${other}`) },
  { weight: 4, arbitrary: fc.constant(null) },
)

const days = [
  '2023-12-31',
  '2024-01-01',
  '2024-01-31',
  '2024-02-29',
  '2024-03-01',
  '2024-03-10',
  '1999-12-31',
  '9999-12-31',
]
export const clockTimes = ['00:00:00', '00:00:01', '11:59:59', '12:00:00', '23:59:59']
export const someDay = fc.constantFrom(...days)
const wholeTime = fc
  .record({
    day: someDay,
    joint: fc.constantFrom('T', ' '),
    time: fc.constantFrom(...clockTimes),
    fraction: fc.constantFrom('', '', '', '.0', '.5', '.999', '.999999'),
  })
  .map(({ day, joint, time, fraction }) => day + joint + time + fraction)
const emptyTimes = ['', '0000-00-00', '0000-00-00 00:00:00', '0000-00-00T00:00:00', '0000-00-00 00:00:00.000', null]
const time: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 7, arbitrary: wholeTime },
  { weight: 1, arbitrary: fc.constantFrom(...emptyTimes) },
)
const day: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 7, arbitrary: someDay },
  { weight: 1, arbitrary: fc.constantFrom('', '0000-00-00', null) },
)

// 0.30000000000000004 is what a careless sum stores; it must come out as it went in.
const amounts = [
  [0, -0, 1, -1, 0.1, 0.2, 0.3, 0.1 + 0.2, 0.7, -0.1, 0.01, 12.5, 99.99, -99.99, 100, 1234.56, 1e6, 132.5],
  [1e-7, -1e-7, 5e-324, 1e15, 1e21, 1.5e300, -1.5e300, 2 ** 53, 2 ** 53 + 2, 1.7976931348623157e308, 1 / 3],
].flat()
const num: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 6, arbitrary: fc.constantFrom(...amounts) },
  { weight: 1, arbitrary: fc.integer({ min: -100_000, max: 100_000 }).map((cents) => cents / 100) },
  { weight: 1, arbitrary: fc.constant(null) },
)

// References: mostly to ids that are there, sometimes to none, rarely beyond what JavaScript counts exactly.
export const smallId = fc.integer({ min: 1, max: 12 })
const odd = [0, 0, -1, 999, 2 ** 31, 2 ** 40, Number.MAX_SAFE_INTEGER]
const beyond = [2n ** 53n + 1n, -(2n ** 53n) - 1n, 2n ** 63n - 1n]
const int: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 40, arbitrary: smallId },
  { weight: 8, arbitrary: fc.constant(null) },
  { weight: 6, arbitrary: fc.constantFrom(...odd) },
  { weight: 1, arbitrary: fc.constantFrom(...beyond) },
)
// Stores decide what a caller sees: few of them.
const store: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 12, arbitrary: fc.integer({ min: 1, max: 4 }) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0, 99) },
)

const status = fc.oneof(
  { weight: 10, arbitrary: fc.integer({ min: 0, max: 9 }) },
  { weight: 6, arbitrary: fc.constantFrom(2, 3, 4, 4) },
  { weight: 1, arbitrary: fc.constantFrom(null, 10, 99, -1) },
)
const kind = fc.oneof(
  { weight: 10, arbitrary: fc.constantFrom(1, 2) },
  { weight: 2, arbitrary: fc.constantFrom(3, 4) },
  { weight: 1, arbitrary: fc.constantFrom(null, 0, 5, -1) },
)
const flag = fc.constantFrom(true, true, true, false, false, null)
const currency = fc.constantFrom('USD', 'USD', 'HTG', 'HTG', 'usd', 'EUR', '', null)

// Few decimals, as counted on a shelf: which digit a sum is rounded to is not what this is about.
export const quantity: fc.Arbitrary<Cell> = fc.oneof(
  { weight: 4, arbitrary: fc.constantFrom(0.1, 0.2, 0.7, -0.3, 0.3, 1.1, 1e9, 0.000001, -0, 0, null) },
  { weight: 2, arbitrary: fc.integer({ min: -9_999_999, max: 9_999_999 }).map((thousandths) => thousandths / 1000) },
  { weight: 1, arbitrary: fc.constantFrom(1e11, -1e11, 1e15, 1.7e308) },
)

export function cellOf(column: string): fc.Arbitrary<Cell> {
  if (column === 'currency') return currency
  if (column === 'status') return status
  if (column === 'kind') return kind
  if (column.endsWith('store_id')) return store
  return { int, code: int, num, text, bool: flag, time, day }[typeOf(column)]
}
