// Which plans may take long: by how long others of their kind took last.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { createLongPlans } from '../../../src/engine/long-plans.ts'
import { planList } from '../../../src/query/plan-list.ts'
import type { DetailPlan } from '../../../src/query/plan.ts'

function plan(name: string, query: string) {
  const resource = findResource(name)
  assert(resource)
  const planned = planList(resource, query, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  return planned.plan
}

test('a search or a deep page of a kind that was not met yet may take long, another list or a record does not', () => {
  const longPlans = createLongPlans()
  const record: DetailPlan = { ...plan('invoices', ''), shows: 'detail', id: 1 }
  assert.deepEqual([longPlans.isLong(plan('invoices', 'search=ab')), longPlans.isLong(record)], [true, false])
  assert.deepEqual([longPlans.isLong(plan('stores', 'page=41')), longPlans.isLong(plan('stores', ''))], [true, false])
  longPlans.took(plan('invoices', 'search=ab'), 2)
  longPlans.took(record, 400)
  assert.deepEqual([longPlans.isLong(plan('invoices', 'search=cd')), longPlans.isLong(record)], [false, true])
})

test('one that took long makes its kind long, until one of it was quick; another kind stays as it was', () => {
  const plans = createLongPlans()
  plans.took(plan('invoices', 'status=open'), 400)
  // Whatever the value and the page.
  assert.equal(plans.isLong(plan('invoices', 'status=void&page=40')), true)
  const others = [
    plan('invoices', ''),
    plan('invoices', 'status=open&sort=id'),
    plan('invoices', 'status=open&page=41'),
    plan('invoices', 'status=open&search=ab'),
    plan('quotes', 'status=open'),
  ]
  for (const other of others) {
    plans.took(other, 2)
    assert.equal(plans.isLong(other), false)
  }
  assert.equal(plans.isLong(plan('invoices', 'status=open')), true)
  plans.took(plan('invoices', 'status=regular'), 2)
  assert.equal(plans.isLong(plan('invoices', 'status=open')), false)
})
