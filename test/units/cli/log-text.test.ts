// The log at a terminal: one line of text for each event, and none for what the welcome text says.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { logText } from '../../../src/cli/log-text.ts'
import { createLog } from '../../../src/platform/log.ts'

function textOf(event: string, details = {}, level: 'info' | 'warn' | 'error' = 'info'): string {
  let text = ''
  const log = createLog('info', (line) => (text += logText(line)))
  const write = log[level] as (event: string, details: object) => void
  write(event, details)
  return text.replace(/^\d\d:\d\d:\d\d /, '')
}

const request = { request_id: 'x', method: 'GET', path: '/api/v1/products', ms: 12, address: '192.0.2.1' }

test('log text: a request is one line with its status, path, time and key', () => {
  assert.equal(
    textOf('request', { ...request, status: 200, key: 'svc_ak_A' }),
    '200 GET /api/v1/products 12 ms svc_ak_A\n',
  )
})

test('log text: a refused request has its address and code', () => {
  const refused = { ...request, status: 401, key: null, code: 'invalid_token' }
  assert.equal(textOf('request', refused), '401 GET /api/v1/products 12 ms 192.0.2.1 invalid_token\n')
})

test('log text: of a cause, the message without the stack', () => {
  const failed = { ...request, status: 500, key: null, code: 'internal_error', cause: new Error('disk\nfull') }
  assert.equal(
    textOf('request', failed, 'error'),
    '500 GET /api/v1/products 12 ms 192.0.2.1 internal_error: disk\\x0afull\n',
  )
  assert.equal(textOf('database_lost', { cause: new Error('gone') }, 'error'), 'error database lost cause=gone\n')
})

test('log text: other events are a level, words and values', () => {
  assert.equal(textOf('stopping', { signal: 'SIGINT' }), 'info stopping signal=SIGINT\n')
  assert.equal(textOf('data_lag', { seconds: 7 }, 'warn'), 'warn data lag seconds=7\n')
})

test('log text: what the welcome text says is not repeated', () => {
  for (const event of ['listening', 'self_signed_certificate', 'exposed', 'took_over', 'lists_by_columns'])
    assert.equal(textOf(event), '')
})

test('log text: control characters of a caller are escaped, and secrets are removed', () => {
  const hostile = { ...request, path: '/\u001B[2J\u202Esvc_sk_Secret', status: 404, key: null }
  assert.equal(textOf('request', hostile), '404 GET /\\x1b[2J\\u202esvc_sk_*** 12 ms 192.0.2.1\n')
})
