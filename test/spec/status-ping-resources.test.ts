// /status answers whatever is down, with the time of the company's zone; /ping tells a token who it is; /resources
// describes exactly what the token may use.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { manualClock } from '../../src/platform/clock.ts'
import type { State } from '../../src/state/state.ts'
import { grantOf } from '../support/grants.ts'
import { until } from '../support/process.ts'
import { allPermissions, permissionOf } from '../support/routes.ts'
import { lineType, specification, type FieldRule, type ResourceRule } from '../support/specification/index.ts'
import { isOverViews } from '../support/place.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
before(async () => {
  world = await createWorld()
})
after(() => world.close())

test('/status: exactly six fields, to anybody', async () => {
  const { status, body } = await world.ask('/status')
  const expected = {
    status: 'ok',
    api: 'v1',
    enabled: true,
    authorization_header_received: false,
    https: true,
    time: '2026-10-01T08:00:00-04:00',
  }
  assert.equal(status, 200)
  assert.equal(JSON.stringify(body), JSON.stringify(expected))
})

test('/status: authorization_header_received is true for any Authorization header, and none is looked at', async () => {
  for (const header of ['Bearer dummy', 'Basic YTpi', 'Bearer', 'anything at all']) {
    const { status, body } = await world.ask('/status', { authorization: [header] })
    assert.deepEqual([status, body.authorization_header_received], [200, true], header)
  }
  assert.equal((await world.ask('/status', { authorization: ['Bearer a', 'Bearer b'] })).status, 200)
})

test('/status: query parameters are ignored', async () => {
  const plain = await world.ask('/status')
  for (const query of ['a=1', 'page=0', 'a=1&a=2', '%zz', '=', 'enabled=false', '\0'])
    assert.deepEqual((await world.ask(`/status?${query}`)).body, plain.body, query)
})

test('/status: HEAD is answered like GET, any other method names GET alone', async () => {
  for (const asked of [{}, { authorization: ['Bearer dummy'] }]) {
    const [get, head] = [
      await world.ask('/status', asked),
      await world.ask('/status?x=1', { ...asked, method: 'HEAD' }),
    ]
    assert.deepEqual([head.status, Object.keys(head.headers)], [200, Object.keys(get.headers)])
  }
  assert.equal((await world.ask('/status', { method: 'HEAD', isSecure: false })).status, 403)
  const { status, headers } = await world.ask('/status', { method: 'POST' })
  assert.deepEqual([status, headers['Allow']], [405, 'GET'])
})

const times: readonly [timeZone: string, instant: string, expected: string][] = [
  ['UTC', '2026-01-02T03:04:05.999Z', '2026-01-02T03:04:05+00:00'],
  ['Etc/UTC', '2026-12-31T23:59:59Z', '2026-12-31T23:59:59+00:00'],
  // Midnight is 00, not 24, and the day is the zone's.
  ['America/Port-au-Prince', '2026-01-15T05:00:00Z', '2026-01-15T00:00:00-05:00'],
  ['America/Port-au-Prince', '2026-01-15T04:59:59Z', '2026-01-14T23:59:59-05:00'],
  ['America/Port-au-Prince', '2027-01-01T04:59:59Z', '2026-12-31T23:59:59-05:00'],
  // Daylight saving time begins and ends.
  ['America/Port-au-Prince', '2026-03-08T06:59:59Z', '2026-03-08T01:59:59-05:00'],
  ['America/Port-au-Prince', '2026-03-08T07:00:00Z', '2026-03-08T03:00:00-04:00'],
  ['America/Port-au-Prince', '2026-11-01T05:59:59Z', '2026-11-01T01:59:59-04:00'],
  ['America/Port-au-Prince', '2026-11-01T06:00:00Z', '2026-11-01T01:00:00-05:00'],
  ['Europe/Paris', '2026-03-29T00:59:59Z', '2026-03-29T01:59:59+01:00'],
  ['Europe/Paris', '2026-03-29T01:00:00Z', '2026-03-29T03:00:00+02:00'],
  ['Europe/Paris', '2026-10-25T00:59:59Z', '2026-10-25T02:59:59+02:00'],
  ['Europe/Paris', '2026-10-25T01:00:00Z', '2026-10-25T02:00:00+01:00'],
  // Winter without an offset, summer with one.
  ['Europe/London', '2026-03-29T00:59:59Z', '2026-03-29T00:59:59+00:00'],
  ['Europe/London', '2026-03-29T01:00:00Z', '2026-03-29T02:00:00+01:00'],
  ['Asia/Kathmandu', '2026-06-01T18:15:00Z', '2026-06-02T00:00:00+05:45'],
  ['America/St_Johns', '2026-07-01T02:29:59Z', '2026-06-30T23:59:59-02:30'],
  ['Pacific/Kiritimati', '2026-06-01T10:00:00Z', '2026-06-02T00:00:00+14:00'],
]

