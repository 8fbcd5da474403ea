// Concurrent token requests on PostgreSQL: a key that changes between the comparison of its code and the grant, an address that
// another instance has locked, rows that are being deleted. All requests wait in turn; none fails.
import assert from 'node:assert/strict'
import { after, afterEach, before, mock, test } from 'node:test'
import { manualClock } from '../../../src/platform/clock.ts'
import { hashSecret, makeSecurityCode, makeToken } from '../../../src/auth/secrets.ts'
import type { State } from '../../../src/state/state.ts'
import { atOnce, tally } from '../../support/grants.ts'
import { attemptOf, makeStatePlace, newKey, type StatePlace } from '../../support/postgres-state.ts'

let place: StatePlace
let state: State
before(async () => {
  place = await makeStatePlace()
  state = place.open()
})
afterEach(() => place.release())
after(() => place.remove())

let addresses = 0
const newAddress = () => `10.0.0.${(addresses += 1)}`
const seriesOf = (address: string) =>
  place.rows('SELECT count, blocked_until FROM failures WHERE address = $1', [address])

for (const [name, change] of [
  ['its code is regenerated', `code_hash = sha256('other')`],
  ['it is disabled', 'is_disabled = true'],
  ['it is revoked', 'revoked_at = 1'],
  ['its last day is over', "expires_on = '1970-01-01', expires_at = 1"],
  ['it is limited to other addresses', `addresses = '["192.0.2.1"]'`],
] as const)
  test(`a key that was right when its code was compared, but ${name} before the grant: no token, counted once`, async () => {
    const [key, address] = [await newKey(state), newAddress()]
    const other = await place.hold(`UPDATE keys SET ${change} WHERE access_key = $1`, [key.accessKey])
    const attempt = attemptOf(key, address)
    const request = state.requestToken(attempt)
    await place.waiting(1)
    await other.commit()
    const outcome = await request
    assert.deepEqual([outcome.is, outcome.window.remaining], ['refused', 9])
    assert.equal((await state.admit(attempt.tokenHash)).admitted, null)
    assert.deepEqual(await place.rows('SELECT FROM tokens WHERE access_key = $1', [key.accessKey]), [])
    // One failure for the key and one for the address.
    assert.deepEqual(await seriesOf(address), [
      [1, null],
      [1, null],
    ])
  })

test('an old code that was right when it was compared, but whose rotation is finished before the grant: no token', async () => {
  const [key, address] = [await newKey(state), newAddress()]
  await state.rotateKey(key.accessKey, hashSecret(makeSecurityCode()), 60_000)
  const finish = 'UPDATE keys SET old_code_hash = NULL, old_code_until = NULL WHERE access_key = $1'
  const other = await place.hold(finish, [key.accessKey])
  const request = state.requestToken(attemptOf(key, address))
  await place.waiting(1)
  await other.commit()
  assert.equal((await request).is, 'refused')
  assert.deepEqual(await place.rows('SELECT FROM tokens WHERE access_key = $1', [key.accessKey]), [])
})

test('of many rotations at once one is made, at whichever instance', async () => {
  const states = [place.open(), place.open()]
  const key = await newKey(state)
  const rotated = await atOnce(12, async (at) => {
    const made = await states[at % 2]?.rotateKey(key.accessKey, hashSecret(`code ${at}`), 60_000)
    return typeof made === 'string' ? made : 'made'
  })
  assert.deepEqual(tally(rotated), { made: 1, 'under rotation': 11 })
  assert.equal((await state.requestToken(attemptOf(key, newAddress()))).is, 'granted')
})

test('a change that is taken back before the grant: the token is granted, counted once', async () => {
  const [key, address] = [await newKey(state), newAddress()]
  const other = await place.hold(`UPDATE keys SET code_hash = sha256('other') WHERE access_key = $1`, [key.accessKey])
  const attempt = attemptOf(key, address)
  const request = state.requestToken(attempt)
  await place.waiting(1)
  await other.rollback()
  const outcome = await request
  assert.deepEqual([outcome.is, outcome.window.remaining], ['granted', 9])
  assert.ok((await state.admit(attempt.tokenHash)).admitted)
})

test('permissions that are taken before the grant are not held by the token', async () => {
  const [key, address] = [await newKey(state, { permissions: ['vendors:read', 'costs:read'] }), newAddress()]
  const other = await place.hold(`UPDATE keys SET permissions = 'costs:read', stores = '[3]' WHERE access_key = $1`, [
    key.accessKey,
  ])
  const attempt = attemptOf(key, address)
  const request = state.requestToken(attempt)
  await place.waiting(1)
  await other.commit()
  await request
  const caller = (await state.admit(attempt.tokenHash)).admitted?.caller
  assert.deepEqual([caller?.permissions, caller?.stores], [['costs:read'], [3]])
})

