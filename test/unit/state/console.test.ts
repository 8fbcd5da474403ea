// Access to the console, in both stores at once: password, the link that sets the first one, sessions, and waits after wrong
// passwords.
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { limits } from '../../../src/state/limits.ts'
import { nameBrowser } from '../../../src/state/sign-in-policy.ts'
import type { Password, SignIn, State, SignInOrigin } from '../../../src/state/state.ts'
import { openBoth } from '../../support/both-states.ts'
import { makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'

const begin = Date.UTC(2026, 9, 1, 12)
const random = () => new Uint8Array(randomBytes(32))
const password: Password = { salt: random(), hash: random() }
const from = (address: string, browser: string | null = null): SignInOrigin => ({ address, browser })
const here = from('127.0.0.1')
const attempt = (changes: Partial<SignIn> = {}): SignIn => ({
  passwordHash: password.hash,
  sessionHash: random(),
  by: 'Marie',
  ...changes,
})

const guess = (state: State) => state.signIn(here, attempt({ passwordHash: random() }))

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

  test('without a password every sign-in is refused', async () => {
    assert.equal(await pair.both((state) => state.findSalt()), null)
    const tried = attempt()
    assert.equal((await pair.both((state) => state.signIn(here, tried))).is, 'refused')
    assert.equal(await pair.both((state) => state.findSession(tried.sessionHash)), null)
  })

  test('a session lasts while it is used, half a day at most', async () => {
    await pair.both((state) => state.setPassword(password, 'root, command line'))
    const salt = await pair.both(async (state) => Buffer.from((await state.findSalt()) ?? []).toString('hex'))
    assert.equal(salt, Buffer.from(password.salt).toString('hex'))
    const tried = attempt()
    assert.equal((await pair.both((state) => state.signIn(here, tried))).is, 'granted')
    const find = () => pair.both((state) => state.findSession(tried.sessionHash))
    assert.deepEqual(await find(), { by: 'Marie', startedAt: begin })
    for (let used = limits.sessionIdleMs - 1; used < limits.sessionMs; used += limits.sessionIdleMs - 1) {
      pair.clock.advance(limits.sessionIdleMs - 1)
      assert.deepEqual(await find(), { by: 'Marie', startedAt: begin })
    }
    pair.clock.advance(limits.sessionIdleMs - 1)
    assert.equal(await find(), null)
    const other = attempt()
    await pair.both((state) => state.signIn(here, other))
    pair.clock.advance(limits.sessionIdleMs)
    assert.equal(await pair.both((state) => state.findSession(other.sessionHash)), null)
  })

  test('a new password, a sign-out and a sign-out of all end sessions', async () => {
    await pair.both((state) => state.setPassword(password))
    const [one, two, three] = [attempt(), attempt({ by: 'Jean' }), attempt({ by: 'Rose' })]
    for (const tried of [one, two, three]) await pair.both((state) => state.signIn(here, tried))
    await pair.both((state) => state.endSession(one.sessionHash))
    const open = () =>
      pair.both(async (state) =>
        Promise.all([one, two, three].map(async ({ sessionHash }) => (await state.findSession(sessionHash))?.by)),
      )
    assert.deepEqual(await open(), [undefined, 'Jean', 'Rose'])
    await pair.both((state) => state.endSessions('Jean'))
    assert.deepEqual(await open(), [undefined, undefined, undefined])
    await pair.both((state) => state.signIn(here, three))
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
    assert.equal(await pair.both((state) => state.isLinkOpen(late)), true)
    pair.clock.advance(limits.linkMs)
    assert.equal(await pair.both((state) => state.isLinkOpen(late)), false)
    assert.equal(await pair.both((state) => state.useLink(late, password)), false)
    assert.equal(await pair.both((state) => state.offerLink(link)), true)
    assert.equal(await pair.both((state) => state.useLink(random(), password)), false)
    assert.equal(await pair.both((state) => state.useLink(link, password, 'Marie')), true)
    assert.equal(await pair.both((state) => state.useLink(link, password)), false)
    assert.equal(await pair.both((state) => state.isLinkOpen(link)), false)
    assert.equal(await pair.both((state) => state.offerLink(random())), false)
    assert.equal((await pair.both((state) => state.signIn(here, attempt()))).is, 'granted')
  })

  test('a link that came too late sets nothing over a password, and is gone', async () => {
    const link = random()
    await pair.both((state) => state.offerLink(link))
    // As when two instances start while an administrator sets the password: the link is written after that.
    await pair.both((state) => state.setPassword(password))
    await place.rows(`INSERT INTO password_links VALUES ($1, ${begin * 2})`, [link])
    assert.equal(await pair.both((state) => state.useLink(link, { salt: random(), hash: random() })), false)
    assert.equal((await pair.both((state) => state.signIn(here, attempt()))).is, 'granted')
  })

  test('a change with the right password is one step: no session begins, and all end', async () => {
    await pair.both((state) => state.setPassword(password))
    const [open, next] = [attempt(), { salt: random(), hash: random() }]
    await pair.both((state) => state.signIn(here, open))
    const wrong = attempt({ passwordHash: random() })
    assert.equal((await pair.both((state) => state.changePassword(here, wrong, next))).is, 'refused')
    const right = attempt({ by: 'Rose' })
    assert.equal((await pair.both((state) => state.changePassword(here, right, next))).is, 'granted')
    for (const { sessionHash } of [open, right])
      assert.equal(await pair.both((state) => state.findSession(sessionHash)), null)
    assert.deepEqual(
      await pair.both(async (state) => (await state.listAudit({ limit: 2 })).map(({ act, by }) => [act, by])),
      [
        ['password set', 'Rose'],
        ['signed in', 'Marie'],
      ],
    )
    const [old, current] = [attempt(), attempt({ passwordHash: next.hash })]
    assert.equal((await pair.both((state) => state.signIn(here, old))).is, 'refused')
    assert.equal((await pair.both((state) => state.signIn(here, current))).is, 'granted')
  })

  // Tries wrong passwords, each as soon as it would be checked, and returns the wait before the next one.
  const fail = async (origin: SignInOrigin, times: number): Promise<number> => {
    let seconds = 0
    for (let failures = 0; failures < times; failures += 1) {
      pair.clock.advance(seconds * 1000)
      const wrong = attempt({ passwordHash: random() })
      assert.equal((await pair.both((state) => state.signIn(origin, wrong))).is, 'refused')
      seconds = await pair.both((state) => state.signInWait(origin))
    }
    return seconds
  }
  const outcomeOf = (origin: SignInOrigin) => {
    const right = attempt()
    return pair.both((state) => state.signIn(origin, right))
  }

  test('wrong passwords are slowed down, never shut out: the wait doubles up to a minute, whatever the subscription', async () => {
    await pair.both((state) => state.setPassword(password))
    await pair.both((state) => state.setEnabled(false))
    assert.equal(await fail(here, 4), 0)
    const waits: number[] = []
    for (let failures = 5; failures <= 12; failures += 1) {
      waits.push(await fail(here, 1))
      pair.clock.advance((waits.at(-1) ?? 0) * 1000)
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 32, 60, 60])
    assert.equal(await fail(here, 1), 60)
    // A password that is sent during the wait is not checked, and does not prolong the wait.
    pair.clock.advance(59_000)
    assert.deepEqual(await outcomeOf(here), { is: 'slowed', retryAfterSeconds: 1 })
    pair.clock.advance(1000)
    assert.deepEqual(await outcomeOf(here), { is: 'granted' })
    // A sign-in resets the count.
    assert.equal(await fail(here, 4), 0)
    assert.deepEqual(await pair.both((state) => state.listBlocks()), [])
  })

  test('a series is forgotten a quarter of an hour after its last failure', async () => {
    await pair.both((state) => state.setPassword(password))
    assert.equal(await fail(here, 6), 2)
    pair.clock.advance(limits.seriesMs - 1)
    assert.equal(await fail(here, 1), 4)
    pair.clock.advance(limits.seriesMs)
    assert.equal(await fail(here, 4), 0)
  })

  test('after a clock is set back, no wait is longer than a minute', async () => {
    await pair.both((state) => state.setPassword(password))
    await fail(here, 12)
    pair.clock.advance(-3_600_000)
    assert.equal(await pair.both((state) => state.signInWait(here)), 60)
    pair.clock.advance(60_000 + 3_600_000)
    assert.deepEqual(await outcomeOf(here), { is: 'granted' })
  })

  test('strangers share a series: many addresses guess no faster than two a minute, and one leaves room for the others', async () => {
    await pair.both((state) => state.setPassword(password))
    // No address of these waits by itself.
    for (let address = 0; address < 5; address += 1) await fail(from(`10.0.0.${address}`), 4)
    const waits: number[] = []
    for (let address = 5; address < 11; address += 1) {
      waits.push(await pair.both((state) => state.signInWait(from(`10.0.0.${address}`))))
      pair.clock.advance((waits.at(-1) ?? 0) * 1000)
      await fail(from(`10.0.0.${address}`), 1)
    }
    assert.deepEqual(waits, [1, 2, 4, 8, 16, 30])
    assert.equal(await pair.both((state) => state.signInWait(from('10.9.9.9'))), 30)
    pair.clock.advance(30_000)
    assert.deepEqual(await outcomeOf(from('10.9.9.9')), { is: 'granted' })
    // A single guesser waits twice as long as all others.
    await fail(here, 12)
    pair.clock.advance(30_000)
    assert.equal(await pair.both((state) => state.signInWait(here)), 30)
    assert.deepEqual(await outcomeOf(from('10.9.9.9')), { is: 'granted' })
  })

  test('a browser that has signed in before waits only for its own failures', async () => {
    await pair.both((state) => state.setPassword(password))
    const [known, other] = [nameBrowser(password.hash), nameBrowser(password.hash)]
    await fail(here, 30)
    assert.deepEqual(await outcomeOf(from('127.0.0.1', known)), { is: 'granted' })
    assert.equal(await fail(from('127.0.0.1', known), 6), 2)
    assert.equal(await pair.both((state) => state.signInWait(from('10.0.0.1', known))), 2)
    assert.equal(await pair.both((state) => state.signInWait(from('127.0.0.1', other))), 0)
    // A name that is made up, or signed with another or an older password, is a stranger's.
    const [name = '', signature = ''] = known.split('.')
    const next = { salt: random(), hash: random() }
    for (const made of [nameBrowser(next.hash), `${name}.${'A'.repeat(43)}`, `${'A'.repeat(22)}.${signature}`, 'x', ''])
      assert.ok((await pair.both((state) => state.signInWait(from('127.0.0.1', made)))) > 0)
    await pair.both((state) => state.setPassword(next))
    assert.ok((await pair.both((state) => state.signInWait(from('127.0.0.1', known)))) > 0)
  })

  test('a session that changes the password waits only for its own failures', async () => {
    await pair.both((state) => state.setPassword(password))
    const { sessionHash } = attempt()
    const session: SignInOrigin = { address: '127.0.0.1', sessionHash }
    const change = (passwordHash: Uint8Array) =>
      pair.both((state) => state.changePassword(session, { passwordHash, by: 'Marie' }, password))
    await fail(here, 30)
    for (let failures = 0; failures < 5; failures += 1) assert.equal((await change(random())).is, 'refused')
    assert.deepEqual(await change(password.hash), { is: 'slowed', retryAfterSeconds: 1 })
    pair.clock.advance(1000)
    assert.deepEqual(await change(password.hash), { is: 'granted' })
  })

  test('the audit names each series once, and not every address of a flood', async () => {
    await pair.both((state) => state.setPassword(password))
    const slowed = () =>
      pair.both(async (state) =>
        (await state.listAudit({ limit: 100, act: 'sign-in slowed down' })).map(({ subject, details, by }) => [
          subject,
          details['failures'],
          by,
        ]),
      )
    await fail(here, 9)
    assert.deepEqual(await slowed(), [['127.0.0.1', 5, 'the service']])
    for (let address = 0; address < 10; address += 1) {
      pair.clock.advance(30_000)
      await fail(from(`10.0.0.${address}`), 6)
    }
    assert.deepEqual(await slowed(), [
      ['', 20, 'the service'],
      ['10.0.0.0', 5, 'the service'],
      ['127.0.0.1', 5, 'the service'],
    ])
  })

  test('of many wrong passwords at once, at two instances, as many are looked at as one after the other', async () => {
    await pair.both((state) => state.setPassword(password))
    const instances = [place.open(pair.clock, 8), place.open(pair.clock, 8)]
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => instances.map(guess)).flat())
    assert.equal(outcomes.filter(({ is }) => is === 'slowed').length, 35)
  })

  test('failures at the API do not slow the console down, nor the other way round', async () => {
    await pair.both((state) => state.setPassword(password))
    for (let tries = 0; tries < limits.failuresOfKey; tries++) {
      const wrong = { address: '127.0.0.1', accessKey: 'console', codeHash: random(), isReadable: true, scope: null }
      const tokenHash = random()
      await pair.both((state) => state.requestToken({ ...wrong, tokenHash }))
    }
    const blocked = () => pair.both(async (state) => (await state.listBlocks()).map(({ address }) => address))
    assert.deepEqual(await blocked(), ['127.0.0.1'])
    assert.deepEqual(await outcomeOf(here), { is: 'granted' })
    assert.equal(await fail(from('127.0.0.3'), 6), 2)
    assert.deepEqual(await blocked(), ['127.0.0.1'])
    assert.equal(await pair.both((state) => state.clearBlocks('127.0.0.3')), 1)
    assert.deepEqual(await outcomeOf(from('127.0.0.3')), { is: 'granted' })
  })
})
