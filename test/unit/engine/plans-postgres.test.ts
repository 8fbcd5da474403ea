// How PostgreSQL goes about a page: it finds it from an index and looks at few rows, however large the company is and
// wherever in time its documents lie. (How many match a filter is another matter: they are counted.)
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { permissions, type Access } from '../../../src/catalogue/access.ts'
import type { Condition } from '../../../src/catalogue/condition.ts'
import { isArray } from '../../../src/catalogue/field.ts'
import type { Filter } from '../../../src/catalogue/filters/filter.ts'
import { storeColumns, type Resource } from '../../../src/catalogue/resource.ts'
import { findResource, resources } from '../../../src/catalogue/resources/index.ts'
import { nameOf, tallies } from '../../../src/catalogue/tallies.ts'
import { systemClock } from '../../../src/clock.ts'
import { mostAlike } from '../../../src/engine/alike.ts'
import { createPostgresEngine } from '../../../src/engine/postgres/engine.ts'
import { isPlannedOnce, planOnce } from '../../../src/engine/postgres/planning.ts'
import { createLog } from '../../../src/log.ts'
import { connectPostgres, type PostgresConnection } from '../../../src/postgres/connection.ts'
import { sessionSetUp } from '../../../src/postgres/session.ts'
import type { PostgresUrl } from '../../../src/settings/postgres-url.ts'
import { restrictions, type ListPlan } from '../../../src/query/plan.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { arrayStatement } from '../../../src/sql/arrays.ts'
import { postgres as dialectOf } from '../../../src/sql/postgres.ts'
import { postgresTally, tallyVersion } from '../../../src/sql/postgres-tallies.ts'
import { pageStatement, recordsStatement } from '../../../src/sql/records.ts'
import type { Statement } from '../../../src/sql/statement.ts'
import { allOf, bucketsStatement, sumStatement, within } from '../../../src/sql/tallies.ts'
import { makeGrownPos, referenceRelations } from '../../support/grown-pos.ts'
import { urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'
import { until } from '../../support/process.ts'

const rows = 10_000
// A page and what it takes to find it; a scan of the smallest part that a filter divides the rows into is more.
const mostRowsSeen = 800

const everything: Access = { permissions, stores: null, priceList: null }
const postgres = dialectOf(new Set())
const grown = resources.filter(({ relation }) => !referenceRelations.includes(relation))
let url: PostgresUrl
// The owner's, and one as readers of the service have it.
let owner: PostgresConnection
let reader: PostgresConnection
// One that plans once, as the engine does for all but searches.
let once: PostgresConnection

before(async () => {
  url = await urlOf(newSchema('grown'))
  owner = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}, public` })
  await makeGrownPos(owner, url.schema, rows)
  const setUp = sessionSetUp(url, { timeoutMs: 30_000, isReadOnly: true })
  reader = await connectPostgres(url, { timeoutMs: 30_000, setUp })
  once = await connectPostgres(url, { timeoutMs: 30_000, setUp: setUp + planOnce })
})
after(async () => {
  await once.close()
  await reader.close()
  await owner.script(`DROP SCHEMA ${url.schema} CASCADE`)
  await owner.close()
})

interface Step {
  readonly 'Node Type': string
  readonly 'Relation Name'?: string
  readonly 'Index Name'?: string
  readonly 'Actual Rows': number
  readonly 'Actual Loops': number
  readonly 'Rows Removed by Filter'?: number
  readonly 'Rows Removed by Index Recheck'?: number
  readonly Plans?: readonly Step[]
}

const steps = (plan: Step): Step[] => [plan, ...(plan.Plans ?? []).flatMap(steps)]
const text = (plan: Step, depth = 0): string =>
  `${'  '.repeat(depth)}${plan['Node Type']} ${plan['Index Name'] ?? plan['Relation Name'] ?? ''} ${seen(plan)}\n` +
  (plan.Plans ?? []).map((each) => text(each, depth + 1)).join('')

const seen = (step: Step) =>
  step['Actual Loops'] *
  (step['Actual Rows'] + (step['Rows Removed by Filter'] ?? 0) + (step['Rows Removed by Index Recheck'] ?? 0))

async function run(sql: string, values: readonly unknown[]): Promise<Step> {
  const [row] = await reader.rows(`EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF, FORMAT JSON) ${sql}`, values)
  return (JSON.parse(String(row?.[0])) as [{ Plan: Step }])[0].Plan
}

// As the engine runs it: whatever the values are, the plan is the one for any.
async function runOnce({ text: sql, values }: Statement): Promise<Step> {
  const literals = values.map((value) =>
    value === null ? 'NULL' : typeof value === 'number' ? String(value) : `'${value.replaceAll("'", "''")}'`,
  )
  await once.script(`PREPARE planned AS ${sql}`)
  const execute = `EXECUTE planned${literals.length > 0 ? `(${literals.join(', ')})` : ''}`
  try {
    const explain = `EXPLAIN (ANALYZE, TIMING OFF, BUFFERS OFF, FORMAT JSON) ${execute}`
    const [row] = await once.rows(explain)
    return (JSON.parse(String(row?.[0])) as [{ Plan: Step }])[0].Plan
  } finally {
    await once.script('DEALLOCATE planned')
  }
}

