// Which texts an import takes for which columns, and what they become.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { findRelation } from '../../../src/contract/relations.ts'
import { columnReader, wrongValue, type ColumnLimit, type StoredValue } from '../../../src/operate/import/values.ts'

const wrong = undefined

interface Situation {
  readonly isExact?: boolean
  readonly hasDecimalComma?: boolean
  readonly limit?: ColumnLimit
}

function takes(
  place: string,
  expected: Readonly<Record<string, StoredValue | undefined>>,
  { isExact = false, hasDecimalComma = false, limit }: Situation = {},
): void {
  const [relation = '', column = ''] = place.split('.')
  const reader = columnReader(findRelation(relation), column, { isExact, hasDecimalComma, limit })
  for (const [text, value] of Object.entries(expected))
    assert.equal(reader.read(text), value, `${place}: ${JSON.stringify(text)}`)
}

test('whole numbers: every one that fits into 64 bits, and 12.0 for 12', () => {
  takes('invoices.store_id', { '': null, ' ': null, 1: 1, '-7': -7, '+7': 7, '007': 7, '12.0': 12, ' 3 ': 3 })
  takes('invoices.store_id', { '9007199254740993': 9007199254740993n, '9223372036854775807': 9223372036854775807n })
  takes('invoices.store_id', { '-9223372036854775808': -9223372036854775808n, '9223372036854775808': wrong })
  takes('invoices.store_id', { '1.5': wrong, '1e3': wrong, abc: wrong, '1 000': wrong, '0x10': wrong, '1,0': wrong })
})

test('keys: never empty, ids from 1', () => {
  takes('invoices.id', { '': wrong, ' ': wrong, 0: wrong, '-1': wrong, 1: 1 })
  takes('product_stock.store_id', { '': wrong, 0: 0, 5: 5 })
})

test('numbers: a decimal point, exact where the database is', () => {
  takes('invoices.total', { '': null, '12.50': 12.5, '-0.1': -0.1, '.5': 0.5, '5.': 5, '1e3': 1000, '+2': 2, ' 2 ': 2 })
  const digits = '12345678901234567890.123456789'
  takes('invoices.total', { '12.50': '12.50', [digits]: digits, '0.00': 0 }, { isExact: true })
  takes('invoices.total', { '12,50': wrong, '1,234.50': wrong, '1 234': wrong, $5: wrong, NaN: wrong, Infinity: wrong })
  takes('invoices.total', { '1e400': wrong, '1e-400': wrong, '-': wrong, '.': wrong, '0x1': wrong, '0e999': 0 })
})

test('numbers with a decimal comma, where that was said', () => {
  takes(
    'invoices.total',
    { '12,50': 12.5, 7: 7, '1.234': wrong, '1.234,50': wrong, '1,2,3': wrong },
    { hasDecimalComma: true },
  )
})

test('booleans', () => {
  takes('invoices.paid', { '': null, 0: 0, 1: 1, true: 1, FALSE: 0, t: 1, f: 0, 2: wrong, yes: wrong, vrai: wrong })
})

test('times: real ones, without a zone; empty and zero dates are none', () => {
  takes('invoices.date', {
    '2026-02-28T23:59:59': '2026-02-28T23:59:59',
    '2026-02-28 23:59:59': '2026-02-28T23:59:59',
    '2026-02-28 23:59:59.997': '2026-02-28T23:59:59',
    '2026-02-28 23:59': '2026-02-28T23:59:00',
    '2026-02-28': '2026-02-28T00:00:00',
    '2024-02-29T00:00:00': '2024-02-29T00:00:00',
    '': null,
    '0000-00-00': null,
    '0000-00-00 00:00:00': null,
    '0000-00-00T00:00:00.000': null,
  })
  for (const text of '2026-02-29 2026-13-01 2026-01-01T24:00:00 2026-01-01T10:00:60 2026-01-01T10:00:00Z 31/01/2026 46053'.split(
    ' ',
  ))
    takes('invoices.date', { [text]: wrong })
  takes('invoices.date', { '2026-01-01T10:00:00+01:00': wrong, '01/31/2026 10:00': wrong })
})

test('days', () => {
  takes('receivings.receipt_date', { '2026-01-31': '2026-01-31', '2026-01-31 00:00:00': '2026-01-31', '': null })
  takes('receivings.receipt_date', { '2026-01-31T10:00:00': wrong, '2026-02-30': wrong, '0000-00-00': null })
})

test('codes: those of the column, and no other', () => {
  takes('invoices.kind', { '': null, 1: 1, 2: 2, '2.0': 2, 3: wrong, 0: wrong, invoice: wrong })
  takes('invoices.status', { 0: 0, 9: 9, 10: wrong, '-1': wrong })
  takes('products.kind', { 4: 4, 5: wrong })
})

test('texts: anything but a NUL and halves of characters; an empty one stays', () => {
  takes('products.name', { '': '', ' a ': ' a ', 'é\n"': 'é\n"', 'a\0b': wrong, '\ud800': wrong })
})

test('what a table of somebody else takes is kept to', () => {
  takes('invoices.store_id', { 32767: 32767, 32768: wrong }, { limit: { bits: 16 } })
  takes('invoices.total', { 3: 3, '3.5': wrong }, { limit: { isWhole: true } })
  takes('invoices.total', { '99.99': '99.99', 100: wrong }, { isExact: true, limit: { digits: 2 } })
  takes(
    'products.name',
    { abc: 'abc', '\u{1f600}\u{1f600}\u{1f600}': '\u{1f600}\u{1f600}\u{1f600}', abcd: wrong },
    { limit: { length: 3 } },
  )
})

const ofInvoices = (column: string) =>
  columnReader(findRelation('invoices'), column, { isExact: false, hasDecimalComma: false })

test('a wrong value is told with what was expected', () => {
  assert.equal(
    wrongValue(ofInvoices('total'), '"x"'),
    'Expected a number with a decimal point, such as 12.50; found "x".',
  )
  assert.equal(wrongValue(ofInvoices('kind'), '"3"'), 'Expected one of the codes 1 invoice, 2 credit memo; found "3".')
  assert.equal(wrongValue(ofInvoices('id'), 'nothing'), 'Expected a whole number from 1; found nothing.')
})
