// POST /auth/token: what is read of a request, in both formats and from both places for credentials.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { regenerateKey, revokeKey, updateKey } from '../../src/keys/keys.ts'
import { basicOf, grantOf, wrongCode, type Credentials } from '../support/grants.ts'
import { allPermissions } from '../support/routes.ts'
import { createWorld, type Asked, type World } from '../support/world.ts'

let world: World
let key: Credentials
let other: Credentials
before(async () => {
  world = await createWorld()
  key = await world.makeKey()
  other = await world.makeKey({ permissions: 'vendors:read' })
})
after(() => world.close())

// Each request from an address of its own: limits of addresses have their own tests.
let addresses = 0
const nextAddress = () => `10.5.${(addresses += 1) >> 8}.${addresses & 255}`
const post = (asked: Asked, target = '/auth/token') =>
  world.ask(target, { method: 'POST', address: nextAddress(), ...asked })

const formType = 'application/x-www-form-urlencoded'
const form = (parameters: Record<string, string>): Asked => ({
  contentType: formType,
  body: new URLSearchParams(parameters).toString(),
})
const json = (value: unknown): Asked => ({ contentType: 'application/json', body: JSON.stringify(value) })
const grantOnly = { grant_type: 'client_credentials' }
const wrong = (credentials: Credentials) => ({ ...credentials, securityCode: wrongCode })
const percentEncoded = (text: string) =>
  text.replaceAll(/[^A-Za-z0-9]/g, (each) => `%${each.charCodeAt(0).toString(16)}`)
// Clients that follow RFC 6749, section 2.3.1, form-encode both halves.
const encodedBasic = ({ accessKey, securityCode }: Credentials) =>
  basicOf({ accessKey: percentEncoded(accessKey), securityCode: percentEncoded(securityCode) })

interface Scenario {
  readonly name: string
  readonly asked: () => Asked
  readonly target?: () => string
  // 200, or the error.
  readonly expected: 200 | 'invalid_request' | 'unsupported_grant_type' | 'invalid_client'
}