// What is wrong with the way a statement was run.
function faultsOf(plan: Step): string[] {
  const all = steps(plan)
  const scans = all.filter((step) => /Scan/.test(step['Node Type']) && step['Node Type'] !== 'CTE Scan')
  const whole = scans.filter(
    (step) => step['Node Type'] === 'Seq Scan' && !referenceRelations.includes(step['Relation Name'] ?? ''),
  )
  const rowsSeen = Math.max(...all.filter((step) => !step.Plans || scans.includes(step)).map(seen))
  return [
    ...whole.map((step) => `reads all of ${step['Relation Name']}`),
    ...(rowsSeen > mostRowsSeen ? [`looks at ${rowsSeen} rows`] : []),
  ]
}

function resourceNamed(name: string): Resource {
  const resource = findResource(name)
  assert(resource)
  return resource
}

function listOf(resource: Resource, query: string, access: Access): ListPlan {
  const planned = planList(resource, query, access)
  assert('plan' in planned, JSON.stringify(planned))
  return planned.plan
}

function pageOf(resource: Resource, query: string, access = everything): Statement {
  const fields = resource.fields.filter((field) => !isArray(field))
  return pageStatement(postgres, resource, fields, listOf(resource, query, access))
}

async function assertFew(resource: Resource, queries: readonly string[], access = everything): Promise<void> {
  const faults: string[] = []
  for (const query of queries) {
    const { text: sql, values } = pageOf(resource, query, access)
    const plan = await run(sql, values)
    const found = faultsOf(plan)
    if (found.length > 0) faults.push(`${resource.name}?${query} ${found.join(', ')}:\n${text(plan)}`)
  }
  assert.equal(faults.join('\n'), '')
}

const late = '2021-02-20'
function valuesOf(filter: Filter): string[] {
  switch (filter.kind) {
    case 'status':
    case 'labels':
      return filter.labels.map(({ label }) => label)
    case 'text':
      return [...filter.values]
    case 'integer':
      return ['2', '3', String(Number.MAX_SAFE_INTEGER), ...(filter.emptyIsZero ? ['0'] : [])]
    case 'day-to':
      return ['2020-03-01', '2001-01-01']
    case 'day-from':
    case 'since':
      return [late]
  }
}

// Comes first: nothing has used an index yet. A plan for any word is one for none, and after a few searches that no index
// can help PostgreSQL takes it for all; this role has it from the beginning.
test('a list is planned for what it asks, whatever was asked before on its connection', async (context) => {
  const role = url.schema
  await owner.script(`CREATE ROLE ${role} LOGIN PASSWORD '${role}'`)
  context.after(() => owner.script(`DROP OWNED BY ${role}; DROP ROLE ${role}`))
  await owner.script(
    `GRANT USAGE ON SCHEMA ${role} TO ${role}; GRANT SELECT ON ALL TABLES IN SCHEMA ${role} TO ${role};` +
      ` ALTER ROLE ${role} SET plan_cache_mode = force_generic_plan`,
  )
  const engine = createPostgresEngine({
    url: { ...url, user: role, password: role },
    readers: 1,
    statementTimeoutMs: 30_000,
    log: createLog('error', () => {}, systemClock),
  })
  try {
    const planned = planList(resourceNamed('customers'), 'search=04711', everything)
    assert('plan' in planned)
    assert.equal((await engine.list(planned.plan)).total, 1)
  } finally {
    await engine.close()
  }
  const usesOf = async (index: string) => {
    const sql = `SELECT idx_scan FROM pg_stat_user_indexes WHERE schemaname = $1 AND indexrelname = $2`
    return Number((await owner.rows(sql, [url.schema, index]))[0]?.[0])
  }
  // The server tells what a connection did once it has ended.
  await until('the searches are told of', async () => (await usesOf('customers_search_name')) >= 1)
  assert.equal(await usesOf('customers_by_name'), 0)
})

