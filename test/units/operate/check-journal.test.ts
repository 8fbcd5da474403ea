// A journal that is longer than its bound, for instance because the bound was lowered: only PostgreSQL has tills that cannot prune.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { journalFindings } from '../../../src/operate/check/structure.ts'
import type { CheckContext } from '../../../src/operate/check/question.ts'

const codesFor = (kind: 'sqlite' | 'postgres') => {
  const table = { isTable: true, kind: 'table', columns: new Map(), isKeyed: true, isStrict: true }
  const reach = { rows: 200_000, since: null }
  const journal = { isThere: true, faults: [], isReadable: true, keptRows: 10_000, reach }
  const shape = { relations: new Map([['stores', table]]), broken: new Map(), journal }
  const context = { url: { kind }, shape, timeZone: 'UTC' } as unknown as CheckContext
  return journalFindings(context).map(({ code }) => code)
}

test('a journal that is too long is a finding on PostgreSQL, where "schema prune" shortens it, and not on SQLite', () => {
  assert.deepEqual(codesFor('postgres'), ['journal_reach', 'journal_long'])
  assert.deepEqual(codesFor('sqlite'), ['journal_reach'])
})
