// The console's JSON routes: who gets in, what an administrator can do there, and that it is the same as on the command line.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { consoleRoutes, createConsole, type ConsoleOptions } from '../../src/web/console/app.ts'
import { previewAs } from '../../src/describe/preview.ts'
import type { Engine } from '../../src/engine/engine.ts'
import type { ConsoleAnswer, ConsoleCall } from '../../src/web/console/exchange.ts'
import { derivePassword, makePassword, PasswordQueueFull } from '../../src/web/console/password.ts'
import { endOf } from '../../src/http/tls.ts'
import { createLog } from '../../src/platform/log.ts'
import { makeSelfSigned } from '../../src/http/self-signed.ts'
import { hashSecret } from '../../src/auth/secrets.ts'
import type { Password, Role } from '../../src/state/console-access.ts'
import { filledRow } from '../support/fixture.ts'
import { createWorld, type World } from '../support/world.ts'

const secret = 'correct horse battery'
const api = { port: 8443, basePath: '/api/v1', authority: null }
const certificate = makeSelfSigned({ names: ['localhost'], days: 10, now: new Date() })

interface Asked {
  readonly method?: string
  readonly body?: Readonly<Record<string, unknown>> | null
  readonly credential?: string
  readonly isForeign?: boolean
  readonly address?: string
}

interface Told {
  readonly status: number
  readonly cookie: string | null | undefined
  readonly headers: Readonly<Record<string, string>>
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads what it expects to be there
  readonly body: any
}

const moment = (ms: number) => new Date(ms).toISOString()

const told = ({ status, headers = {}, body = '', cookie }: ConsoleAnswer): Told => {
  const text = String(body)
  const isJson = headers['Content-Type'] === 'application/json'
  return { status, cookie, headers, body: isJson ? JSON.parse(text) : text === '' ? null : text }
}

interface Coded {
  readonly code: string
}

const codesOf = ({ status, body }: Told) => [
  status,
  body.error.code,
  ...body.error.faults.map(({ code }: Coded) => code),
]

const credentialOf = ({ cookie, body }: Told) => `${cookie} ${body.proof}`

const passwordCall = (body: Record<string, string>): ConsoleCall => ({
  method: 'POST',
  path: '/api/password',
  query: new URLSearchParams(),
  address: '127.0.0.1',
  credential: null,
  authorization: [],
  acceptEncoding: undefined,
  isForeign: false,
  body: async () => body,
})

const outcomeOf = (address: string) =>
  derivePassword('some password', null, address).then(
    () => 'derived',
    (error: unknown) => (error instanceof PasswordQueueFull ? 'refused' : 'failed'),
  )

const lifeOf = ({ expires, addresses, days_left: left, state }: Record<string, unknown>) => [
  expires,
  addresses,
  left,
  state,
]