// With nothing else left to it than to read everything or to walk along the list, both made dear.
async function asksSearchIndex(resource: Resource, search: string): Promise<boolean> {
  const { text: sql, values } = pageOf(resource, `search=${encodeURIComponent(search)}`)
  await reader.script('SET enable_seqscan TO off; SET enable_indexscan TO off')
  try {
    const all = steps(await run(sql, values))
    return all.some((step) => step['Index Name']?.startsWith(`${resource.relation}_search_`))
  } finally {
    await reader.script('SET enable_seqscan TO on; SET enable_indexscan TO on')
  }
}

for (const resource of grown) {
  test(`${resource.name}: each sort, in both directions, comes from an index`, async () => {
    const sorts = resource.sort.fields.flatMap((field) => [`sort=${field}`, `sort=-${field}`, `sort=${field}&page=3`])
    await assertFew(resource, sorts)
  })

  test(`${resource.name}: each value of each filter is found by an index, in the default order`, async () => {
    const filters = resource.filters.flatMap((filter) => valuesOf(filter).map((value) => `${filter.name}=${value}`))
    await assertFew(resource, [...filters, `updated_since=${late}&sort=updated_at`])
  })

  test(`${resource.name}: a word that few records hold is found by the search indexes`, async () => {
    const { text: sql, values } = pageOf(resource, 'search=04711')
    const plan = await run(sql, values)
    assert.deepEqual(faultsOf(plan), [], text(plan))
    const used = new Set(steps(plan).map((step) => step['Index Name']))
    for (const column of resource.search) assert(used.has(`${resource.relation}_search_${column}`), text(plan))
  })

  test(`${resource.name}: of two characters no search index is asked, but of the beginning of a word it is`, async () => {
    const used = await Array.fromAsync(['47', 'zq', '-9', '471'], (search) => asksSearchIndex(resource, search))
    assert.deepEqual(used, [false, false, true, true])
  })

  test(`${resource.name}: records that are asked for alike, and their arrays, are read by indexes`, async () => {
    for (const ids of [[rows / 2], Array.from({ length: mostAlike }, (_, at) => 5 + (at * 2 * rows) / mostAlike)]) {
      const access = { ...everything, priceList: 3 }
      const list = postgres.integerList(ids)
      const scalars = resource.fields.filter((field) => !isArray(field))
      const owners = [true, false].map((archived) => ({ list, archived, isVoid: false }))
      const statements = [
        recordsStatement(postgres, resource, scalars, {
          access,
          conditions: restrictions(resource, access),
          ids: list,
        }),
        ...resource.fields
          .filter(isArray)
          .flatMap((array) =>
            owners
              .filter(({ archived }) => !archived || resource.archived)
              .map((each) => arrayStatement(postgres, array, each, everything)),
          ),
      ]
      for (const statement of statements)
        for (const plan of [await run(statement.text, statement.values), await runOnce(statement)])
          assert.deepEqual(faultsOf(plan), [], `${statement.text}\n${text(plan)}`)
    }
  })
}

for (const resource of grown.filter((each) => storeColumns(each).length === 1))
  test(`${resource.name}: a key of one store reads its documents by an index`, () =>
    assertFew(resource, [''], { ...everything, stores: [2] }))

