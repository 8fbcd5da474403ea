// Access to the console's routes: who gets in, accounts and their roles, passwords, and sign-out.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { createConsole } from '../../src/web/console/app.ts'
import { derivePassword, PasswordQueueFull } from '../../src/web/console/password.ts'
import { hashSecret } from '../../src/auth/secrets.ts'
import {
  askOver,
  credentialOf,
  moment,
  openConsoleRoutes,
  optionsOf,
  secret,
  type ConsoleRoutes,
  type Told,
} from '../support/console-routes.ts'
import { createWorld } from '../support/world.ts'

interface Coded {
  readonly code: string
}

const codesOf = ({ status, body }: Told) => [
  status,
  body.error.code,
  ...body.error.faults.map(({ code }: Coded) => code),
]

const refusalOf = ({ status, headers, body }: Told) => [status, headers['Retry-After'], body.error.code]

const outcomeOf = (address: string) =>
  derivePassword('some password', null, address).then(
    () => 'derived',
    (error: unknown) => (error instanceof PasswordQueueFull ? 'refused' : 'failed'),
  )

describe('access to the console', () => {
  let on: ConsoleRoutes
  before(async () => {
    on = await openConsoleRoutes()
  })
  after(() => on.close())
  beforeEach(() => on.enter())
  const ask: ConsoleRoutes['ask'] = (...asked) => on.ask(...asked)
  const signIn: ConsoleRoutes['signIn'] = (...asked) => on.signIn(...asked)

  test('nobody gets in without a session, and nothing is told', async () => {
    for (const path of [
      '/api/keys',
      '/api/usage',
      '/api/usage.csv',
      '/api/audit.csv',
      '/api/accounts',
      '/api/audit',
      '/api/blocks',
      '/api/health',
      '/api/volume',
      '/api/choices',
      '/api/company',
    ])
      for (const own of ['', 'svc_at_wrong', 'svc_at_wrong wrong']) {
        const { status, body } = await ask(path, { credential: own })
        assert.deepEqual([status, body.error.code, Object.keys(body)], [401, 'signed_out', ['error']])
      }
    assert.deepEqual((await ask('/api/session', { credential: '' })).body, {
      signed_in: false,
      account: null,
      role: null,
      has_password: true,
    })
    const { words, ...session } = (await ask('/api/session')).body
    assert.deepEqual(Object.keys(words), ['permissions', 'resources', 'presets'])
    assert.deepEqual(session, {
      signed_in: true,
      account: 'Marie',
      role: 'administrator',
      has_password: true,
      enabled: true,
      api: { port: 8443, base_path: '/api/v1', authority: null, public_url: null },
    })
  })

  test('wrong passwords make their address wait; a known browser and a session go on, and the right one then gets in', async () => {
    const browser = String((await signIn()).body.browser)
    for (let tries = 0; tries < 5; tries++)
      assert.equal((await signIn('wrong password', { address: '10.1.1.1' })).status, 401)
    const { status, headers, body } = await signIn(secret, { address: '10.1.1.1' })
    assert.match(
      on.logged.at(-1) ?? '',
      /"event":"console_sign_in_refused","address":"10.1.1.1","path":"\/api\/session","status":429/,
    )
    assert.deepEqual([status, headers['Retry-After'], body.error.code], [429, '1', 'password.too_many_attempts'])
    assert.equal((await signIn()).status, 200)
    const known = { password: secret, name: 'Marie', browser }
    assert.equal((await signIn(secret, { address: '10.1.1.1', body: known })).status, 200)
    assert.equal((await ask('/api/keys', { address: '10.1.1.1' })).status, 200)
    const change = { current: secret, password: secret }
    assert.equal((await ask('/api/password', { method: 'POST', body: change, address: '10.1.1.1' })).status, 200)
    on.world.clock.advance(1000)
    assert.equal((await signIn(secret, { address: '10.1.1.1' })).status, 200)
    assert.equal(
      (await ask('/api/session', { method: 'POST', body: { password: '' }, credential: '' })).body.error.faults.length,
      2,
    )
  })

  test('passwords are derived one at a time, for a short line of callers, two of an address; who comes then is refused', async () => {
    const addresses = ['a', 'a', 'a', ...Array.from({ length: 15 }, (_, at) => `b${at}`)]
    const finished: number[] = []
    const outcomes = await Promise.all(
      addresses.map(async (address, at) => {
        const outcome = await outcomeOf(address)
        finished.push(at)
        return outcome
      }),
    )
    assert.deepEqual(
      outcomes.flatMap((outcome, at) => (outcome === 'derived' ? [] : [at])),
      [2, 17],
    )
    // In order of arrival; refusals come at once.
    assert.deepEqual(finished, [2, 17, 0, 1, ...Array.from({ length: 14 }, (_, at) => at + 3)])
    assert.equal(await outcomeOf('a'), 'derived')
  })

  test('nothing is derived for somebody who has to wait, nor for a link that is not open', async () => {
    const address = '10.4.4.4'
    for (let tries = 0; tries < 5; tries++) await signIn('wrong password', { address })
    const change = { current: 'wrong password', password: 'another good one' }
    for (let tries = 0; tries < 5; tries++) await ask('/api/password', { method: 'POST', body: change })
    // While the queue is full, a sign-in that needs a hash is refused.
    const line = Array.from({ length: 16 }, (_, at) => outcomeOf(`line ${at}`))
    assert.deepEqual(refusalOf(await signIn(secret, { address: '10.5.5.5' })), [429, '2', 'rate_limited'])
    // So is one for an account that does not exist: it costs the same hash, so that the time does not tell.
    const unknown = { name: 'Nobody', password: secret }
    const unknownRefused = await signIn(secret, { address: '10.5.5.5', body: unknown })
    assert.deepEqual(refusalOf(unknownRefused), [429, '2', 'rate_limited'])
    const waits = [signIn(secret, { address }), ask('/api/password', { method: 'POST', body: change })]
    assert.deepEqual(
      (await Promise.all(waits)).map(({ status, body }) => [status, body.error.code]),
      [
        [429, 'password.too_many_attempts'],
        [429, 'password.too_many_attempts'],
      ],
    )
    const link = { link: 'svc_at_wrong', name: 'Eve', password: 'a third good one' }
    assert.equal((await ask('/api/password', { method: 'POST', body: link, credential: '' })).status, 403)
    assert.deepEqual(new Set(await Promise.all(line)), new Set(['derived']))
  })

  test('a page of another site can change nothing', async () => {
    for (const [method, path] of [
      ['POST', '/api/keys'],
      ['PUT', '/api/company'],
      ['DELETE', '/api/sessions'],
      ['POST', '/api/session'],
    ] as const)
      for (const page of [
        { origin: 'https://evil.example' },
        { origin: 'http://localhost' },
        { origin: 'null' },
        { 'sec-fetch-site': 'cross-site' },
        { 'sec-fetch-site': 'same-site' },
      ])
        assert.equal((await ask(path, { method, body: { enabled: false }, page })).status, 403)
    assert.equal(await on.world.state.isEnabled(), true)
  })

  test('what the page asks by itself keeps no session alive', async () => {
    const half = 29 * 60_000
    on.world.clock.advance(half)
    assert.equal((await ask('/api/health?unasked')).status, 200)
    on.world.clock.advance(2 * 60_000)
    assert.equal((await ask('/api/health')).status, 401)
    await on.enter()
    on.world.clock.advance(half)
    assert.equal((await ask('/api/health')).status, 200)
    on.world.clock.advance(half)
    assert.equal((await ask('/api/health')).status, 200)
  })

  test('names of which nothing is seen, and those that turn the direction of writing are refused, here and for keys', async () => {
    for (const name of ['Shop \u202Egpj', '\u200B', '\u2066x']) {
      const body = { password: secret, name }
      const refused = await ask('/api/session', { method: 'POST', body, credential: '', address: '10.3.3.3' })
      assert.deepEqual([refused.status, refused.body.error.faults[0].code], [400, 'name.person_missing'])
      const made = await ask('/api/keys', { method: 'POST', body: { name, permissions: 'all' } })
      assert.deepEqual([made.status, made.body.error.faults[0].code], [400, 'name.invalid'])
    }
  })

  test('the password is changed by whoever knows it, which ends the sessions of the account; the link makes the first account', async () => {
    const change = (body: Record<string, string>, own?: string) =>
      ask('/api/password', { method: 'POST', body, ...(own === undefined ? {} : { credential: own }) })
    assert.equal((await change({ current: secret, password: 'short' })).status, 400)
    assert.equal((await change({ current: 'wrong password', password: 'another good one' })).status, 403)
    assert.equal((await change({ current: secret, password: 'another good one' }, '')).status, 401)
    const done = await change({ current: secret, password: 'another good one' })
    assert.deepEqual([done.status, done.cookie], [200, null])
    assert.equal((await ask('/api/keys')).status, 401)
    const [last] = await on.world.state.listAudit({ limit: 1 })
    assert.deepEqual([last?.act, last?.subject, last?.by], ['password set', 'Marie', 'Marie, console'])
    assert.equal((await signIn('another good one')).status, 200)
    const known = { address: '10.0.0.1', account: 'Marie', browser: String(done.body.browser) }
    for (let tries = 0; tries < 5; tries++) await signIn('wrong password', { address: '10.0.0.1' })
    assert.deepEqual(
      [await on.world.state.signInWait({ ...known, browser: null }), await on.world.state.signInWait(known)],
      [1, 0],
    )
    assert.equal((await change({ link: 'svc_at_wrong', name: 'Eve', password: 'a third good one' }, '')).status, 403)
    const empty = await createWorld()
    try {
      const own = askOver(createConsole(optionsOf(empty)))
      await empty.state.offerLink(hashSecret('the link'))
      const use = async (body: Record<string, string>) => {
        const answer = await own('/api/password', { method: 'POST', body: { link: 'the link', ...body } })
        return [answer.status, answer.body.error?.faults[0].code]
      }
      assert.deepEqual(await use({ password: 'the first password' }), [400, 'name.account_invalid'])
      assert.deepEqual(await use({ name: ' Ada ', password: 'the first password' }), [200, undefined])
      assert.deepEqual(await use({ name: 'Eve', password: 'the second password' }), [403, 'link_used'])
      assert.deepEqual(
        (await empty.state.listAccounts()).map(({ name, role }) => [name, role]),
        [['Ada', 'administrator']],
      )
    } finally {
      await empty.close()
    }
  })

  const signJeanIn = (typed: string) => signIn(typed, { body: { name: 'jean / ROSE', password: typed } })

  test('accounts are made, changed and removed; the last administrator stays', async () => {
    const make = (body: Record<string, unknown>) => ask('/api/accounts', { method: 'POST', body })
    const change = (name: string, body: Record<string, unknown>) =>
      ask(`/api/accounts/${encodeURIComponent(name)}`, { method: 'PATCH', body })
    const remove = (name: string) => ask(`/api/accounts/${encodeURIComponent(name)}`, { method: 'DELETE' })
    for (const name of ['', '  ', 'x'.repeat(61), '\u202Ex', '..', 7])
      assert.deepEqual(codesOf(await make({ name, role: 'boss', password: 'short' })), [
        400,
        'invalid_request',
        'name.account_invalid',
        'role.invalid',
        'password.short',
      ])
    const made = await make({ name: ' Jean / Rose ', role: 'viewer', password: 'a good password' })
    const jean = {
      name: 'Jean / Rose',
      role: 'viewer',
      created_at: moment(on.world.clock.now()),
      last_sign_in_at: null,
    }
    assert.deepEqual([made.status, made.body], [201, { ...jean, is_self: false }])
    const again = await make({ name: 'JEAN / rose', role: 'viewer', password: 'a good password' })
    assert.deepEqual(codesOf(again), [400, 'invalid_request', 'name.account_exists'])
    const allWrong = await make({ name: 'JEAN / rose', role: 'king', password: 'short', repeat: 'other' })
    assert.deepEqual(codesOf(allWrong), [
      400,
      'invalid_request',
      'name.account_exists',
      'role.invalid',
      'password.short',
      'repeat.different',
    ])
    const first = await signJeanIn('a good password')
    const { body: session } = await ask('/api/session', { credential: credentialOf(first) })
    assert.deepEqual([first.status, session.account, session.role], [200, 'Jean / Rose', 'viewer'])
    const { data } = (await ask('/api/accounts')).body
    const marie = data.find(({ name }: { name: string }) => name === 'Marie')
    assert.deepEqual(
      [marie.is_self, marie.role, marie.last_sign_in_at],
      [true, 'administrator', moment(on.world.clock.now())],
    )
    assert.deepEqual(data[0], { ...jean, last_sign_in_at: moment(on.world.clock.now()), is_self: false })

    assert.deepEqual(codesOf(await change('Jean / Rose', { role: 'x', password: 'short' })), [
      400,
      'invalid_request',
      'role.invalid',
      'password.short',
    ])
    for (const nothing of [{}, { role: 5 }])
      assert.deepEqual(codesOf(await change('Jean / Rose', nothing)), [400, 'invalid_request', 'account_unchanged'])
    const changed = await change('jean / rose', { role: 'administrator', password: 'another password' })
    assert.deepEqual([changed.status, changed.body.role], [200, 'administrator'])
    assert.equal((await ask('/api/keys', { credential: credentialOf(first) })).status, 401)
    assert.equal((await signJeanIn('a good password')).status, 401)
    assert.equal((await signJeanIn('another password')).status, 200)
    // Another administrator is there, so the role can be given up, but not by both.
    assert.equal((await change('Jean / Rose', { role: 'viewer' })).status, 200)
    assert.deepEqual(codesOf(await change('Marie', { role: 'viewer' })), [
      409,
      'last_administrator',
      'last_administrator',
    ])
    assert.deepEqual(codesOf(await remove('Marie')), [409, 'last_administrator', 'last_administrator'])
    assert.deepEqual([(await remove('Jean / Rose')).status, (await ask('/api/accounts')).body.data.length], [204, 1])
    assert.deepEqual(codesOf(await remove('Jean / Rose')), [404, 'not_found', 'account_unknown'])
    const acts = (await ask('/api/audit?subject=Jean%20%2F%20Rose')).body.data.map(
      ({ action, by }: { action: string; by: string }) => `${action}: ${by}`,
    )
    assert.deepEqual(
      acts,
      ['account removed', 'account changed', 'password set', 'account changed', 'account created'].map(
        (act) => `${act}: Marie, console`,
      ),
    )
  })

  test('an unknown account is refused like a wrong password', async () => {
    const bodies = ['Nobody', 'Marie'].map((name) => ({ name, password: 'wrong password' }))
    const answers = await Promise.all(bodies.map((body) => signIn('', { body })))
    assert.deepEqual(answers[0], answers[1])
    assert.deepEqual([answers[0]?.status, answers[0]?.body.error.code], [401, 'password.wrong'])
  })

  test('a viewer may look at everything and change nothing: no route but their own password and sign-out admits one', async () => {
    const [own, other] = [await on.enterAs('Vera', 'viewer'), await on.enterAs('Viola', 'viewer')]
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Seen', permissions: 'all' } })
    const before = await on.world.state.listAudit({ limit: 1 })
    const admitted: string[] = []
    for (const route of on.routeNames) {
      const credential = route === 'DELETE /api/session' ? other : own
      const [method = '', path = ''] = route.split(' ')
      const answer = await ask(path.replace('{name}', made.body.data.client_id), { method, body: {}, credential })
      const isRefused = answer.status === 403 && answer.body?.error.code === 'viewer_only'
      if (method === 'GET') assert.equal(answer.status, 200, route)
      else if (!isRefused) admitted.push(route)
    }
    assert.deepEqual(admitted.toSorted(), ['DELETE /api/session', 'POST /api/password', 'POST /api/session'])
    assert.deepEqual(await on.world.state.listAudit({ limit: 1 }), before)
  })

  test('a viewer changes their own password and signs out; a role counts from the moment it is changed', async () => {
    const own = await on.enterAs('Victor', 'viewer')
    const status = async (credential: string) => (await ask('/api/keys', { credential })).status
    const change = { current: secret, password: 'a password of my own' }
    assert.equal((await ask('/api/password', { method: 'POST', body: change, credential: own })).status, 200)
    assert.deepEqual([await status(own), await status(on.credential)], [401, 200])
    const body = { name: 'Victor', password: 'a password of my own' }
    const again = credentialOf(await signIn('', { body }))
    assert.equal((await ask('/api/session', { method: 'DELETE', credential: again })).status, 204)
    assert.equal(await status(again), 401)
    const third = credentialOf(await signIn('', { body }))
    await ask('/api/accounts/Victor', { method: 'PATCH', body: { role: 'administrator' } })
    assert.equal(await status(third), 401)
    const fourth = credentialOf(await signIn('', { body }))
    const company = { method: 'PUT', body: { enabled: true }, credential: fourth }
    assert.equal((await ask('/api/company', company)).status, 200)
    await ask('/api/accounts/Victor', { method: 'DELETE' })
    assert.equal(await status(fourth), 401)
  })

  test('signing out ends this session, signing everybody out all of them', async () => {
    const other = credentialOf(await signIn())
    assert.equal((await ask('/api/session', { method: 'DELETE' })).status, 204)
    assert.equal((await ask('/api/keys')).status, 401)
    // Sign-out works without a session.
    assert.equal((await ask('/api/session', { method: 'DELETE' })).status, 204)
    assert.equal((await ask('/api/keys', { credential: other })).status, 200)
    assert.equal((await ask('/api/sessions', { method: 'DELETE', credential: other })).status, 204)
    assert.equal((await ask('/api/keys', { credential: other })).status, 401)
  })
})
