// Audit and usage, the same in both stores: every act with author, time and changes; usage that adds up; the last use; kept for a year.
// (How they are searched and summed up: test/pages/routes.test.ts.)
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import type { Permission } from '../../../src/catalogue/access.ts'
import { openStore } from '../../../src/state/sqlite/store.ts'
import type { State } from '../../../src/state/state.ts'
import type { Usage } from '../../../src/state/usage.ts'
import { openBoth } from '../../support/both-states.ts'
import { makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'

const begin = 1_700_000_000_000
const hourMs = 3_600_000
let place: StatePlace
before(async () => {
  place = await makeStatePlace()
})
after(() => place.remove())

// Ids count up in each store by themselves.
const audit = async (state: State) =>
  (await state.listAudit({ limit: 100 })).map(({ at, by, act, subject, details }) => ({
    at,
    by,
    act,
    subject,
    details,
  }))
const key = {
  accessKey: 'svc_ak_one',
  name: 'Shop',
  permissions: ['vendors:read'] as const,
  stores: null,
  priceList: null,
  rate: 60,
}

test('the audit has each act with its author, time, subject and changes', async () => {
  const { both, clock, close } = await openBoth(place, begin)
  const code = hashSecret('svc_sk_one')
  const acts: ((state: State) => Promise<unknown>)[] = [
    (state) => state.createKey(key, code, 'ada'),
    (state) => state.updateKey(key.accessKey, { name: 'Web shop', stores: [1, 2], rate: 60 }, 'bob'),
    (state) => state.updateKey(key.accessKey, { isDisabled: true }, 'bob'),
    (state) => state.regenerateKey(key.accessKey, hashSecret('svc_sk_two'), 'ada'),
    (state) => state.rotateKey(key.accessKey, hashSecret('svc_sk_three'), 60_000, 'ada'),
    (state) => state.finishRotation(key.accessKey, 'bob'),
    (state) => state.updateKey(key.accessKey, { expires: { day: '2023-11-15', at: begin + hourMs } }, 'ada'),
    (state) => state.setEnabled(false, 'cy'),
    (state) => state.setEnabled(true),
    (state) => state.revokeKey(key.accessKey, 'ada'),
  ]
  for (const act of acts) {
    await both(act)
    clock.advance(1000)
  }
  const { accessKey, ...shown } = key
  const expected = [
    {
      act: 'key created',
      by: 'ada',
      details: {
        name: 'Shop',
        permissions: shown.permissions,
        stores: null,
        price_list: null,
        rate: 60,
        disabled: false,
        expires: null,
        addresses: null,
      },
    },
    {
      act: 'key changed',
      by: 'bob',
      details: { name: { from: 'Shop', to: 'Web shop' }, stores: { from: null, to: [1, 2] } },
    },
    { act: 'key changed', by: 'bob', details: { disabled: { from: false, to: true } } },
    { act: 'code regenerated', by: 'ada', details: {} },
    { act: 'code rotated', by: 'ada', details: { until: new Date(begin + 64_000).toISOString() } },
    { act: 'rotation finished', by: 'bob', details: {} },
    { act: 'key changed', by: 'ada', details: { expires: { from: null, to: '2023-11-15' } } },
    { act: 'subscription disabled', by: 'cy', details: {}, subject: '' },
    { act: 'subscription enabled', by: 'the service', details: {}, subject: '' },
    { act: 'key revoked', by: 'ada', details: {} },
  ].map((entry, at) => ({ subject: accessKey, at: begin + at * 1000, ...entry }))
  assert.deepEqual(await both((state) => audit(state)), expected.toReversed())
  await close()
})

test('an act that changes nothing leaves no entry', async () => {
  const { both, close } = await openBoth(place, begin)
  await both((state) => state.createKey(key, hashSecret('svc_sk_one')))
  await both((state) => state.updateKey(key.accessKey, { name: 'Shop' }))
  await both((state) => state.updateKey('svc_ak_none', { name: 'X' }))
  await both((state) => state.regenerateKey('svc_ak_none', hashSecret('x')))
  await both((state) => state.revokeKey('svc_ak_none'))
  await both((state) => state.setEnabled(true))
  await both((state) => state.clearBlocks('10.1.1.1'))
  assert.deepEqual(
    (await both((state) => audit(state))).map(({ act }) => act),
    ['key created'],
  )
  await close()
})

test('what is used again in an hour is added', async () => {
  const { both, close } = await openBoth(place, begin)
  const hour = begin - (begin % hourMs)
  const shared = { hour, accessKey: 'a', resource: 'invoices' }
  const use = (requests: number, records: number, outcome: Usage['outcome'] = 'answered'): Usage => {
    return { ...shared, outcome, requests, records }
  }
  await both((state) => state.addUsage([use(2, 20), use(1, 0, 'server_error')]))
  await both((state) => state.addUsage([use(3, 30), use(4, 0, 'server_error')]))
  await both((state) => state.addUsage([]))
  const none = { rate_limited: 0, not_allowed: 0, bad_request: 0, not_found: 0, server_error: 5 }
  const range = { from: hour, to: hour + hourMs }
  assert.deepEqual(await both((state) => state.sumUsage(['hour'], range)), [
    { hour, requests: 10, records: 50, refusals: none },
  ])
  // The end does not belong to it.
  assert.deepEqual(await both((state) => state.sumUsage(['hour'], { from: 0, to: hour })), [])
  await close()
})

const of = (permission: Permission | '', at: number, address: string | null = null) => {
  return { accessKey: key.accessKey, permission, at, address }
}

test('the last use of a key and of each permission; a new permission counts as used', async () => {
  const { both, clock, close } = await openBoth(place, begin)
  const hour = begin - (begin % 60_000)
  await both((state) => state.createKey(key, hashSecret('x')))
  const permissions = () => both((state) => state.listLastUse('permissions', null))
  assert.deepEqual(await permissions(), [of('vendors:read', hour)])
  assert.deepEqual(await both((state) => state.listLastUse('keys', null)), [])
  await both((state) =>
    state.addUsage([], [of('vendors:read', hour + 2 * hourMs), of('', hour + 2 * hourMs, '192.0.2.1')]),
  )
  // A late report does not move the last use back; of the same minute the last address counts.
  await both((state) => state.addUsage([], [of('vendors:read', hour + hourMs), of('', hour + hourMs, '192.0.2.2')]))
  assert.deepEqual(await permissions(), [of('vendors:read', hour + 2 * hourMs)])
  const keys = () => both((state) => state.listLastUse('keys', key.accessKey))
  assert.deepEqual(await keys(), [of('', hour + 2 * hourMs, '192.0.2.1')])
  await both((state) => state.addUsage([], [of('', hour + 2 * hourMs, '192.0.2.3')]))
  assert.deepEqual(await keys(), [of('', hour + 2 * hourMs, '192.0.2.3')])
  clock.advance(5 * hourMs)
  await both((state) => state.updateKey(key.accessKey, { permissions: ['invoices:read', 'vendors:read'] }))
  assert.deepEqual(await permissions(), [of('invoices:read', hour + 5 * hourMs), of('vendors:read', hour + 2 * hourMs)])
  await close()
})

test('after a year and a day it is forgotten, not before', () => {
  const store = openStore(':memory:', 0)
  const yearMs = 366 * 24 * hourMs
  store.createKey(begin, key, hashSecret('x'))
  store.addUsage(begin, [
    { hour: begin, accessKey: 'a', resource: 'other', outcome: 'answered', requests: 1, records: 1 },
  ])
  const left = () => [
    store.listAudit(0, { limit: 9 }).length,
    store.sumUsage(0, ['hour'], { from: 0, to: begin + 1 }).length,
  ]
  store.sweep(begin + yearMs - 1)
  assert.deepEqual(left(), [1, 1])
  store.sweep(begin + yearMs)
  assert.deepEqual(left(), [0, 0])
  store.close()
})
