// What `schema print` prints is run by others, statement by statement, beside writers: the journal is made within one transaction, so
// that no write comes between its table and its triggers.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaScript } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'

const isOfJournal = (statement: string) => statement.includes('vitrine_')

for (const [name, dialect] of [
  ['SQLite', sqliteSchema],
  ['PostgreSQL', postgresSchema],
] as const)
  test(`${name}: the journal is made in one transaction, and nothing else is in it`, () => {
    const script = schemaScript(dialect)
    const [begin, end] = [script.indexOf('BEGIN'), script.indexOf('COMMIT')]
    assert.equal(end, script.length - 1)
    assert.ok(script.slice(begin + 1, end).every(isOfJournal))
    assert.deepEqual(script.slice(0, begin).filter(isOfJournal), [])
    assert.ok(end - begin > 100)
  })
