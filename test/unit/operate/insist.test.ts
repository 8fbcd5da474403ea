// A lock that is tried for again and again: whoever says stop is heard in the pauses, too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { PostgresFailure, type PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import { insist } from '../../../src/operate/schema/insist.ts'

const isTaken = () => new PostgresFailure(Object.assign(new Error('lock not available'), { code: '55P03' }))

/** Its lock is taken the first so many times; each pause calls `onPause`. */
function lockedFor(
  times: number,
  onPause: (tried: number) => void,
): { connection: PostgresConnection; said: string[] } {
  const said: string[] = []
  const script = async (text: string) => {
    said.push(text.split(';')[0] ?? '')
    const tried = said.filter((each) => each === 'BEGIN').length
    if (text === 'ROLLBACK') setImmediate(() => onPause(tried))
    else if (tried <= times) throw isTaken()
  }
  return { connection: { script } as unknown as PostgresConnection, said }
}

test('a lock is tried for until it is free', async () => {
  const { connection, said } = lockedFor(2, () => {})
  await insist(connection, ['LOCK TABLE a'])
  assert.deepEqual(said, ['BEGIN', 'ROLLBACK', 'BEGIN', 'ROLLBACK', 'BEGIN'])
})

test('stopped in a pause, it is not tried for again', async () => {
  const stop = new AbortController()
  const { connection, said } = lockedFor(3, (tried) => tried === 2 && stop.abort())
  await assert.rejects(insist(connection, ['LOCK TABLE a'], { signal: stop.signal }), { name: 'AbortError' })
  assert.deepEqual(said, ['BEGIN', 'ROLLBACK', 'BEGIN', 'ROLLBACK'])
})
