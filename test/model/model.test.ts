// Random databases, callers and valid requests: every answer of the service is the model's, to the byte, whichever way its lists are found.
// VITRINE_TEST_SEED repeats a run; VITRINE_TEST_RUNS multiplies the number of databases.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { resources as catalogue } from '../../src/catalogue/resources/index.ts'
import { specification } from '../support/specification/index.ts'
import { createWorld } from '../support/world.ts'
import { compare, tokenOf, type Case, type Refusals } from './compare.ts'
import { accessOf, caller, type Caller } from './generate-access.ts'
import { database } from './generate-database.ts'
import { request } from './generate-request.ts'
import type { Expected } from './model.ts'
import type { Database } from './relations.ts'
import { explain } from './reduce.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const databases = 15 * Number(process.env['VITRINE_TEST_RUNS'] ?? 1)
const callersEach = 5
const requestsEach = 16

const asked = (rows: Database, by: Caller) =>
  fc.record({
    caller: fc.constant(by),
    requests: fc.array(request(rows, accessOf(by)), { minLength: requestsEach, maxLength: requestsEach }),
  })

const situation = fc
  .record({ rows: database, callers: fc.array(caller, { minLength: callersEach, maxLength: callersEach }) })
  .chain(({ rows, callers }) =>
    fc.record({ rows: fc.constant(rows), asked: fc.tuple(...callers.map((each) => asked(rows, each))) }),
  )

// Without these a run would prove little: a list with records and a detail that was found, of each resource. If chance
// has left some out, a few more databases are tried.
const wanted = specification.flatMap(({ name }) => [`list of ${name}`, `detail of ${name}`])
const mostRounds = 6
const seen = new Set<string>()
let compared = 0

function count({ request }: Case, expected: Expected): void {
  compared += 1
  if (expected.status !== 200) return
  if (request.id !== null) seen.add(`detail of ${request.resource}`)
  else if (!expected.text.startsWith('{"data":[]')) seen.add(`list of ${request.resource}`)
}

const property = fc.asyncProperty(situation, async ({ rows, asked }) => {
  const world = await createWorld({ rows })
  const failures: { case: Case; difference: string }[] = []
  try {
    const tokens = await Promise.all(asked.map(({ caller }) => tokenOf(world, caller)))
    // Every request twice: lists found in columns, and by plain SQL.
    for (const ask of [world.ask, await world.askPlainly()]) {
      const refusals: Refusals = new Map()
      const cases = asked.flatMap(({ caller, requests }, at) =>
        requests.map((request) => ({ token: tokens[at] ?? '', one: { database: rows, caller, request } })),
      )
      await Promise.all(
        cases.map(async ({ token, one }) => {
          const { expected, difference } = await compare(ask, token, one, refusals)
          count(one, expected)
          if (difference !== null) failures.push({ case: one, difference })
        }),
      )
    }
  } finally {
    await world.close()
  }
  const [first] = failures
  if (first) throw new Error(`${failures.length} wrong\n${await explain(first.case, first.difference)}`)
})

test('the specification and the catalogue know the same resources', () => {
  const names = catalogue.map(({ name }) => name).toSorted()
  assert.deepEqual(specification.map(({ name }) => name).toSorted(), names)
})

const missing = () => wanted.filter((each) => !seen.has(each))

test('every list and detail is what the model says, whatever the data, the request and the caller', async () => {
  console.log(`model: seed ${seed}`)
  for (let round = 0; round === 0 || (missing().length > 0 && round < mostRounds); round += 1) {
    const [own, numRuns] = round === 0 ? [seed, databases] : [seed + round, 5]
    const run = await fc.check(property, { seed: own, numRuns, endOnFailure: true })
    const cause = run.errorInstance instanceof Error ? run.errorInstance.message : String(run.errorInstance)
    assert(!run.failed, `VITRINE_TEST_SEED=${own}, in database ${run.numRuns} of ${numRuns}: ${cause}`)
  }
  assert.deepEqual(missing(), [], 'every resource was listed and read')
  console.log(`model: ${compared} answers compared, seed ${seed}`)
})
