// What is logged or repeated to a caller holds no code and no token, however it was written; all else stays as it was.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSecurityCode, makeToken, withoutSecrets } from '../../../src/auth/secrets.ts'

const [code, token] = [makeSecurityCode(), makeToken()]
const escaped = [...token].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')

const masked: readonly [given: string, expected: string][] = [
  [`/products/${token}`, '/products/svc_at_***'],
  [`/${code};${token}/1`, '/svc_sk_***;svc_at_***/1'],
  [`/${token.replaceAll('_', '%5F')}`, '/svc_at_***'],
  [`/${token.replaceAll('_', '%5f')}%zz`, '/svc_at_***%zz'],
  [`/${escaped}/%C3%A9`, '/svc_at_***/%C3%A9'],
  [`/${escaped.toUpperCase()}`, '/svc_at_***'],
  [`"${token.toUpperCase()}" is not allowed`, '"svc_AT_***" is not allowed'],
]
for (const [given, expected] of masked)
  test(`secrets: ${expected} is all that is told of one`, () => assert.equal(withoutSecrets(given), expected))

test('secrets: a text without one stays as it is', () => {
  for (const text of ['', '/products/1', '/caf%C3%A9', '/%70roducts', '/svc_ak_abc', '/%', '%zz', '100%'])
    assert.equal(withoutSecrets(text), text)
})
