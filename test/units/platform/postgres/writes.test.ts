// Statements that are asked for together go to PostgreSQL together: a write takes longer than the rest of a small statement.
import assert from 'node:assert/strict'
import { Socket } from 'node:net'
import { test } from 'node:test'
import { connectPostgres } from '../../../../src/platform/postgres/connection.ts'
import { urlOf } from '../../../support/place-postgres.ts'

test('statements sent together leave in one write, and so do the next ones', async (context) => {
  const connection = await connectPostgres(await urlOf('public'), {
    timeoutMs: 5000,
    setUp: 'SELECT 1',
    isPipelined: true,
  })
  context.after(() => connection.close())
  // It goes on as before, and is counted.
  const { mock: writes } = context.mock.method(Socket.prototype as Required<Socket>, '_writev')
  const ask = () => Promise.all([1, 2, 3].map((number) => connection.rows(`SELECT ${number}`)))
  assert.deepEqual(await ask(), [[[1]], [[2]], [[3]]])
  assert.equal(writes.callCount(), 1)
  assert.deepEqual(await ask(), [[[1]], [[2]], [[3]]])
  assert.equal(writes.callCount(), 2)
})
