// Plans → statements: every statement that a request can lead to is one that both engines understand, has no value in its text, and can be
// stopped on SQLite.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import type { Access } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { isArray } from '../../../src/catalogue/field.ts'
import type { Filter } from '../../../src/catalogue/filters/filter.ts'
import type { Resource } from '../../../src/catalogue/resource.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { connectPostgres, type PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import { sessionSetUp } from '../../../src/platform/postgres/session.ts'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { planDetail } from '../../../src/query/plan-detail.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { arrayStatement } from '../../../src/sql/arrays.ts'
import type { Dialect } from '../../../src/sql/dialect.ts'
import { postgres } from '../../../src/sql/postgres.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { pageStatement, recordsStatement, totalStatement } from '../../../src/sql/records.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import { sqlite } from '../../../src/sql/sqlite.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import type { Statement } from '../../../src/sql/statement.ts'
import { makePostgresPos, urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'

const everything: Access = { permissions, stores: null, priceList: null }
const accesses: readonly Access[] = [
  everything,
  { ...everything, stores: [1], priceList: 1 },
  { ...everything, stores: [1, Number.MAX_SAFE_INTEGER] },
  { ...everything, stores: [] },
]

function valueOf(filter: Filter): string {
  if (filter.kind === 'status') return filter.labels[0]?.label ?? ''
  if (filter.kind === 'labels') return filter.labels.map(({ label }) => label).join(',')
  if (filter.kind === 'currency') return filter.values[0] ?? ''
  return filter.kind === 'integer' ? String(Number.MIN_SAFE_INTEGER) : '2026-02-03'
}

function planOf<Plan>(planned: { readonly plan: Plan } | object): Plan {
  assert('plan' in planned, JSON.stringify(planned))
  return planned.plan
}

function statementsOf(dialect: Dialect, resource: Resource): Statement[] {
  const scalars = resource.fields.filter((field) => !isArray(field))
  const arrays = resource.fields.filter(isArray)
  const filters = resource.filters.map((filter) => `${filter.name}=${valueOf(filter)}`)
  const sorts = resource.sort.fields.flatMap((field) => [`sort=${field}`, `sort=-${field}`])
  const search = `search=${encodeURIComponent('aİ')}`
  const all = [...filters, search].join('&')
  const queries = [
    ...['', ...filters, search, `search=${encodeURIComponent(`O'N%`)}`, all].flatMap((filter) =>
      ['', ...sorts].map((sort) => `${filter}&${sort}`),
    ),
    `sort=${resource.sort.fields.slice(-3).join(',-')}`,
    ...resource.filters.filter(({ kind }) => kind === 'integer').map(({ name }) => `${name}=0`),
    ...(resource.filters.some((filter) => filter.kind === 'status' && filter.all) ? ['status=all'] : []),
  ]
  return accesses.flatMap((access) => [
    ...queries.flatMap((query) => {
      const plan = planOf(planList(resource, query, access))
      return [totalStatement(dialect, resource, plan), pageStatement(dialect, resource, plan)]
    }),
    ...[1, dialect.integerList([1, Number.MAX_SAFE_INTEGER])].map((ids) =>
      recordsStatement(dialect, resource, scalars, { ...planOf(planDetail(resource, '1', '', access)), ids }),
    ),
    ...arrays.flatMap((array) =>
      [false, ...(resource.archived ? [true] : [])].flatMap((archived) =>
        [false, true].map((isVoid) =>
          arrayStatement(dialect, array, { list: dialect.integerList([1, 2n ** 60n]), archived, isVoid }, access),
        ),
      ),
    ),
  ])
}

const shop = openSqlite(':memory:')
shop.exec(schemaStatements(sqliteSchema).join(';'))
for (const name of ['contains', 'keep_going']) shop.function(name, { varargs: true }, () => 1)
let connection: PostgresConnection
before(async () => {
  const url = await urlOf(newSchema('records'))
  connection = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}, public` })
  await makePostgresPos(connection, url.schema, {}, schemaStatements(postgresSchema))
  await connection.script(sessionSetUp(url, { timeoutMs: 30_000, isReadOnly: true }))
})
after(async () => {
  shop.close()
  await connection.script('SET default_transaction_read_only = off')
  const [row] = await connection.rows('SELECT current_schema()')
  await connection.script(`DROP SCHEMA ${String(row?.[0])} CASCADE`)
  await connection.close()
})

// What requests and accesses give above.
const given = /9007199254740991|1152921504606846976|2026-02-03|İ|USD/
// A recent record of the same id is looked up, not scanned.
const scans = / (?:FROM|JOIN) "\w+" (?=\w\b)(?!r WHERE r\."id" = t\."id"(?: |\)))/g

const engines = [
  {
    name: 'SQLite',
    dialect: sqlite,
    run: async ({ text, values }: Statement) => {
      shop.prepare(text).all(...values)
      assert.equal(text.split('keep_going()').length - 1, text.match(scans)?.length, 'each scan can be stopped')
    },
  },
  {
    name: 'PostgreSQL',
    dialect: postgres,
    run: ({ text, values }: Statement) => connection.rows(`EXPLAIN ${text}`, values),
  },
]

for (const { name, dialect, run } of engines)
  describe(`${name} understands every statement, and no value is in its text:`, () => {
    for (const resource of resources)
      test(resource.name, async () => {
        const statements = new Map(statementsOf(dialect, resource).map((each) => [each.text, each]))
        assert(statements.size > 10)
        for (const each of statements.values()) {
          const { text, values } = each
          await run(each).catch((error: unknown) => assert.fail(`${String(error)}\n${text}\n${JSON.stringify(values)}`))
          assert.doesNotMatch(text, given)
        }
      })
  })
