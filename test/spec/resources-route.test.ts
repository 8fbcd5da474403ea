// /resources: for each access exactly the resources, fields, filters and sorts it may use, in the decided shape and the
// order of the specification, and all of it usable as described.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { company } from '../support/fixture.ts'
import { lineType, specification } from '../support/specification/index.ts'
import type { FieldRule, LabelRule, ResourceRule } from '../support/specification/index.ts'
import { createWorld, type Answer, type World } from '../support/world.ts'

interface Access {
  readonly name: string
  readonly permissions: readonly string[]
  readonly key: { readonly permissions?: string; readonly stores?: string; readonly priceList?: string }
  readonly scope?: string
}

const all = [...new Set(specification.map(({ permission }) => permission)), 'costs:read', 'customers:financial']
const withoutAddOns = all.slice(0, -2)
const accesses: readonly Access[] = [
  { name: 'every permission', permissions: all, key: {} },
  { name: 'no add-on', permissions: withoutAddOns, key: { permissions: withoutAddOns.join(',') } },
  ...['costs:read', 'customers:financial'].map((addOn) => ({
    name: `the add-on ${addOn} alone`,
    permissions: [...withoutAddOns, addOn],
    key: { permissions: [...withoutAddOns, addOn].join(',') },
  })),
  { name: 'one resource', permissions: ['adjustments:read'], key: { permissions: 'adjustments:read' } },
  { name: 'reference data', permissions: ['reference:read'], key: { permissions: 'reference:read' } },
  { name: 'add-ons and no resource', permissions: ['costs:read'], key: { permissions: 'costs:read' } },
  { name: 'some stores', permissions: all, key: { stores: '1,2' } },
  { name: 'no store', permissions: all, key: { stores: 'none' } },
  { name: 'a price list', permissions: all, key: { priceList: '2' } },
  {
    name: 'a token that was granted less than its key holds',
    permissions: ['customers:read', 'invoices:read', 'costs:read'],
    key: {},
    scope: 'costs:read invoices:read customers:read',
  },
]

let world: World
const tokens = new Map<Access, string>()
before(async () => {
  world = await createWorld({ rows: company })
  for (const access of accesses) tokens.set(access, await world.tokenFor(access.key, access.scope))
})
after(() => world.close())

const ask = (access: Access, target: string) => world.ask(target, { token: tokens.get(access) ?? null })

function describedField(field: FieldRule, label: LabelRule | undefined, place: 'list' | 'detail') {
  const isTime = field.type === 'date-time' || field.type === 'date'
  return {
    name: field.name,
    type: isTime || field.type === 'label' ? 'string' : field.type,
    ...(isTime ? { format: field.type } : {}),
    ...(field.type === 'label' ? { values: Object.keys(label?.codes ?? {}) } : {}),
    in: place,
    ...(field.permission ? { permission: field.permission } : {}),
  }
}

function described(rule: ResourceRule, { permissions, key }: Access) {
  const held = (fields: readonly FieldRule[]) =>
    fields.filter(({ permission }) => permission === null || permissions.includes(permission))
  const arrays = Object.entries(rule.arrays)
    .filter(([name]) => name !== 'price_lists' || key.priceList === undefined)
    .map(([name, { fields, inLists }]) => {
      const place = inLists ? 'list' : 'detail'
      const items = held(fields).map((field) => describedField(field, lineType, place))
      return { name, type: 'array', in: place, items }
    })
  const status = {
    name: 'status',
    type: 'string',
    values: rule.status,
    ...(rule.omittedStatus === 'active' ? { default: 'active' } : {}),
  }
  const filters = Object.entries(rule.filters).map(([name, type]) => {
    if (type === 'labels')
      return { name, type: 'string', values: Object.keys(rule.labels[name]?.codes ?? {}), multiple: true }
    if (type === 'currency') return { name, type: 'string', values: ['USD', 'HTG'] }
    return { name, type: type === 'since' ? 'date-time' : type }
  })
  return {
    name: rule.name,
    permission: rule.permission,
    fields: [...held(rule.fields).map((field) => describedField(field, rule.labels[field.name], 'list')), ...arrays],
    filters: [...(rule.status.length > 0 ? [status] : []), ...filters],
    search: rule.search,
    sort: { fields: rule.sorts, default: rule.defaultSort },
  }
}

