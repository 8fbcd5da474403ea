// Statements composed once for a shape against statements composed for each plan: the same text and the same values, for
// thousands of plans of every resource that one answerer meets in turn, in both dialects. VITRINE_TEST_SEED repeats a run.
import assert from 'node:assert/strict'
import { describe, test } from 'node:test'
import * as fc from 'fast-check'
import type { Access } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { isArray, isDetailOnly } from '../../../src/catalogue/field.ts'
import type { Filter } from '../../../src/catalogue/filters/filter.ts'
import { allowedLabels } from '../../../src/catalogue/filters/labels.ts'
import type { Resource } from '../../../src/catalogue/resource.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { visibleFields } from '../../../src/catalogue/visible.ts'
import { createAnswerer } from '../../../src/engine/answer.ts'
import { createFinder } from '../../../src/finder/finder.ts'
import type { Snapshot } from '../../../src/finder/snapshot.ts'
import { planDetail } from '../../../src/query/plan-detail.ts'
import { planList } from '../../../src/query/plan-list.ts'
import type { DetailPlan, ListPlan } from '../../../src/query/plan.ts'
import { arrayStatement } from '../../../src/sql/arrays.ts'
import type { Dialect } from '../../../src/sql/dialect.ts'
import { postgres } from '../../../src/sql/postgres.ts'
import { pageStatement, recordsStatement, rowFields, totalStatement } from '../../../src/sql/records.ts'
import { sqlite } from '../../../src/sql/sqlite.ts'
import { showRow, type Row, type Statement } from '../../../src/sql/statement.ts'

const seed = Number(process.env['VITRINE_TEST_SEED'] ?? Math.floor(Math.random() * 2 ** 31))
const plans = 3000
const one = fc.constantFrom
// Few, so that the same value stands in several places, and at the ends of what is allowed.
const integer = one(0, 1, 2, 20, -1, Number.MAX_SAFE_INTEGER, -Number.MAX_SAFE_INTEGER)
const day = one('2024-02-29', '2024-03-01', '9999-12-31')

function valueOf(filter: Filter): fc.Arbitrary<string> {
  if (filter.kind === 'integer') return integer.map(String)
  if (filter.kind === 'currency') return one(...filter.values)
  if (filter.kind === 'status') return one(...allowedLabels(filter))
  if (filter.kind === 'labels')
    return fc.subarray(allowedLabels(filter), { minLength: 1 }).map((labels) => labels.join(','))
  return filter.kind === 'since'
    ? fc.oneof(
        day,
        day.map((each) => `${each}T12:00:00`),
      )
    : day
}

const access: fc.Arbitrary<Access> = fc.record({
  permissions: one(
    permissions,
    permissions.filter((each) => each !== 'costs:read'),
    permissions.filter((each) => !['costs:read', 'customers:financial'].includes(each)),
  ),
  stores: one(null, [], [1], [1, 2], [2, 20]),
  priceList: one(null, 1, 2, 20),
})

function queryOf(resource: Resource): fc.Arbitrary<string> {
  const sorts = resource.sort.fields.flatMap((name) => [name, `-${name}`])
  const parameters: Record<string, fc.Arbitrary<string>> = {
    ...Object.fromEntries(resource.filters.map((filter) => [filter.name, valueOf(filter)])),
    sort: one(...sorts),
    page: one('1', '2', '3', '21'),
    per_page: one('1', '2', '20', '100'),
    search: one('ab', 'abcd', `O'Neil`, 'straße'),
  }
  return fc
    .record(parameters, { requiredKeys: [] })
    .chain((given) => fc.subarray(Object.entries(given)))
    .map((entries) => new URLSearchParams(entries as [string, string][]).toString())
}

interface Case {
  readonly resource: Resource
  readonly plan: ListPlan | DetailPlan
  // What the database would answer: records of this id, archived or void.
  readonly found: { readonly id: number; readonly archived: boolean; readonly isVoid: boolean }
}

const aCase: fc.Arbitrary<Case> = fc.tuple(one(...resources), access, fc.boolean()).chain(([resource, by, isList]) =>
  fc
    .record({
      found: fc.record({ id: integer, archived: one(false, resource.archived ?? false), isVoid: fc.boolean() }),
      query: queryOf(resource),
    })
    .map(({ found, query }) => {
      const planned = isList ? planList(resource, query, by) : planDetail(resource, String(found.id), '', by)
      assert('plan' in planned, JSON.stringify(planned))
      return { resource, plan: planned.plan, found }
    }),
)

// Every statement, composed directly.
function composed(dialect: Dialect, { resource, plan, found }: Case): Statement[] {
  const isList = plan.shows === 'list'
  const fields = visibleFields(resource, plan.access).filter((field) => !isList || !isDetailOnly(field))
  const scalars = fields.filter((field) => !isArray(field))
  const { archived, isVoid } = isList ? { archived: false, isVoid: false } : found
  const owners = { list: dialect.integerList([found.id]), archived, isVoid }
  // Which records a list shows is settled once they are found.
  const conditions = isList ? [] : plan.conditions
  return [
    ...(isList ? [totalStatement(dialect, resource, plan), pageStatement(dialect, resource, plan)] : []),
    recordsStatement(dialect, resource, scalars, { access: plan.access, conditions, ids: found.id }),
    ...fields.filter(isArray).map((field) => arrayStatement(dialect, field, owners, plan.access)),
  ]
}

const dialects: { name: string; dialect: Dialect }[] = [
  { name: 'SQLite', dialect: sqlite },
  { name: 'PostgreSQL', dialect: postgres },
]

for (const { name, dialect } of dialects)
  describe(`${name}, seed ${seed}`, () => {
    test('what an answerer asks of the database is what is composed for each plan by itself', async () => {
      const finder = createFinder(dialect, 0, { onVoid: () => {}, onGrown: () => {} })
      const answerer = createAnswerer(dialect, finder, () => {})
      const seen = new Map<string, number>()
      for (const each of fc.sample(aCase, { seed, numRuns: plans })) {
        const asked: Statement[] = []
        const { id, archived, isVoid } = each.found
        const row: Row = [Number(archived), isVoid ? 4 : 3, id, ...Array<null>(100).fill(null)]
        assert.equal(row[rowFields], id)
        const { plan } = each
        // A list is counted and its ids are found before its records are read.
        const answers: Row[][] = plan.shows === 'list' ? [[[1]], [[id]], [row]] : [[row]]
        const answerTo = (statement: Statement) => answers[asked.push(statement) - 1] ?? []
        const snapshot: Snapshot = {
          database: '',
          rows: async (statement) => answerTo(statement),
          shown: async (statement, form) => answerTo(statement).map((cells) => showRow(form, cells)),
          mark: () => assert.fail(),
          changesSince: () => assert.fail(),
          written: () => assert.fail(),
          journal: () => assert.fail(),
        }
        await answerer.answer([plan], undefined, snapshot)
        assert.deepEqual(asked, composed(dialect, each), JSON.stringify(plan))
        const shape = asked[plan.shows === 'list' ? 2 : 0]?.text ?? ''
        seen.set(shape, (seen.get(shape) ?? 0) + 1)
      }
      // Else nothing would have been composed once and used again.
      const again = [...seen.values()].filter((times) => times > 1).length
      assert(again > 50, `${again} of ${seen.size} texts were used again`)
    })
  })
