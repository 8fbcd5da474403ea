// Audit and usage, the same in both stores: every act and every block with author, time and changes; usage by hour, key, resource and
// outcome; kept for a year.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import type { Permission } from '../../../src/catalogue/access.ts'
import { openStore } from '../../../src/state/sqlite/store.ts'
import type { AuditEntry, State } from '../../../src/state/state.ts'
import type { Usage } from '../../../src/state/usage.ts'
import { openBoth } from '../../support/both-states.ts'
import { attemptOf, makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'

const begin = 1_700_000_000_000
const hourMs = 3_600_000
let place: StatePlace
before(async () => {
  place = await makeStatePlace()
})
after(() => place.remove())

// Ids count up in each store by themselves.
const audit = async (state: State, query = {}) =>
  (await state.listAudit({ limit: 100, ...query })).map(({ at, by, act, subject, details }) => ({
    at,
    by,
    act,
    subject,
    details,
  }))
const subjects = (entries: readonly Pick<AuditEntry, 'subject'>[]) => entries.map(({ subject }) => subject.slice(-1))
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

test('a block is written down once, names a key only if it is one, and so is its end by hand', async () => {
  const { both, clock, close } = await openBoth(place, begin)
  await both((state) => state.createKey(key, hashSecret('svc_sk_one')))
  const fail = (accessKey: string, address: string) =>
    both((state) => state.requestToken(attemptOf({ accessKey, securityCode: 'svc_sk_wrong' }, address)))
  for (let turn = 0; turn < 7; turn += 1) await fail(key.accessKey, '10.0.0.1')
  for (let turn = 0; turn < 7; turn += 1) await fail('svc_sk_secretInTheWrongPlace', '10.0.0.2')
  await both((state) => state.clearBlocks('10.0.0.1', 'ada'))
  const until = new Date(begin + 900_000).toISOString()
  const entries = (await both((state) => audit(state))).filter(({ act }) => act !== 'key created')
  const blocked = { act: 'caller blocked', at: begin, by: 'the service' }
  assert.deepEqual(entries, [
    { act: 'blocks cleared', at: clock.now(), by: 'ada', subject: '10.0.0.1', details: { blocks: 1, cleared: 2 } },
    { ...blocked, subject: '10.0.0.2', details: { scope: 'key', failures: 5, until, client_id: null } },
    { ...blocked, subject: '10.0.0.1', details: { scope: 'key', failures: 5, until, client_id: key.accessKey } },
  ])
  await close()
})

test('an address that fails with many keys is blocked as a whole, and that is written down', async () => {
  const { both, clock, close } = await openBoth(place, begin)
  for (let turn = 0; turn < 22; turn += 1) {
    const attempt = attemptOf({ accessKey: `svc_ak_${turn}`, securityCode: 'svc_sk_wrong' }, '10.0.0.9')
    await both((state) => state.requestToken(attempt))
    if (turn % 10 === 9) clock.advance(60_000)
  }
  const entries = await both((state) => audit(state))
  assert.deepEqual(
    entries.map(({ details, subject }) => [subject, details['scope'], details['failures']]),
    [['10.0.0.9', 'address', 20]],
  )
  await close()
})

test('entries are found by subject and by who, and page by page', async () => {
  const { both, close } = await openBoth(place, begin)
  for (const name of ['a', 'b', 'c', 'd'])
    await both((state) =>
      state.createKey({ ...key, accessKey: `svc_ak_${name}` }, hashSecret(name), name < 'c' ? 'ada' : 'bob'),
    )
  assert.deepEqual(subjects(await both((state) => audit(state, { subjects: ['svc_ak_b', 'svc_ak_d', 'svc_ak_'] }))), [
    'd',
    'b',
  ])
  assert.deepEqual(
    await both((state) => state.listSubjects()),
    ['a', 'b', 'c', 'd'].map((name) => `svc_ak_${name}`),
  )
  assert.deepEqual(subjects(await both((state) => audit(state, { by: 'bob' }))), ['d', 'c'])
  const pages = await both(async (state) => {
    const first = await state.listAudit({ limit: 3 })
    const rest = await state.listAudit({ limit: 3, before: first.at(-1)?.id ?? 0 })
    return [subjects(first), subjects(rest)]
  })
  assert.deepEqual(pages, [['d', 'c', 'b'], ['a']])
  await close()
})

test('usage adds up by hour, key, resource and outcome, and is summed up by each of them', async () => {
  const { both, close } = await openBoth(place, begin)
  const hour = begin - (begin % hourMs)
  const use = (at: number, accessKey: string, requests: number, changes: Partial<Usage> = {}): Usage => ({
    hour: hour + at * hourMs,
    accessKey,
    resource: 'invoices',
    outcome: 'answered',
    requests,
    records: requests * 10,
    ...changes,
  })
  const none = { rate_limited: 0, not_allowed: 0, bad_request: 0, not_found: 0, server_error: 0 }
  const sum = (requests: number, records: number, refusals = {}) => ({
    requests,
    records,
    refusals: { ...none, ...refusals },
  })
  await both((state) => state.addUsage([use(1, 'b', 1), use(0, 'a', 5), use(1, 'a', 2)]))
  await both((state) => state.addUsage([use(1, 'b', 3)]))
  await both((state) =>
    state.addUsage([
      use(0, 'a', 2, { outcome: 'rate_limited', records: 0 }),
      use(1, 'a', 1, { outcome: 'not_allowed', resource: 'vendors', records: 0 }),
      use(1, 'b', 4, { outcome: 'server_error', resource: 'other', records: 0 }),
    ]),
  )
  await both((state) => state.addUsage([use(1, 'b', 1, { outcome: 'server_error', resource: 'other', records: 0 })]))
  await both((state) => state.addUsage([]))
  const range = { from: hour, to: hour + 2 * hourMs }
  const later = hour + hourMs
  assert.deepEqual(await both((state) => state.sumUsage(['hour'], range)), [
    { hour, ...sum(7, 50, { rate_limited: 2 }) },
    { hour: later, ...sum(12, 60, { not_allowed: 1, server_error: 5 }) },
  ])
  assert.deepEqual(await both((state) => state.sumUsage(['accessKey'], range)), [
    { accessKey: 'a', ...sum(10, 70, { rate_limited: 2, not_allowed: 1 }) },
    { accessKey: 'b', ...sum(9, 40, { server_error: 5 }) },
  ])
  assert.deepEqual(await both((state) => state.sumUsage(['resource'], { ...range, accessKey: 'a' })), [
    { resource: 'invoices', ...sum(9, 70, { rate_limited: 2 }) },
    { resource: 'vendors', ...sum(1, 0, { not_allowed: 1 }) },
  ])
  assert.deepEqual(await both((state) => state.sumUsage(['hour'], { ...range, resource: 'other' })), [
    { hour: later, ...sum(5, 0, { server_error: 5 }) },
  ])
  // The end does not belong to it; of many rows, the first.
  const all = await both((state) => state.sumUsage(['hour', 'accessKey', 'resource'], { ...range, to: later }))
  assert.deepEqual(all, [{ hour, accessKey: 'a', resource: 'invoices', ...sum(7, 50, { rate_limited: 2 }) }])
  const first = await both((state) => state.sumUsage(['accessKey', 'resource'], { ...range, limit: 2 }))
  assert.deepEqual(
    first.map(({ accessKey, resource }) => [accessKey, resource]),
    [
      ['a', 'invoices'],
      ['a', 'vendors'],
    ],
  )
  assert.deepEqual(await both((state) => state.sumUsage(['hour'], { from: hour + 2 * hourMs, to: hour * 2 })), [])
  await close()
})

const of = (permission: Permission | '', at: number) => ({ accessKey: key.accessKey, permission, at, address: null })

test('the last use of a key and of each permission; a new permission counts as used', async () => {
  const { both, clock, close } = await openBoth(place, begin)
  const hour = begin - (begin % 60_000)
  await both((state) => state.createKey(key, hashSecret('x')))
  const permissions = () => both((state) => state.listLastUse('permissions', null))
  assert.deepEqual(await permissions(), [of('vendors:read', hour)])
  assert.deepEqual(await both((state) => state.listLastUse('keys', null)), [])
  await both((state) => state.addUsage([], [of('vendors:read', hour + 2 * hourMs), of('', hour + 2 * hourMs)]))
  // A late report does not move the last use back.
  await both((state) => state.addUsage([], [of('vendors:read', hour + hourMs)]))
  assert.deepEqual(await permissions(), [of('vendors:read', hour + 2 * hourMs)])
  assert.deepEqual(await both((state) => state.listLastUse('keys', null)), [of('', hour + 2 * hourMs)])
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
