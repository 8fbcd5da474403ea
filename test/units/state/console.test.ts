// Access to the console, in both stores at once: where its times end, what happens at two instances at once, and which series of failures
// are read and written. (What a sign-in decides: sign-in-policy.test.ts. Accounts and roles as the console has them:
// test/pages/access.test.ts.)
import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, afterEach, before, beforeEach, describe, test } from 'node:test'
import { limits } from '../../../src/state/limits.ts'
import { nameBrowser } from '../../../src/state/sign-in-policy.ts'
import type { Password, Role, SignIn, SignInOrigin } from '../../../src/state/console-access.ts'
import type { State } from '../../../src/state/state.ts'
import { openBoth } from '../../support/both-states.ts'
import { makeStatePlace, type StatePlace } from '../../support/postgres-state.ts'

const begin = Date.UTC(2026, 9, 1, 12)
const random = () => new Uint8Array(randomBytes(32))
const password: Password = { salt: random(), hash: random() }
const from = (address: string, browser: string | null = null, account = 'Marie'): SignInOrigin => ({
  address,
  account,
  browser,
})
const here = from('127.0.0.1')
const attempt = (changes: Partial<SignIn> = {}): SignIn => ({
  passwordHash: password.hash,
  sessionHash: random(),
  ...changes,
})

