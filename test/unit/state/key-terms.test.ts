// The life of a key, the same in both stores: two codes during a rotation, the moment at which it ends by itself, the addresses
// from which it may be used, and when and from where it was last used.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { hashSecret } from '../../../src/auth/secrets.ts'
import { openStore } from '../../../src/state/sqlite/store.ts'
import type { Key, KeyChanges, State } from '../../../src/state/state.ts'
import { openBoth } from '../../support/both-states.ts'
import { atOnce, tally } from '../../support/grants.ts'
import { attemptOf, makeStatePlace, newKey, type StatePlace } from '../../support/postgres-state.ts'

const begin = 1_700_000_000_000
const minuteMs = 60_000
let place: StatePlace
before(async () => {
  place = await makeStatePlace()
})
after(() => place.remove())

type Both = Awaited<ReturnType<typeof openBoth>>

const accessKey = 'svc_ak_one'
const terms = {
  accessKey,
  name: 'Shop',
  permissions: ['vendors:read'] as const,
  stores: null,
  priceList: null,
  rate: 60,
}

interface Asking {
  readonly address?: string
  readonly from?: string | null
}

// Each from an address of its own, so that neither a rate nor a block decides.
let addresses = 0
function ask({ both }: Both, code: string, { address = `10.9.0.${(addresses += 1)}`, from = address }: Asking = {}) {
  const attempt = { ...attemptOf({ accessKey, securityCode: code }, address), fullAddress: from }
  return { ...attempt, outcome: both(async (state) => (await state.requestToken(attempt)).is) }
}
const isGranted = async (opened: Both, code: string, asking?: Asking) =>
  (await ask(opened, code, asking).outcome) === 'granted'
async function tokenOf(opened: Both, code: string): Promise<Uint8Array> {
  const { outcome, tokenHash } = ask(opened, code, { address: '10.1.2.3' })
  assert.equal(await outcome, 'granted')
  return tokenHash
}
const isAdmitted = ({ both }: Both, token: Uint8Array, from?: string | null) =>
  both(async (state) => (await state.admit(token, from)).admitted !== null)
const create = ({ both }: Both, more: Partial<Key> = {}) =>
  both((state) => state.createKey({ ...terms, ...more }, hashSecret('old')))
const rotate = ({ both }: Both, code: string, overlapMs = 10 * minuteMs) =>
  both((state) => state.rotateKey(accessKey, hashSecret(code), overlapMs, 'ada'))
const acts = ({ both }: Both) =>
  both(async (state) => (await state.listAudit({ limit: 9 })).map(({ act, by, details }) => [act, by, details]))

test('rotation: both codes are valid until the overlap ends, and the old one not a millisecond longer', async () => {
  const opened = await openBoth(place, begin)
  await create(opened)
  const rotated = await rotate(opened, 'new')
  assert(rotated !== null && typeof rotated === 'object')
  assert.equal(rotated.oldCodeUntil, begin + 10 * minuteMs)
  const codes = async () => [await isGranted(opened, 'old'), await isGranted(opened, 'new')]
  assert.deepEqual(await codes(), [true, true])
  assert.equal(await isGranted(opened, 'another'), false)
  opened.clock.advance(10 * minuteMs - 1)
  assert.deepEqual(await codes(), [true, true])
  opened.clock.advance(1)
  assert.deepEqual(await codes(), [false, true])
  assert.deepEqual(await acts(opened), [
    ['code rotated', 'ada', { until: new Date(begin + 10 * minuteMs).toISOString() }],
    ['key created', 'the service', (await acts(opened)).at(-1)?.[2]],
  ])
  await opened.close()
})

test('rotation: a second one is refused while two codes are valid; then there are never three', async () => {
  const opened = await openBoth(place, begin)
  await create(opened)
  await rotate(opened, 'second')
  opened.clock.advance(10 * minuteMs - 1)
  assert.equal(await rotate(opened, 'third'), 'under rotation')
  assert.deepEqual([await isGranted(opened, 'second'), await isGranted(opened, 'third')], [true, false])
  opened.clock.advance(1)
  assert.notEqual(await rotate(opened, 'third'), 'under rotation')
  const valid = await Promise.all(['old', 'second', 'third'].map((code) => isGranted(opened, code)))
  assert.deepEqual(valid, [false, true, true])
  await opened.close()
})

test('rotation: tokens of either code go on, past the overlap and past its end by hand', async () => {
  const opened = await openBoth(place, begin)
  await create(opened)
  const before = await tokenOf(opened, 'old')
  await rotate(opened, 'new')
  const during = [await tokenOf(opened, 'old'), await tokenOf(opened, 'new')]
  const finish = () => opened.both((state) => state.finishRotation(accessKey, 'bob'))
  assert.equal((await finish())?.oldCodeUntil, null)
  assert.deepEqual([await isGranted(opened, 'old'), await isGranted(opened, 'new')], [false, true])
  for (const token of [before, ...during]) assert.equal(await isAdmitted(opened, token), true)
  assert.equal(await finish(), null)
  assert.deepEqual((await acts(opened))[0], ['rotation finished', 'bob', {}])
  await rotate(opened, 'newer', minuteMs)
  opened.clock.advance(minuteMs)
  for (const token of [before, ...during]) assert.equal(await isAdmitted(opened, token), true)
  assert.equal(await finish(), null)
  await opened.close()
})

