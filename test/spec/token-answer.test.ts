// POST /auth/token: what it answers: token, lifetime, scope, and the headers that belong to it.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { basicOf, grantOf, wrongCode, type Credentials } from '../support/grants.ts'
import { allPermissions } from '../support/routes.ts'
import { createWorld, type Asked, type World } from '../support/world.ts'

let world: World
let key: Credentials
let some: Credentials
before(async () => {
  world = await createWorld()
  key = await world.makeKey()
  some = await world.makeKey({ permissions: 'costs:read,products:read,reference:read' })
})
after(() => world.close())

let addresses = 0
const signIn = (body: string | Record<string, string>, asked: Asked = {}) =>
  world.signIn(body, { address: `10.4.0.${(addresses += 1)}`, ...asked })

test('token answer: exactly access_token, token_type, expires_in and scope', async () => {
  const { status, body } = await signIn(grantOf(some))
  assert.equal(status, 200)
  const { access_token: token, ...rest } = body
  assert.match(token, /^svc_at_/)
  assert.deepEqual(rest, { token_type: 'Bearer', expires_in: 900, scope: 'products:read reference:read costs:read' })
})

test('token answer: each call makes a new token', async () => {
  const answers = await Promise.all(Array.from({ length: 9 }, () => signIn(grantOf(key), { address: '10.4.1.1' })))
  assert.equal(new Set(answers.map(({ body }) => body.access_token)).size, 9)
})

const granted: readonly [asks: string, scope: string | undefined, expected: string][] = [
  ['nothing', undefined, 'products:read reference:read costs:read'],
  ['an empty scope', '', 'products:read reference:read costs:read'],
  ['one permission', 'reference:read', 'reference:read'],
  ['an add-on alone', 'costs:read', 'costs:read'],
  [
    'all of them in another order',
    'costs:read reference:read products:read',
    'products:read reference:read costs:read',
  ],
  ['the same twice', 'reference:read reference:read', 'reference:read'],
  ['blanks around and between', '  costs:read   products:read ', 'products:read costs:read'],
]

for (const [asks, scope, expected] of granted) {
  test(`token scope: a request for ${asks} is granted ${expected}`, async () => {
    const { body } = await signIn(grantOf(some, scope === undefined ? {} : { scope }))
    assert.equal(body.scope, expected)
    const ping = await world.ask('/ping', { token: body.access_token })
    assert.deepEqual(ping.body.scopes, expected.split(' '))
  })
}

test('token scope: a key with every permission is granted them in the order of the table', async () => {
  assert.equal((await signIn(grantOf(key))).body.scope, allPermissions.join(' '))
  const reversed = allPermissions.toReversed().join(' ')
  assert.equal((await signIn(grantOf(key, { scope: reversed }))).body.scope, allPermissions.join(' '))
})

const refused: readonly [asks: string, scope: string][] = [
  ['a permission that the key does not hold', 'invoices:read'],
  ['one that it holds and one that it does not', 'products:read invoices:read'],
  ['a name that there is not', 'products:write'],
  ['a name in another case', 'Products:read'],
  ['everything by a star', '*'],
  ['"all"', 'all'],
  ['a list with commas', 'products:read,costs:read'],
  ['a list with tabs', 'products:read\tcosts:read'],
  ['a list with line ends', 'products:read\ncosts:read'],
  ['a name of an object', 'constructor'],
  ['blanks alone [N25]', '  '],
]

for (const [asks, scope] of refused) {
  test(`token scope: a request for ${asks} is 400 invalid_scope, and there is no token`, async () => {
    const { status, body } = await signIn(grantOf(some, { scope }))
    assert.deepEqual([status, body.error, body.access_token], [400, 'invalid_scope', undefined])
  })
}

test('token answer: every answer carries Pragma: no-cache and Cache-Control: no-store', async () => {
  const address = '10.4.2.1'
  const answers = [
    await signIn(grantOf(key)),
    await signIn('', { contentType: 'text/plain' }),
    await signIn(grantOf(key, { grant_type: 'password' })),
    await signIn(grantOf(key, { scope: 'nothing' })),
    await signIn(grantOf(key), { isSecure: false }),
    await signIn(grantOf(key), { method: 'GET' }),
    await world.askWith({ state: { ...world.state, requestToken: () => Promise.reject(new Error('down')) } })(
      '/auth/token',
      { method: 'POST' },
    ),
    await world.askWith({ state: { ...world.state, requestToken: async () => null as never } })('/auth/token', {
      method: 'POST',
    }),
  ]
  for (let attempts = 0; attempts < 6; attempts += 1)
    answers.push(await signIn(grantOf({ ...some, securityCode: wrongCode }), { address }))
  for (let requests = 0; requests < 6; requests += 1) answers.push(await signIn(grantOf(key), { address }))
  await world.state.setEnabled(false)
  answers.push(await signIn(grantOf(key)))
  await world.state.setEnabled(true)
  for (const { text, headers } of answers) {
    assert.equal(headers['Pragma'], 'no-cache', text)
    assert.equal(headers['Cache-Control'], 'no-store', text)
  }
  const seen = new Set(answers.map(({ body }) => body.error ?? 'granted'))
  assert.equal(seen.size, 12, [...seen].join(' '))
})

const challenged: readonly {
  name: string
  asked: () => Asked
  body: () => Record<string, string>
  isBasic: boolean
}[] = [
  {
    name: 'wrong credentials in Basic',
    asked: () => ({ authorization: [basicOf({ ...key, securityCode: wrongCode })] }),
    body: () => ({ grant_type: 'client_credentials' }),
    isBasic: true,
  },
  {
    name: 'a malformed Basic',
    asked: () => ({ authorization: ['basic !!!'] }),
    body: () => ({ grant_type: 'client_credentials' }),
    isBasic: true,
  },
  {
    name: 'Basic with only a key in the body',
    asked: () => ({ authorization: [basicOf({ ...key, securityCode: wrongCode })] }),
    body: () => ({ grant_type: 'client_credentials', client_id: key.accessKey }),
    isBasic: true,
  },
  {
    name: 'wrong credentials in the body',
    asked: () => ({}),
    body: () => grantOf({ ...key, securityCode: wrongCode }),
    isBasic: false,
  },
  { name: 'no credentials', asked: () => ({}), body: () => ({ grant_type: 'client_credentials' }), isBasic: false },
  {
    name: 'another scheme',
    asked: () => ({ authorization: ['Bearer x'] }),
    body: () => ({ grant_type: 'client_credentials' }),
    isBasic: false,
  },
]

for (const { name, asked, body, isBasic } of challenged) {
  test(`token answer: 401 for ${name} has ${isBasic ? 'a Basic challenge' : 'no challenge'}`, async () => {
    const { status, headers } = await signIn(body(), asked())
    assert.equal(status, 401)
    if (isBasic) assert.match(headers['WWW-Authenticate'] ?? '', /^Basic realm="[^"]+"$/)
    else assert.equal(headers['WWW-Authenticate'], undefined)
  })
}
