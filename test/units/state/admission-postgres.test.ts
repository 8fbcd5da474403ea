// Admissions on PostgreSQL: requests that arrive together share one statement, and each is answered as if it were alone.
import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import { hashSecret, makeToken } from '../../../src/auth/secrets.ts'
import { createPool, type Pool } from '../../../src/platform/postgres/pool.ts'
import { sessionSetUp } from '../../../src/platform/postgres/session.ts'
import { admitTogether } from '../../../src/state/postgres/admission.ts'
import { runOn } from '../../../src/state/postgres/run.ts'
import type { Admission, State } from '../../../src/state/state.ts'
import { atOnce } from '../../support/grants.ts'
import { attemptOf, makeStatePlace, newKey, newToken, type StatePlace } from '../../support/postgres-state.ts'

let place: StatePlace
let state: State
before(async () => {
  place = await makeStatePlace()
  state = place.open()
})
afterEach(() => place.release())
after(async () => {
  await Promise.all(pools.map((pool) => pool.close()))
  await place.remove()
})

const pools: Pool[] = []
let addresses = 0
const newAddress = () => `10.0.${(addresses += 1) >> 8}.${addresses & 255}`
const remaining = ({ admitted }: Admission) => admitted?.window.remaining
const ascending = (numbers: readonly (number | undefined)[]) => numbers.map(Number).toSorted((one, two) => one - two)
const countDown = (from: number, count: number) => Array.from({ length: count }, (_, at) => from - at)

/** The admissions of an instance, and how many statements they have been. */
function openAdmissions() {
  const pool = createPool({
    url: place.url,
    size: 2,
    setUp: sessionSetUp(place.url, { timeoutMs: 30_000 }),
    waitMs: 30_000,
    workMs: 30_000,
  })
  pools.push(pool)
  let statements = 0
  const admit = admitTogether(
    () => null,
    (steps) => {
      statements += 1
      return runOn(pool, steps)
    },
  )
  return { admit, statements: () => statements }
}

test('requests that arrive together are one statement, and each is told its own count', async () => {
  const admissions = openAdmissions()
  const key = await newKey(state, { rate: 100 })
  const [one, two] = [attemptOf(key, newAddress()), attemptOf(key, newAddress())]
  for (const attempt of [one, two]) assert.equal((await state.requestToken(attempt)).is, 'granted')
  const other = await newToken(state, newAddress(), { rate: 5, name: 'Other' })
  const asked = [one.tokenHash, other, two.tokenHash, one.tokenHash]
  const answers = await atOnce(40, (at) => admissions.admit(asked[at % 4] as Uint8Array, '192.0.2.7'))
  assert.equal(admissions.statements(), 1)
  const ofKey = answers.filter((_, at) => at % 4 !== 1)
  assert.deepEqual(ascending(ofKey.map(remaining)), countDown(99, 30).toReversed())
  // Requests with the same token are counted in the order in which they arrived.
  const ofOther = answers.filter((_, at) => at % 4 === 1)
  assert.deepEqual(ofOther.map(remaining), [4, 3, 2, 1, 0, 0, 0, 0, 0, 0])
  assert.deepEqual(
    ofOther.map(({ admitted }) => admitted?.window.isExceeded),
    Array.from({ length: 10 }, (_, at) => at >= 5),
  )
  assert.ok(ofKey.every(({ admitted }) => admitted?.caller.accessKey === key.accessKey))
  assert.ok(ofOther.every(({ admitted }) => admitted?.caller.name === 'Other'))
  assert.equal(remaining(await admissions.admit(one.tokenHash, null)), 69)
})

test('requests that arrive while a statement is under way share the next one', async () => {
  const admissions = openAdmissions()
  const [held, free] = [await newToken(state, newAddress()), await newToken(state, newAddress())]
  await state.admit(held)
  const holder = await place.hold('SELECT FROM windows FOR UPDATE')
  const first = admissions.admit(held, null)
  await place.waiting(1)
  const later = atOnce(20, (at) => admissions.admit(at % 2 === 0 ? held : free, null))
  await new Promise(setImmediate)
  assert.equal(admissions.statements(), 1)
  await holder.commit()
  assert.equal(remaining(await first), 58)
  const answers = await later
  assert.equal(admissions.statements(), 2)
  assert.deepEqual(answers.filter((_, at) => at % 2 === 0).map(remaining), countDown(57, 10))
  assert.deepEqual(answers.filter((_, at) => at % 2 === 1).map(remaining), countDown(59, 10))
})