for (const access of accesses) {
  suite(`an access with ${access.name}`, () => {
    const mine = specification.filter(({ permission }) => access.permissions.includes(permission))

    test('is told exactly what it may use, in the order of the specification', async () => {
      const { status, body, headers } = await ask(access, '/resources')
      assert.equal(status, 200)
      assert.deepEqual(Object.keys(body), ['data'])
      assert.ok(!('X-Total-Count' in headers))
      assert.deepEqual(
        body.data.map(({ path: _path, changes: _changes, ...rest }: { path: string; changes?: string }) => rest),
        mine.map((rule) => described(rule, access)),
      )
      for (const { name, path } of body.data) assert.match(path, new RegExp(`^(/api/v1)?/${name}$`))
    })

    test('the fields, in their order, are those of its records', async () => {
      const { data } = (await ask(access, '/resources')).body
      for (const resource of data) {
        const names = (place: RegExp) =>
          resource.fields.flatMap((field: { name: string; in: string }) => (place.test(field.in) ? [field.name] : []))
        const list = await ask(access, `/${resource.name}?per_page=100`)
        for (const record of list.body.data) assert.deepEqual(Object.keys(record), names(/^list$/), resource.name)
        const [first] = list.body.data
        if (!first) continue
        const { body } = await ask(access, `/${resource.name}/${first.id}`)
        assert.deepEqual(Object.keys(body.data), names(/^(list|detail)$/), resource.name)
        for (const { name, items } of resource.fields.filter((field: { type: string }) => field.type === 'array'))
          for (const item of body.data[name])
            assert.deepEqual(
              Object.keys(item),
              items.map((each: { name: string }) => each.name),
            )
      }
    })

    test('a resource that it is not told of answers 403, and one that it is told of answers', async () => {
      for (const { name } of specification) {
        const { status } = await ask(access, `/${name}`)
        assert.equal(status, mine.some((rule) => rule.name === name) ? 200 : 403, name)
      }
    })
  })
}

test('every described filter value, sort and search works as described', async () => {
  const [access] = accesses
  assert.ok(access)
  const examples: Record<string, string[]> = {
    integer: ['1'],
    date: ['2026-01-05'],
    'date-time': ['2026-01-05', '2026-01-05T10:00:00'],
  }
  const { data } = (await ask(access, '/resources')).body
  for (const { name, filters, sort, search } of data) {
    const queries = [
      `sort=${sort.default}`,
      ...sort.fields.flatMap((field: string) => [`sort=${field}`, `sort=-${field}`]),
    ]
    for (const filter of filters) {
      const values: string[] = filter.values ?? examples[filter.type]
      queries.push(...values.map((value) => `${filter.name}=${value}`))
      if (filter.multiple) queries.push(`${filter.name}=${values.join(',')}`)
      if (filter.default) {
        const omitted: Answer = await ask(access, `/${name}`)
        const given: Answer = await ask(access, `/${name}?${filter.name}=${filter.default}`)
        assert.equal(omitted.text, given.text)
      }
    }
    if (search.length > 0) queries.push('search=ab')
    for (const query of queries) assert.equal((await ask(access, `/${name}?${query}`)).status, 200, `${name} ${query}`)
  }
})

test('/resources takes no parameter', async () => {
  const [access] = accesses
  assert.ok(access)
  const { status, body } = await ask(access, '/resources?page=1&name=products')
  assert.equal(status, 400)
  assert.equal(body.error.code, 'invalid_parameter')
  assert.deepEqual(
    body.error.details.map((detail: { parameter: string }) => detail.parameter),
    ['page', 'name'],
  )
})
