// Statements are retried until they get their locks; an abort is noticed during the pauses, too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresFailure, type PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import { runBriefly } from '../../../src/operate/schema/postgres-locks.ts'

const isTaken = () => new PostgresFailure(Object.assign(new Error('lock not available'), { code: '55P03' }))

/** The lock is taken for the first `times` attempts; each pause calls `onPause`. */
function lockedFor(
  times: number,
  onPause: (tried: number) => void,
): { connection: PostgresConnection; scripts: string[] } {
  const scripts: string[] = []
  const script = async (text: string) => {
    scripts.push(text.split(';')[0] ?? '')
    const tried = scripts.filter((each) => each === 'BEGIN').length
    if (text === 'ROLLBACK') setImmediate(() => onPause(tried))
    else if (tried <= times) throw isTaken()
  }
  return { connection: { script } as unknown as PostgresConnection, scripts }
}

test('a lock is retried until it is free', async () => {
  const { connection, scripts } = lockedFor(2, () => {})
  await runBriefly(connection, ['LOCK TABLE a'])
  assert.deepEqual(scripts, ['BEGIN', 'ROLLBACK', 'BEGIN', 'ROLLBACK', 'BEGIN'])
})

test('an abort during a pause ends the retries', async () => {
  const stop = new AbortController()
  const { connection, scripts } = lockedFor(3, (tried) => tried === 2 && stop.abort())
  await assert.rejects(runBriefly(connection, ['LOCK TABLE a'], { signal: stop.signal }), { name: 'AbortError' })
  assert.deepEqual(scripts, ['BEGIN', 'ROLLBACK', 'BEGIN', 'ROLLBACK'])
})
