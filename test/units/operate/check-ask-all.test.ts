// One question after the other: a defect in one is reported, and the others are still asked.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { sqlite } from '../../../src/sql/sqlite.ts'
import { askAll, type Question } from '../../../src/operate/check/question.ts'
import type { DatabaseShape } from '../../../src/operate/check/database.ts'

const shape: DatabaseShape = {
  relations: new Map(),
  broken: new Map(),
  journal: { isThere: true, faults: [], isReadable: true },
}

const source = (isOpen: boolean) => ({
  dialect: sqlite,
  timeoutMs: 1000,
  isOpen: () => isOpen,
  rows: () => Promise.resolve([]),
  close: () => Promise.resolve(),
})

const question = (name: string, ask: Question['ask']): Question => ({
  name,
  relation: 'invoices',
  needs: {},
  decides: false,
  isLong: false,
  ask,
})

const questions = [
  question('the first', () => Promise.reject(new RangeError('Invalid time value'))),
  question('the second', () => Promise.resolve([{ code: 'key_twice', message: 'Twice.', remedy: 'Once.' }])),
]

test('a question that throws is a note of its own, and the next one is asked', async () => {
  const findings = await askAll(questions, source(true), shape, () => {})
  assert.deepEqual(
    findings.map(({ code, relation }) => [code, relation]),
    [
      ['not_answered', 'invoices'],
      ['key_twice', undefined],
    ],
  )
  assert.match(findings[0]?.message ?? '', /the query failed: the first \(Invalid time value\)/)
})

test('a connection that is gone ends it', async () => {
  await assert.rejects(
    askAll(questions, source(false), shape, () => {}),
    /Invalid time value/,
  )
})
