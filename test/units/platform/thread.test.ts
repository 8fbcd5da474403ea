// A thread that answers calls: how failures, deaths and stops reach its owner and its callers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { startThread, ThreadFailure } from '../../../src/platform/thread.ts'

const file = new URL('../../support/dying-thread.ts', import.meta.url)

function start() {
  const heard: string[] = []
  const thread = startThread(file, { data: null, onDeath: ({ message }) => heard.push(`died: ${message}`) })
  const call = (request: string) =>
    thread.call(request).catch((error: Error) => {
      heard.push(`${request}: ${error.message}`)
      return error
    })
  return { thread, call, heard }
}

test('an answer comes back, and a failure with its code, after which the thread goes on', async () => {
  const { thread, call, heard } = start()
  const failure = await call('fail')
  assert.ok(failure instanceof ThreadFailure && failure.code === 'EREFUSED' && failure.stack?.includes('dying-thread'))
  assert.equal(await call('hello'), 'hello')
  await thread.stop()
  assert.deepEqual(heard, ['fail: refused'])
})

test('the owner hears of a death once and before the callers; later calls are refused', async () => {
  const { thread, call, heard } = start()
  await call('die')
  await call('later')
  await thread.stop()
  assert.deepEqual(heard, ['died: out of order', 'die: out of order', 'later: out of order'])
})

test('a stop is not a death, and pending calls are refused', async () => {
  const { thread, call, heard } = start()
  const waiting = call('never')
  await Promise.all([thread.stop(), waiting])
  assert.deepEqual(heard, ['never: the thread was stopped'])
})
