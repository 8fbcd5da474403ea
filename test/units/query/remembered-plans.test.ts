// A remembered plan is given again only to the access that it was made for.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { rememberPlans } from '../../../src/query/remembered-plans.ts'

const invoices = findResource('invoices')
assert(invoices)
const all: Access = { permissions, stores: null, priceList: null }

test('the same query of the same caller has the same plan, that of planList', () => {
  const plan = rememberPlans(invoices)
  const first = plan('status=open', all)
  assert.deepEqual(first, planList(invoices, 'status=open', all))
  assert.equal(plan('status=open', all), first)
  assert.notDeepEqual(plan('status=void', all), first)
})

test('another caller has a plan of its own, with its own restrictions', () => {
  const plan = rememberPlans(invoices)
  plan('status=open', all)
  const one: Access = { ...all, stores: [1] }
  assert.deepEqual(plan('status=open', one), planList(invoices, 'status=open', one))
})

test('what cannot be planned is said each time, and thousands of queries leave the right plan to each', () => {
  const plan = rememberPlans(invoices)
  for (let turn = 0; turn < 2; turn += 1) assert('faults' in plan('statuss=open', all))
  for (let page = 1; page <= 2000; page += 1) {
    const planned = plan(`page=${page}`, all)
    assert('plan' in planned && planned.plan.page === page)
  }
})
