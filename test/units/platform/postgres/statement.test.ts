// Prepared statements whose rows are read from the bytes of the socket.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import {
  connectPostgres,
  PostgresFailure,
  type PostgresConnection,
} from '../../../../src/platform/postgres/connection.ts'
import { dropSchemas, makeSchema } from '../../../support/postgres.ts'
import { urlOf } from '../../../support/place-postgres.ts'

let connection: PostgresConnection
before(async () => {
  const { name } = await makeSchema('statement')
  connection = await connectPostgres(await urlOf(name), {
    timeoutMs: 30_000,
    setUp: `SET search_path = ${name}`,
    isPipelined: true,
  })
})
after(async () => {
  await connection.close()
  await dropSchemas()
})

test('what a reader of rows throws is no failure of the server, and the connection goes on', async () => {
  const fault = new Error('a defect of ours')
  const reading = connection.read('SELECT generate_series(1, 3)', [], () => () => {
    throw fault
  })
  await assert.rejects(reading, (error) => error === fault)
  assert.deepEqual(await connection.rows('SELECT 1'), [[1]])
})

test('the types of columns are asked for once, and a statement whose column has another type by now fails', async () => {
  const types: (readonly number[])[] = []
  const read = () =>
    connection.read('SELECT a FROM changing', [], (each) => {
      types.push(each)
      return () => 'row'
    })
  await connection.script('CREATE TABLE changing (a integer); INSERT INTO changing VALUES (1)')
  assert.deepEqual([await read(), await read()], [['row'], ['row']])
  assert.equal(types[0], types[1])
  await connection.script('ALTER TABLE changing ALTER COLUMN a TYPE text')
  await assert.rejects(read(), (error) => error instanceof PostgresFailure && error.code === '0A000')
})

test('statements without rows are as good as others, each time', async () => {
  for (let turn = 0; turn < 3; turn += 1) {
    const all = await Promise.all(
      ['BEGIN', 'SELECT 1', 'SELECT WHERE false', 'COMMIT'].map((text) => connection.rows(text)),
    )
    assert.deepEqual(all, [[], [[1]], [], []])
  }
})
