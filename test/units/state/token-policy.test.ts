// decideToken: what the store knows and what was sent → the outcome, and what is written. One row for each rule of a token request.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import type { Series } from '../../../src/state/failure-series.ts'
import { newKey } from '../../../src/state/rows.ts'
import { decideToken, type StoredKey } from '../../../src/state/token-policy.ts'

const now = 1_700_000_000_000
const minute = 60_000
const quarter = 15 * minute

const [code, oldCode, otherCode] = [hashSecret('code'), hashSecret('old code'), hashSecret('another')]
const terms = { accessKey: 'svc_ak_one', name: 'Shop', stores: null, priceList: null, rate: 60 }
const key = newKey({ ...terms, permissions: ['products:read', 'vendors:read', 'costs:read'] }, 0)
const noCode = new Uint8Array(32)

const stored = (changes: Partial<StoredKey> = {}): StoredKey => ({
  codeHash: code,
  oldCodeHash: noCode,
  oldCodeUntil: null,
  isDisabled: false,
  revokedAt: null,
  expiresAt: null,
  addresses: null,
  readKey: () => key,
  ...changes,
})
// It must not be read before the code is known to be right.
const unread = (changes: Partial<StoredKey> = {}) => stored({ ...changes, readKey: () => assert.fail('it was read') })
const usual = {
  attempt: {
    address: '192.0.2.1',
    fullAddress: '192.0.2.1' as string | null,
    accessKey: key.accessKey as string | null,
    codeHash: code as Uint8Array | null,
    isReadable: true,
    scope: null as readonly string[] | null,
    tokenHash: hashSecret('token'),
  },
  facts: {
    isEnabled: true,
    window: null as { startedAt: number; count: number } | null,
    addressSeries: null as Series | null,
    keySeries: null as Series | null,
    stored: stored() as StoredKey | null,
  },
}
const failures = (count: number, agoMs = 0, blockedForMs?: number): Series => ({
  startedAt: now - agoMs,
  count,
  blockedUntil: blockedForMs === undefined ? null : now + blockedForMs,
})
const wrong = { codeHash: otherCode }
const counted = (count: number, agoMs = 0) => ({ window: { startedAt: now - agoMs, count } })
const held = ['products:read', 'vendors:read', 'costs:read']
const blockedUntil = (ms: number) => new Date(now + ms).toISOString()

interface Row {
  readonly name: string
  readonly facts?: Partial<typeof usual.facts>
  readonly attempt?: Partial<typeof usual.attempt>
  readonly outcome: Readonly<Record<string, unknown>> & { readonly is: string }
  // The names of what is written, and some of it.
  readonly writes: string
  readonly effects?: object
}

const granted = { outcome: { is: 'granted', permissions: held }, writes: 'window keySeries' }
const refused = { outcome: { is: 'refused' }, writes: 'window addressSeries keySeries audit' }
const nothing = { writes: '' }

