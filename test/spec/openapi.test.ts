// /openapi.json: a valid OpenAPI document, of the whole API without a token, of exactly what a token may use with one; and
// every answer is as it says.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { createRoutes } from '../../src/app.ts'
import type { ApiDescription } from '../../src/describe/openapi/document.ts'
import { errors } from '../../src/errors.ts'
import { company } from '../support/fixture.ts'
import { pointerTo, resolve, validateAnswer, wholeDocument } from '../support/openapi.ts'
import type { Part } from '../support/openapi.ts'
import { isOverViews } from '../support/place.ts'
import { allPermissions, credentialsPaths, metadataPath } from '../support/routes.ts'
import { specification, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

interface Access {
  readonly name: string
  readonly key: { readonly permissions?: string; readonly stores?: string; readonly priceList?: string } | null
}

const accesses: readonly Access[] = [
  { name: 'nobody in particular', key: null },
  { name: 'every permission', key: {} },
  ...allPermissions.map((permission) => ({ name: `${permission} alone`, key: { permissions: permission } })),
  { name: 'no add-on', key: { permissions: allPermissions.slice(0, -2).join(',') } },
  { name: 'adjustments and costs', key: { permissions: 'adjustments:read,costs:read' } },
  { name: 'customers and their finances', key: { permissions: 'customers:read,customers:financial' } },
  { name: 'a price list', key: { priceList: '2' } },
  { name: 'some stores', key: { stores: '1,2' } },
]
const held = ({ key }: Access) => key?.permissions?.split(',') ?? allPermissions

let world: World
const tokens = new Map<Access, string>()
const documents = new Map<Access, ApiDescription>()
before(async () => {
  world = await createWorld({ rows: company })
  for (const access of accesses) {
    if (access.key) tokens.set(access, await world.tokenFor(access.key))
    const answer = await world.ask('/openapi.json', { token: tokens.get(access) ?? null })
    assert.equal(answer.status, 200, answer.text)
    documents.set(access, answer.body)
  }
})
after(() => world.close())

const documentOf = (name: string): ApiDescription => {
  const access = accesses.find((each) => each.name === name)
  assert.ok(access)
  return documents.get(access) as ApiDescription
}
const documentFor = (access: Access) => () => documents.get(access) as ApiDescription
const operationsOf = (document: ApiDescription): [path: string, method: string, operation: Part][] =>
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, string, Part] => [path, method, operation]),
  )

const servicePaths = ['/status', ...credentialsPaths, '/ping', '/resources', '/openapi.json', metadataPath]

