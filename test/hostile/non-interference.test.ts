// Two databases that differ only in what a key may not see, and the same random requests to a service over each: status,
// headers and bodies are the same, to the byte. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import * as fc from 'fast-check'
import { visibleRecords, type Access } from '../model/access.ts'
import { targetOf, tokenOf } from '../model/compare.ts'
import { accessOf, type Caller } from '../model/generate-access.ts'
import { database as anyDatabase } from '../model/generate-database.ts'
import { request } from '../model/generate-request.ts'
import { expectedAnswer, listOfAll } from '../model/model.ts'
import { columnsOf, rowsOf, type Database } from '../model/relations.ts'
import { acceptEncoding, oddRequest } from '../consistency/generate-odd-requests.ts'
import { looksOf } from '../consistency/pair.ts'
import type { Step } from '../consistency/situation.ts'
import { company } from '../support/fixture.ts'
import { howMuch, seedOfRun as seed, told } from '../support/how-much.ts'
import { engineUnderTest } from '../support/place.ts'
import { allPermissions } from '../support/routes.ts'
import { specification } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'
import { twinOf } from './twin.ts'

const without = (...left: string[]) => allPermissions.filter((each) => !left.includes(each))
const key = (restriction: Partial<Access>): Access => ({
  permissions: allPermissions,
  stores: null,
  priceList: null,
  ...restriction,
})
const callers: readonly (Caller & { readonly name: string })[] = [
  { name: 'one store', key: key({ stores: [1] }), scope: null },
  { name: 'two stores, no costs', key: key({ stores: [2, 3], permissions: without('costs:read') }), scope: null },
  { name: 'no store', key: key({ stores: [] }), scope: null },
  { name: 'a price list', key: key({ priceList: 2 }), scope: null },
  { name: 'no add-on', key: key({ permissions: without('costs:read', 'customers:financial') }), scope: null },
  {
    name: 'a store and a price list, narrowed',
    key: key({ stores: [1], priceList: 3 }),
    scope: without('costs:read', 'customers:financial', 'vendors:read', 'invoices:read', 'reference:read'),
  },
  { name: 'everything, where documents are void', key: key({}), scope: null },
]
const rounds = howMuch(1, 7)
const requestsEach = Math.ceil(howMuch(600, 10_000) / (rounds * callers.length))

const counted = { requests: 0, shown: 0, hiddenIds: 0, otherRows: 0 }

// By turns a company as it is in life and a random one.
const sampled = (own: number) => fc.sample(anyDatabase, { seed: own, numRuns: 1 })[0] ?? {}
const databaseOf = (number: number) => (number % 2 === 0 ? company : sampled(seed + number))

// For records that the caller sees and for those that it does not, of the one database and of the other.
function stepsOver(one: Database, other: Database, access: Access): fc.Arbitrary<Step> {
  const all = { ...access, stores: null, priceList: null }
  const asked = fc.oneof(...[access, all].flatMap((as) => [request(one, as), request(other, as)]))
  const read = fc.record({ request: asked, acceptEncoding }).map((parts): Step => ({ does: 'read', ...parts }))
  return fc.oneof({ weight: 7, arbitrary: read }, { weight: 1, arbitrary: oddRequest })
}

// The model must see no difference either: else the twin is a wrong one, and not the service.
function assertTwins(one: Database, other: Database, access: Access): void {
  for (const rule of specification.filter(({ permission }) => access.permissions.includes(permission))) {
    const details = visibleRecords(rule, one, access).map(({ row }) => Number(row['id']))
    for (const asked of [listOfAll(rule), ...details.map((id) => ({ resource: rule.name, id, parameters: {} }))])
      assert.deepEqual(expectedAnswer(other, asked, access), expectedAnswer(one, asked, access), targetOf(asked))
  }
  for (const relation of Object.keys(columnsOf)) {
    const there = new Set(rowsOf(one, relation).map(write))
    counted.otherRows += rowsOf(other, relation).filter((row) => !there.has(write(row))).length
  }
}

const write = (row: object) =>
  JSON.stringify(row, (_, cell: unknown) => (typeof cell === 'bigint' ? String(cell) : cell))

const describeStep = (step: Step) =>
  step.does === 'read' ? `GET ${targetOf(step.request)} ${step.acceptEncoding}` : JSON.stringify(step)

// What differs between the answers of two services to the same steps; null: nothing.
async function differenceOver(one: Database, other: Database, by: Caller, steps: readonly Step[]) {
  const worlds: World[] = []
  try {
    for (const rows of [one, other]) worlds.push(await createWorld({ rows }))
    const tokens = await Promise.all(worlds.map((world) => tokenOf(world, by)))
    for (const step of steps) {
      if (step.does !== 'read' && step.does !== 'ask') continue
      const target = step.does === 'read' ? targetOf(step.request) : step.target
      const asked = step.does === 'read' ? { acceptEncoding: step.acceptEncoding } : step.asked
      const token = (at: number) => (step.does === 'read' || step.withToken ? (tokens[at] ?? null) : null)
      const answers = await Promise.all(worlds.map((world, at) => world.ask(target, { ...asked, token: token(at) })))
      counted.requests += 1
      if (answers[0]?.status === 200) counted.shown += 1
      if (step.does === 'read' && step.request.id !== null && answers[0]?.status === 404) counted.hiddenIds += 1
      const [first, second] = answers.map(looksOf)
      if (first !== second) return `${describeStep(step)}\n  ${first}\nwith other hidden data\n  ${second}`
    }
    return null
  } finally {
    await Promise.all(worlds.map((world) => world.close()))
  }
}

async function compareOver(by: Caller & { readonly name: string }, number: number): Promise<void> {
  const access = accessOf(by)
  const one = databaseOf(number)
  const other = twinOf(one, access, sampled(seed + 1000 + number), seed + number)
  assertTwins(one, other, access)
  const length = { minLength: requestsEach, maxLength: requestsEach, size: 'max' } as const
  const [steps = []] = fc.sample(fc.array(stepsOver(one, other, access), length), { seed: seed + number, numRuns: 1 })
  const difference = await differenceOver(one, other, by, steps)
  if (difference !== null) assert.fail(`VITRINE_TEST_SEED=${seed}, database ${number}, ${by.name}: ${difference}`)
}

test('what a key may not see changes no answer', async (context) => {
  for (const [at, by] of callers.entries())
    await context.test(by.name, async () => {
      for (let round = 0; round < rounds; round += 1) await compareOver(by, round * callers.length + at)
    })
  const { requests, shown, hiddenIds, otherRows } = counted
  told(
    `non-interference on ${engineUnderTest}: ${requests} requests to twins that differ in ${otherRows} rows ` +
      `(${shown} answered 200, ${hiddenIds} ids not found), seed ${seed}`,
  )
  assert.ok(requests >= howMuch(600, 10_000))
  assert.ok(shown > requests / 3 && hiddenIds > requests / 50 && otherRows > 500)
})