const rows: readonly Row[] = [
  { name: 'the right code is granted all that the key holds', ...granted, effects: { keySeries: null } },
  {
    name: 'without a subscription nothing is counted, whatever else',
    facts: { isEnabled: false, keySeries: failures(5, 0, quarter), ...counted(10) },
    outcome: { is: 'not enabled' },
    ...nothing,
  },
  {
    name: 'during the block of a key its right code is refused',
    facts: { keySeries: failures(5, 0, 1), stored: unread() },
    outcome: { is: 'blocked', retryAfterSeconds: 1 },
    ...nothing,
  },
  {
    name: 'of two blocks the longer counts',
    facts: { keySeries: failures(5, 0, 1), addressSeries: failures(20, 0, quarter - 999) },
    outcome: { is: 'blocked', retryAfterSeconds: 900 },
    ...nothing,
  },
  { name: 'a block that has ended', facts: { keySeries: failures(5, quarter, 0) }, ...granted },
  {
    name: 'the block stands before the rate',
    facts: { keySeries: failures(5, 0, 1000), ...counted(10) },
    outcome: { is: 'blocked' },
    ...nothing,
  },
  {
    name: 'after a clock was set back a block lasts 15 minutes from now',
    facts: { keySeries: failures(5, 0, 60 * minute) },
    outcome: { is: 'blocked', retryAfterSeconds: 900 },
    writes: 'keySeries',
    effects: { keySeries: failures(5, 0, quarter) },
  },
  {
    name: 'the eleventh request of a minute is neither counted nor evaluated',
    facts: { ...counted(10), stored: unread() },
    outcome: { is: 'rate limited', window: { limit: 10, remaining: 0, resetSeconds: 60, isExceeded: true } },
    ...nothing,
  },
  {
    name: 'the tenth is',
    facts: counted(9),
    ...granted,
    outcome: { is: 'granted', window: { remaining: 0 } },
    effects: counted(10),
  },
  { name: 'a window that has ended', facts: counted(10, minute), ...granted, effects: counted(1) },
  { name: 'a window that begins in the future', facts: counted(10, -1), ...granted, effects: counted(1) },
  {
    name: 'a request that cannot be read counts in the window alone',
    attempt: { isReadable: false, ...wrong },
    outcome: { is: 'unreadable' },
    writes: 'window',
    effects: counted(1),
  },
  {
    name: 'a wrong code counts for the key and for the address',
    attempt: wrong,
    facts: { addressSeries: failures(7, minute), stored: unread() },
    ...refused,
    effects: { keySeries: failures(1), addressSeries: failures(8, minute), audit: [] },
  },
  {
    name: 'the fifth failure of a key blocks it, and the audit names it',
    attempt: wrong,
    facts: { keySeries: failures(4, minute) },
    ...refused,
    effects: {
      keySeries: failures(5, minute, quarter),
      audit: [
        {
          act: 'caller blocked',
          subject: '192.0.2.1',
          details: { scope: 'key', failures: 5, until: blockedUntil(quarter), client_id: key.accessKey },
        },
      ],
    },
  },
  {
    name: 'so it does for a key that does not exist, which the audit does not name',
    facts: { keySeries: failures(4), stored: null },
    ...refused,
    effects: { keySeries: failures(5, 0, quarter), audit: [{ details: { scope: 'key', client_id: null } }] },
  },
  {
    name: 'the twentieth failure of an address blocks it for every key',
    attempt: wrong,
    facts: { addressSeries: failures(19) },
    ...refused,
    effects: {
      addressSeries: failures(20, 0, quarter),
      audit: [{ details: { scope: 'address', failures: 20, client_id: null } }],
    },
  },
  {
    name: 'failures are forgotten 15 minutes after the first of them',
    attempt: wrong,
    facts: { keySeries: failures(4, quarter) },
    ...refused,
    effects: { keySeries: failures(1) },
  },
  {
    name: 'and not a millisecond before',
    attempt: wrong,
    facts: { keySeries: failures(4, quarter - 1) },
    ...refused,
    effects: { keySeries: { count: 5 } },
  },
  {
    name: 'a series that begins in the future begins again',
    attempt: wrong,
    facts: { keySeries: failures(4, -1) },
    ...refused,
    effects: { keySeries: failures(1) },
  },
  {
    name: 'a success forgets the failures of the key, not those of the address',
    facts: { keySeries: failures(4), addressSeries: failures(19) },
    ...granted,
    effects: { keySeries: null },
  },
  { name: 'no code', attempt: { codeHash: null }, facts: { stored: unread({ codeHash: noCode }) }, ...refused },
  { name: 'no code for a key that does not exist', attempt: { codeHash: null }, facts: { stored: null }, ...refused },
  { name: 'a disabled key', facts: { stored: unread({ isDisabled: true }) }, ...refused },
  { name: 'a revoked key', facts: { stored: unread({ revokedAt: 1 }) }, ...refused },
  { name: 'a key at its end', facts: { stored: unread({ expiresAt: now }) }, ...refused },
  { name: 'a key just before its end', facts: { stored: stored({ expiresAt: now + 1 }) }, ...granted },
  {
    name: 'the old code during a rotation',
    attempt: { codeHash: oldCode },
    facts: { stored: stored({ oldCodeHash: oldCode, oldCodeUntil: now + 1 }) },
    ...granted,
  },
  {
    name: 'the new code during a rotation',
    facts: { stored: stored({ oldCodeHash: oldCode, oldCodeUntil: now + 1 }) },
    ...granted,
  },
  {
    name: 'the old code at the end of the rotation',
    attempt: { codeHash: oldCode },
    facts: { stored: unread({ oldCodeHash: oldCode, oldCodeUntil: now }) },
    ...refused,
  },
  {
    name: 'a scope in any order is granted in that of the permissions, each once',
    attempt: { scope: ['costs:read', 'products:read', 'costs:read'] },
    ...granted,
    outcome: { is: 'granted', permissions: ['products:read', 'costs:read'] },
  },
  {
    name: 'a scope that the key does not hold is no failure',
    attempt: { scope: ['products:read', 'stores:read'] },
    facts: { keySeries: failures(4) },
    outcome: { is: 'scope not held' },
    writes: 'window keySeries',
    effects: { keySeries: null },
  },
]

for (const { name, facts, attempt, outcome, writes, effects = {} } of rows)
  test(`token request: ${name}`, () => {
    const decided = decideToken(now, { ...usual.attempt, ...attempt }, { ...usual.facts, ...facts })
    assert.partialDeepStrictEqual(decided.outcome, outcome)
    assert.deepEqual(Object.keys(decided.effects).toSorted(), writes.split(' ').filter(Boolean).toSorted())
    assert.partialDeepStrictEqual(decided.effects, effects)
    if ('permissions' in decided.outcome) assert.deepEqual(decided.outcome.permissions, outcome['permissions'] ?? held)
  })

const addresses = '["192.0.2.0/28","2001:db8:1::/48","203.0.113.9"]'
const places: readonly (readonly [from: string | null, is: string])[] = [
  ['192.0.2.0', 'granted'],
  ['192.0.2.15', 'granted'],
  ['192.0.2.16', 'refused'],
  ['203.0.113.9', 'granted'],
  ['203.0.113.8', 'refused'],
  ['2001:db8:1:ffff::7', 'granted'],
  ['2001:db8:2::7', 'refused'],
  ['::192.0.2.1', 'refused'],
  [null, 'refused'],
]

test('token request: a key that is limited to addresses is granted there alone', () => {
  for (const [fullAddress, is] of places) {
    const facts = { ...usual.facts, stored: stored({ addresses }) }
    const decided = decideToken(now, { ...usual.attempt, fullAddress }, facts)
    assert.equal(decided.outcome.is, is, String(fullAddress))
  }
})
