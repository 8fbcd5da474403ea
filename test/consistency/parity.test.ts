// The same random requests to two services that differ in their engine alone: SQLite and PostgreSQL, for data and state.
// Status, headers, windows and bodies are the same, to the byte. VITRINE_TEST_SEED repeats a run; VITRINE_TEST_RUNS
// multiplies the number of databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { findRelation } from '../../src/contract/relations.ts'
import { demoCompany } from '../../demo/company.ts'
import { errors } from '../../src/errors.ts'
import { database } from '../model/generate-database.ts'
import type { Database, Row } from '../model/relations.ts'
import { company } from '../support/fixture.ts'
import { tally } from '../support/grants.ts'
import { specification } from '../support/specification/index.ts'
import type { Answer } from '../support/world.ts'
import { situationOver } from './generate.ts'
import { differenceIn } from './pair.ts'
import { explain } from './reduce.ts'
import type { Step } from './situation.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const databases = 6 * Number(process.env['VITRINE_TEST_RUNS'] ?? 1)

// Two of six are companies as they are in life, the others are random.
function databaseOf(number: number): Database {
  if (number % 6 === 0) return company
  if (number % 6 === 1) return demoRows(seed + number)
  return fc.sample(database, { seed: seed + number, numRuns: 1 })[0] ?? {}
}

function demoRows(demoSeed: number): Database {
  const tables: Record<string, Row[]> = {}
  for (const { relation, rows } of demoCompany({ scale: 0.001, seed: demoSeed })) {
    const columns = Object.keys(findRelation(relation).columns)
    const table = (tables[relation] ??= [])
    for (const row of rows) table.push(Object.fromEntries(columns.map((column, at) => [column, row[at] ?? null])))
  }
  return tables
}

// What no random request causes.
const never = 'bad_request request_timeout header_too_large cursor_expired internal_error temporarily_unavailable'
// Without these a run would prove little. If chance has left some out, a few more databases are tried.
const wanted = [
  ...Object.keys(errors).filter((code) => !never.includes(code)),
  ...specification.flatMap(({ name }) => [`list of ${name}`, `detail of ${name}`]),
  'a token',
  'gzip',
  'br',
]
const mostDatabases = 5 * databases
const seen: string[] = []
let compared = 0

function note({ status, headers, text, body }: Answer, step: Step): void {
  compared += 1
  const error = body?.error
  if (status !== 200) seen.push(String(error?.code ?? error))
  if (headers['Content-Encoding']) seen.push(headers['Content-Encoding'])
  if (status !== 200) return
  if (step.does === 'sign in') seen.push('a token')
  if (step.does !== 'read') return
  if (step.request.id !== null) seen.push(`detail of ${step.request.resource}`)
  else if (!text.startsWith('{"data":[]')) seen.push(`list of ${step.request.resource}`)
}

const missing = () => wanted.filter((each) => !seen.includes(each))

test('both engines answer the same, whatever the data, the requests and the callers', async () => {
  console.log(`parity: seed ${seed}`)
  let number = 0
  for (; number < databases || (missing().length > 0 && number < mostDatabases); number += 1) {
    const [situation] = fc.sample(situationOver(databaseOf(number)), { seed: seed + number, numRuns: 1 })
    assert(situation)
    const difference = await differenceIn(situation, note)
    if (difference)
      assert.fail(`VITRINE_TEST_SEED=${seed}, in database ${number + 1}: ${await explain(situation, difference)}`)
  }
  console.log(`parity: ${compared} requests over ${number} databases compared, seed ${seed}`)
  assert.deepEqual(missing(), [], `everything occurred, seed ${seed}: ${JSON.stringify(tally(seen))}`)
  assert(compared >= 5000)
})
