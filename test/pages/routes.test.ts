// The console's JSON routes: what an administrator sees and does there, and that it is the same as on the command line.
import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { previewAs } from '../../src/describe/preview.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { presets } from '../../src/catalogue/permissions.ts'
import { makePassword } from '../../src/web/console/password.ts'
import { moment, openConsoleRoutes, type ConsoleRoutes } from '../support/console-routes.ts'

const lifeOf = ({ expires, addresses, days_left: left, state }: Record<string, unknown>) => [
  expires,
  addresses,
  left,
  state,
]

describe("the console's routes", () => {
  let on: ConsoleRoutes
  before(async () => {
    on = await openConsoleRoutes()
  })
  after(() => on.close())
  beforeEach(() => on.enter())
  const ask: ConsoleRoutes['ask'] = (...asked) => on.ask(...asked)
  const subjectsFor = async (typed: string) => {
    const { data } = (await ask(`/api/audit?subject=${encodeURIComponent(typed)}`)).body
    return new Set(data.map(({ subject }: { subject: string }) => subject))
  }
  const signIn: ConsoleRoutes['signIn'] = (...asked) => on.signIn(...asked)

  test('keys are made, changed, given a new code and revoked as by the command line', async () => {
    const refused = await ask('/api/keys', {
      method: 'POST',
      body: { name: '', permissions: ['invoice:read'], rate: 0 },
    })
    assert.deepEqual(
      [refused.status, ...refused.body.error.faults.map(({ field }: { field: string }) => field)],
      [400, 'name', 'permissions', 'rate'],
    )
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
    const signed = await on.world.signIn({
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
      ({ action, by }: { action: string; by: string }) => `${action}: ${by}`,
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
    assert.deepEqual([bad.status, bad.body.error.faults[0].code], [400, 'overlap.invalid'])
    const rotated = await rotation('POST', { overlap: '1h' })
    const until = moment(on.world.clock.now() + 3_600_000)
    assert.deepEqual([rotated.status, rotated.body.data.old_code_until], [200, until])
    const sign = async (code: string) =>
      (await on.world.signIn({ grant_type: 'client_credentials', client_id: id, client_secret: code })).status
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
    assert.equal((await rotation('POST')).body.data.old_code_until, moment(on.world.clock.now() + 86_400_000))
    assert.equal((await ask('/api/keys/svc_ak_none/rotation', { method: 'POST' })).status, 404)
    const acts = (await ask(`/api/audit?subject=${id}`)).body.data.map(({ action }: { action: string }) => action)
    assert.deepEqual(acts, ['code rotated', 'rotation finished', 'code rotated', 'key created'])
  })

  test('a last day and addresses: given with a key, changed, taken away, and compared with what was shown', async () => {
    const day = (ahead: number) => moment(on.world.clock.now() + ahead * 86_400_000).slice(0, 10)
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
      ['expires.past', 'addresses.host_bits', 'addresses.invalid'],
    )
    const free = await patch({ expires: null, addresses: null })
    assert.deepEqual(lifeOf(free.body.data), [null, null, null, 'active'])
    await on.world.state.updateKey(data.client_id, { expires: { day: day(0), at: on.world.clock.now() } })
    assert.equal((await ask(`/api/keys/${data.client_id}`)).body.data.state, 'expired')
  })

  test('see as this key: its resources, fields and records next to what it does not see', async () => {
    const made = await ask('/api/keys', {
      method: 'POST',
      body: { name: 'See', permissions: ['invoices:read', 'customers:read'], stores: [1] },
    })
    const view = (await ask(`/api/keys/${made.body.data.client_id}/preview`)).body.data as {
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
      ...on.world.engine,
      list: (plan, asker) =>
        plan.resource === 'invoices' ? Promise.reject(new Error('too slow')) : on.world.engine.list(plan, asker),
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

  test('the history of a key is its own, whatever another is called', async () => {
    const first = await ask('/api/keys', { method: 'POST', body: { name: 'First', permissions: 'all' } })
    const id = first.body.data.client_id as string
    await ask('/api/keys', { method: 'POST', body: { name: `Replaces ${id}`, permissions: 'all' } })
    const { data } = (await ask(`/api/audit?subject=${id}`)).body
    assert.deepEqual([data.length, data[0].subject], [1, id])
  })

  test('entries are found by a part of the name of a key, of several, of an access key and of an account', async () => {
    const [one, other] = await Promise.all(
      ['Gwo-lèt Ledger', 'gwo-let Shop'].map(async (name) => {
        const made = await ask('/api/keys', { method: 'POST', body: { name, permissions: 'all' } })
        return made.body.data.client_id as string
      }),
    )
    assert(one && other)
    await on.world.state.createAccount('Josyàn', 'viewer', await makePassword('correct horse battery'))
    assert.deepEqual(await subjectsFor('gwo-LET'), new Set([one, other]))
    assert.deepEqual(await subjectsFor('lèt led'), new Set([one]))
    assert.deepEqual(await subjectsFor(one.slice(3, 20)), new Set([one]))
    assert.deepEqual(await subjectsFor('josyan'), new Set(['Josyàn']))
    assert.deepEqual(await subjectsFor('nobody'), new Set())
  })

  test('usage by hour, key and resource, with the causes of refusals, and the last use in the list of keys', async () => {
    const hour = Math.floor(on.world.clock.now() / 3_600_000) * 3_600_000
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Used', permissions: 'all' } })
    const accessKey = made.body.data.client_id as string
    const before = hour - 48 * 3_600_000
    await on.world.state.addUsage(
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
    assert.deepEqual([file.status, file.headers['Content-Type']], [200, 'text/csv; charset=utf-8'])
    assert.match(String(file.headers['Content-Disposition']), /^attachment; filename="usage-\d{4}-\d\d-\d\d\.csv"$/)
    assert.deepEqual(file.body.split('\r\n'), [
      '\uFEFFhour,client_id,name,resource,requests,records,rate_limited,not_allowed,bad_request,not_found,server_error',
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
    const rest = on.world.clock.now() % 60_000
    assert.equal(await unused(), undefined)
    on.world.clock.advance(days - rest - 1)
    await on.enter()
    assert.equal(await unused(), undefined)
    await patch(['invoices:read', 'vendors:read'])
    on.world.clock.advance(1)
    assert.deepEqual(await unused(), { client_id: accessKey, name: 'Idle', permissions: ['invoices:read'] })
    await on.world.state.addUsage(
      [],
      [{ accessKey, permission: 'invoices:read', at: on.world.clock.now(), address: null }],
    )
    assert.equal(await unused(), undefined)
    on.world.clock.advance(days)
    await on.enter()
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

  test('the record of what was done is filtered by action and time, too', async () => {
    on.world.clock.advance(1000)
    const from = new Date(on.world.clock.now()).toISOString()
    const made = await ask('/api/keys', { method: 'POST', body: { name: 'Then', permissions: 'all' } })
    await ask(`/api/keys/${made.body.data.client_id}`, { method: 'PATCH', body: { rate: 7 } })
    const acts = async (query: string) =>
      (await ask(`/api/audit?${query}`)).body.data.map(({ action }: { action: string }) => action)
    assert.deepEqual(await acts(`from=${from}`), ['key changed', 'key created'])
    assert.deepEqual(await acts(`from=${from}&action=key%20created`), ['key created'])
    assert.ok(!(await acts(`to=${from}&action=key%20changed`)).includes('key created'))
    assert.equal((await ask('/api/audit?action=nothing')).body.error.faults[0].code, 'action_unknown')
    assert.equal((await ask('/api/audit?from=now')).status, 400)
  })

  test('the history as a file: the same filters, every entry, and no text that a spreadsheet would run', async () => {
    on.world.clock.advance(1000)
    const from = moment(on.world.clock.now())
    const name = '=HYPERLINK("x"), and more'
    const made = await ask('/api/keys', { method: 'POST', body: { name, permissions: ['vendors:read'] } })
    const id = made.body.data.client_id as string
    for (let times = 0; times < 120; times += 1) await on.world.state.setEnabled(times % 2 === 1, '+root')
    const { status, headers, body } = await ask(`/api/audit.csv?from=${from}`)
    assert.equal(status, 200)
    assert.match(String(headers['Content-Disposition']), /^attachment; filename="history-\d{4}-\d\d-\d\d\.csv"$/)
    const lines = String(body).split('\r\n')
    assert.deepEqual([lines[0], lines.length, lines.at(-1)], ['\uFEFFat,by,action,subject,name,details', 123, ''])
    assert.equal(lines[1], `${from},'+root,subscription enabled,,,{}`)
    const start = `${from},"Marie, console",key created,${id},"'=HYPERLINK(""x""), and more","{""name"":`
    assert.equal(lines[121]?.slice(0, start.length), start)
    const own = (await ask(`/api/audit.csv?from=${from}&action=key%20created&by=Marie,%20console&subject=${id}`)).body
    assert.equal(String(own).split('\r\n').length, 3)
    assert.equal((await ask('/api/audit.csv?action=nothing')).body.error.faults[0].code, 'action_unknown')
  })

  test('blocks are shown and cleared, the subscription is turned off and on', async () => {
    for (let tries = 0; tries < 5; tries++)
      await on.world.signIn(
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
    for (const { permissions } of presets) {
      const made = await ask('/api/keys', { method: 'POST', body: { name: 'Preset', permissions } })
      assert.deepEqual(made.body.data.permissions, permissions)
    }
  })

  test('other paths and methods', async () => {
    assert.equal((await ask('/api/nothing')).status, 404)
    for (const path of ['/api/keys/%ff', '/api/keys/%00', '/api/audit?by=a%00b', '/api/usage?key=%00'])
      assert.equal((await ask(path)).status, 404)
    const { status, headers } = await ask('/api/keys', { method: 'PUT' })
    assert.deepEqual([status, headers['Allow']], [405, 'GET, POST'])
  })
})