for (const access of accesses) {
  suite(`the document for ${access.name}`, () => {
    const document = documentFor(access)
    const mine = specification.filter(({ permission }) => held(access).includes(permission))

    test('declares exactly the scopes that the access holds, and every tag', () => {
      const { servers, components, tags } = document()
      assert.deepEqual(servers, [{ url: '/api/v1' }])
      const { scopes } = (components as Part).securitySchemes.token.flows.clientCredentials
      assert.deepEqual(Object.keys(scopes), held(access))
      const declared = new Set(tags.map(({ name }) => name))
      for (const [path, , { tags: own }] of operationsOf(document()))
        for (const tag of own) assert.ok(declared.has(tag), `${path} ${tag}`)
    })

    test('has exactly the paths it may use, each with the permission it needs', () => {
      const expected = mine.flatMap(({ name }) => [`/${name}`, `/${name}/{id}`])
      const feed = isOverViews ? [] : ['/changes', ...mine.map(({ name }) => `/changes/${name}`)]
      assert.deepEqual(Object.keys(document().paths), [...servicePaths, ...expected, ...feed])
      for (const { name, permission } of mine)
        for (const path of [`/${name}`, `/${name}/{id}`]) {
          const { part } = resolve(document(), pointerTo('paths', path, 'get'))
          assert.deepEqual(part.security, [{ token: [permission] }], path)
          assert.deepEqual(part.tags, [name])
        }
    })

    test('has exactly the fields, filters and sorts it may use', () => {
      for (const rule of mine) {
        assert.deepEqual(fieldsOf(document(), rule, 'list'), expectedFields(rule, access, 'list'), rule.name)
        assert.deepEqual(fieldsOf(document(), rule, 'detail'), expectedFields(rule, access, 'detail'), rule.name)
        const parameters = parametersOf(document(), rule.name)
        const status = rule.status.length > 0 ? ['status'] : []
        const names = ['page', 'per_page', 'sort', ...status, ...Object.keys(rule.filters), 'search']
        assert.deepEqual([...parameters.keys()], names)
        const sort = parameters.get('sort')
        assert.deepEqual(
          sort.schema.items.enum,
          rule.sorts.flatMap((field) => [field, `-${field}`]),
        )
        assert.deepEqual(sort.schema.default, [rule.defaultSort])
        if (status.length > 0) assert.deepEqual(parameters.get('status').schema.enum, rule.status)
      }
    })

    test('tells nothing of what it may not use', () => {
      const text = JSON.stringify(document())
      for (const permission of allPermissions)
        assert.equal(text.includes(`"${permission}"`), held(access).includes(permission), permission)
      for (const { name, permission } of specification)
        if (!held(access).includes(permission))
          // Some have an array of that name, which has a type.
          assert.ok(!new RegExp(`"/${name}["/]|"name":"${name}",(?!"type")`).test(text), name)
      // Fields with these names are nowhere but behind their add-on.
      if (!held(access).includes('costs:read')) assert.ok(!/"(average_cost|cost_total|order_cost)"/.test(text))
      if (!held(access).includes('customers:financial')) assert.ok(!/"(credit_limit|balance)"/.test(text))
      if (access.key?.priceList) assert.ok(!text.includes('price_lists') && !text.includes('ProductPriceList'))
    })

    test('every list and detail is as it says, and as the whole document says', async (context) => {
      if (!access.key) return context.skip('no token, no data')
      const token = tokens.get(access) ?? null
      let tried = 0
      const hold = async (target: string) => {
        const answer = await world.ask(target, { token })
        assert.equal(answer.status, 200, target)
        const asked = { ...answer, method: 'GET', path: target.split('?')[0] ?? '' }
        for (const each of [document(), wholeDocument()]) assert.deepEqual(validateAnswer(each, asked), [], target)
        tried += 1
        return answer.body
      }
      for (const path of ['/ping', '/resources', '/openapi.json']) await hold(path)
      for (const { name, status } of mine) {
        const all = ['per_page=100', ...status.map((label) => `per_page=100&status=${label}`)]
        for (const query of all) {
          const { data } = await hold(`/${name}?${query}`)
          for (const { id } of data) await hold(`/${name}/${id}`)
        }
      }
      assert.ok(tried >= 3 + 10 * mine.length, `${tried} answers`)
    })
  })
}

function parametersOf(document: ApiDescription, resource: string): Map<string, Part> {
  const { part } = resolve(document, pointerTo('paths', `/${resource}`, 'get'))
  const parameters = part.parameters.map((each: Part) => (each.$ref ? resolve(document, each.$ref).part : each))
  return new Map(parameters.map((each: Part) => [each.name, each]))
}

// name → its type, or the names and types of its items; with `?` where it need not be there.
type Fields = Readonly<Record<string, unknown>>

function fieldsOf(document: ApiDescription, { name }: ResourceRule, place: 'list' | 'detail'): Fields {
  const path = place === 'list' ? `/${name}` : `/${name}/{id}`
  const schema = pointerTo('paths', path, 'get', 'responses', 200, 'content', 'application/json', 'schema')
  const data = `${resolve(document, schema).pointer}/properties/data${place === 'list' ? '/items' : ''}`
  return shapeOf(document, resolve(document, data).part)
}

function shapeOf(document: ApiDescription, record: Part): Fields {
  assert.equal(record.additionalProperties, false)
  return Object.fromEntries(
    Object.entries<Part>(record.properties).map(([name, schema]) => {
      const { part } = schema.$ref ? resolve(document, schema.$ref) : { part: schema }
      const key = record.required.includes(name) ? name : `${name}?`
      if (part.type === 'array') return [key, shapeOf(document, resolve(document, part.items.$ref).part)]
      return [key, part.enum ? part.enum : [part.type, part.format ?? null].flat()]
    }),
  )
}

function expectedFields(rule: ResourceRule, access: Access, place: 'list' | 'detail'): Fields {
  const shape = (fields: ResourceRule['fields'], labels: ResourceRule['labels']) =>
    Object.fromEntries(
      fields
        .filter(({ permission }) => permission === null || held(access).includes(permission))
        .map(({ name, type, permission }) => {
          const key = permission && !access.key ? `${name}?` : name
          if (type === 'label') return [key, [...Object.keys(labels[name]?.codes ?? {}), null]]
          if (name === 'id') return [key, ['integer', 'int64']]
          const json = type === 'date-time' || type === 'date' ? 'string' : type
          return [key, [json, 'null', type === 'integer' ? 'int64' : type === 'date' ? 'date' : null]]
        }),
    )
  const line = { type: { column: 'kind', codes: { Inventory: 1, Service: 2, Special: 3 } } }
  const arrays = Object.entries(rule.arrays)
    .filter(
      ([name, { inLists }]) => (place === 'detail' || inLists) && !(name === 'price_lists' && access.key?.priceList),
    )
    .map(([name, { fields }]) => [name === 'price_lists' && !access.key ? `${name}?` : name, shape(fields, line)])
  return { ...shape(rule.fields, rule.labels), ...Object.fromEntries(arrays) }
}