for (const [name, end] of [
  ['regenerated', (accessKey: string) => state.regenerateKey(accessKey, hashSecret(makeSecurityCode()))],
  ['revoked', (accessKey: string) => state.revokeKey(accessKey)],
] as const)
  test(`a key that is ${name} while a token is being granted: the token has ended when the command returns`, async () => {
    const [key, token] = [await newKey(state), makeToken()]
    const earlier = attemptOf(key, newAddress())
    assert.equal((await state.requestToken(earlier)).is, 'granted')
    // Blocks the grant at its last step: an open transaction stores a token with the same hash.
    const values = [hashSecret(token), key.accessKey]
    const other = await place.hold(`INSERT INTO tokens VALUES ($1, $2, 'vendors:read', 0)`, values)
    const attempt = attemptOf(key, newAddress(), token)
    const request = state.requestToken(attempt)
    await place.waiting(1)
    const ended = end(key.accessKey)
    await place.waiting(2)
    await other.rollback()
    assert.equal((await request).is, 'granted')
    assert.equal((await ended)?.accessKey, key.accessKey)
    for (const { tokenHash } of [attempt, earlier]) assert.equal((await state.admit(tokenHash)).admitted, null)
  })

test('a locked address: its requests wait and are then counted one by one; others continue', async () => {
  const [key, address, elsewhere] = [await newKey(state), newAddress(), newAddress()]
  const token = attemptOf(key, elsewhere)
  assert.equal((await state.requestToken(token)).is, 'granted')
  assert.equal((await state.requestToken(attemptOf(key, address))).is, 'granted')
  const other = await place.hold('UPDATE windows SET count = count WHERE name LIKE $1', [`token ${address}`])
  // At each instance more than it has connections.
  const states = [1, 2, 3].map(() => place.open(undefined, 2))
  const requests = atOnce(9, (at) => (states[at % 3] as State).requestToken(attemptOf(key, address)))
  await place.waiting(3)
  for (const each of states) assert.ok((await each.admit(token.tokenHash)).admitted)
  assert.equal((await place.open().requestToken(attemptOf(key, elsewhere))).is, 'granted')
  await other.rollback()
  const outcomes = await requests
  assert.deepEqual(tally(outcomes.map(({ is }) => is)), { granted: 9 })
  const left = outcomes.map(({ window }) => window.remaining).toSorted((one, other) => other - one)
  assert.deepEqual(left, [8, 7, 6, 5, 4, 3, 2, 1, 0])
})

test('an address that is blocked or over its rate is refused at once, although it is locked', async () => {
  const [key, blocked, exceeded] = [await newKey(state), newAddress(), newAddress()]
  const wrong = { ...key, securityCode: makeSecurityCode() }
  for (let failures = 0; failures < 5; failures += 1) await state.requestToken(attemptOf(wrong, blocked))
  for (let requests = 0; requests < 10; requests += 1) await state.requestToken(attemptOf(key, exceeded))
  await place.hold('UPDATE windows SET count = count')
  for (const [address, is] of [
    [blocked, 'blocked'],
    [exceeded, 'rate limited'],
  ] as const)
    assert.equal((await state.requestToken(attemptOf(key, address))).is, is)
})

test('two addresses with the same key do not wait for each other', async () => {
  const [key, address] = [await newKey(state), newAddress()]
  const other = await place.hold('SELECT FROM keys WHERE access_key = $1 FOR SHARE', [key.accessKey])
  assert.equal((await state.requestToken(attemptOf(key, address))).is, 'granted')
  await other.rollback()
})

test('failures that have run out are forgotten while one more is counted: both get through', async () => {
  const clock = manualClock(1_700_000_000_000)
  const [mine, address] = [place.open(clock, 2), newAddress()]
  const wrong = { ...(await newKey(mine)), securityCode: makeSecurityCode() }
  await mine.requestToken(attemptOf(wrong, address))
  // Stored again in the other order: the key's series before the address's.
  const rows = 'FROM failures WHERE address = $1'
  await place.rows(
    `WITH gone AS (DELETE ${rows} RETURNING *) INSERT INTO failures SELECT * FROM gone ORDER BY key_hash DESC`,
    [address],
  )
  clock.advance(900_000)
  // With a key of its own, the address has a window that is not to be forgotten.
  assert.equal((await mine.requestToken(attemptOf(await newKey(mine), address))).is, 'granted')
  const other = await place.hold(`SELECT ${rows} AND key_hash = '' FOR UPDATE`, [address])
  const request = mine.requestToken(attemptOf(wrong, address))
  await place.waiting(1)
  mock.timers.enable({ apis: ['setInterval'] })
  try {
    const sweeper = place.open(clock, 1)
    mock.timers.tick(60_000)
    // A sweep that skips locked rows has nothing more to delete here.
    await Promise.race([place.waiting(2), sweptBy(sweeper)])
  } finally {
    mock.timers.reset()
  }
  await other.rollback()
  assert.equal((await request).is, 'refused')
  assert.deepEqual(await seriesOf(address), [
    [1, null],
    [1, null],
  ])
})

/** The one connection of a state does one thing after the other: it is free again once it has swept. */
async function sweptBy(sweeper: State): Promise<void> {
  for (let turn = 0; turn < 4; turn += 1) await sweeper.listKeys()
}
