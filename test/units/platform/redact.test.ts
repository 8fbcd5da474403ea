// Logged and echoed texts hold no security code and no token, however it is escaped; other texts stay unchanged.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { makeSecurityCode, makeToken } from '../../../src/auth/secrets.ts'
import { createLog } from '../../../src/platform/log.ts'
import { withoutSecrets } from '../../../src/platform/redact.ts'

const [code, token] = [makeSecurityCode(), makeToken()]
const escape = (text: string) => [...text].map((letter) => `%${letter.charCodeAt(0).toString(16)}`).join('')
const escaped = escape(token)

const masked: readonly [given: string, expected: string][] = [
  [`/products/${token}`, '/products/svc_at_***'],
  [`/${code};${token}/1`, '/svc_sk_***;svc_at_***/1'],
  [`/${token.replaceAll('_', '%5F')}`, '/svc_at_***'],
  [`/${token.replaceAll('_', '%5f')}%zz`, '/svc_at_***%zz'],
  [`/${escaped}/%C3%A9`, '/svc_at_***/%C3%A9'],
  [`/${escaped.toUpperCase()}`, '/svc_at_***'],
  [`/${escaped.replaceAll('%', '%25')}/1`, '/svc_at_***/1'],
  [`/${escaped.replaceAll('%', '%252525')}`, '/svc_at_***'],
  [`/${escape(escaped)}`, '/svc_at_***'],
  [`/${code.replace('s', '%25%37%33')}`, '/svc_sk_***'],
  [`/%2${code.replace('s', '%73')}`, '/%2svc_sk_***'],
  [`"${token.toUpperCase()}" is not allowed`, '"svc_AT_***" is not allowed'],
]
for (const [given, expected] of masked)
  test(`secrets: ${expected} is all that remains of one`, () => assert.equal(withoutSecrets(given), expected))

test('secrets: a text without one stays as it is', () => {
  for (const text of ['', '/products/1', '/caf%C3%A9', '/%70roducts', '/svc_ak_abc', '/%', '%zz', '100%', '%2573%25'])
    assert.equal(withoutSecrets(text), text)
})

test('secrets: a caller that nests escapes as deep as a path allows has every one undone', () => {
  assert.equal(withoutSecrets(`/${'%3'.repeat(8000)}%33${code}`), `/3svc_sk_***`)
  assert.equal(withoutSecrets(`/%${'25'.repeat(8000)}73${code.slice(1)}`), '/svc_sk_***')
})

test('secrets: a line of the log has none, whichever field it stands in, and is one JSON object all the same', () => {
  const lines: string[] = []
  const log = createLog('info', (line) => lines.push(line))
  const cause = new Error(`no such column: ${token}`, { cause: new Error(code) })
  const quoted = `"\\${escaped.replaceAll('%', '%25')}%22,"\n`
  const fields: object = { method: token, path: `/${escaped}`, [code]: 1, nested: { list: [quoted] }, cause }
  log.info('request', fields)
  const [line = ''] = lines
  for (const text of [code, token]) assert.ok(!line.includes(text.slice(7)), line)
  const { method, path, nested } = JSON.parse(line) as Record<string, unknown>
  assert.deepEqual(
    { method, path, nested },
    {
      method: 'svc_at_***',
      path: '/svc_at_***',
      nested: { list: ['"\\svc_at_***%22,"\n'] },
    },
  )
})