test('rotation: a code that is regenerated ends both others, and a revoked key is not rotated', async () => {
  const opened = await openBoth(place, begin)
  await create(opened)
  await rotate(opened, 'new')
  await opened.both((state) => state.regenerateKey(accessKey, hashSecret('renewed')))
  const valid = await Promise.all(['old', 'new', 'renewed'].map((code) => isGranted(opened, code)))
  assert.deepEqual(valid, [false, false, true])
  await rotate(opened, 'rotated')
  await opened.both((state) => state.revokeKey(accessKey))
  assert.deepEqual([await isGranted(opened, 'renewed'), await isGranted(opened, 'rotated')], [false, false])
  assert.deepEqual(
    [await rotate(opened, 'x'), await opened.both((state) => state.finishRotation(accessKey))],
    [null, null],
  )
  assert.equal(await opened.both((state) => state.rotateKey('svc_ak_none', hashSecret('x'), minuteMs)), null)
  await opened.close()
})

test('a change that lets a key in again ends its blocks, and no others', async () => {
  const opened = await openBoth(place, begin)
  const { both } = opened
  const change = (changes: KeyChanges) => both((state) => state.updateKey(accessKey, changes))
  await create(opened)
  const otherKey = attemptOf({ accessKey: 'svc_ak_other', securityCode: 'x' }, '10.8.0.9')
  for (let turn = 0; turn < 5; turn += 1) await both((state) => state.requestToken(otherKey))
  const cases: readonly [refuse: () => Promise<unknown>, admit: () => Promise<unknown>][] = [
    [() => change({ isDisabled: true }), () => change({ isDisabled: false })],
    [() => change({ addresses: ['10.8.1.1'] }), () => change({ addresses: null })],
    [() => change({ expires: { day: '2023-11-14', at: begin } }), () => change({ expires: null })],
    [
      () => both((state) => state.regenerateKey(accessKey, hashSecret('lost'))),
      () => both((state) => state.regenerateKey(accessKey, hashSecret('old'))),
    ],
  ]
  for (const [at, [refuse, admit]] of cases.entries()) {
    const from = { address: `10.8.0.${at}` }
    await refuse()
    for (let turn = 0; turn < 5; turn += 1) assert.equal(await ask(opened, 'old', from).outcome, 'refused')
    await change({ name: `Other ${at}` })
    const stale = { name: 'Nobody' }
    const late = both((state) => state.updateKey(accessKey, { addresses: null, isDisabled: false }, 'ada', stale))
    assert.equal(await late, 'changed meanwhile')
    assert.equal(await ask(opened, 'old', from).outcome, 'blocked')
    await admit()
    assert.equal(await isGranted(opened, 'old', from), true, `case ${at}`)
  }
  assert.equal((await both((state) => state.requestToken(otherKey))).is, 'blocked')
  await both((state) => state.revokeKey(accessKey))
  const last = { address: '10.8.0.8' }
  for (let turn = 0; turn < 5; turn += 1) await ask(opened, 'old', last).outcome
  await both((state) => state.regenerateKey(accessKey, hashSecret('newer')))
  assert.equal(await ask(opened, 'old', last).outcome, 'blocked')
  await opened.close()
})

test('rotation: of many at once one is made, at whichever instance', async () => {
  const states = [place.open(), place.open()]
  const credentials = await newKey(states[0] as State)
  const rotated = await atOnce(12, async (at) => {
    const made = await states[at % 2]?.rotateKey(credentials.accessKey, hashSecret(`code ${at}`), minuteMs)
    return typeof made === 'string' ? made : 'made'
  })
  assert.deepEqual(tally(rotated), { made: 1, 'under rotation': 11 })
  assert.equal((await states[1]?.requestToken(attemptOf(credentials, '10.8.0.1')))?.is, 'granted')
})

test('rotation: the hash of a code that has ended is not kept', () => {
  const store = openStore(':memory:', 0)
  store.createKey(begin, terms, hashSecret('old'))
  store.rotateKey(begin, accessKey, hashSecret('new'), minuteMs)
  store.sweep(begin + minuteMs - 1)
  assert.equal(store.findKey(0, accessKey)?.oldCodeUntil, begin + minuteMs)
  store.sweep(begin + minuteMs)
  assert.equal(store.findKey(0, accessKey)?.oldCodeUntil, null)
  store.close()
})

