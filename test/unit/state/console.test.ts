// Who may use the console, in both stores at once: its password, the link to set the first one, sessions, and the blocks.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { limits } from '../../../src/state/limits.ts'
import type { Password, SignIn } from '../../../src/state/state.ts'
import { openBoth } from '../../support/both-states.ts'
import { makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'

const begin = Date.UTC(2026, 9, 1, 12)
const random = () => new Uint8Array(randomBytes(32))
const password: Password = { salt: random(), hash: random() }
const attempt = (changes: Partial<SignIn> = {}): SignIn => ({
  address: '127.0.0.1',
  passwordHash: password.hash,
  sessionHash: random(),
  by: 'Marie',
  ...changes,
})

describe('the console', () => {
  let place: StatePlace
  let pair: Awaited<ReturnType<typeof openBoth>>
  before(async () => {
    place = await makeStatePlace()
  })
  after(() => place.remove())
  beforeEach(async () => {
    pair = await openBoth(place, begin)
  })
  afterEach(() => pair.close())

  test('without a password nobody signs in', async () => {
    assert.equal(await pair.both((state) => state.findSalt()), null)
    const tried = attempt()
    assert.equal((await pair.both((state) => state.signIn(tried))).is, 'refused')
    assert.equal(await pair.both((state) => state.findSession(tried.sessionHash)), null)
  })

  test('a session lasts while it is used, half a day at most', async () => {
    await pair.both((state) => state.setPassword(password, 'root, command line'))
    const salt = await pair.both(async (state) => Buffer.from((await state.findSalt()) ?? []).toString('hex'))
    assert.equal(salt, Buffer.from(password.salt).toString('hex'))
    const tried = attempt()
    assert.equal((await pair.both((state) => state.signIn(tried))).is, 'granted')
    const find = () => pair.both((state) => state.findSession(tried.sessionHash))
    assert.deepEqual(await find(), { by: 'Marie', startedAt: begin })
    for (let used = limits.sessionIdleMs - 1; used < limits.sessionMs; used += limits.sessionIdleMs - 1) {
      pair.clock.advance(limits.sessionIdleMs - 1)
      assert.deepEqual(await find(), { by: 'Marie', startedAt: begin })
    }
    pair.clock.advance(limits.sessionIdleMs - 1)
    assert.equal(await find(), null)
    const other = attempt()
    await pair.both((state) => state.signIn(other))
    pair.clock.advance(limits.sessionIdleMs)
    assert.equal(await pair.both((state) => state.findSession(other.sessionHash)), null)
  })

  test('a new password, signing out and signing everybody out end sessions', async () => {
    await pair.both((state) => state.setPassword(password))
    const [one, two, three] = [attempt(), attempt({ by: 'Jean' }), attempt({ by: 'Rose' })]
    for (const tried of [one, two, three]) await pair.both((state) => state.signIn(tried))
    await pair.both((state) => state.endSession(one.sessionHash))
    const open = () =>
      pair.both(async (state) =>
        Promise.all([one, two, three].map(async ({ sessionHash }) => (await state.findSession(sessionHash))?.by)),
      )
    assert.deepEqual(await open(), [undefined, 'Jean', 'Rose'])
    await pair.both((state) => state.endSessions('Jean'))
    assert.deepEqual(await open(), [undefined, undefined, undefined])
    await pair.both((state) => state.signIn(three))
    await pair.both((state) => state.setPassword({ salt: random(), hash: random() }, 'Rose'))
    assert.deepEqual(await open(), [undefined, undefined, undefined])
    const acts = await pair.both(async (state) =>
      (await state.listAudit({ limit: 10 })).map(({ act, by }) => `${act}: ${by}`),
    )
    assert.deepEqual(acts, [
      'password set: Rose',
      'signed in: Rose',
      'everybody signed out: Jean',
      'signed in: Rose',
      'signed in: Jean',
      'signed in: Marie',
      'password set: the service',
    ])
  })

  test('the link sets the first password, once, for a day', async () => {
    const [link, late] = [random(), random()]
    assert.equal(await pair.both((state) => state.offerLink(late)), true)
    pair.clock.advance(limits.linkMs)
    assert.equal(await pair.both((state) => state.useLink(late, password)), false)
    assert.equal(await pair.both((state) => state.offerLink(link)), true)
    assert.equal(await pair.both((state) => state.useLink(random(), password)), false)
    assert.equal(await pair.both((state) => state.useLink(link, password, 'Marie')), true)
    assert.equal(await pair.both((state) => state.useLink(link, password)), false)
    assert.equal(await pair.both((state) => state.offerLink(random())), false)
    assert.equal((await pair.both((state) => state.signIn(attempt()))).is, 'granted')
  })

  test('a link that came too late sets nothing over a password, and is gone', async () => {
    const link = random()
    await pair.both((state) => state.offerLink(link))
    // As when two instances start while somebody sets the password: the link is written after that.
    await pair.both((state) => state.setPassword(password))
    await place.rows(`INSERT INTO password_links VALUES ($1, ${begin * 2})`, [link])
    assert.equal(await pair.both((state) => state.useLink(link, { salt: random(), hash: random() })), false)
    assert.equal((await pair.both((state) => state.signIn(attempt()))).is, 'granted')
  })

  test('whoever knows the password changes it in one step: no session begins, and all of them end', async () => {
    await pair.both((state) => state.setPassword(password))
    const [here, next] = [attempt(), { salt: random(), hash: random() }]
    await pair.both((state) => state.signIn(here))
    const wrong = attempt({ passwordHash: random(), newPassword: next })
    assert.equal((await pair.both((state) => state.signIn(wrong))).is, 'refused')
    const right = attempt({ newPassword: next, by: 'Rose' })
    assert.equal((await pair.both((state) => state.signIn(right))).is, 'granted')
    for (const { sessionHash } of [here, right])
      assert.equal(await pair.both((state) => state.findSession(sessionHash)), null)
    assert.deepEqual(
      await pair.both(async (state) => (await state.listAudit({ limit: 2 })).map(({ act, by }) => [act, by])),
      [
        ['password set', 'Rose'],
        ['signed in', 'Marie'],
      ],
    )
    const [old, current] = [attempt(), attempt({ passwordHash: next.hash })]
    assert.equal((await pair.both((state) => state.signIn(old))).is, 'refused')
    assert.equal((await pair.both((state) => state.signIn(current))).is, 'granted')
  })

  test('five wrong passwords from an address block it, as wrong codes do, whatever the subscription', async () => {
    await pair.both((state) => state.setPassword(password))
    await pair.both((state) => state.setEnabled(false))
    for (let failures = 0; failures < limits.failuresOfKey; failures++)
      assert.equal(
        (await pair.both((state) => state.signIn(attempt({ passwordHash: new Uint8Array(32) })))).is,
        'refused',
      )
    const right = attempt()
    const outcome = await pair.both((state) => state.signIn(right))
    assert.equal(outcome.is, 'blocked')
    assert.equal('retryAfterSeconds' in outcome && outcome.retryAfterSeconds, limits.blockMs / 1000)
    const [block] = await pair.both((state) => state.listBlocks())
    assert.deepEqual([block?.address, block?.scope, block?.accessKey], ['127.0.0.1', 'key', 'console'])
    const acts = await pair.both(async (state) =>
      (await state.listAudit({ limit: 1 })).map(({ act, details }) => [act, details['client_id']]),
    )
    assert.deepEqual(acts, [['caller blocked', 'console']])
    // From elsewhere it goes on.
    const elsewhere = attempt({ address: '127.0.0.2' })
    assert.equal((await pair.both((state) => state.signIn(elsewhere))).is, 'granted')
    pair.clock.advance(limits.blockMs)
    const later = attempt()
    assert.equal((await pair.both((state) => state.signIn(later))).is, 'granted')
  })

  test('nobody can shut the console by calling the API, whatever he calls himself', async () => {
    await pair.both((state) => state.setPassword(password))
    for (let tries = 0; tries < limits.failuresOfKey; tries++) {
      const wrong = { address: '127.0.0.1', accessKey: 'console', codeHash: random(), isReadable: true, scope: null }
      const tokenHash = random()
      await pair.both((state) => state.requestToken({ ...wrong, tokenHash }))
    }
    const [block] = await pair.both((state) => state.listBlocks())
    assert.deepEqual([block?.address, block?.accessKey], ['127.0.0.1', null])
    const right = attempt()
    assert.equal((await pair.both((state) => state.signIn(right))).is, 'granted')
    // Nor is the API shut by the console.
    for (let tries = 0; tries < limits.failuresOfKey; tries++) {
      const wrong = attempt({ passwordHash: new Uint8Array(32), address: '127.0.0.3' })
      await pair.both((state) => state.signIn(wrong))
    }
    const blocked = await pair.both((state) => state.listBlocks())
    assert.deepEqual(
      blocked
        .map(({ address, accessKey }) => [address, accessKey])
        .toSorted((one, other) => (String(one) < String(other) ? -1 : 1)),
      [
        ['127.0.0.1', null],
        ['127.0.0.3', 'console'],
      ],
    )
    assert.equal(await pair.both((state) => state.clearBlocks('127.0.0.3')), 2)
    const again = attempt({ address: '127.0.0.3' })
    assert.equal((await pair.both((state) => state.signIn(again))).is, 'granted')
  })
})