describe('the console', () => {
  let world: World
  let ask: (path: string, asked?: Asked) => Promise<Told>
  let credential = ''
  let addresses = 0
  const logged: string[] = []

  let routeNames: readonly string[] = []
  let password: Password

  before(async () => {
    password = await makePassword(secret)
    world = await createWorld({
      rows: {
        stores: [filledRow('stores', 1, { name: 'Nò' }), filledRow('stores', 2)],
        price_lists: [filledRow('price_lists', 1)],
        invoices: [1, 2, 3].map((id) => filledRow('invoices', id, { kind: 1, store_id: id === 3 ? 2 : 1 })),
        customers: [filledRow('customers', 1)],
      },
    })
    const options: ConsoleOptions = {
      state: world.state,
      engine: world.engine,
      clock: world.clock,
      timeZone: 'America/Port-au-Prince',
      log: createLog('info', (line) => logged.push(line)),
      api,
      vitals: async (current) => ({
        ...world.engine.load(),
        lagSeconds: null,
        isEngineUp: true,
        isStateUp: true,
        blocks: 0,
        keyExpiries: [],
        certificateEndsAt: endOf(current),
      }),
    }
    const handle = createConsole(options)
    routeNames = Object.keys(consoleRoutes(options))
    await world.state.createAccount('Marie', 'administrator', password)
    ask = async (
      path,
      { method = 'GET', body = null, credential: own = credential, isForeign = false, address = '127.0.0.1' } = {},
    ) => {
      const url = new URL(path, 'https://console')
      const call: ConsoleCall = {
        method,
        path: url.pathname,
        query: url.searchParams,
        address,
        credential: own === '' ? null : own,
        authorization: [],
        acceptEncoding: undefined,
        isForeign,
        body: async () => body,
      }
      return told(await handle(call, certificate))
    }
  })
  after(() => world.close())

  const signIn = (password = secret, asked: Asked = {}) => {
    addresses += 1
    const body = { password, name: 'Marie' }
    return ask('/api/session', { method: 'POST', body, credential: '', address: `10.0.0.${addresses}`, ...asked })
  }

  beforeEach(async () => {
    await world.state.updateAccount('Marie', { password })
    credential = credentialOf(await signIn())
  })

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
      for (const own of ['', 'svc_at_wrong']) {
        const { status, body } = await ask(path, { credential: own })
        assert.deepEqual([status, body.error.code, Object.keys(body)], [401, 'signed_out', ['error']])
      }
    assert.deepEqual((await ask('/api/session', { credential: '' })).body, {
      signed_in: false,
      by: null,
      account: null,
      role: null,
      has_password: true,
    })
    assert.deepEqual((await ask('/api/session')).body, {
      signed_in: true,
      by: 'Marie, console',
      account: 'Marie',
      role: 'administrator',
      has_password: true,
      enabled: true,
      api: { port: 8443, base_path: '/api/v1', authority: null },
    })
  })

  test('wrong passwords make their address wait; a known browser and a session go on, and the right one then gets in', async () => {
    const browser = String((await signIn()).body.browser)
    for (let tries = 0; tries < 5; tries++)
      assert.equal((await signIn('wrong password', { address: '10.1.1.1' })).status, 401)
    const { status, headers, body } = await signIn(secret, { address: '10.1.1.1' })
    assert.match(
      logged.at(-1) ?? '',
      /"event":"console_sign_in_refused","address":"10.1.1.1","path":"\/api\/session","status":429/,
    )
    assert.deepEqual([status, headers['Retry-After'], body.error.code], [429, '1', 'too_many_attempts'])
    assert.equal((await signIn()).status, 200)
    const known = { password: secret, name: 'Marie', browser }
    assert.equal((await signIn(secret, { address: '10.1.1.1', body: known })).status, 200)
    assert.equal((await ask('/api/keys', { address: '10.1.1.1' })).status, 200)
    const change = { current: secret, password: secret }
    assert.equal((await ask('/api/password', { method: 'POST', body: change, address: '10.1.1.1' })).status, 200)
    world.clock.advance(1000)
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
    await assert.rejects(signIn(secret, { address: '10.5.5.5' }), PasswordQueueFull)
    // So is one for an account that does not exist: it costs the same hash, so that the time does not tell.
    const unknown = { name: 'Nobody', password: secret }
    await assert.rejects(signIn(secret, { address: '10.5.5.5', body: unknown }), PasswordQueueFull)
    const waits = [signIn(secret, { address }), ask('/api/password', { method: 'POST', body: change })]
    assert.deepEqual(
      (await Promise.all(waits)).map(({ status, body }) => [status, body.error.code]),
      [
        [429, 'too_many_attempts'],
        [429, 'too_many_attempts'],
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
      assert.equal((await ask(path, { method, body: { enabled: false }, isForeign: true })).status, 403)
    assert.equal(await world.state.isEnabled(), true)
  })

  test('keys are made, changed, given a new code and revoked as by the command line', async () => {
    const refused = await ask('/api/keys', {
      method: 'POST',
      body: { name: '', permissions: ['invoice:read'], rate: 0 },
    })
    assert.deepEqual([refused.status, refused.body.error.faults.length], [400, 3])
    const made = await ask('/api/keys', {
      method: 'POST',
      body: {
        name: 'Shop',
        permissions: ['invoices:read', 'reference:read'],
        stores: [1],
        price_list: null,
        rate: 100,
      },
    })
    assert.equal(made.status, 201)
    const { client_id: id, ...rest } = made.body.data
    assert.deepEqual(
      [rest.permissions, rest.stores, rest.price_list, rest.rate, rest.state],
      [['invoices:read', 'reference:read'], [1], null, 100, 'active'],
    )
    const signed = await world.signIn({
      grant_type: 'client_credentials',
      client_id: id,
      client_secret: made.body.client_secret,
    })
    assert.equal(signed.status, 200)

    const changed = await ask(`/api/keys/${id}`, { method: 'PATCH', body: { stores: [], disabled: true } })
    assert.deepEqual(
      [changed.body.data.stores, changed.body.data.state, changed.body.data.name],
      [[], 'disabled', 'Shop'],
    )
    assert.equal(
      (await ask(`/api/keys/${id}`, { method: 'PATCH', body: { stores: null, disabled: false } })).body.data.stores,
      null,
    )
    const again = await ask(`/api/keys/${id}/code`, { method: 'POST' })
    assert.notEqual(again.body.client_secret, made.body.client_secret)
    assert.equal((await ask(`/api/keys/${id}`, { method: 'DELETE' })).body.data.state, 'revoked')
    assert.equal((await ask(`/api/keys/${id}`, { method: 'DELETE' })).status, 404)
    const acts = (await ask(`/api/audit?subject=${id}`)).body.data.map(
      ({ act, by }: { act: string; by: string }) => `${act}: ${by}`,
    )
    assert.deepEqual(
      acts,
      ['key revoked', 'code regenerated', 'key changed', 'key changed', 'key created'].map(
        (act) => `${act}: Marie, console`,
      ),
    )
    // The code is shown in the answer that made it, and nowhere else.
    assert.doesNotMatch(JSON.stringify((await ask('/api/keys')).body), /svc_sk_/)
  })

  test('a code is rotated and the old one ended as by the command line; never three codes', async () => {
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Rotated', permissions: ['vendors:read'] } })
    const { client_id: id } = made.body.data
    const rotation = (method: string, body: Record<string, unknown> | null = null) =>
      ask(`/api/keys/${id}/rotation`, { method, body })
    const bad = await rotation('POST', { overlap: '99d' })
    assert.deepEqual([bad.status, bad.body.error.faults[0].code], [400, 'overlap_invalid'])
    const rotated = await rotation('POST', { overlap: '1h' })
    const until = moment(world.clock.now() + 3_600_000)
    assert.deepEqual([rotated.status, rotated.body.data.old_code_until], [200, until])
    const sign = async (code: string) =>
      (await world.signIn({ grant_type: 'client_credentials', client_id: id, client_secret: code })).status
    const [old, next] = [made.body.client_secret as string, rotated.body.client_secret as string]
    assert.deepEqual([await sign(old), await sign(next)], [200, 200])
    const second = await rotation('POST')
    assert.deepEqual([second.status, second.body.error.faults[0].code], [409, 'rotation_under_way'])
    assert.equal((await ask(`/api/keys/${id}`)).body.data.old_code_until, until)
    assert.deepEqual((await rotation('DELETE')).body.data.old_code_until, null)
    assert.deepEqual([await sign(old), await sign(next)], [401, 200])
    const again = await rotation('DELETE')
    assert.deepEqual([again.status, again.body.error.faults[0].code], [409, 'no_rotation'])
    // Without an overlap: a day.
    assert.equal((await rotation('POST')).body.data.old_code_until, moment(world.clock.now() + 86_400_000))
    assert.equal((await ask('/api/keys/svc_ak_none/rotation', { method: 'POST' })).status, 404)
    const acts = (await ask(`/api/audit?subject=${id}`)).body.data.map(({ act }: { act: string }) => act)
    assert.deepEqual(acts, ['code rotated', 'rotation finished', 'code rotated', 'key created'])
  })

  test('a last day and addresses: given with a key, changed, taken away, and compared with what was shown', async () => {
    const day = (ahead: number) => moment(world.clock.now() + ahead * 86_400_000).slice(0, 10)
    const body = { name: 'Ends', permissions: ['vendors:read'], expires: day(40), addresses: ['192.0.2.0/24', '::1'] }
    const { data } = (await ask('/api/keys', { method: 'POST', body })).body
    assert.deepEqual(lifeOf(data), [day(40), ['192.0.2.0/24', '::1'], null, 'active'])
    const patch = (change: Record<string, unknown>) =>
      ask(`/api/keys/${data.client_id}`, { method: 'PATCH', body: change })
    const changed = await patch({ expires: day(12), shown: { expires: day(40), addresses: ['192.0.2.0/24', '::1'] } })
    assert.equal(changed.body.data.expires, day(12))
    assert.ok([12, 13].includes(changed.body.data.days_left), String(changed.body.data.days_left))
    const late = await patch({ addresses: null, shown: { expires: day(40) } })
    assert.deepEqual([late.status, late.body.error.code], [409, 'changed_meanwhile'])
    const wrong = await patch({ expires: day(-3), addresses: ['10.1.2.3/8', 'x'] })
    assert.deepEqual(
      wrong.body.error.faults.map(({ code }: { code: string }) => code),
      ['expires_past', 'addresses_host_bits', 'addresses_invalid'],
    )
    const free = await patch({ expires: null, addresses: null })
    assert.deepEqual(lifeOf(free.body.data), [null, null, null, 'active'])
    await world.state.updateKey(data.client_id, { expires: { day: day(0), at: world.clock.now() } })
    assert.equal((await ask(`/api/keys/${data.client_id}`)).body.data.state, 'expired')
  })

  test('see as this key: its resources, fields and records next to what it does not see', async () => {
    const made = await ask('/api/keys', {
      method: 'POST',
      body: { name: 'See', permissions: ['invoices:read', 'customers:read'], stores: [1] },
    })
    const view = (await ask(`/api/keys/${made.body.data.client_id}/view`)).body.data as {
      name: string
      readable: boolean
      hidden: string[]
      seen?: { total: number; total_of_all: number; records: { id: number }[]; whole: Record<string, unknown> }
    }[]
    assert.equal(view.length, 17)
    const of = (name: string) => view.find((each) => each.name === name)
    assert.deepEqual([of('products')?.readable, of('products')?.seen], [false, undefined])
    const invoices = of('invoices')
    assert.deepEqual(invoices?.hidden, ['cost_total', 'lines.cost'])
    assert.deepEqual([invoices.seen?.total, invoices.seen?.total_of_all], [2, 3])
    assert.deepEqual(invoices.seen?.records.map(({ id }) => id).toSorted(), [1, 2])
    assert.deepEqual([invoices.seen?.whole['id'], invoices.seen?.whole['lines']], [invoices.seen?.records[0]?.id, []])
    assert.deepEqual(of('customers')?.hidden, ['credit_limit', 'balance'])
  })

  test('see as this key: a resource that cannot be read says so, and the others are shown', async () => {
    const broken: Engine = {
      ...world.engine,
      list: (plan, asker) =>
        plan.resource === 'invoices' ? Promise.reject(new Error('too slow')) : world.engine.list(plan, asker),
    }
    const seen = await previewAs(broken, {
      permissions: ['invoices:read', 'customers:read'],
      stores: null,
      priceList: null,
    })
    const of = (name: string) => seen.find((each) => each.name === name)?.seen
    assert.deepEqual([of('invoices'), of('customers')?.total], [null, 1])
  })

  test('null lifts a restriction, and gives nothing', async () => {
    for (const body of [
      { name: 'x', permissions: null },
      { name: null, permissions: ['vendors:read'] },
      { name: 'x', permissions: ['vendors:read'], rate: null },
    ])
      assert.equal((await ask('/api/keys', { method: 'POST', body })).status, 400)
    const body = { name: 'x', permissions: ['vendors:read'], stores: null, price_list: null }
    assert.equal((await ask('/api/keys', { method: 'POST', body })).status, 201)
  })

  test('what the page asks by itself keeps no session alive', async () => {
    const half = 29 * 60_000
    world.clock.advance(half)
    assert.equal((await ask('/api/health?unasked')).status, 200)
    world.clock.advance(2 * 60_000)
    assert.equal((await ask('/api/health')).status, 401)
    credential = credentialOf(await signIn())
    world.clock.advance(half)
    assert.equal((await ask('/api/health')).status, 200)
    world.clock.advance(half)
    assert.equal((await ask('/api/health')).status, 200)
  })

  test('the history of a key is its own, whatever another is called', async () => {
    const first = await ask('/api/keys', { method: 'POST', body: { name: 'First', permissions: 'all' } })
    const id = first.body.data.client_id as string
    await ask('/api/keys', { method: 'POST', body: { name: `Replaces ${id}`, permissions: 'all' } })
    const { data } = (await ask(`/api/audit?subject=${id}`)).body
    assert.deepEqual([data.length, data[0].subject], [1, id])
  })

  test('the history of a key is found by its name, or a part of it that no other has', async () => {
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Only-one Ledger', permissions: 'all' } })
    const { data } = (await ask('/api/audit?subject=only-ONE')).body
    assert.deepEqual(
      data.map(({ subject }: { subject: string }) => subject),
      [made.body.data.client_id],
    )
  })

  test('names of which nothing is seen, and those that turn the direction of writing are refused, here and for keys', async () => {
    for (const name of ['Shop \u202Egpj', '\u200B', '\u2066x']) {
      const body = { password: secret, name }
      const refused = await ask('/api/session', { method: 'POST', body, credential: '', address: '10.3.3.3' })
      assert.deepEqual([refused.status, refused.body.error.faults[0].code], [400, 'who_missing'])
      const made = await ask('/api/keys', { method: 'POST', body: { name, permissions: 'all' } })
      assert.deepEqual([made.status, made.body.error.faults[0].code], [400, 'name_invalid'])
    }
  })

  test('usage by hour, key and resource, with the causes of refusals, and the last use in the list of keys', async () => {
    const hour = Math.floor(world.clock.now() / 3_600_000) * 3_600_000
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Used', permissions: 'all' } })
    const accessKey = made.body.data.client_id as string
    const before = hour - 48 * 3_600_000
    await world.state.addUsage(
      [
        { hour, accessKey, resource: 'invoices', outcome: 'answered', requests: 4, records: 50 },
        { hour, accessKey, resource: 'vendors', outcome: 'not_allowed', requests: 1, records: 0 },
        { hour: before, accessKey, resource: 'invoices', outcome: 'answered', requests: 7, records: 0 },
      ],
      [{ accessKey, permission: '', at: hour + 60_000, address: '192.0.2.7' }],
    )
    const none = { rate_limited: 0, not_allowed: 0, bad_request: 0, not_found: 0, server_error: 0 }
    const use = { requests: 5, records: 50, refusals: { ...none, not_allowed: 1 } }
    const own = (rows: { client_id: string }[]) => rows.filter(({ client_id: id }) => id === accessKey)
    const day = (await ask(`/api/usage?key=${accessKey}`)).body
    assert.deepEqual(day, {
      name: 'Used',
      hours: [{ hour: moment(hour), ...use }],
      keys: [],
      resources: [
        { resource: 'invoices', requests: 4, records: 50, refusals: none },
        { resource: 'vendors', requests: 1, records: 0, refusals: { ...none, not_allowed: 1 } },
      ],
    })
    const month = (await ask(`/api/usage?key=${accessKey}&from=${moment(before)}`)).body
    assert.deepEqual([month.hours.length, month.keys], [2, []])
    const all = (await ask(`/api/usage?from=${moment(before)}`)).body
    assert.deepEqual(own(all.keys), [{ client_id: accessKey, name: 'Used', ...use, requests: 12 }])
    const vendors = (await ask('/api/usage?resource=vendors')).body
    assert.deepEqual(
      [vendors.hours.length, own(vendors.keys).length, vendors.resources.length, vendors.hours[0].requests],
      [1, 1, 1, 1],
    )
    const file = await ask(`/api/usage.csv?from=${moment(before)}&key=${accessKey}`)
    assert.deepEqual(
      [file.status, file.headers['Content-Type'], file.headers['Content-Disposition']],
      [200, 'text/csv; charset=utf-8', 'attachment; filename="usage.csv"'],
    )
    assert.deepEqual(file.body.split('\r\n'), [
      'hour,client_id,name,resource,requests,records,rate_limited,not_allowed,bad_request,not_found,server_error',
      `${moment(before)},${accessKey},Used,invoices,7,0,0,0,0,0,0`,
      `${moment(hour)},${accessKey},Used,invoices,4,50,0,0,0,0,0`,
      `${moment(hour)},${accessKey},Used,vendors,1,0,0,1,0,0,0`,
      '',
    ])
    for (const path of ['/api/usage', '/api/usage.csv']) {
      assert.deepEqual((await ask(`${path}?from=yesterday&to=x`)).body.error.faults.length, 2)
      assert.equal((await ask(`${path}?from=2020-01-01T00:00:00Z`)).body.error.faults[0].code, 'span_invalid')
    }
    const today = async (since: number) => {
      const [key] = own((await ask(`/api/keys?since=${moment(since)}`)).body.data)
      const { requests_today: requests, last_used: at, last_address: from } = key as unknown as Record<string, unknown>
      return [requests, at, from]
    }
    const used = [moment(hour + 60_000), '192.0.2.7']
    assert.deepEqual(await today(hour), [5, ...used])
    assert.deepEqual(await today(hour + 3_600_000), [0, ...used])
  })

  test('a permission is unused when it was neither given nor used for 30 days', async () => {
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Idle', permissions: ['invoices:read'] } })
    const accessKey = made.body.data.client_id as string
    const unused = async () =>
      (await ask('/api/unused')).body.data.find(({ client_id: id }: { client_id: string }) => id === accessKey)
    const patch = (permissions: string[]) => ask(`/api/keys/${accessKey}`, { method: 'PATCH', body: { permissions } })
    const days = 30 * 86_400_000
    const rest = world.clock.now() % 60_000
    assert.equal(await unused(), undefined)
    world.clock.advance(days - rest - 1)
    credential = credentialOf(await signIn())
    assert.equal(await unused(), undefined)
    await patch(['invoices:read', 'vendors:read'])
    world.clock.advance(1)
    assert.deepEqual(await unused(), { client_id: accessKey, name: 'Idle', permissions: ['invoices:read'] })
    await world.state.addUsage([], [{ accessKey, permission: 'invoices:read', at: world.clock.now(), address: null }])
    assert.equal(await unused(), undefined)
    world.clock.advance(days)
    credential = credentialOf(await signIn())
    assert.deepEqual((await unused()).permissions, ['vendors:read', 'invoices:read'])
    await ask(`/api/keys/${accessKey}`, { method: 'DELETE' })
    assert.equal(await unused(), undefined)
  })

  test('what somebody else has changed meanwhile is not written over', async () => {
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Two', permissions: 'all', rate: 60 } })
    const path = `/api/keys/${made.body.data.client_id}`
    const shown = { name: 'Two', rate: 60, state: 'active', stores: null }
    assert.equal((await ask(path, { method: 'PATCH', body: { rate: 100, shown } })).status, 200)
    const second = await ask(path, { method: 'PATCH', body: { name: 'Mine', shown } })
    assert.deepEqual([second.status, second.body.error.code], [409, 'changed_meanwhile'])
    assert.equal((await ask(path, { method: 'PATCH', body: { name: 'Mine', shown: { rate: 100 } } })).status, 200)
    assert.equal((await ask(path, { method: 'PATCH', body: { name: 'Ours', shown: 'x' } })).body.data.name, 'Ours')
  })

  test('the record of what was done is filtered by act and time, too', async () => {
    world.clock.advance(1000)
    const from = new Date(world.clock.now()).toISOString()
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Then', permissions: 'all' } })
    await ask(`/api/keys/${made.body.data.client_id}`, { method: 'PATCH', body: { rate: 7 } })
    const acts = async (query: string) =>
      (await ask(`/api/audit?${query}`)).body.data.map(({ act }: { act: string }) => act)
    assert.deepEqual(await acts(`from=${from}`), ['key changed', 'key created'])
    assert.deepEqual(await acts(`from=${from}&act=key%20created`), ['key created'])
    assert.ok(!(await acts(`to=${from}&act=key%20changed`)).includes('key created'))
    assert.equal((await ask('/api/audit?act=nothing')).body.error.faults[0].code, 'act_unknown')
    assert.equal((await ask('/api/audit?from=now')).status, 400)
  })

  test('the history as a file: the same filters, every entry, and no text that a spreadsheet would run', async () => {
    world.clock.advance(1000)
    const from = moment(world.clock.now())
    const name = '=HYPERLINK("x"), and more'
    const made = await ask('/api/keys', { method: 'POST', body: { name, permissions: ['vendors:read'] } })
    const id = made.body.data.client_id as string
    for (let times = 0; times < 120; times += 1) await world.state.setEnabled(times % 2 === 1, '+root')
    const { status, headers, body } = await ask(`/api/audit.csv?from=${from}`)
    assert.deepEqual([status, headers['Content-Disposition']], [200, 'attachment; filename="history.csv"'])
    const lines = String(body).split('\r\n')
    assert.deepEqual([lines[0], lines.length, lines.at(-1)], ['at,by,act,subject,name,details', 123, ''])
    assert.equal(lines[1], `${from},'+root,subscription enabled,,,{}`)
    const start = `${from},"Marie, console",key created,${id},"'=HYPERLINK(""x""), and more","{""name"":`
    assert.equal(lines[121]?.slice(0, start.length), start)
    const own = (await ask(`/api/audit.csv?from=${from}&act=key%20created&by=Marie,%20console&subject=${id}`)).body
    assert.equal(String(own).split('\r\n').length, 3)
    assert.equal((await ask('/api/audit.csv?act=nothing')).body.error.faults[0].code, 'act_unknown')
  })

  test('blocks are shown and cleared, the subscription is turned off and on', async () => {
    for (let tries = 0; tries < 5; tries++)
      await world.signIn(
        { grant_type: 'client_credentials', client_id: 'svc_ak_x', client_secret: 'svc_sk_x' },
        { address: '10.2.2.2' },
      )
    await signIn('wrong password', { address: '10.2.2.3' })
    const blocks = (await ask('/api/blocks')).body.data as { address: string }[]
    assert.deepEqual(
      blocks.map(({ address }) => address),
      ['10.2.2.2'],
    )
    assert.ok((await ask('/api/blocks/10.2.2.2', { method: 'DELETE' })).body.cleared > 0)
    // What it failed at the console is forgotten, too.
    assert.equal((await ask('/api/blocks/10.2.2.3', { method: 'DELETE' })).body.cleared, 1)
    assert.equal((await ask('/api/company', { method: 'PUT', body: { enabled: 'no' } })).status, 400)
    assert.deepEqual((await ask('/api/company', { method: 'PUT', body: { enabled: false } })).body, { enabled: false })
    assert.deepEqual((await ask('/api/company')).body, { enabled: false })
    await ask('/api/company', { method: 'PUT', body: { enabled: true } })
  })

  test('health, volume and what a key can be given', async () => {
    const health = (await ask('/api/health')).body
    assert.deepEqual([health.engine_up, health.state_up, typeof health.certificate_ends_at], [true, true, 'string'])
    assert.deepEqual(health.plain_lists, [])
    const volume = (await ask('/api/volume')).body.data as { name: string; total: number }[]
    assert.deepEqual(
      volume.filter(({ total }) => total > 0).map(({ name, total }) => [name, total]),
      [
        ['customers', 1],
        ['invoices', 3],
        ['stores', 2],
        ['price-lists', 1],
      ],
    )
    const choices = (await ask('/api/choices')).body
    assert.deepEqual(choices.stores[0], { id: 1, name: 'Nò' })
    assert.deepEqual(
      choices.presets.map(({ id }: { id: string }) => id),
      ['web_shop', 'accountant', 'dashboard'],
    )
    assert.deepEqual(choices.presets[0].permissions, ['products:read', 'reference:read'])
    for (const { permissions } of choices.presets) {
      const made = await ask('/api/keys', { method: 'POST', body: { name: 'Preset', permissions } })
      assert.deepEqual(made.body.data.permissions, permissions)
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
    const [last] = await world.state.listAudit({ limit: 1 })
    assert.deepEqual([last?.act, last?.subject, last?.by], ['password set', 'Marie', 'Marie, console'])
    assert.equal((await signIn('another good one')).status, 200)
    const known = { address: '10.0.0.1', account: 'Marie', browser: String(done.body.browser) }
    for (let tries = 0; tries < 5; tries++) await signIn('wrong password', { address: '10.0.0.1' })
    assert.deepEqual(
      [await world.state.signInWait({ ...known, browser: null }), await world.state.signInWait(known)],
      [1, 0],
    )
    assert.equal((await change({ link: 'svc_at_wrong', name: 'Eve', password: 'a third good one' }, '')).status, 403)
    const empty = await createWorld()
    try {
      const own = createConsole({
        state: empty.state,
        engine: empty.engine,
        clock: empty.clock,
        timeZone: 'America/Port-au-Prince',
        log: createLog('silent', () => {}),
        api,
        vitals: () => Promise.reject(new Error('none')),
      })
      await empty.state.offerLink(hashSecret('the link'))
      const use = async (body: Record<string, string>) => {
        const answer = told(await own(passwordCall({ link: 'the link', ...body }), certificate))
        return [answer.status, answer.body.error?.faults[0].code]
      }
      assert.deepEqual(await use({ password: 'the first password' }), [400, 'account_name_invalid'])
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

  // Signs in under another account.
  const enterAs = async (name: string, role: Role) => {
    await world.state.createAccount(name, role, password)
    return credentialOf(await signIn(secret, { body: { name, password: secret } }))
  }

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
        'account_name_invalid',
        'role_invalid',
        'password_short',
      ])
    const made = await make({ name: ' Jean / Rose ', role: 'viewer', password: 'a good password' })
    const jean = { name: 'Jean / Rose', role: 'viewer', created_at: moment(world.clock.now()), last_sign_in_at: null }
    assert.deepEqual([made.status, made.body], [201, { ...jean, is_self: false }])
    const again = await make({ name: 'JEAN / rose', role: 'viewer', password: 'a good password' })
    assert.deepEqual(codesOf(again), [400, 'invalid_request', 'account_exists'])
    const first = await signJeanIn('a good password')
    assert.deepEqual(
      [first.status, first.body.account, first.body.role, first.body.by],
      [200, 'Jean / Rose', 'viewer', 'Jean / Rose, console'],
    )
    const { data } = (await ask('/api/accounts')).body
    const marie = data.find(({ name }: { name: string }) => name === 'Marie')
    assert.deepEqual(
      [marie.is_self, marie.role, marie.last_sign_in_at],
      [true, 'administrator', moment(world.clock.now())],
    )
    assert.deepEqual(data[0], { ...jean, last_sign_in_at: moment(world.clock.now()), is_self: false })

    assert.deepEqual(codesOf(await change('Jean / Rose', { role: 'x', password: 'short' })), [
      400,
      'invalid_request',
      'role_invalid',
      'password_short',
    ])
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
      ({ act, by }: { act: string; by: string }) => `${act}: ${by}`,
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
    assert.deepEqual([answers[0]?.status, answers[0]?.body.error.code], [401, 'wrong_password'])
  })

  test('a viewer may look at everything and change nothing: no route but their own password and sign-out admits one', async () => {
    const [own, other] = [await enterAs('Vera', 'viewer'), await enterAs('Viola', 'viewer')]
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Seen', permissions: 'all' } })
    const before = await world.state.listAudit({ limit: 1 })
    const admitted: string[] = []
    for (const route of routeNames) {
      const credential = route === 'DELETE /api/session' ? other : own
      const [method = '', path = ''] = route.split(' ')
      const answer = await ask(path.replace(':name', made.body.data.client_id), { method, body: {}, credential })
      const isRefused = answer.status === 403 && answer.body?.error.code === 'viewer_only'
      if (method === 'GET') assert.equal(answer.status, 200, route)
      else if (!isRefused) admitted.push(route)
    }
    assert.deepEqual(admitted.toSorted(), ['DELETE /api/session', 'POST /api/password', 'POST /api/session'])
    assert.deepEqual(await world.state.listAudit({ limit: 1 }), before)
  })

  test('a viewer changes their own password and signs out; a role counts from the moment it is changed', async () => {
    const own = await enterAs('Victor', 'viewer')
    const status = async (credential: string) => (await ask('/api/keys', { credential })).status
    const change = { current: secret, password: 'a password of my own' }
    assert.equal((await ask('/api/password', { method: 'POST', body: change, credential: own })).status, 200)
    assert.deepEqual([await status(own), await status(credential)], [401, 200])
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

  test('other paths and methods', async () => {
    assert.equal((await ask('/api/nothing')).status, 404)
    for (const path of ['/api/keys/%ff', '/api/keys/%00', '/api/audit?by=a%00b', '/api/usage?key=%00'])
      assert.equal((await ask(path)).status, 404)
    const { status, headers } = await ask('/api/keys', { method: 'PUT' })
    assert.deepEqual([status, headers['Allow']], [405, 'GET, POST'])
  })
})
