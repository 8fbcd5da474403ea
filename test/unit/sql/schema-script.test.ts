// What `schema print` prints is run by others, statement by statement, beside writers: a tally is made within one transaction.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { tallies } from '../../../src/catalogue/tallies.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { schemaScript, trustStatements } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'

for (const [name, dialect, begin] of [
  ['SQLite', sqliteSchema, 'BEGIN IMMEDIATE'],
  ['PostgreSQL', postgresSchema, 'BEGIN'],
] as const)
  test(`${name}: each tally is made in a transaction of its own, and nothing else is in one`, () => {
    // The last of all, each a transaction of its own.
    const trusted = new Set(trustStatements(dialect))
    assert.deepEqual(schemaScript(dialect).slice(schemaScript(dialect).length - trusted.size), [...trusted])
    let isOpen = false
    let transactions = 0
    for (const statement of schemaScript(dialect)) {
      if (statement === begin) transactions += 1
      if (statement === begin || statement === 'COMMIT') isOpen = statement === begin
      else if (!trusted.has(statement)) assert.equal(isOpen, statement.includes('_tally'), statement)
    }
    assert.equal(isOpen, false)
    assert.equal(transactions, tallies.length)
  })
