// The check of the declarations at start: what is consistent passes, and each inconsistency is named.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { checkCatalogue } from '../../../src/catalogue/check.ts'
import { children, columns, costs, label, reference } from '../../../src/catalogue/field.ts'
import type { Resource } from '../../../src/catalogue/resource.ts'
import { customers } from '../../../src/catalogue/resources/customers.ts'
import { invoices } from '../../../src/catalogue/resources/invoices.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { products } from '../../../src/catalogue/resources/products.ts'
import { quotes } from '../../../src/catalogue/resources/quotes.ts'
import { salesOrders } from '../../../src/catalogue/resources/sales-orders.ts'
import { stores } from '../../../src/catalogue/resources/stores.ts'
import { vendors } from '../../../src/catalogue/resources/vendors.ts'

test('the catalogue is consistent', () => {
  assert.deepEqual(checkCatalogue(resources), [])
})

test('a filter may read an amount where no document can be void', () => {
  const filtered = { ...salesOrders, filters: [{ kind: 'integer', name: 'total', column: 'amount_paid' }] as const }
  assert.deepEqual(checkCatalogue([filtered]), [])
})

const wrong: { name: string; resource: Resource; problem: string }[] = [
  {
    name: 'a relation that is not in the contract',
    resource: { ...vendors, relation: 'suppliers' },
    problem: 'vendors: there is no relation suppliers.',
  },
  {
    name: 'an archive that is not in the contract',
    resource: { ...vendors, archived: true },
    problem: 'vendors: there is no relation vendors_archive.',
  },
  {
    name: 'a field without its column',
    resource: { ...vendors, fields: [...vendors.fields, ...columns('colour')] },
    problem: 'vendors: the field colour reads colour, which vendors lacks.',
  },
  {
    name: 'a gated field without its column',
    resource: { ...vendors, fields: [...vendors.fields, ...costs('cost')] },
    problem: 'vendors: the field cost reads cost, which vendors lacks.',
  },
  {
    name: 'a label without its column',
    resource: { ...vendors, fields: [...vendors.fields, label('type', 'kind', [])] },
    problem: 'vendors: the field type reads kind, which vendors lacks.',
  },
  {
    name: 'a reference to a relation without names',
    resource: { ...vendors, fields: [...vendors.fields, reference('stock', 'id', 'product_stock')] },
    problem: 'vendors: the field stock shows a name that product_stock lacks.',
  },
  {
    name: 'records told apart by a column that a database may lack',
    resource: { ...invoices, only: { column: 'paid', code: 1 } },
    problem: 'invoices: paid decides which records are shown, and a database may lack it.',
  },
  {
    name: 'the permission of another resource',
    resource: { ...vendors, permission: 'products:read' },
    problem: 'vendors: products:read is not its permission.',
  },
  {
    name: 'a permission that the form of a key has no words for',
    resource: { ...stores, permission: 'stores:read' },
    problem: 'stores: its permission has no words.',
  },
  {
    name: 'a permission with a place in the form of a key alone',
    resource: { ...stores, permission: 'stores:read', group: 'goods' },
    problem: 'stores: its permission has no words.',
  },
  {
    name: 'records told apart by a column that is not there',
    resource: { ...quotes, only: { column: 'kind', code: 1 } },
    problem: 'quotes: there is no column kind.',
  },
  {
    name: 'an array of products elsewhere',
    resource: { ...vendors, fields: [...vendors.fields, { kind: 'stock', name: 'stock', fields: [] }] },
    problem: 'vendors: stock belongs to products alone.',
  },
  {
    name: 'an array of products with a field without its column',
    resource: { ...products, fields: [...products.fields, { kind: 'stock', name: 'more', fields: columns('colour') }] },
    problem: 'products: the field colour reads colour, which product_stock lacks.',
  },
  {
    name: 'an array of a relation that is not in the contract',
    resource: { ...vendors, fields: [...vendors.fields, children('lines', 'vendor_lines', 'vendor_id', [])] },
    problem: 'vendors: there is no relation vendor_lines.',
  },
  {
    name: 'a field of an array without its column',
    resource: {
      ...quotes,
      fields: [...quotes.fields, children('more', 'quote_lines', 'quote_id', columns('colour'))],
    },
    problem: 'quotes: the field colour reads colour, which quote_lines lacks.',
  },
  {
    name: 'a field of an array declared twice',
    resource: {
      ...quotes,
      fields: [...quotes.fields, children('more', 'quote_lines', 'quote_id', columns('id id'))],
    },
    problem: 'quotes: more.id is declared twice.',
  },
  {
    name: 'a search in what a permission opens',
    resource: {
      ...vendors,
      fields: vendors.fields.map((field) => (field.name === 'phone' ? { ...field, gate: 'costs:read' } : field)),
    },
    problem: 'vendors: search looks into phone, which not every client may see.',
  },
  {
    name: 'a field declared twice',
    resource: { ...vendors, fields: [...vendors.fields, ...columns('name')] },
    problem: 'vendors: the field name is declared twice.',
  },
  {
    name: 'id not in the first place',
    resource: { ...vendors, fields: vendors.fields.toReversed() },
    problem: 'vendors: the first field is not id.',
  },
  {
    name: 'a field name that is not lowercase',
    resource: { ...vendors, fields: [...vendors.fields, { kind: 'column', name: 'Phone', column: 'phone' }] },
    problem: 'vendors: the field name Phone is not lowercase.',
  },
  {
    name: 'a filter without its column',
    resource: { ...vendors, filters: [{ kind: 'integer', name: 'store_id', column: 'store_id' }] },
    problem: 'vendors: the filter store_id reads store_id, which vendors lacks.',
  },
  {
    name: 'a filter declared twice',
    resource: { ...vendors, filters: [...vendors.filters, ...vendors.filters.slice(0, 1)] },
    problem: 'vendors: the filter status is declared twice.',
  },
  {
    name: 'a search in what is no text',
    resource: { ...vendors, search: ['id'] },
    problem: 'vendors: search looks into id, which is no text of vendors.',
  },
  {
    name: 'a sort by what is no plain field',
    resource: { ...vendors, sort: { fields: ['id', 'status'], default: 'id' } },
    problem: 'vendors: status cannot be sorted by.',
  },
  {
    name: 'a sort by a reference that is shown as 0 where there is none',
    resource: { ...products, sort: { fields: ['id', 'vendor_id'], default: 'id' } },
    problem: 'products: vendor_id cannot be sorted by.',
  },
  {
    name: 'a filter by a text that is sorted by',
    resource: { ...vendors, filters: [{ kind: 'currency', name: 'called', column: 'name', values: [] }] },
    problem: 'vendors: the filter called reads name, a text that is sorted by.',
  },
  {
    name: 'no sort by id',
    resource: { ...vendors, sort: { fields: ['name'], default: 'name' } },
    problem: 'vendors: id is not sortable.',
  },
  {
    name: 'an array whose parent column is missing',
    resource: {
      ...invoices,
      fields: invoices.fields.map((field) => (field.kind === 'children' ? { ...field, parent: 'quote_id' } : field)),
    },
    problem: 'invoices: lines reads quote_id, which invoice_lines lacks.',
  },
  {
    name: 'a filter by what a permission opens',
    resource: { ...customers, filters: [{ kind: 'integer', name: 'balance', column: 'balance' }] },
    problem: 'customers: the filter balance reads balance, which not every client may see.',
  },
  {
    name: 'a filter by a price, which is not the same for every client',
    resource: { ...products, filters: [{ kind: 'integer', name: 'price', column: 'price' }] },
    problem: 'products: the filter price reads price, which not every client may see.',
  },
  {
    name: 'a filter by an amount, which a void document shows as zero',
    resource: { ...invoices, filters: [{ kind: 'integer', name: 'total', column: 'total' }] },
    problem: 'invoices: the filter total reads total, which a void document hides.',
  },
  {
    name: 'a sort by what a permission opens',
    resource: { ...customers, sort: { fields: ['id', 'balance'], default: 'id' } },
    problem: 'customers: lists are sorted by balance, which not every client may see.',
  },
  {
    name: 'a default sort by what a permission opens',
    resource: { ...customers, sort: { fields: ['id'], default: '-balance' } },
    problem: 'customers: lists are sorted by balance, which not every client may see.',
  },
]

for (const { name, resource, problem } of wrong) {
  test(`${name} is named`, () => {
    assert(checkCatalogue([resource]).includes(problem), checkCatalogue([resource]).join('\n'))
  })
}

test('a resource declared twice is named', () => {
  assert(checkCatalogue([vendors, vendors]).includes('vendors is declared twice.'))
})
