// Which plans may take long: by what they ask, and by how long others of their kind took last.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissions } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { createLongPlans } from '../../../src/engine/long-plans.ts'
import { planList } from '../../../src/query/plan-list.ts'

function plan(name: string, query: string) {
  const resource = findResource(name)
  assert(resource)
  const planned = planList(resource, query, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  return planned.plan
}

test('a search, a deep page and a range across the order ask much; a first page, a filter and a range along it do not', () => {
  const { isLong } = createLongPlans(1000)
  const asksMuch = ['search=ab', 'page=41', 'date_from=2026-01-01&sort=id', 'updated_since=2026-01-01']
  const asksLittle = ['', 'page=40', 'status=open&store_id=1', 'date_from=2026-01-01', 'sort=id']
  for (const query of asksMuch) assert.equal(isLong(plan('invoices', query)), true, query)
  for (const query of asksLittle) assert.equal(isLong(plan('invoices', query)), false, query)
})

test('one that took long makes its kind long, until one of it was quick; another kind stays as it was', () => {
  const plans = createLongPlans(1000)
  plans.took(plan('invoices', 'status=open'), 400)
  // Whatever the value and the page.
  assert.equal(plans.isLong(plan('invoices', 'status=void&page=2')), true)
  for (const other of [plan('invoices', ''), plan('invoices', 'status=open&sort=id'), plan('quotes', 'status=open')])
    assert.equal(plans.isLong(other), false)
  plans.took(plan('invoices', 'status=regular'), 2)
  assert.equal(plans.isLong(plan('invoices', 'status=open')), false)
})
