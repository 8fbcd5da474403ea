// Without a write-ahead log, readers block the tills: `vitrine check` reads such a file for a moment at a time, one question after the
// other.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { sqlite as dialect } from '../../../src/sql/sqlite.ts'
import { statement, type Statement } from '../../../src/sql/statement.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { referenceQuestions } from '../../../src/operate/check/references.ts'
import type { Question } from '../../../src/operate/check/question.ts'
import { openSqliteCheck } from '../../../src/operate/check/sqlite.ts'
import { QueryTimeout, type CheckedDatabase } from '../../../src/operate/check/database.ts'
import { soundRows } from '../../support/check-worlds.ts'
import { makePos } from '../../support/pos.ts'
import { temporaryFolder } from '../../support/process.ts'

const folder = temporaryFolder()
after(() => rmSync(folder, { recursive: true, force: true }))

function makeWithoutLog(name: string): string {
  const path = join(folder, name)
  makePos(path, soundRows)
  const sqlite = openSqlite(path)
  sqlite.exec('PRAGMA journal_mode = DELETE')
  sqlite.close()
  return path
}

// Gives no row, and so no chance to stop, until it has counted so far.
const counting = (to: number) =>
  `(SELECT count(*) FROM (WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${to}) SELECT n FROM numbers))`

test('once a question is answered, nothing of the late one before it still locks the file', async () => {
  const path = makeWithoutLog('late.db')
  const source = openSqliteCheck(path, 1000)
  const till = openSqlite(path)
  try {
    const late = source.rows(() => `SELECT id FROM stores WHERE ${counting(1e12)} > 0`)
    await assert.rejects(late, QueryTimeout)
    assert.deepEqual(await source.rows(() => 'SELECT count(*) FROM stores'), [[1]])
    till.exec('PRAGMA busy_timeout = 0')
    till.exec(`UPDATE stores SET name = 'Written'`)
  } finally {
    till.close()
    await source.close()
  }
})

const close = () => Promise.resolve()

// The statements of these questions, and how SQLite would go about each.
async function plansOf(name: string, questions: readonly Question[]): Promise<string[]> {
  const statements: Statement[] = []
  const rows: CheckedDatabase['rows'] = (compose) => {
    statements.push(statement(dialect, compose))
    return Promise.resolve([])
  }
  for (const question of questions) await question.ask({ dialect, timeoutMs: 1000, isOpen: () => true, rows, close })
  const sqlite = openSqlite(makeWithoutLog(name))
  sqlite.function('keep_going', () => 1)
  const plans = statements.map(({ text, values }) => {
    assert.match(text, /keep_going/)
    const steps = sqlite.prepare(`EXPLAIN QUERY PLAN ${text}`).all(...values)
    return steps.map(({ detail }) => String(detail)).join('; ')
  })
  sqlite.close()
  return plans
}

test('references are asked in one walk over each relation: a walk within a walk could not be stopped', async () => {
  const plans = await plansOf('plans.db', referenceQuestions({ dialect }))
  assert.ok(plans.length > 20)
  assert.deepEqual(
    plans.filter((plan) => plan.includes('CORRELATED')),
    [],
  )
})
