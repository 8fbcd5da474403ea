// The lines of the log: safe to read on a terminal, without secrets, each with its own time.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createLog } from '../../../src/platform/log.ts'

function setUp() {
  const lines: string[] = []
  let time = 0
  const log = createLog('info', (line) => lines.push(line), { now: () => time })
  const lineOf = (path: string, at = 0) => {
    time = at
    log.info('request', { path })
    return lines.pop() ?? ''
  }
  return lineOf
}

test('log: characters that move a cursor or hide text are escaped, whether or not the line has others beside ASCII', () => {
  const lineOf = setUp()
  for (const hostile of ['\x1b[2J', '\x07', '\x7f', '\x9b2J', '\u202e', '\u2028'])
    for (const path of [`/${hostile}`, `/é${hostile}`]) {
      const line = lineOf(path)
      assert.doesNotMatch(line.slice(0, -1), /[\p{Cc}\p{Cf}\u2028]/u, JSON.stringify(path))
      assert.equal((JSON.parse(line) as { path: string }).path, path)
    }
})

test('log: a secret in a line of ASCII is masked, and an access key is not', () => {
  const lineOf = setUp()
  assert.match(lineOf(`/svc_at_${'a'.repeat(52)}`), /"path":"\/svc_at_\*\*\*"/)
  assert.match(lineOf('/svc_ak_abc'), /"path":"\/svc_ak_abc"/)
})

test('log: each line has its own time', () => {
  const lineOf = setUp()
  const times = [1000, 1000, 1001, 999].map((at) => (JSON.parse(lineOf('/', at)) as { time: string }).time)
  assert.deepEqual(
    times.map((time) => Date.parse(time)),
    [1000, 1000, 1001, 999],
  )
})
