// Parsing of token requests: parameters, credentials and where they came from.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readTokenRequest, type TokenRequest } from '../../../src/auth/credentials.ts'

const form = 'application/x-www-form-urlencoded'
const json = 'application/json'
const basic = (text: string) => `Basic ${Buffer.from(text).toString('base64')}`

const nothing: TokenRequest = {
  accessKey: null,
  securityCode: null,
  grantType: null,
  scope: null,
  problem: null,
  usedBasic: false,
}

interface Scenario {
  readonly name: string
  readonly type?: string
  readonly body: string | null
  readonly authorization?: readonly string[]
  readonly expected: Partial<TokenRequest>
}

const scenarios: readonly Scenario[] = [
  { name: 'an empty form', type: form, body: '', expected: {} },
  { name: 'empty parts of a form', type: form, body: '&&grant_type=g&', expected: { grantType: 'g' } },
  {
    name: 'a whole form',
    type: form,
    body: 'grant_type=g&client_id=k&client_secret=c&scope=b+a%20b',
    expected: { grantType: 'g', accessKey: 'k', securityCode: 'c', scope: ['b', 'a', 'b'] },
  },
  {
    name: 'the same in JSON',
    type: json,
    body: '{"grant_type":"g","client_id":"k","client_secret":"c","scope":"b a b"}',
    expected: { grantType: 'g', accessKey: 'k', securityCode: 'c', scope: ['b', 'a', 'b'] },
  },
  {
    name: 'empty parameters, which are omitted ones',
    type: form,
    body: 'grant_type=&client_id=&client_secret&scope=',
    expected: {},
  },
  { name: 'the same in JSON', type: json, body: '{"grant_type":"","client_id":"","scope":""}', expected: {} },
  { name: 'an equals sign in a value', type: form, body: 'client_id=a=b==', expected: { accessKey: 'a=b==' } },
  { name: 'a plus sign as %2B', type: form, body: 'client_id=a%2Bb', expected: { accessKey: 'a+b' } },
  { name: 'UTF-8', type: form, body: 'client_id=%C3%A9', expected: { accessKey: 'é' } },
  { name: 'names in another case, which are unknown', type: form, body: 'Grant_Type=g', expected: {} },
  { name: 'names of objects', type: form, body: '__proto__=x&constructor=y', expected: {} },
  { name: 'names of objects in JSON', type: json, body: '{"__proto__":{"client_id":"k"}}', expected: {} },
  {
    name: 'Basic',
    type: form,
    body: 'grant_type=g',
    authorization: [basic('k:c')],
    expected: { grantType: 'g', accessKey: 'k', securityCode: 'c', usedBasic: true },
  },
  {
    name: 'Basic with a colon in the code',
    type: form,
    body: '',
    authorization: [basic('k:c:d')],
    expected: { accessKey: 'k', securityCode: 'c:d', usedBasic: true },
  },
  {
    name: 'Basic, form-encoded',
    type: form,
    body: '',
    authorization: [basic('svc%5Fak%5f1:svc%5Fsk%5f2')],
    expected: { accessKey: 'svc_ak_1', securityCode: 'svc_sk_2', usedBasic: true },
  },
  {
    name: 'Basic with a percent sign that encodes nothing',
    type: form,
    body: '',
    authorization: [basic('k:50%')],
    expected: { accessKey: 'k', securityCode: '50%', usedBasic: true },
  },
  {
    name: 'Basic without a key',
    type: form,
    body: '',
    authorization: [basic(':c')],
    expected: { securityCode: 'c', usedBasic: true },
  },
  {
    name: 'Basic without a code',
    type: form,
    body: '',
    authorization: [basic('k:')],
    expected: { accessKey: 'k', usedBasic: true },
  },
  { name: 'Basic without a colon', type: form, body: '', authorization: [basic('k')], expected: { usedBasic: true } },
  { name: 'Basic alone', type: form, body: '', authorization: ['Basic'], expected: { usedBasic: true } },
  { name: 'another scheme', type: form, body: '', authorization: ['Bearer x'], expected: {} },
  {
    name: 'a scheme that starts like it',
    type: form,
    body: '',
    authorization: [basic('k:c').replace('Basic', 'Basics')],
    expected: {},
  },
  {
    name: 'Basic beside a whole body: the body wins',
    type: form,
    body: 'client_id=k&client_secret=c',
    authorization: [basic('other:code')],
    expected: { accessKey: 'k', securityCode: 'c' },
  },
  {
    name: 'Basic beside a key: Basic is used',
    type: form,
    body: 'client_id=k',
    authorization: [basic('other:code')],
    expected: { accessKey: 'other', securityCode: 'code', usedBasic: true },
  },
  {
    name: 'Basic beside a code: Basic is used',
    type: json,
    body: '{"client_secret":"c"}',
    authorization: [basic('other:code')],
    expected: { accessKey: 'other', securityCode: 'code', usedBasic: true },
  },
  {
    name: 'Basic beside a key with an empty code: Basic is used',
    type: form,
    body: 'client_id=k&client_secret=',
    authorization: [basic('other:code')],
    expected: { accessKey: 'other', securityCode: 'code', usedBasic: true },
  },
]

for (const { name, type, body, authorization = [], expected } of scenarios) {
  test(`credentials: ${name}`, () => {
    assert.deepEqual(readTokenRequest(type, body, authorization), { ...nothing, ...expected })
  })
}

const problems: readonly [name: string, type: string | undefined, body: string | null][] = [
  ['no content type', undefined, 'grant_type=g'],
  ['another content type', 'text/plain', 'grant_type=g'],
  ['a content type that starts like one', `${form}-x`, 'grant_type=g'],
  ['too large a body', form, null],
  ['a parameter twice', form, 'grant_type=g&grant_type=g'],
  ['an empty parameter twice', form, 'scope=&scope='],
  ['an unknown parameter twice', form, 'x=1&x=2'],
  ['a parameter twice, encoded once', form, 'scope=a&%73cope=b'],
  ['a bad escape in a value', form, 'x=%z1'],
  ['a bad escape in a name', form, '%=1'],
  ['an escape that is not UTF-8', form, 'client_id=%FF'],
  ['no JSON', json, 'grant_type=g'],
  ['an empty body as JSON', json, ''],
  ['a JSON array', json, '["grant_type"]'],
  ['a JSON null', json, 'null'],
  ['a JSON number for a key', json, '{"client_id":1}'],
  ['a JSON null for a scope', json, '{"scope":null}'],
  ['a JSON array for a scope', json, '{"scope":["products:read"]}'],
]

for (const [name, type, body] of problems) {
  test(`credentials: ${name} is a problem of the body, and no part of the body is used`, () => {
    const { problem, ...rest } = readTokenRequest(type, body, [])
    assert.match(problem ?? '', /^[A-Z].*\.$/)
    const { problem: _, ...none } = nothing
    assert.deepEqual(rest, none)
  })
}

test('credentials: a type is read without its parameters and without regard to case', () => {
  for (const type of [`${form}; charset=utf-8`, form.toUpperCase(), ` ${form} ;x=y`])
    assert.equal(readTokenRequest(type, 'grant_type=g', []).grantType, 'g', type)
  for (const type of [`${json};charset=UTF-8`, 'Application/Json'])
    assert.equal(readTokenRequest(type, '{"grant_type":"g"}', []).grantType, 'g', type)
})
