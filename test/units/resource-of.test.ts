// The resource that a route counts for in the usage of a key.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { resourceOf } from '../../src/app.ts'

test('usage: lists and records count for their resource, the change feed for itself, and everything else together', () => {
  const expected = {
    '/invoices': 'invoices',
    '/price-lists/{id}': 'price-lists',
    '/changes': 'changes',
    '/changes/invoices': 'changes',
    '/ping': 'other',
    '/resources': 'other',
    '/docs': 'other',
  }
  for (const [route, resource] of Object.entries(expected)) assert.equal(resourceOf(route), resource, route)
  assert.equal(resourceOf(null), 'other')
})
