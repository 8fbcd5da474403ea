// Access to the console, in both stores at once: accounts and their roles, the link that makes the first one, sessions, and waits
// after wrong passwords.
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

  test('without an account every sign-in is refused', async () => {
    assert.deepEqual(await pair.both((state) => state.listAccounts()), [])
    assert.equal(await pair.both((state) => state.findSalt('Marie')), null)
    const tried = attempt()
    assert.equal((await pair.both((state) => state.signIn(here, tried))).is, 'refused')
    assert.equal(await pair.both((state) => state.findSession(tried.sessionHash)), null)
  })

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

  // Signs people in, and tells whose sessions are open.
  const signAllIn = async (names: readonly string[]) => {
    const attempts = names.map((name) => ({ name, ...attempt() }))
    for (const { name, ...tried } of attempts)
      assert.equal((await pair.both((state) => state.signIn(from('127.0.0.1', null, name), tried))).is, 'granted')
    return () =>
      pair.both(async (state) => {
        const found = await Promise.all(attempts.map(({ sessionHash }) => state.findSession(sessionHash)))
        return found.flatMap((session) => (session ? [`${session.account} ${session.role}`] : []))
      })
  }
  const acts = (limit: number) =>
    pair.both(async (state) =>
      (await state.listAudit({ limit })).map(({ act, subject, by }) => [act, subject, by].join(' · ')),
    )

  test('a new password, another role and a removal end the sessions of that account and no other', async () => {
    for (const name of ['Marie', 'Jean', 'Rose']) await pair.both((state) => create(state, name))
    const people = ['Jean', 'Marie', 'Rose']
    let open = await signAllIn(people)
    const other: Password = { salt: random(), hash: random() }
    await pair.both((state) => state.updateAccount('rose', { password: other }, 'Jean, console'))
    assert.deepEqual(await open(), ['Jean administrator', 'Marie administrator'])
    assert.equal((await outcomeOf(from('127.0.0.1', null, 'Rose'))).is, 'refused')
    await pair.both((state) => state.updateAccount('Marie', { role: 'viewer' }, 'Jean, console'))
    assert.deepEqual(await open(), ['Jean administrator'])
    open = await signAllIn(['Jean', 'Marie'])
    assert.deepEqual(await open(), ['Jean administrator', 'Marie viewer'])
    // The same role again: nothing changes, and nothing ends.
    await pair.both((state) => state.updateAccount('Marie', { role: 'viewer' }))
    assert.equal((await open()).length, 2)
    const removed = await pair.both((state) => state.removeAccount('MARIE', 'Jean, console'))
    assert.deepEqual(removed, { name: 'Marie', role: 'viewer', createdAt: begin, lastSignInAt: begin })
    assert.deepEqual(await open(), ['Jean administrator'])
    // Who comes later under that name does not find the old sessions open.
    await pair.both((state) => create(state, 'marie'))
    assert.deepEqual(await open(), ['Jean administrator'])
    await pair.both((state) => state.endSessions('Jean, console'))
    assert.deepEqual(await open(), [])
    assert.deepEqual(await acts(7), [
      'everybody signed out ·  · Jean, console',
      'account created · marie · root, command line',
      'account removed · Marie · Jean, console',
      'signed in ·  · Marie, console',
      'signed in ·  · Jean, console',
      'account changed · Marie · Jean, console',
      'password set · Rose · Jean, console',
    ])
    const [changed] = await pair.both(async (state) =>
      (await state.listAudit({ limit: 1, act: 'account changed' })).map(({ details }) => details),
    )
    assert.deepEqual(changed, { role: { from: 'administrator', to: 'viewer' } })
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
    assert.deepEqual(
      [
        await pair.both((state) => state.updateAccount('Nobody', { role: 'viewer' })),
        await pair.both((state) => state.removeAccount('Nobody')),
      ],
      [null, null],
    )
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
    assert.equal((await acts(2))[1], 'account created · Marie · the link of the first start')
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

  test('a change with the right password is one step: no session begins, and those of the account end', async () => {
    await pair.both((state) => create(state))
    await pair.both((state) => create(state, 'Jean', 'viewer'))
    const open = await signAllIn(['Marie', 'Jean'])
    const next = { salt: random(), hash: random() }
    const viewer = from('127.0.0.1', null, 'Jean')
    const wrong = random()
    assert.equal((await pair.both((state) => state.changePassword(viewer, wrong, next))).is, 'refused')
    assert.equal((await pair.both((state) => state.changePassword(viewer, password.hash, next))).is, 'granted')
    assert.deepEqual(await open(), ['Marie administrator'])
    assert.equal((await acts(1))[0], 'password set · Jean · Jean, console')
    const [old, current] = [attempt(), attempt({ passwordHash: next.hash })]
    assert.equal((await pair.both((state) => state.signIn(viewer, old))).is, 'refused')
    assert.equal((await pair.both((state) => state.signIn(viewer, current))).is, 'granted')
    assert.equal((await pair.both((state) => state.signIn(here, old))).is, 'granted')
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

  test('wrong passwords are slowed down, never shut out: the wait doubles up to a minute, whatever the subscription', async () => {
    await pair.both((state) => create(state))
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
    await pair.both((state) => create(state))
    assert.equal(await fail(here, 6), 2)
    pair.clock.advance(limits.seriesMs - 1)
    assert.equal(await fail(here, 1), 4)
    pair.clock.advance(limits.seriesMs)
    assert.equal(await fail(here, 4), 0)
  })

  test('after a clock is set back, no wait is longer than a minute', async () => {
    await pair.both((state) => create(state))
    await fail(here, 12)
    pair.clock.advance(-3_600_000)
    assert.equal(await pair.both((state) => state.signInWait(here)), 60)
    pair.clock.advance(60_000 + 3_600_000)
    assert.deepEqual(await outcomeOf(here), { is: 'granted' })
  })

  test('strangers share a series: many addresses guess no faster than two a minute, and one leaves room for the others', async () => {
    await pair.both((state) => create(state))
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
    await pair.both((state) => create(state))
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
    await pair.both((state) => state.updateAccount('Marie', { password: next }))
    assert.ok((await pair.both((state) => state.signInWait(from('127.0.0.1', known)))) > 0)
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

  test('the audit names each series once, and not every address of a flood', async () => {
    await pair.both((state) => create(state))
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