for (const [timeZone, instant, expected] of times) {
  test(`/status: ${instant} is ${expected} in ${timeZone}`, async () => {
    const { body } = await world.askWith({ timeZone, clock: manualClock(Date.parse(instant)) })('/status')
    assert.equal(body.time, expected)
    assert.equal(Math.floor(Date.parse(instant) / 1000), Date.parse(body.time) / 1000)
  })
}

test('/status: enabled is right from the first request on, with and without a subscription', async (context) => {
  for (const isEnabled of [true, false]) {
    const first = await createWorld()
    context.after(() => first.close())
    assert.equal((await first.ask('/status')).body.enabled, true)
    await first.state.setEnabled(isEnabled)
    const again = await first.place.startState(first.clock)
    await again.isEnabled()
    context.after(() => again.close())
    assert.equal((await first.askWith({ state: again })('/status')).body.enabled, isEnabled)
  }
})

test('/status: enabled follows the subscription, whoever changes it', async () => {
  const outside = await world.place.openState(world.clock)
  try {
    for (const [who, isEnabled] of [
      [world.state, false],
      [outside, true],
      [outside, false],
      [world.state, true],
    ] as const) {
      await who.setEnabled(isEnabled)
      await until(`enabled is ${isEnabled}`, async () => (await world.ask('/status')).body.enabled === isEnabled)
    }
  } finally {
    await outside.close()
  }
})

const never = () => new Promise<never>(() => {})

test('/status: answers while the state hangs and the engine is gone, and asks neither', async () => {
  const asked: string[] = []
  const hanging = new Proxy(world.state, {
    get(state, name: keyof State) {
      if (name === 'lastKnownEnabled') return state[name]
      return () => {
        asked.push(name)
        return new Promise(() => {})
      }
    },
  })
  const engine = {
    list: never,
    detail: never,
    changes: never,
    hasFeed: () => true,
    load: () => ({ readers: 0, busy: 0, waiting: 0, stopped: 0, lists: [], feedHold: null }),
    lagSeconds: () => null,
    close: async () => {},
  }
  const token = await world.tokenFor()
  const { status, body } = await world.askWith({ state: hanging, engine })('/status', { token })
  assert.deepEqual([status, body.enabled, asked], [200, true, []])
})

test('/status: answers after state and engine were closed, with the subscription as last known', async () => {
  const closed = await createWorld()
  await closed.close()
  const { status, body } = await closed.ask('/status')
  assert.deepEqual([status, body.enabled], [200, true])
  assert.equal((await closed.ask('/ping')).body.error.code, 'temporarily_unavailable')
})

test('/ping: ok, the name of the client system, and the permissions of the token in the order of the table', async () => {
  const name = 'Boutik Ti Pye "& Fils" é'
  const token = await world.tokenFor({ name, permissions: 'costs:read,reference:read,products:read' })
  const { status, text } = await world.ask('/ping', { token })
  assert.equal(status, 200)
  const scopes = ['products:read', 'reference:read', 'costs:read']
  assert.equal(text, JSON.stringify({ ok: true, client: name, scopes }))
})

test('/ping: needs no permission, and shows those of the token, not of the key', async () => {
  const key = await world.makeKey({ name: 'All' })
  const all = await world.signIn(grantOf(key))
  const one = await world.signIn(grantOf(key, { scope: 'customers:financial' }))
  const scopesOf = async (token: string) => (await world.ask('/ping', { token })).body.scopes
  assert.deepEqual(await scopesOf(all.body.access_token), allPermissions)
  assert.deepEqual(await scopesOf(one.body.access_token), ['customers:financial'])
})

