// Statements of the state: values become parameters, in order, however parts are nested; a failed statement fails the operation at
// its place.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { createRunner } from '../../../src/state/sqlite/run.ts'
import { raw, rows, sql, where, type Steps } from '../../../src/state/steps.ts'

const asText = ({ texts, values }: ReturnType<typeof sql>) => [texts.join('?'), values]

test('a value becomes a parameter, whatever its text is', () => {
  assert.deepEqual(asText(sql`SELECT ${"'; DROP TABLE keys; --"} FROM t`), [
    'SELECT ? FROM t',
    ["'; DROP TABLE keys; --"],
  ])
})

test('parts are put together in order, with their values', () => {
  const inner = sql`a = ${1} OR ${sql`b = ${2}`}`
  assert.deepEqual(asText(sql`${raw('SELECT *')} WHERE c = ${0} AND (${inner}) LIMIT ${3}`), [
    'SELECT * WHERE c = ? AND (a = ? OR b = ?) LIMIT ?',
    [0, 1, 2, 3],
  ])
})

const conditions = (from: number | undefined, by: string | null) =>
  asText(
    where([
      ['at >=', from],
      ['by =', by],
    ]),
  )

test('conditions without a value are left out', () => {
  assert.deepEqual(conditions(undefined, null), ['', []])
  assert.deepEqual(conditions(0, null), [' WHERE at >= ?', [0]])
  assert.deepEqual(conditions(undefined, ''), [' WHERE by = ?', ['']])
  assert.deepEqual(conditions(5, 'me'), [' WHERE at >= ? AND by = ?', [5, 'me']])
})

function* twice(goesOn: boolean): Steps<string> {
  yield* rows`INSERT INTO t VALUES (${1})`
  try {
    yield* rows`INSERT INTO t VALUES (${1})`
  } catch (error) {
    if (!goesOn) throw error
  }
  return 'done'
}

test('an operation can go on after a failed statement; otherwise its transaction is rolled back', () => {
  const database = openSqlite(':memory:')
  database.exec('CREATE TABLE t (x INTEGER PRIMARY KEY) STRICT')
  const { run, plainly } = createRunner(database)
  assert.throws(() => plainly(twice(false)), /UNIQUE/)
  assert.deepEqual(run(rows`SELECT x FROM t`), [])
  assert.equal(plainly(twice(true)), 'done')
  assert.deepEqual(run(rows`SELECT x, x = ${true} FROM t`), [[1, 1]])
  database.close()
})
