// The Authorization headers of a data request: which carry a token, and which error the others are.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readBearer } from '../../../src/auth/credentials.ts'
import { makeAccessToken } from '../../../src/auth/secrets.ts'

const token = makeAccessToken(new Uint8Array(32))

const scenarios: readonly [
  name: string,
  headers: readonly string[],
  expected: 'token' | 'missing_token' | 'invalid_token',
][] = [
  ['no header', [], 'missing_token'],
  ['an empty header', [''], 'missing_token'],
  ['Bearer and a token', [`Bearer ${token}`], 'token'],
  ['bearer in lower case', [`bearer ${token}`], 'token'],
  ['BEARER in capitals', [`BEARER ${token}`], 'token'],
  ['several spaces (1*SP)', [`Bearer   ${token}`], 'token'],
  ['Basic', ['Basic YTpi'], 'missing_token'],
  ['Digest', ['Digest username="x"'], 'missing_token'],
  ['a scheme that starts like it', [`Bearers ${token}`], 'missing_token'],
  ['a scheme that ends like it', [`XBearer ${token}`], 'missing_token'],
  ['a token without a scheme', [token], 'missing_token'],
  ['scheme and token as one word', [`Bearer${token}`], 'missing_token'],
  ['Bearer alone', ['Bearer'], 'invalid_token'],
  ['Bearer and a space', ['Bearer '], 'invalid_token'],
  ['Bearer and a word', ['Bearer dummy'], 'invalid_token'],
  ['a token with a tab before it', [`Bearer \t${token}`], 'invalid_token'],
  ['a token with a no-break space before it', [`Bearer \u00a0${token}`], 'invalid_token'],
  ['a token with something behind it', [`Bearer ${token} x`], 'invalid_token'],
  ['a token with a line end behind it', [`Bearer ${token}\n`], 'invalid_token'],
  ['a token with a comma behind it', [`Bearer ${token},`], 'invalid_token'],
  ['two tokens in a header', [`Bearer ${token}, Bearer ${token}`], 'invalid_token'],
  ['a quoted token', [`Bearer "${token}"`], 'invalid_token'],
  ['a token that is too short', [`Bearer ${token.slice(0, -1)}`], 'invalid_token'],
  ['a token that is too long', [`Bearer ${token}x`], 'invalid_token'],
  ['a token of another alphabet', [`Bearer ${token.slice(0, -1)}é`], 'invalid_token'],
  ['a security code', [`Bearer ${token.replace('svc_at_', 'svc_sk_')}`], 'invalid_token'],
  ['a prefix in capitals', [`Bearer ${token.replace('svc_at_', 'SVC_AT_')}`], 'invalid_token'],
  ['two headers, both right', [`Bearer ${token}`, `Bearer ${token}`], 'invalid_token'],
  ['two headers, one of another scheme', [`Bearer ${token}`, 'Basic YTpi'], 'invalid_token'],
  ['two headers of another scheme', ['Basic YTpi', 'Basic YTpi'], 'invalid_token'],
  ['two empty headers', ['', ''], 'invalid_token'],
]

for (const [name, headers, expected] of scenarios) {
  test(`bearer: ${name}: ${expected}`, () => {
    assert.deepEqual(readBearer(headers), expected === 'token' ? { token } : { error: expected })
  })
}