test('a restriction to stores changes nothing in the document', () => {
  assert.deepEqual(documentOf('some stores'), documentOf('every permission'))
})

// Without what may differ.
const strip = (document: ApiDescription) =>
  JSON.parse(
    JSON.stringify(document, (key, value) => (key === 'required' || key === 'description' ? undefined : value)),
  )

test('the document of anybody differs from that of every permission only in what must be there', () => {
  assert.deepEqual(strip(documentOf('nobody in particular')), strip(documentOf('every permission')))
  assert.deepEqual(documentOf('nobody in particular'), JSON.parse(JSON.stringify(wholeDocument())))
})

test('every route of the service is described with its method, and nothing else is', () => {
  const routes = createRoutes({ ...world, timeZone: 'UTC' })
  const described = operationsOf(wholeDocument()).map(([path, method]) => `${method.toUpperCase()} ${path}`)
  const served = [...routes].flatMap(([path, { method, answersHead }]) =>
    [method, ...(answersHead ? ['HEAD'] : [])].map((each) => `${each} ${path}`),
  )
  // Beside the API, at the root of the host.
  assert.deepEqual(described.toSorted(), [...served, `GET ${metadataPath}`].toSorted())
})

const everywhere = `https_required method_not_allowed rate_limited internal_error bad_request request_timeout
  header_too_large`
const subscribed = `${everywhere} api_not_enabled temporarily_unavailable`
const withToken = `${subscribed} missing_token invalid_token invalid_parameter`
const list = `${withToken} insufficient_scope`
const errorsOf: Readonly<Record<string, string>> = {
  '/status': everywhere,
  [metadataPath]: everywhere,
  '/openapi.json': `${subscribed} invalid_token invalid_parameter`,
  '/ping': withToken,
  '/resources': withToken,
  '/products': list,
  '/invoices/{id}': `${list} not_found`,
  '/changes': `${withToken} not_found cursor_expired`,
  '/changes/products': `${list} not_found cursor_expired`,
  '/auth/token': `${subscribed} invalid_request unsupported_grant_type invalid_scope invalid_client too_many_attempts`,
  '/auth/revoke': `${subscribed} invalid_request invalid_client too_many_attempts`,
}

// Every answer to a test is held to the document; this is what it must not say beyond that.
test('each kind of route is described with exactly its errors', () => {
  const { paths, components } = wholeDocument()
  for (const [path, codes] of Object.entries(errorsOf))
    for (const { responses } of Object.values(paths[path] ?? assert.fail(path))) {
      const described = Object.values(responses).flatMap((response) => {
        const name = '$ref' in response ? response.$ref.split('/').at(-1) : undefined
        return Object.keys(components.responses[name ?? '']?.content?.['application/json'].examples ?? {})
      })
      assert.deepEqual(described.toSorted(), codes.split(/\s+/).toSorted(), path)
    }
  const all = new Set(Object.values(errorsOf).flatMap((codes) => codes.split(/\s+/)))
  assert.deepEqual([...all].toSorted(), Object.keys(errors).toSorted())
})

// Values at and just beyond what a parameter's schema allows.
function edges({ name, schema }: Part): { good: string[]; bad: string[] } {
  if (schema.type === 'array') {
    const values: string[] = schema.items.enum
    const once = values.filter((value) => !value.startsWith('-'))
    const most = schema.maxItems ?? once.length
    return {
      good: [...values, once.slice(0, most).join(',')],
      bad: ['nope', '', `${values[0]},`, ...(once.length > most ? [once.slice(0, most + 1).join(',')] : [])],
    }
  }
  if (schema.enum) return { good: schema.enum, bad: ['nope', `${schema.enum[0]},${schema.enum[1]}`] }
  if (schema.type === 'integer') {
    const { minimum, maximum } = schema
    return {
      good: [minimum, 1, maximum].map(String),
      bad: [BigInt(minimum) - 1n, BigInt(maximum) + 1n, '1.5'].map(String),
    }
  }
  if (schema.minLength) {
    const { minLength, maxLength } = schema
    const [good, bad] = [
      [minLength, maxLength],
      [minLength - 1, maxLength + 1],
    ]
    return { good: good.map((length) => 'é'.repeat(length)), bad: bad.map((length) => 'é'.repeat(length)) }
  }
  const times = ['2026-01-05', '2026-01-05T23:59:59', '2026-01-05T24:00:00', '2026-01-05T10:00:00Z', '2026-1-5']
  const pattern = new RegExp(schema.pattern)
  assert.ok(name === 'updated_since' || schema.format === 'date', name)
  return {
    good: times.filter((time) => pattern.test(time)),
    bad: [...times.filter((time) => !pattern.test(time)), '2026-02-30'],
  }
}

