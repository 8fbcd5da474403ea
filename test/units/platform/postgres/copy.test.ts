// COPY: values come back unchanged, a row that does not fit fails the whole batch, and the connection stays usable.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as fc from 'fast-check'
import {
  connectPostgres,
  PostgresFailure,
  type PostgresConnection,
} from '../../../../src/platform/postgres/connection.ts'
import type { CopyValue } from '../../../../src/platform/postgres/copy.ts'
import { urlOf } from '../../../support/place-postgres.ts'
import { newSchema } from '../../../support/postgres.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const schema = newSchema('copy')
let connection: PostgresConnection
before(async () => {
  connection = await connectPostgres(await urlOf(schema), {
    timeoutMs: 30_000,
    setUp: `SET client_encoding = 'UTF8'; CREATE SCHEMA ${schema}; SET search_path = ${schema}`,
  })
})
after(async () => {
  // Also where a test failed within its transaction.
  try {
    await connection.script(`ROLLBACK; DROP SCHEMA ${schema} CASCADE`)
  } finally {
    await connection.close()
  }
})

let made = 0
/** A new table with its rows numbered from 0, so that they come back in the order they went in. */
async function copyInto(type: string, values: readonly CopyValue[]): Promise<string> {
  const table = `t${(made += 1)}`
  await connection.script(`CREATE TABLE ${table} (n int, value ${type})`)
  await connection.copy(
    table,
    values.map((value, at) => [at, value]),
  )
  return table
}
const read = async (table: string, expression = 'value') =>
  (await connection.rows(`SELECT ${expression} FROM ${table} ORDER BY n`)).map(([value]) => value)
const roundTrip = async (type: string, values: readonly CopyValue[], expression?: string) =>
  read(await copyInto(type, values), expression)

const nastyTexts = [
  '',
  ' ',
  '\t',
  '\n',
  '\r',
  '\r\n',
  '\\',
  '\\\\',
  '\\N',
  '\\.',
  '\\.\n',
  '\n\\.\n',
  '\\t',
  '\\n',
  '\\x41',
  '\\101',
  '\\\t\\\n',
  'ends with \\',
  'a\tb\nc\rd\\e',
  '\b\f\v\u0001\u001F\u007F',
  "'",
  '"',
  `O'Brien "Café"`,
  '$$; DROP TABLE x; --',
  'NULL',
  'null',
  'é',
  'e\u0301',
  '🛒𝒳𠜎',
  '\u200B\u202E\uFEFF\uFFFD',
  '\u2028\u2029\u0085',
  'x'.repeat(100_000),
]

describe('copy', () => {
  test('texts come back as they were: separators, escapes, the marks of COPY itself, quotes, any character', async () => {
    assert.deepEqual(await roundTrip('text', nastyTexts), nastyTexts)
    assert.deepEqual(await roundTrip('text', ['\\N', null, '', 'NULL'], 'value IS NULL'), [false, true, false, false])
  })

  test(`any text comes back as it was (seed ${seed})`, async () => {
    const text = fc.string({ unit: 'grapheme-composite', maxLength: 30 })
    const pieces = fc.array(fc.oneof(text, fc.constantFrom('\\', '\t', '\n', '\r', '\\N', '\\.', '.', 'N')))
    const written = pieces.map((list) => list.join('').replaceAll('\0', ''))
    await fc.assert(
      fc.asyncProperty(fc.array(written, { maxLength: 50 }), async (values) => {
        assert.deepEqual(await roundTrip('text', values), values)
      }),
      { seed, numRuns: 30 },
    )
  })

  test('numbers keep every digit', async () => {
    const numbers = [
      0,
      -0,
      0.1,
      -0.1,
      12.5,
      1e21,
      1e-7,
      123_456_789.123_456_79,
      Number.MAX_SAFE_INTEGER,
      5e-324,
      1.7e308,
    ]
    const expected = numbers.map((value) => (Object.is(value, -0) ? 0 : value))
    assert.deepEqual(await roundTrip('numeric', numbers), expected)
    assert.deepEqual(await roundTrip('double precision', numbers), expected)
    const integers = [0, -1, 9_007_199_254_740_991n, 9_007_199_254_740_993n, -9_223_372_036_854_775_808n]
    assert.deepEqual(await roundTrip('bigint', integers, 'value::text'), integers.map(String))
    assert.deepEqual(await roundTrip('numeric', ['0.10', '1234567890123456789.00'], 'value::text'), [
      '0.10',
      '1234567890123456789.00',
    ])
  })

  test('booleans, times, days and nulls', async () => {
    assert.deepEqual(await roundTrip('boolean', [true, false, null]), [true, false, null])
    const times = ['2026-02-28T23:59:59', null, '0001-01-01T00:00:00']
    assert.deepEqual(await roundTrip('timestamp', times), times)
    assert.deepEqual(await roundTrip('date', ['2024-02-29', null]), ['2024-02-29', null])
  })

  test('columns go where they are named; no rows at all is no fault', async () => {
    await connection.script('CREATE TABLE named (a text, b text, c text)')
    await connection.copy('named (c, a)', [['third', 'first']])
    await connection.copy('named', [])
    assert.deepEqual(await connection.rows('SELECT a, b, c FROM named'), [['first', null, 'third']])
  })

  test('many rows in one batch, and another statement right behind it', async () => {
    const rows = Array.from({ length: 50_000 }, (_, at) => [at, `Rang ${at}\t${'é'.repeat(at % 40)}`] as const)
    await connection.script('CREATE TABLE many (n int, value text)')
    const copying = connection.copy('many', rows)
    const counted = connection.rows('SELECT count(*), sum(length(value)) FROM many')
    await copying
    const length = rows.reduce((sum, [, value]) => sum + value.length, 0)
    assert.deepEqual(await counted, [[rows.length, length]])
  })
})