test('end: at its moment the key is unknown and its tokens are invalid, those just granted too', async () => {
  const opened = await openBoth(place, begin)
  const expires = { day: '2023-11-14', at: begin + 5 * minuteMs }
  await create(opened, { expires })
  const early = await tokenOf(opened, 'old')
  opened.clock.advance(5 * minuteMs - 1)
  const late = await tokenOf(opened, 'old')
  assert.deepEqual([await isAdmitted(opened, early), await isAdmitted(opened, late)], [true, true])
  opened.clock.advance(1)
  assert.deepEqual([await isAdmitted(opened, early), await isAdmitted(opened, late)], [false, false])
  assert.equal(await ask(opened, 'old').outcome, 'refused')
  assert.deepEqual(await opened.both((state) => state.listExpiries()), [{ accessKey, name: 'Shop', expires }])
  await opened.both((state) => state.updateKey(accessKey, { expires: null }))
  assert.deepEqual([await isAdmitted(opened, late), await isGranted(opened, 'old')], [true, true])
  assert.deepEqual(await opened.both((state) => state.listExpiries()), [])
  await opened.close()
})

test('expiry: the audit has the day, and a change made with another day on the screen is refused', async () => {
  const opened = await openBoth(place, begin)
  await create(opened)
  const change = (day: string, shown: string | null) =>
    opened.both((state) =>
      state.updateKey(accessKey, { expires: { day, at: begin + minuteMs } }, 'ada', { expires: shown }),
    )
  await change('2023-11-15', null)
  assert.deepEqual((await acts(opened))[0], ['key changed', 'ada', { expires: { from: null, to: '2023-11-15' } }])
  assert.equal(await change('2023-11-16', null), 'changed meanwhile')
  assert.notEqual(await change('2023-11-16', '2023-11-15'), 'changed meanwhile')
  await opened.close()
})

const ranges = ['192.0.2.0/28', '2001:db8:1::/48', '203.0.113.9']
const places: readonly [from: string | null, isAllowed: boolean][] = [
  ['192.0.2.0', true],
  ['192.0.2.15', true],
  ['192.0.2.16', false],
  ['203.0.113.9', true],
  ['203.0.113.8', false],
  ['2001:db8:1:ffff::7', true],
  ['2001:db8:2::7', false],
  ['::192.0.2.1', false],
  [null, false],
]

test('addresses: elsewhere the key is unknown and its token invalid, and neither counts for the key', async () => {
  const opened = await openBoth(place, begin)
  await create(opened, { addresses: ranges })
  const { outcome, tokenHash } = ask(opened, 'old', { from: '192.0.2.3' })
  assert.equal(await outcome, 'granted')
  for (const [from, isAllowed] of places) {
    assert.equal(
      await ask(opened, 'old', { address: `10.9.0.${(addresses += 1)}`, from }).outcome,
      isAllowed ? 'granted' : 'refused',
      `${from}`,
    )
    assert.equal(await isAdmitted(opened, tokenHash, from), isAllowed, `${from}`)
  }
  // Only the requests that were admitted are in its window.
  const admitted = places.filter(([, isAllowed]) => isAllowed).length
  const last = await opened.both((state) => state.admit(tokenHash, '203.0.113.9'))
  assert.equal(last.admitted?.window.remaining, 60 - admitted - 1)
  await opened.both((state) => state.updateKey(accessKey, { addresses: null }))
  assert.deepEqual([await isAdmitted(opened, tokenHash, '198.51.100.1'), await isGranted(opened, 'old')], [true, true])
  await opened.close()
})

test('addresses: an attempt from a wrong address leaves the same traces as one with an unknown key', async () => {
  const opened = await openBoth(place, begin)
  await create(opened, { addresses: ['192.0.2.0/28'] })
  const outcomes = async (key: string, address: string) => {
    const seen: unknown[] = []
    for (let turn = 0; turn < 7; turn += 1) {
      const attempt = { ...attemptOf({ accessKey: key, securityCode: 'old' }, address), fullAddress: address }
      seen.push(await opened.both((state) => state.requestToken(attempt)))
    }
    return seen
  }
  assert.deepEqual(await outcomes(accessKey, '198.51.100.1'), await outcomes('svc_ak_none', '198.51.100.2'))
  const blocks = await opened.both((state) => state.listBlocks())
  assert.deepEqual(
    blocks.map(({ address, scope, failures }) => [address, scope, failures]),
    [
      ['198.51.100.1', 'key', 5],
      ['198.51.100.2', 'key', 5],
    ],
  )
  await opened.close()
})

const used = (at: number, address: string) => ({ accessKey, permission: '' as const, at, address })

test('last use: the latest minute and its address stay, whichever comes first', async () => {
  const { both, close } = await openBoth(place, begin)
  const last = () => both((state) => state.listLastUse('keys', accessKey))
  const add = (at: number, address: string) => both((state) => state.addUsage([], [used(at, address)]))
  await add(begin, '192.0.2.1')
  await add(begin - minuteMs, '192.0.2.2')
  assert.deepEqual(await last(), [used(begin, '192.0.2.1')])
  await add(begin, '192.0.2.3')
  assert.deepEqual(await last(), [used(begin, '192.0.2.3')])
  await add(begin + minuteMs, '2001:db8:1:2::/64')
  assert.deepEqual(await last(), [used(begin + minuteMs, '2001:db8:1:2::/64')])
  await close()
})
