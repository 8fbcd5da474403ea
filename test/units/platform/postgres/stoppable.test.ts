// Several statements under way on one connection: the first failure is reported.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { PostgresConnection } from '../../../../src/platform/postgres/connection.ts'
import { runStoppable } from '../../../../src/platform/postgres/stoppable.ts'

const nothing = () => {}

const together = (connection: PostgresConnection) =>
  Promise.all([
    // Heard of later than the second.
    connection
      .rows('the relation is gone')
      .then((rows) => rows)
      .then((rows) => rows.length),
    connection.rows('the transaction is aborted'),
  ])

test('a statement that fails because of the one before it does not hide why', async () => {
  const failing = { rows: (text: string) => Promise.reject(new Error(text)) } as unknown as PostgresConnection
  const run = runStoppable(failing, together, { workMs: 60_000, signal: undefined, give: nothing, discard: nothing })
  await assert.rejects(run, /the relation is gone/)
})