const create = (state: State, name = 'Marie', role: Role = 'administrator') =>
  state.createAccount(name, role, password, 'root, command line')
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

  test('a session lasts while it is used, half a day at most', async () => {
    await pair.both((state) => create(state))
    const salt = await pair.both(async (state) => Buffer.from((await state.findSalt('MARIE')) ?? []).toString('hex'))
    assert.equal(salt, Buffer.from(password.salt).toString('hex'))
    const tried = attempt()
    assert.equal((await pair.both((state) => state.signIn(here, tried))).is, 'granted')
    const find = () => pair.both((state) => state.findSession(tried.sessionHash))
    const session = { account: 'Marie', by: 'Marie, console', role: 'administrator', startedAt: begin }
    assert.deepEqual(await find(), session)
    for (let used = limits.sessionIdleMs - 1; used < limits.sessionMs; used += limits.sessionIdleMs - 1) {
      pair.clock.advance(limits.sessionIdleMs - 1)
      assert.deepEqual(await find(), session)
    }
    pair.clock.advance(limits.sessionIdleMs - 1)
    assert.equal(await find(), null)
    const other = attempt()
    await pair.both((state) => state.signIn(here, other))
    pair.clock.advance(limits.sessionIdleMs)
    assert.equal(await pair.both((state) => state.findSession(other.sessionHash)), null)
  })

  test('names are one account whatever their case and composition, and are shown as they were given', async () => {
    await pair.both((state) => create(state, 'Ren\u00E9e'))
    assert.equal(await pair.both((state) => create(state, 'RENE\u0301E', 'viewer')), 'exists')
    assert.equal((await outcomeOf(from('127.0.0.1', null, 'rene\u0301e'))).is, 'granted')
    await pair.both((state) => create(state, 'Ada', 'viewer'))
    assert.deepEqual(await pair.both((state) => state.listAccounts()), [
      { name: 'Ada', role: 'viewer', createdAt: begin, lastSignInAt: null },
      { name: 'Ren\u00E9e', role: 'administrator', createdAt: begin, lastSignInAt: begin },
    ])
    // Whoever comes later under a name does not find its old sessions open.
    const old = attempt()
    assert.equal((await pair.both((state) => state.signIn(from('127.0.0.1', null, 'ADA'), old))).is, 'granted')
    await pair.both((state) => state.removeAccount('ada'))
    await pair.both((state) => create(state, 'Ada'))
    assert.equal(await pair.both((state) => state.findSession(old.sessionHash)), null)
  })

  test('the last administrator stays one, also when two are taken away at once', async () => {
    await pair.both((state) => create(state))
    await pair.both((state) => create(state, 'Jean', 'viewer'))
    const last = 'last administrator'
    assert.equal(await pair.both((state) => state.updateAccount('Marie', { role: 'viewer' })), last)
    assert.equal(await pair.both((state) => state.removeAccount('Marie')), last)
    // A new password for the last administrator is no other role.
    assert.notEqual(await pair.both((state) => state.updateAccount('Marie', { role: 'administrator', password })), last)
    await pair.both((state) => state.updateAccount('Jean', { role: 'administrator' }))
    const instances = [place.open(pair.clock, 4), place.open(pair.clock, 4)]
    const removed = await Promise.all(
      instances.map((state, at) =>
        at === 0 ? state.removeAccount('Marie') : state.updateAccount('Jean', { role: 'viewer' }),
      ),
    )
    assert.equal(removed.filter((each) => each === last).length, 1)
  })

  test('the link makes the first account, once, for a day', async () => {
    const [link, late] = [random(), random()]
    const use = (linkHash: Uint8Array) =>
      pair.both((state) => state.useLink(linkHash, 'Marie', password, 'the link of the first start'))
    assert.equal(await pair.both((state) => state.offerLink(late)), true)
    assert.equal(await pair.both((state) => state.isLinkOpen(late)), true)
    pair.clock.advance(limits.linkMs)
    assert.equal(await pair.both((state) => state.isLinkOpen(late)), false)
    assert.equal(await use(late), false)
    assert.equal(await pair.both((state) => state.offerLink(link)), true)
    assert.equal(await use(random()), false)
    assert.equal(await use(link), true)
    assert.equal(await use(link), false)
    assert.equal(await pair.both((state) => state.isLinkOpen(link)), false)
    assert.equal(await pair.both((state) => state.offerLink(random())), false)
    assert.equal((await pair.both((state) => state.signIn(here, attempt()))).is, 'granted')
    const [account] = await pair.both((state) => state.listAccounts())
    assert.deepEqual([account?.name, account?.role], ['Marie', 'administrator'])
  })

  test('a link that came too late makes no second account, and is gone', async () => {
    const link = random()
    await pair.both((state) => state.offerLink(link))
    // As when two instances start while an administrator makes the first account: the link is written after that.
    await pair.both((state) => create(state))
    await place.rows(`INSERT INTO password_links VALUES ($1, ${begin * 2})`, [link])
    assert.equal(await pair.both((state) => state.useLink(link, 'Jean', { salt: random(), hash: random() })), false)
    assert.equal((await pair.both((state) => state.listAccounts())).length, 1)
  })

  test('an unknown account is refused, counted and slowed down like a wrong password', async () => {
    await pair.both((state) => create(state))
    const browser = nameBrowser(password.hash)
    const known = from('10.0.0.1', null)
    const unknown = from('10.0.0.2', browser, 'Nobody')
    assert.deepEqual([await fail(known, 7), await fail(unknown, 7)], [4, 4])
    // The browser of another account is a stranger there.
    assert.ok((await pair.both((state) => state.signInWait({ ...unknown, address: '10.0.0.2', browser: null }))) > 0)
    const instances = [place.open(pair.clock, 8), place.open(pair.clock, 8)]
    const outcomes = await Promise.all(
      Array.from({ length: 20 }, () =>
        instances.map((state) => state.signIn(from('10.0.0.3', null, 'Nobody'), attempt({ passwordHash: random() }))),
      ).flat(),
    )
    assert.equal(outcomes.filter(({ is }) => is === 'refused').length, 5)
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

  test('wrong passwords are slowed down, never shut out, whatever the subscription; all strangers share a series', async () => {
    await pair.both((state) => create(state))
    await pair.both((state) => state.setEnabled(false))
    assert.equal(await fail(here, 5), 1)
    assert.deepEqual(await outcomeOf(here), { is: 'slowed', retryAfterSeconds: 1 })
    pair.clock.advance(1000)
    assert.deepEqual(await outcomeOf(here), { is: 'granted' })
    // A sign-in resets the count of its address; no address of these waits by itself.
    assert.equal(await fail(here, 4), 0)
    for (let address = 0; address < 4; address += 1) await fail(from(`10.0.0.${address}`), 3)
    const wait = (browser: string | null) => pair.both((state) => state.signInWait(from('10.9.9.9', browser)))
    assert.deepEqual([await wait(null), await wait(nameBrowser(password.hash))], [2, 0])
    const slowed = await pair.both(async (state) =>
      (await state.listAudit({ limit: 9, act: 'sign-in slowed down' })).map(({ subject, by }) => [subject, by]),
    )
    assert.deepEqual(slowed, [
      ['', 'the service'],
      ['127.0.0.1', 'the service'],
    ])
    assert.deepEqual(await pair.both((state) => state.listBlocks()), [])
  })

  test('a session that changes the password waits only for its own failures', async () => {
    await pair.both((state) => create(state))
    const { sessionHash } = attempt()
    const session: SignInOrigin = { address: '127.0.0.1', account: 'Marie', sessionHash }
    const change = (passwordHash: Uint8Array) =>
      pair.both((state) => state.changePassword(session, passwordHash, password))
    await fail(here, 30)
    for (let failures = 0; failures < 5; failures += 1) assert.equal((await change(random())).is, 'refused')
    assert.deepEqual(await change(password.hash), { is: 'slowed', retryAfterSeconds: 1 })
    pair.clock.advance(1000)
    assert.deepEqual(await change(password.hash), { is: 'granted' })
  })

  test('of many wrong passwords at once, at two instances, as many are looked at as one after the other', async () => {
    await pair.both((state) => create(state))
    const instances = [place.open(pair.clock, 8), place.open(pair.clock, 8)]
    const outcomes = await Promise.all(Array.from({ length: 20 }, () => instances.map(guess)).flat())
    assert.equal(outcomes.filter(({ is }) => is === 'slowed').length, 35)
  })

  test('failures at the API do not slow the console down, nor the other way round', async () => {
    await pair.both((state) => create(state))
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
