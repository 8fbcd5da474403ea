// /.well-known/oauth-authorization-server (RFC 8414) and the addresses that VITRINE_PUBLIC_URL sets: in the metadata, in the OpenAPI
// document and on the documentation page. test/commands/oauth-clients.slow.test.ts discovers the service by it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { strangeToken } from '../support/grants.ts'
import { allPermissions, metadataPath } from '../support/routes.ts'
import { createWorld, type World } from '../support/world.ts'

const publicUrl = 'https://api.example.com:8443'
let world: World
before(async () => {
  world = await createWorld({ anonymousRate: 50 })
})
after(() => world.close())

const metadataOf = (origin: string) => ({
  issuer: origin,
  token_endpoint: `${origin}/api/v1/auth/token`,
  revocation_endpoint: `${origin}/api/v1/auth/revoke`,
  grant_types_supported: ['client_credentials'],
  response_types_supported: [],
  token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  revocation_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
  scopes_supported: allPermissions,
  service_documentation: `${origin}/docs`,
})

// The host as sent → the address that a client compares with the one it was given.
const reflected: Readonly<Record<string, string>> = {
  'shop.example': 'https://shop.example',
  'shop.example:8443': 'https://shop.example:8443',
  'shop.example:443': 'https://shop.example',
  'Shop.EXAMPLE': 'https://shop.example',
  vitrine_1: 'https://vitrine_1',
  '127.0.0.1:8443': 'https://127.0.0.1:8443',
  '[::1]:8443': 'https://[::1]:8443',
}

for (const [host, origin] of Object.entries(reflected)) {
  test(`metadata: without a public address, asked at ${host}, the issuer is ${origin} [N20]`, async () => {
    const { status, body } = await world.ask(metadataPath, { host, address: '10.12.0.1' })
    assert.equal(status, 200)
    assert.deepEqual(body, metadataOf(origin))
  })
}

const invalid = [
  undefined,
  '',
  ':8443',
  'a b',
  'a/b',
  'a?b',
  'a#b',
  'a\\b',
  'user@a',
  'user:password@a',
  'a:b',
  'a:8443:1',
  'a:99999',
  '::1',
  '[::1',
  '[g]',
  'a"b',
  "a'b",
  '<a>',
  'a%2fb',
  'é.example',
  'a,b',
  'a'.repeat(300),
]

for (const host of invalid) {
  test(`metadata: asked at ${JSON.stringify(host)?.slice(0, 40)} it names no address`, async () => {
    const asked = { address: '10.12.0.2', ...(host === undefined ? {} : { host }) }
    const { status, body } = await world.ask(metadataPath, asked)
    assert.deepEqual([status, body.error.code], [400, 'bad_request'])
  })
}

test('metadata: with a public address it is the same for all, whatever the host says', async () => {
  const ask = world.askWith({ publicUrl })
  for (const host of [undefined, 'api.example.com', 'evil.example', 'a/b'])
    assert.deepEqual((await ask(metadataPath, host === undefined ? {} : { host })).body, metadataOf(publicUrl))
})

test('metadata: it opens to anybody: without a subscription, with a wrong token, with any query, the state down [N21]', async () => {
  const asked = { host: 'shop.example', address: '10.12.0.3' }
  await world.state.setEnabled(false)
  const unsubscribed = await world.ask(metadataPath, asked)
  await world.state.setEnabled(true)
  const broken = { ...world.state, admit: () => Promise.reject(new Error('broken')) }
  const answers = [
    unsubscribed,
    await world.ask(metadataPath, { ...asked, token: strangeToken }),
    await world.ask(`${metadataPath}?a=1`, asked),
    await world.askWith({ state: broken })(metadataPath, asked),
  ]
  for (const { status, headers } of answers)
    assert.deepEqual([status, headers['Cache-Control'], headers['Pragma']], [200, 'no-store', undefined])
})

test('metadata: GET alone, over HTTPS alone, in the window of the address', async () => {
  for (const method of ['HEAD', 'POST', 'OPTIONS', 'DELETE']) {
    const { status, headers, body } = await world.ask(metadataPath, { method })
    assert.deepEqual([status, headers['Allow'], body.error.code], [405, 'GET', 'method_not_allowed'])
  }
  const plain = await world.ask(metadataPath, { isSecure: false, host: 'shop.example' })
  assert.deepEqual([plain.status, plain.body.error.code], [403, 'https_required'])
  const asked = { host: 'shop.example', address: '10.12.0.4' }
  for (let done = 1; done <= 51; done += 1) {
    const { status, headers } = await world.ask(metadataPath, asked)
    assert.deepEqual(
      [status, headers['X-RateLimit-Remaining']],
      [done > 50 ? 429 : 200, String(Math.max(0, 50 - done))],
    )
  }
})

const addresses = async (ask: World['ask'], token: string | null) => {
  const { body } = await ask('/openapi.json', { token })
  const { servers, paths, components } = body
  return [
    servers,
    components.securitySchemes.token.flows.clientCredentials.tokenUrl,
    paths[metadataPath].get.servers,
    paths[metadataPath].get.responses[200].content['application/json'].example.issuer,
  ]
}

test('OpenAPI: with a public address, servers and the token URL are whole; without one, they are relative', async () => {
  for (const token of [null, await world.tokenFor({ permissions: 'vendors:read' })]) {
    assert.deepEqual(await addresses(world.askWith({ publicUrl }), token), [
      [{ url: `${publicUrl}/api/v1` }],
      `${publicUrl}/api/v1/auth/token`,
      [{ url: publicUrl }],
      publicUrl,
    ])
    const [servers, tokenUrl, besideApi] = await addresses(world.ask, token)
    assert.deepEqual([servers, tokenUrl, besideApi], [[{ url: '/api/v1' }], '/api/v1/auth/token', [{ url: '/' }]])
  }
})

test('the documentation page: samples name the public address, links and forms stay with the service that is asked', async () => {
  const { text } = await world.askWith({ publicUrl })('/docs')
  assert.ok(text.includes(`BASE=${publicUrl}/api/v1`))
  assert.ok(!text.includes('https://127.0.0.1:8443'))
  assert.ok(text.includes(`data-origin="${publicUrl}"`))
  assert.ok(text.includes('href="/api/v1/openapi.json"'))
  const forms = [...text.matchAll(/data-path="([^"]*)"/g)].map((found) => found[1] ?? '')
  assert.deepEqual(
    forms.filter((path) => !path.startsWith('/api/v1/')),
    [metadataPath],
  )
  assert.ok(!(await world.ask('/docs')).text.includes('data-origin'))
})
