// Paths and methods: the version is in the path, each route has one path and one method, and nothing else is one.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { allPaths, credentialsPaths, dataPaths, listPaths, metadataPath, methodOf } from '../support/routes.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let token = ''
before(async () => {
  world = await createWorld()
  token = await world.tokenFor()
})
after(() => world.close())

test('paths: every route of the specification is there, under /api/v1', async () => {
  for (const path of allPaths) {
    const { status, body } = await world.ask(`/api/v1${path}`, { method: methodOf(path) })
    const expected = path === '/status' || path === '/openapi.json' ? 200 : credentialsPaths.includes(path) ? 400 : 401
    assert.equal(status, expected, `${path} ${JSON.stringify(body)}`)
  }
})

test('paths: the version is reported by /status', async () => {
  assert.equal((await world.ask('/status')).body.api, 'v1')
})

const unknown = [
  '/api',
  '/api/',
  '/api/v1',
  '/api/v1/',
  '/api/v1//',
  '/api/v2/status',
  '/api/v2/products',
  '/api/v10/status',
  '/api/v1.0/status',
  '/api/V1/status',
  '/API/v1/status',
  '/apiv1/status',
  '/api/status',
  '/api//v1/status',
  '/api/v1//status',
  '/api/v1/./status',
  '/api/v1/../v1/status',
  '/api/v1/nothing',
  '/api/v1/auth',
  '/api/v1/auth/',
  '/api/v1/token',
  '/api/v1/auth/token/1',
  '/api/v1/auth/revoke/1',
  '/api/v1/revoke',
  `/api/v1${metadataPath}`,
  `${metadataPath}/`,
  // As if the issuer had a path.
  `${metadataPath}/api/v1`,
  '/.well-known/openid-configuration',
  '/api/v1/status/1',
  '/api/v1/ping/1',
  '/api/v1/resources/products',
  '/api/v1/products/1/lines',
  '/api/v1/products/1/2',
  '/api/v1/products//1',
  '/api/v1/product',
  '/api/v1/sales_orders',
  '/api/v1/salesorders',
  '/api/v1/creditmemos',
  '/api/v1/sub_departments',
  '/api/v1/__proto__',
  '/api/v1/constructor',
  '/api/v1/{id}',
  '/api/v1/status/{id}',
]

for (const path of unknown) {
  test(`paths: ${path} is 404 not_found, with and without a token, whatever the method`, async () => {
    for (const asked of [{}, { token }, { method: 'POST' }, { method: 'DELETE', token }]) {
      const { status, body, headers } = await world.ask(path, asked)
      assert.deepEqual([status, body.error.code, headers['Allow']], [404, 'not_found', undefined])
    }
  })
}

test('paths: a trailing slash makes another path', async () => {
  for (const path of allPaths) {
    const { status } = await world.ask(`${path}/`, { method: methodOf(path), token })
    assert.equal(status, 404, path)
  }
})

test('paths: they are in lower case', async () => {
  for (const path of [...listPaths, '/status', '/ping', '/resources', ...credentialsPaths]) {
    const capital = path.replace(/\/(.)/, (_, letter: string) => `/${letter.toUpperCase()}`)
    assert.equal((await world.ask(capital, { method: methodOf(path), token })).status, 404, capital)
    assert.equal((await world.ask(path.toUpperCase(), { method: methodOf(path), token })).status, 404, path)
  }
})

test('paths: an encoded name is none of ours', async () => {
  for (const path of ['/%73tatus', '/%70roducts', '/products%2F1', '/auth%2Ftoken', '/products%00', '/%zz', '/é'])
    assert.equal((await world.ask(path, { token })).status, 404, path)
})

test('paths: an id is written in digits; anything else in its place is a fault of the parameter id [N3]', async () => {
  const ids = [
    'abc',
    '01',
    '+1',
    '1.0',
    '1e3',
    '%31',
    '1%20',
    '0x1',
    '9007199254740992',
    '{id}',
    '%zz',
    '*',
    '1;2',
    'é',
    '--1',
    '-0',
  ]
  for (const path of listPaths) {
    for (const id of ids) {
      const { status, body } = await world.ask(`${path}/${id}`, { token })
      assert.deepEqual([status, body.error.code], [400, 'invalid_parameter'], `${path}/${id}`)
      assert.deepEqual(
        body.error.details.map(({ parameter }: { parameter: string }) => parameter),
        ['id'],
      )
    }
    for (const id of ['1', '0', '-1', '9007199254740991'])
      assert.deepEqual((await world.ask(`${path}/${id}`, { token })).body.error.code, 'not_found', `${path}/${id}`)
  }
})

test('paths: faults of the id and of parameters are told together', async () => {
  const { body } = await world.ask('/products/abc?status=active&page=1', { token })
  assert.deepEqual(body.error.details.map(({ parameter }: { parameter: string }) => parameter).toSorted(), [
    'id',
    'page',
    'status',
  ])
})

const methods = ['GET', 'HEAD', 'OPTIONS', 'POST', 'PUT', 'PATCH', 'DELETE', 'TRACE', 'QUERY', 'PROPFIND', 'get']

for (const method of methods) {
  test(`methods: ${method} is refused with 405 and Allow wherever it is not the route's, without a token too`, async () => {
    for (const path of allPaths.filter((each) => methodOf(each) !== method)) {
      if (path === '/status' && method === 'HEAD') continue
      for (const asked of [{}, { token }]) {
        const { status, headers, body } = await world.ask(path, { method, ...asked })
        const code = credentialsPaths.includes(path) ? body.error : body.error.code
        assert.deepEqual([status, code, headers['Allow']], [405, 'method_not_allowed', methodOf(path)], path)
      }
    }
  })
}

test('methods: a 405 on a detail route looks neither at the id nor at the parameters', async () => {
  for (const path of dataPaths.filter((each) => each.endsWith('/1')))
    assert.equal((await world.ask(`${path}x?nope`, { method: 'DELETE', token })).status, 405, path)
})