const scenarios: readonly Scenario[] = [
  { name: 'a form', asked: () => form(grantOf(key)), expected: 200 },
  { name: 'JSON', asked: () => json(grantOf(key)), expected: 200 },
  ...[`${formType}; charset=UTF-8`, `${formType};charset=utf-8`, formType.toUpperCase(), ` ${formType} `].map(
    (contentType): Scenario => ({
      name: `a form as "${contentType}"`,
      asked: () => ({ ...form(grantOf(key)), contentType }),
      expected: 200,
    }),
  ),
  ...['application/json; charset=utf-8', 'Application/JSON'].map((contentType): Scenario => ({
    name: `JSON as "${contentType}"`,
    asked: () => ({ ...json(grantOf(key)), contentType }),
    expected: 200,
  })),
  ...[
    'text/plain',
    'multipart/form-data; boundary=x',
    'application/jsonp',
    'application/vnd.api+json',
    'text/json',
    `${formType}x`,
    `application/json, ${formType}`,
    '',
  ].map((contentType): Scenario => ({
    name: `a form as "${contentType}"`,
    asked: () => ({ ...form(grantOf(key)), contentType }),
    expected: 'invalid_request',
  })),
  {
    name: 'a form without a content type [N11]',
    asked: () => ({ body: new URLSearchParams(grantOf(key)).toString() }),
    expected: 'invalid_request',
  },
  {
    name: 'JSON said to be a form',
    asked: () => ({ ...json(grantOf(key)), contentType: formType }),
    expected: 'invalid_request',
  },
  {
    name: 'a form said to be JSON',
    asked: () => ({ ...form(grantOf(key)), contentType: 'application/json' }),
    expected: 'invalid_request',
  },
  { name: 'an empty form', asked: () => form({}), expected: 'invalid_request' },
  { name: 'an empty JSON body', asked: () => ({ ...json({}), body: '' }), expected: 'invalid_request' },
  {
    name: 'a body that is too large',
    asked: () => ({ contentType: formType, body: null }),
    expected: 'invalid_request',
  },
  ...['{', 'null', '[]', '"client_credentials"', '1', "{'grant_type':'x'}", '{"grant_type":"client_credentials",}'].map(
    (body): Scenario => ({
      name: `the JSON body ${body}`,
      asked: () => ({ contentType: 'application/json', body }),
      expected: 'invalid_request',
    }),
  ),
  ...['grant_type', 'client_id', 'client_secret', 'scope'].flatMap((name) =>
    [null, 1, true, ['products:read'], {}].map((value): Scenario => ({
      name: `JSON with ${name} ${JSON.stringify(value)}`,
      asked: () => json({ ...grantOf(key), [name]: value }),
      expected: 'invalid_request',
    })),
  ),
  ...['grant_type', 'client_id', 'client_secret', 'scope', 'unknown'].map((name): Scenario => ({
    name: `a form with ${name} twice`,
    asked: () => {
      const twice = new URLSearchParams(grantOf(key, { scope: 'vendors:read', unknown: 'x' }))
      twice.append(name, twice.get(name) ?? '')
      return { contentType: formType, body: twice.toString() }
    },
    expected: 'invalid_request',
  })),
  {
    name: 'a form with a parameter twice, once encoded',
    asked: () => ({ contentType: formType, body: `${form(grantOf(key)).body}&client%5Fid=x` }),
    expected: 'invalid_request',
  },
  {
    name: 'a form with a bad percent escape',
    asked: () => ({ contentType: formType, body: `${form(grantOf(key)).body}&x=%zz` }),
    expected: 'invalid_request',
  },
  {
    name: 'a form encoded more than it needs to be',
    asked: () => ({
      contentType: formType,
      body: `grant%5Ftype=client%5fcredentials&client_id=${percentEncoded(key.accessKey)}&client_secret=${key.securityCode}&`,
    }),
    expected: 200,
  },
  { name: 'a form with unknown parameters', asked: () => form(grantOf(key, { resource: 'x', a: '' })), expected: 200 },
  { name: 'JSON with unknown parameters', asked: () => json(grantOf(key, { audience: 'x' })), expected: 200 },
  { name: 'an empty scope, which counts as omitted', asked: () => form(grantOf(key, { scope: '' })), expected: 200 },
  { name: 'an empty scope in JSON', asked: () => json(grantOf(key, { scope: '' })), expected: 200 },
  { name: 'no grant type', asked: () => form({ client_id: key.accessKey }), expected: 'invalid_request' },
  { name: 'an empty grant type', asked: () => form(grantOf(key, { grant_type: '' })), expected: 'invalid_request' },
  ...['password', 'CLIENT_CREDENTIALS', 'client_credentials ', 'client-credentials'].map((type): Scenario => ({
    name: `the grant type "${type}"`,
    asked: () => form(grantOf(key, { grant_type: type })),
    expected: 'unsupported_grant_type',
  })),
  // Credentials in the Basic header.
  { name: 'Basic', asked: () => ({ ...form(grantOnly), authorization: [basicOf(key)] }), expected: 200 },
  { name: 'Basic with JSON', asked: () => ({ ...json(grantOnly), authorization: [basicOf(key)] }), expected: 200 },
  {
    name: 'Basic, form-encoded',
    asked: () => ({ ...form(grantOnly), authorization: [encodedBasic(key)] }),
    expected: 200,
  },
  {
    name: 'Basic in another case',
    asked: () => ({ ...form(grantOnly), authorization: [basicOf(key).replace('Basic', 'bASIC')] }),
    expected: 200,
  },
  {
    name: 'Basic with a wrong code',
    asked: () => ({ ...form(grantOnly), authorization: [basicOf(wrong(key))] }),
    expected: 'invalid_client',
  },
  ...['Basic', 'Basic ', 'Basic !!!', 'Basic c3ZjX2FrXw==', 'Basic Og=='].map((header): Scenario => ({
    name: `the header "${header}" alone`,
    asked: () => ({ ...form(grantOnly), authorization: [header] }),
    expected: 'invalid_client',
  })),
  {
    name: 'two Basic headers',
    asked: () => ({ ...form(grantOnly), authorization: [basicOf(key), basicOf(key)] }),
    expected: 'invalid_client',
  },
  {
    name: 'Basic without a body',
    asked: () => ({ contentType: formType, body: '', authorization: [basicOf(key)] }),
    expected: 'invalid_request',
  },
  // Both in the body: the body wins.
  {
    name: 'right credentials in the body and wrong ones in Basic',
    asked: () => ({ ...form(grantOf(key)), authorization: [basicOf(wrong(other))] }),
    expected: 200,
  },
  {
    name: 'wrong credentials in the body and right ones in Basic',
    asked: () => ({ ...form(grantOf(wrong(key))), authorization: [basicOf(key)] }),
    expected: 'invalid_client',
  },
  {
    name: 'right credentials in the body and a malformed Basic',
    asked: () => ({ ...form(grantOf(key)), authorization: ['Basic !!!'] }),
    expected: 200,
  },
  // One in the body: Basic is used.
  ...[{ client_id: 'svc_ak_other' }, { client_secret: wrongCode }, { client_id: '', client_secret: '' }].map(
    (one): Scenario => ({
      name: `${JSON.stringify(Object.keys(one))} in the body and right ones in Basic`,
      asked: () => ({ ...form({ ...grantOnly, ...one }), authorization: [basicOf(key)] }),
      expected: 200,
    }),
  ),
  {
    name: 'a wrong key in the body without code, with an empty code, and right ones in Basic',
    asked: () => ({ ...form({ ...grantOnly, client_id: 'x', client_secret: '' }), authorization: [basicOf(key)] }),
    expected: 200,
  },
  {
    name: 'halves of two right pairs',
    asked: () => ({
      ...form({ ...grantOnly, client_id: key.accessKey }),
      authorization: [basicOf({ accessKey: '', securityCode: key.securityCode })],
    }),
    expected: 'invalid_client',
  },
  { name: 'only a key', asked: () => form({ ...grantOnly, client_id: key.accessKey }), expected: 'invalid_client' },
  {
    name: 'only a code',
    asked: () => form({ ...grantOnly, client_secret: key.securityCode }),
    expected: 'invalid_client',
  },
  { name: 'no credentials', asked: () => form(grantOnly), expected: 'invalid_client' },
  // The URL is never read.
  {
    name: 'everything in the URL',
    target: () => `/auth/token?${new URLSearchParams(grantOf(key)).toString()}`,
    asked: () => form({}),
    expected: 'invalid_request',
  },
  {
    name: 'credentials in the URL',
    target: () => `/auth/token?${new URLSearchParams(grantOf(key)).toString()}`,
    asked: () => form(grantOnly),
    expected: 'invalid_client',
  },
  {
    name: 'nonsense in the URL',
    target: () => '/auth/token?grant_type=password&scope=nothing&client_id=x&client_id=y&%zz',
    asked: () => form(grantOf(key)),
    expected: 200,
  },
]

