// Closing the service: everything is closed, even if one part fails.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { closeAll } from '../../src/service.ts'

test('all are closed, the last first, one after the other, when one fails; the first failure is told', async () => {
  const closed: string[] = []
  const closer = (name: string, fault?: Error) => async () => {
    await new Promise(setImmediate)
    closed.push(name)
    if (fault) throw fault
  }
  const [late, thrown] = [new Error('late'), new Error('thrown')]
  const closers = [
    closer('engine'),
    closer('state', late),
    () => {
      closed.push('metrics')
      throw thrown
    },
    closer('listeners'),
  ]
  await assert.rejects(closeAll(closers), thrown)
  assert.deepEqual(closed, ['listeners', 'metrics', 'state', 'engine'])
  await closeAll([])
})
