// Every note is about an existing field.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { fieldNote, notedNames } from '../../../src/describe/openapi/field-notes.ts'

const fields = resources.flatMap(({ name: resource, fields: own }) =>
  own.flatMap((field) => {
    const items = 'fields' in field ? field.fields.map(({ name }) => `${field.name}.${name}`) : []
    return [field.name, ...items].map((name) => ({ resource, name }))
  }),
)

test('each note is about a field of that name', () => {
  for (const noted of notedNames) {
    const isOne = fields.some(({ resource, name }) =>
      [name, `${resource}.${name}`, name.split('.').at(-1)].includes(noted),
    )
    assert.ok(isOne, noted)
  }
})

test('the nearest note counts', () => {
  assert.equal(fieldNote('invoices', 'product_id', 'lines'), '0 for a line of free text.')
  assert.equal(fieldNote('transfers', 'product_id', 'lines'), 'The product.')
  assert.equal(fieldNote('products', 'quantity', 'stock'), undefined)
  assert.equal(fieldNote('payments', 'number'), 'Document number.')
})

const moneyNotes = (...currencies: string[]) =>
  ['currency', 'exchange_rate'].map((field) => fieldNote('invoices', field, undefined, currencies))

test('currencies are those of the company', () => {
  const recorded = 'Exchange rate, as the POS recorded it.'
  assert.deepEqual(moneyNotes('USD', 'HTG'), ['`USD` or `HTG`.', 'Rate between USD and HTG.'])
  assert.deepEqual(moneyNotes('EUR'), ['`EUR`.', recorded])
  assert.deepEqual(moneyNotes('EUR', 'USD', 'GBP'), ['`EUR`, `USD` or `GBP`.', recorded])
})