const describedField = (place: string, labels: Readonly<Record<string, object>>) => (each: FieldRule) => {
  const isTime = each.type === 'date-time' || each.type === 'date'
  return {
    name: each.name,
    type: isTime || each.type === 'label' ? 'string' : each.type,
    ...(isTime ? { format: each.type } : {}),
    ...(each.type === 'label' ? { values: Object.keys(labels[each.name] ?? {}) } : {}),
    in: place,
    ...(each.permission ? { permission: each.permission } : {}),
  }
}

// What /resources says of a resource, made from the tables of the specification.
function described(rule: ResourceRule, held: readonly string[], hasPriceLists = true) {
  const mayRead = ({ permission }: FieldRule) => permission === null || held.includes(permission)
  const labels = Object.fromEntries(Object.entries(rule.labels).map(([name, { codes }]) => [name, codes]))
  const arrays = Object.entries(rule.arrays).filter(([name]) => hasPriceLists || name !== 'price_lists')
  const filterTypes = {
    labels: (name: string) => ({ type: 'string', values: Object.keys(labels[name] ?? {}), multiple: true }),
    integer: () => ({ type: 'integer' }),
    currency: () => ({ type: 'string', values: ['USD', 'HTG'] }),
    date: () => ({ type: 'date' }),
    since: () => ({ type: 'date-time' }),
  }
  const isActiveByDefault = rule.omittedStatus === 'active'
  return {
    name: rule.name,
    path: `/api/v1/${rule.name}`,
    ...(isOverViews ? {} : { changes: `/api/v1/changes/${rule.name}` }),
    permission: rule.permission,
    fields: [
      ...rule.fields.filter(mayRead).map(describedField('list', labels)),
      ...arrays.map(([name, { inLists, fields }]) => {
        const place = inLists ? 'list' : 'detail'
        const items = fields.filter(mayRead).map(describedField(place, { type: lineType.codes }))
        return { name, type: 'array', in: place, items }
      }),
    ],
    filters: [
      ...(rule.status.length > 0
        ? [{ name: 'status', type: 'string', values: rule.status, ...(isActiveByDefault ? { default: 'active' } : {}) }]
        : []),
      ...Object.entries(rule.filters).map(([name, type]) => ({ name, ...filterTypes[type](name) })),
    ],
    search: rule.search,
    sort: { fields: rule.sorts, default: rule.defaultSort },
  }
}

// The order of filters is not specified.
const byName = <Each extends { filters: { name: string }[] }>(resource: Each) => ({
  ...resource,
  filters: resource.filters.toSorted((one, other) => one.name.localeCompare(other.name)),
})

const accesses: readonly { name: string; permissions: string; priceList?: string; stores?: string }[] = [
  { name: 'every permission', permissions: 'all' },
  { name: 'no add-on', permissions: Object.values(permissionOf).join(',') },
  { name: 'costs alone of the add-ons', permissions: [...Object.values(permissionOf), 'costs:read'].join(',') },
  { name: 'the add-ons alone', permissions: 'costs:read,customers:financial' },
  { name: 'one price list', permissions: 'all', priceList: '2' },
  { name: 'no store', permissions: 'all', stores: 'none' },
  ...[...new Set(Object.values(permissionOf))].map((permission) => ({
    name: `${permission} alone`,
    permissions: permission,
  })),
]

for (const { name, permissions, priceList, stores } of accesses) {
  test(`/resources: to a key with ${name}, exactly what it may use, in the order of the specification`, async () => {
    const token = await world.tokenFor({ permissions, priceList, stores })
    const held = permissions === 'all' ? allPermissions : permissions.split(',')
    const expected = specification
      .filter(({ permission }) => held.includes(permission))
      .map((rule) => byName(described(rule, held, priceList === undefined)))
    const { status, body } = await world.ask('/resources', { token })
    assert.equal(status, 200)
    assert.deepEqual({ data: body.data.map(byName) }, { data: expected })
  })
}

test('/resources: to a narrowed token, what the token may use and not what the key may', async () => {
  const token = await world.tokenFor({}, 'vendors:read costs:read')
  const { body } = await world.ask('/resources', { token })
  assert.deepEqual(
    body.data.map(({ name }: { name: string }) => name),
    ['vendors'],
  )
})
