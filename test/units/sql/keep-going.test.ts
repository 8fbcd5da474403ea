// A running statement must check regularly whether to stop, whatever gaps the ids have, but not so often that it costs.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlite } from '../../../src/sql/sqlite.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'

for (const step of [1, 2, 10, 100, 1000, 1024, 65_536]) {
  test(`one row in about a thousand asks whether to go on where ids come in steps of ${step}`, () => {
    const database = openSqlite(':memory:')
    let asked = 0
    database.function('keep_going', () => ((asked += 1), 1))
    const condition = sqlite.keepGoing('id')
    const numbers = 'WITH RECURSIVE n (at) AS (SELECT 0 UNION ALL SELECT at + 1 FROM n WHERE at < 99999)'
    const counted = database.prepare(
      `${numbers} SELECT count(*) AS rows FROM (SELECT 3 + at * ${step} AS id FROM n) WHERE ${condition}`,
    )
    assert.equal(counted.get()?.['rows'], 100_000)
    database.close()
    assert.ok(asked > 50 && asked < 200, `asked ${asked} times`)
  })
}