for (const { name, asked, target, expected } of scenarios) {
  test(`token request: ${name}: ${expected}`, async () => {
    const { status, body } = await post(asked(), target?.())
    assert.equal(status === 200 ? status : body.error, expected, JSON.stringify(body))
  })
}

test('token request: the scope in the URL narrows nothing', async () => {
  const { body } = await post(form(grantOf(key)), '/auth/token?scope=vendors:read')
  assert.equal(body.scope, allPermissions.join(' '))
})

test('token request: 401 has the same message whatever the cause', async () => {
  const [disabled, revoked, renewed] = [await world.makeKey(), await world.makeKey(), await world.makeKey()]
  await updateKey(world.state, disabled.accessKey, { disable: true })
  await revokeKey(world.state, revoked.accessKey)
  await regenerateKey(world.state, renewed.accessKey)
  const token = await world.tokenFor()
  const causes: Record<string, Record<string, string>> = {
    'unknown key': grantOf({ ...key, accessKey: `svc_ak_${'A'.repeat(24)}` }),
    'wrong code': grantOf(wrong(key)),
    'code of another key': grantOf({ ...key, securityCode: other.securityCode }),
    'token as code': grantOf({ ...key, securityCode: token }),
    'code in lower case': grantOf({ ...key, securityCode: key.securityCode.toLowerCase() }),
    'key in lower case': grantOf({ ...key, accessKey: key.accessKey.toLowerCase() }),
    'code with a blank': grantOf({ ...key, securityCode: `${key.securityCode} ` }),
    'key with a NUL': grantOf({ ...key, accessKey: `${key.accessKey}\0` }),
    'key as a pattern': grantOf({ ...key, accessKey: 'svc_ak_%' }),
    'missing key': { ...grantOnly, client_secret: key.securityCode },
    'missing code': { ...grantOnly, client_id: key.accessKey },
    'nothing at all': grantOnly,
    'disabled key': grantOf(disabled),
    'revoked key': grantOf(revoked),
    'code from before': grantOf(renewed),
  }
  const seen = new Set<string>()
  for (const [cause, parameters] of Object.entries(causes)) {
    for (const asked of [form(parameters), json(parameters)]) {
      const { status, headers, text } = await post(asked)
      assert.equal(status, 401, cause)
      const { 'X-Request-Id': _, ...rest } = headers
      seen.add(JSON.stringify([rest, text]))
    }
  }
  assert.equal(seen.size, 1, [...seen].join('\n'))
})