describe('copy that fails', () => {
  const failures: readonly (readonly [what: string, type: string, value: CopyValue, code: string])[] = [
    ['a value of another type', 'bigint', 'twelve', '22P02'],
    ['a number that is too large', 'int', 2 ** 31, '22003'],
    ['a time that is none', 'timestamp', '2026-02-30T00:00:00', '22008'],
    ['nothing where something must be', 'text NOT NULL', null, '23502'],
    ['a value that is there already', 'text UNIQUE', 'a', '23505'],
    ['a text with a NUL, which PostgreSQL cannot store', 'text', 'a\0b', '22021'],
  ]
  for (const [what, type, value, code] of failures)
    test(`${what}: rejected with the server's code, nothing of the batch is there, and the connection goes on`, async () => {
      const table = await copyInto(type, [])
      const good = type.startsWith('text') ? 'a' : type === 'timestamp' ? '2026-01-01T00:00:00' : 1
      const rows = Array.from({ length: 3000 }, (_, at) => [at, type === 'text UNIQUE' ? `a${at || ''}` : good])
      await assert.rejects(
        connection.copy(table, [...rows, [-1, value]]),
        (error) => error instanceof PostgresFailure && error.code === code,
      )
      assert.ok(connection.isUsable())
      assert.deepEqual(await connection.rows(`SELECT count(*) FROM ${table}`), [[0]])
      await connection.copy(table, [[1, good]])
      assert.deepEqual(await connection.rows(`SELECT count(*) FROM ${table}`), [[1]])
    })

  test('within a transaction: earlier statements are rolled back with it, and after ROLLBACK the connection is usable', async () => {
    const table = await copyInto('bigint', [7])
    await connection.script('BEGIN')
    await connection.copy(table, [[1, 8]])
    await assert.rejects(connection.copy(table, [[2, 'no number']]), PostgresFailure)
    await assert.rejects(connection.rows(`SELECT count(*) FROM ${table}`), { code: '25P02' })
    assert.ok(!connection.isUsable())
    await connection.script('ROLLBACK')
    assert.ok(connection.isUsable())
    assert.deepEqual(await read(table), [7])
  })

  test('into a missing table, or with too few or too many columns', async () => {
    await assert.rejects(connection.copy('nowhere', [[1]]), { code: '42P01' })
    const table = await copyInto('text', ['kept'])
    for (const row of [[1], [1, 'a', 'b']]) await assert.rejects(connection.copy(table, [row]), { code: '22P04' })
    assert.deepEqual(await read(table), ['kept'])
  })

  test('over a connection that ends on the way: rejected, not for ever under way', async (context) => {
    const url = await urlOf(schema)
    const other = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${schema}` })
    context.after(() => other.destroy())
    const table = await copyInto('text', [])
    const [pid] = await other.rows('SELECT pg_backend_pid()')
    await connection.script(`BEGIN; LOCK TABLE ${table}`)
    const copying = assert.rejects(other.copy(table, [[1, 'a']]), PostgresFailure)
    await connection.rows('SELECT pg_terminate_backend($1::int)', [pid?.[0]])
    await copying
    await connection.script('COMMIT')
    await assert.rejects(other.copy(table, [[1, 'a']]), PostgresFailure)
    assert.deepEqual(await read(table), [])
  })
})