test('without a token, or with another scheme, it is the whole document [N16]', async () => {
  for (const authorization of [[], ['Basic YTpi']])
    assert.deepEqual((await world.ask('/openapi.json', { authorization })).body, documentOf('nobody in particular'))
})

test('an array is one parameter with commas: generated clients are told so, and one that repeats it is refused', async () => {
  const document = documentOf('every permission')
  let arrays = 0
  for (const [path, method, { parameters = [] }] of operationsOf(document))
    for (const at of Object.keys(parameters)) {
      const { part } = resolve(document, pointerTo('paths', path, method, 'parameters', at))
      if (part.schema.type !== 'array') continue
      arrays += 1
      assert.deepEqual([part.in, part.style, part.explode], ['query', 'form', false], `${path} ${part.name}`)
    }
  assert.ok(arrays > specification.length)
  const token = tokens.get(accesses[1] as Access) ?? null
  assert.equal((await world.ask('/invoices?sort=-total,date', { token })).status, 200)
  const { status, body } = await world.ask('/invoices?sort=-total&sort=date', { token })
  assert.deepEqual([status, body.error.code], [400, 'invalid_parameter'])
})

test('every described value of a parameter is taken, and those just beyond are refused', async () => {
  const token = tokens.get(accesses[1] as Access) ?? null
  let tried = 0
  for (const { name } of specification) {
    for (const [parameter, part] of parametersOf(wholeDocument(), name)) {
      const { good, bad } = edges(part)
      for (const [status, values] of [
        [200, good],
        [400, bad],
      ] as const) {
        assert.ok(values.length > 0)
        for (const value of values) {
          const target = `/${name}?${parameter}=${encodeURIComponent(value)}`
          const answer = await world.ask(target, { token })
          assert.equal(answer.status, status, target)
          tried += 1
        }
      }
      if (part.schema.default === undefined) continue
      const omitted = await world.ask(`/${name}`, { token })
      const given = await world.ask(`/${name}?${parameter}=${part.schema.default}`, { token })
      assert.equal(given.text, omitted.text, `${name} ${parameter}`)
    }
  }
  assert.ok(tried > 800, `${tried} values`)
})

test('an answer that is not as described is told, whatever is wrong with it', async () => {
  const token = tokens.get(accesses[1] as Access) ?? null
  const { status, headers, body } = await world.ask('/invoices/1', { token })
  const right = { method: 'GET', path: '/api/v1/invoices/1', status, headers, body }
  const faultsOf = (changes: object) => validateAnswer(documentOf('every permission'), { ...right, ...changes })
  assert.deepEqual(faultsOf({}), [])
  const { total: _total, ...incomplete } = body.data
  const [line] = body.data.lines
  const wrong: Record<string, object> = {
    'a field too few': { body: { data: incomplete } },
    'a field too many': { body: { data: { ...body.data, secret: 1 } } },
    'an id of null': { body: { data: { ...body.data, id: null } } },
    'a number as a text': { body: { data: { ...body.data, total: '1' } } },
    'an unknown label': { body: { data: { ...body.data, status: 'nope' } } },
    'a time with a zone': { body: { data: { ...body.data, date: '2026-01-05T10:00:00Z' } } },
    'an item with a field too many': { body: { data: { ...body.data, lines: [{ ...line, secret: 1 }] } } },
    'no array': { body: { data: { ...body.data, lines: null } } },
    'an envelope too many': { body: { ...body, meta: {} } },
    'a header too few': { headers: { ...headers, 'X-Request-Id': undefined } },
    'a header too many': { headers: { ...headers, 'X-Total-Count': '1' } },
    'a wrong header': { headers: { ...headers, 'X-RateLimit-Reset': '0' } },
    'a cached answer': { headers: { ...headers, 'Cache-Control': 'max-age=60' } },
    'another status': { status: 404 },
    'an undescribed status': { status: 418 },
    'another path': { path: '/api/v1/nothing' },
    'another method': { method: 'PUT' },
  }
  for (const [name, changes] of Object.entries(wrong)) assert.notDeepEqual(faultsOf(changes), [], name)
})