test('windows are counted in one order, whatever the order of the requests', async () => {
  const admissions = openAdmissions()
  const keys = await atOnce(30, async () => {
    const key = await newKey(state)
    const attempt = attemptOf(key, newAddress())
    assert.equal((await state.requestToken(attempt)).is, 'granted')
    await state.admit(attempt.tokenHash)
    return { name: `key ${key.accessKey}`, token: attempt.tokenHash }
  })
  const ordered = keys.toSorted((one, other) => (one.name < other.name ? -1 : 1))
  for (const asked of [ordered, ordered.toReversed()]) {
    const holder = await place.hold('SELECT FROM windows WHERE name = $1 FOR UPDATE', [ordered[0]?.name])
    const answers = Promise.all(asked.map(({ token }) => admissions.admit(token, null)))
    await place.waiting(1)
    // It waits for the first one, and holds none of the others.
    const free = await place.rows('SELECT name FROM windows WHERE name = ANY ($1) FOR UPDATE SKIP LOCKED', [
      keys.map(({ name }) => name),
    ])
    assert.equal(free.length, 29)
    await holder.commit()
    assert.ok((await answers).every(({ admitted }) => admitted))
  }
})

test('several instances whose requests name the same keys in other orders do not deadlock, and lose no count', async () => {
  const instances = [openAdmissions(), openAdmissions(), openAdmissions()]
  const tokens = await atOnce(30, () => newToken(state, newAddress(), { rate: 1000 }))
  const rounds = 20
  await Promise.all(
    instances.map(async ({ admit }, at) => {
      const order = at % 2 === 0 ? tokens : tokens.toReversed()
      for (let round = 0; round < rounds; round += 1) {
        const answers = await Promise.all(order.map((token) => admit(token, null)))
        assert.ok(answers.every(({ admitted }) => admitted))
      }
    }),
  )
  const counted = rounds * instances.length
  for (const token of tokens) assert.equal(remaining(await state.admit(token)), 1000 - counted - 1)
})

test('a request that is wrong refuses itself and not its neighbours', async () => {
  const admissions = openAdmissions()
  const good = await newToken(state, newAddress())
  const [limited, revoked] = [await newKey(state), await newKey(state)]
  const [ofLimited, ofRevoked] = [attemptOf(limited, newAddress()), attemptOf(revoked, newAddress())]
  for (const attempt of [ofLimited, ofRevoked]) assert.equal((await state.requestToken(attempt)).is, 'granted')
  await state.updateKey(limited.accessKey, { addresses: ['192.0.2.0/24'] })
  await state.revokeKey(revoked.accessKey)
  const asked: readonly (readonly [token: Uint8Array, address: string | null, left: number | undefined])[] = [
    [good, 'no address', 59],
    [ofLimited.tokenHash, 'no address', undefined],
    [ofLimited.tokenHash, null, undefined],
    [ofLimited.tokenHash, '198.51.100.7', undefined],
    [ofLimited.tokenHash, '192.0.2.7', 59],
    [ofRevoked.tokenHash, '192.0.2.7', undefined],
    [hashSecret(makeToken()), '192.0.2.7', undefined],
    [ofLimited.tokenHash, '192.0.2.8', 58],
    [good, 'no address', 58],
  ]
  const answers = await Promise.all(asked.map(([token, address]) => admissions.admit(token, address)))
  assert.equal(admissions.statements(), 1)
  assert.ok(answers.every(({ isEnabled }) => isEnabled))
  // Those of one key are counted once each, whichever was first.
  const expected = asked.map(([, , left]) => left)
  const sets = [answers.map(remaining), expected].map((each) => [each[0], each[8], ...ascending([each[4], each[7]])])
  assert.deepEqual(sets[0], sets[1])
  for (const at of [1, 2, 3, 5, 6]) assert.equal(answers[at]?.admitted, null)
})

const damages = [
  { name: 'addresses that are no list', set: `addresses = 'none'` },
  { name: 'addresses that are no addresses', set: `addresses = '["none"]'` },
  { name: 'stores that are no list', set: `stores = 'none'` },
]

for (const { name, set } of damages)
  test(`a damaged key refuses itself and not its neighbours: ${name}`, async () => {
    const admissions = openAdmissions()
    const good = await newToken(state, newAddress())
    const key = await newKey(state)
    const attempt = attemptOf(key, newAddress())
    assert.equal((await state.requestToken(attempt)).is, 'granted')
    await place.rows(`UPDATE keys SET ${set} WHERE access_key = $1`, [key.accessKey])
    const [first, damaged, second] = await Promise.allSettled([
      admissions.admit(good, '192.0.2.7'),
      admissions.admit(attempt.tokenHash, '192.0.2.7'),
      admissions.admit(good, '192.0.2.7'),
    ])
    assert.equal(damaged.status, 'rejected')
    const left = [first, second].map((each) => each.status === 'fulfilled' && remaining(each.value))
    assert.deepEqual(left, [59, 58])
    assert.equal(remaining(await admissions.admit(good, null)), 57)
  })

test('a failure of the server refuses all that share the statement, and the next one works', async () => {
  const admissions = openAdmissions()
  const token = await newToken(state, newAddress())
  await place.rows('ALTER TABLE windows RENAME TO other_windows')
  const answers = await Promise.allSettled([admissions.admit(token, null), admissions.admit(token, '192.0.2.7')])
  await place.rows('ALTER TABLE other_windows RENAME TO windows')
  assert.deepEqual(
    answers.map(({ status }) => status),
    ['rejected', 'rejected'],
  )
  assert.equal(remaining(await admissions.admit(token, null)), 59)
})