const tallying = dialectOf(new Set(), new Set(tallies.map(nameOf)))
// Whether a plan that is made once is as good as one for the values: it may see a page's worth, or twice what that one sees.
async function assertAsGood(resource: Resource, queries: readonly string[], access = everything): Promise<void> {
  const faults: string[] = []
  const asked = queries.filter((query) => isPlannedOnce(listOf(resource, query, access), tallying))
  assert(asked.includes(''))
  for (const query of asked) {
    const statement = pageOf(resource, query, access)
    const [each, planned] = [await run(statement.text, statement.values), await runOnce(statement)]
    const [fewest, most] = [each, planned].map((plan) => Math.max(...steps(plan).map(seen))) as [number, number]
    const isWhole = steps(planned).some((step) => step['Node Type'] === 'Seq Scan' && seen(step) >= rows)
    if (isWhole || most > Math.max(mostRowsSeen, 2 * fewest))
      faults.push(`${resource.name}?${query} looks at ${most} rows instead of ${fewest}:\n${text(planned)}`)
  }
  assert.equal(faults.join('\n'), '')
}

const isTallied = ({ relation }: Resource) => tallies.some((tally) => nameOf(tally) === relation)
for (const resource of grown.filter(isTallied)) {
  const sorts = resource.sort.fields.flatMap((field) => [`sort=${field}`, `sort=-${field}`, `sort=${field}&page=3`])
  const filters = resource.filters.map((filter) => valuesOf(filter).map((value) => `${filter.name}=${value}`))
  const pairs = filters.flatMap((one, at) =>
    filters.slice(at + 1).flatMap((two) => [`${one[0]}&${two.at(-1)}`, `${one.at(-1)}&${two[0]}`]),
  )

  const sorted = filters.flatMap((some) =>
    [some[0], some.at(-1)].flatMap((each) => resource.sort.fields.map((field) => `${each}&sort=-${field}`)),
  )

  test(`${resource.name}: planned once for all values, sorts, filters and pairs of filters are found as well as planned each`, () =>
    assertAsGood(resource, ['', ...sorts, ...filters.flat(), ...pairs, ...sorted]))

  if (storeColumns(resource).length > 0)
    test(`${resource.name}: planned once for all values, keys of one and of two stores read as well as planned each`, async () => {
      for (const stores of [[2], [2, 5]]) await assertAsGood(resource, ['', ...sorts], { ...everything, stores })
    })
}

test('sums and places from tallies, and their versions, read no relation of the contract as a whole', async () => {
  // Of the recent ones that changed, none was folded yet.
  for (const tally of tallies)
    await owner.script(`SET search_path = ${url.schema}, public; ${postgresTally(tally).join(';')}`)
  const some = Array.from({ length: 40 }, (_, at) => at * 7 + 1).join(', ')
  for (const tally of tallies)
    await owner.script(`UPDATE "${nameOf(tally)}" SET updated_at = '2026-09-30' WHERE id IN (${some})`)
  await owner.script(tallies.map((tally) => `ANALYZE "${nameOf(tally)}_tally_changes"`).join('; '))
  // As it looks to a server that knows little of changes that came since.
  const dear = [
    'parallel_setup_cost',
    'parallel_tuple_cost',
    'min_parallel_table_scan_size',
    'min_parallel_index_scan_size',
  ]
  await once.script(dear.map((name) => `SET ${name} TO 0`).join('; '))
  const faults: string[] = []
  for (const tally of tallies) {
    const hasStores = tally.traits.includes('store_id')
    const traits: Condition[] = hasStores ? [{ is: 'in-stores', columns: ['store_id'], stores: [2, 5] }] : []
    const statements: Statement[] = [
      { text: tallyVersion(tally), values: [] },
      sumStatement(tallying, tally, traits, [allOf]),
      ...tally.axes.flatMap((axis) =>
        axis.lengths.map((length) => bucketsStatement(tallying, tally, traits, within(axis, length, ''), true)),
      ),
    ]
    for (const statement of statements) {
      const plan = await runOnce(statement)
      const contract = new Set(tally.relations.map(({ name }) => name))
      const read = steps(plan).filter((step) => contract.has(step['Relation Name'] ?? ''))
      const most = Math.max(0, ...read.map(seen))
      // Nor is help called for: to start it takes longer than the sum.
      const isHelped = steps(plan).some((step) => step['Node Type'].startsWith('Gather'))
      if (isHelped || most > mostRowsSeen || read.some((step) => step['Node Type'] === 'Seq Scan'))
        faults.push(`${statement.text} ${most}:\n${text(plan)}`)
    }
  }
  assert.equal(faults.join('\n'), '')
})
