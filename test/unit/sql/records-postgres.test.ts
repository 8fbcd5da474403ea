// Plans → statements in PostgreSQL: the exact SQL of typical plans, so that a change of it is seen and meant, and every
// statement that a request can lead to is one that the server understands.
import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Access } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { isArray, type ArrayField, type ScalarField } from '../../../src/catalogue/field.ts'
import type { Filter } from '../../../src/catalogue/filters/filter.ts'
import type { Resource } from '../../../src/catalogue/resource.ts'
import { findResource, resources } from '../../../src/catalogue/resources/index.ts'
import { connectPostgres, type PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import { sessionSetUp } from '../../../src/platform/postgres/session.ts'
import { planDetail } from '../../../src/query/plan-detail.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { arrayStatement } from '../../../src/sql/arrays.ts'
import { postgres as dialect } from '../../../src/sql/postgres.ts'
import { postgresSchema } from '../../../src/sql/postgres-schema.ts'
import { pageStatement, recordsStatement, totalStatement } from '../../../src/sql/records.ts'
import { schemaStatements } from '../../../src/sql/schema.ts'
import type { Statement } from '../../../src/sql/statement.ts'
import { makePostgresPos, urlOf } from '../../support/place-postgres.ts'
import { newSchema } from '../../support/postgres.ts'

const everything: Access = { permissions, stores: null, priceList: null }

function resourceNamed(name: string): Resource {
  const resource = findResource(name)
  assert(resource)
  return resource
}
function listPlan(name: string, query: string, access = everything) {
  const planned = planList(resourceNamed(name), query, access)
  assert('plan' in planned, JSON.stringify(planned))
  return planned.plan
}
function detailPlan(name: string, id: string, access = everything) {
  const planned = planDetail(resourceNamed(name), id, '', access)
  assert('plan' in planned, JSON.stringify(planned))
  return planned.plan
}
const fieldsOf = (name: string, ...names: string[]) =>
  resourceNamed(name).fields.filter((field): field is ScalarField => names.includes(field.name) && !isArray(field))
function arrayOf(name: string, array: string, ...items: string[]): ArrayField {
  const field = resourceNamed(name).fields.find((each) => each.name === array)
  assert(field && isArray(field))
  return { ...field, fields: field.fields.filter((item) => items.includes(item.name)) }
}

test('a total counts the recent and the archived, less those that are in both', () => {
  assert.deepEqual(totalStatement(dialect, resourceNamed('quotes'), listPlan('quotes', 'status=void')), {
    text:
      `SELECT (SELECT count(*) FROM "quotes" t WHERE t."status" = 4)` +
      ` + (SELECT count(*) FROM "quotes_archive" t WHERE t."status" = 4` +
      ` AND NOT EXISTS (SELECT 1 FROM "quotes" r WHERE r."id" = t."id"))`,
    values: [],
  })
})

test('a page of a text in descending order: the empty last, compared by code point after folding ASCII', () => {
  const plan = listPlan('vendors', 'sort=-name&page=3&per_page=10&status=active')
  assert.deepEqual(pageStatement(dialect, resourceNamed('vendors'), plan), {
    text:
      `SELECT k.id FROM (SELECT t."id" AS id, (lower(t."name" COLLATE "C") COLLATE "C") AS s0, t."id" AS s1` +
      ` FROM "vendors" t WHERE t."active" = true) k` +
      ` ORDER BY k.s0 DESC NULLS LAST, k.s1 DESC LIMIT $1::bigint OFFSET $2::bigint`,
    values: [10, 20],
  })
})

const part = (relation: string, more: string) =>
  `SELECT t."id" AS id, CASE WHEN t."status" = 4 THEN 0 ELSE t."total" END AS s0, t."id" AS s1` +
  ` FROM "${relation}" t WHERE t."status" = 1${more}`
test('documents and their archive are ordered as one, by what is shown of them', () => {
  const plan = listPlan('quotes', 'status=open&sort=total&page=3&per_page=10')
  const isGone = ' AND NOT EXISTS (SELECT 1 FROM "quotes" r WHERE r."id" = t."id")'
  assert.deepEqual(pageStatement(dialect, resourceNamed('quotes'), plan), {
    text:
      `SELECT k.id FROM (${part('quotes', '')} UNION ALL ${part('quotes_archive', isGone)}) k` +
      ` ORDER BY k.s0 ASC NULLS FIRST, k.s1 ASC LIMIT $1::bigint OFFSET $2::bigint`,
    values: [10, 20],
  })
})

test('every kind of condition is bound, none is written into the text', () => {
  const query =
    'status=all&customer_id=7&currency=USD&date_from=2026-01-02&date_to=2026-01-03&payment_status=paid,unpaid'
  const { text, values } = totalStatement(
    dialect,
    resourceNamed('credit-memos'),
    listPlan('credit-memos', `${query}&search=O%27N%25`, { ...everything, stores: [2, 5] }),
  )
  const where = text.slice(text.indexOf('WHERE ') + 6, text.indexOf(') + (SELECT'))
  assert.deepEqual(where.split(' AND '), [
    't."kind" = $1::bigint',
    't."store_id" = ANY ($2::bigint[])',
    '(t."paid" = true OR t."paid" = false)',
    't."customer_id" = $3::bigint',
    't."currency" = $4',
    `date_trunc('second', t."date") >= $5`,
    `date_trunc('second', t."date") <= $6`,
    '(t."number" COLLATE "C" ~ $7 OR t."customer_name" COLLATE "C" ~ $7 OR t."po_number" COLLATE "C" ~ $7)',
  ])
  const one = [2, '{2,5}', 7, 'USD', '2026-01-02T00:00:00', '2026-01-03T23:59:59', `[Oo]\\'[Nn]\\%`]
  assert.deepEqual(values, [...one, ...one])
})

// What is counted, and with which values.
function conditionsOf(search: string) {
  const plan = listPlan('transfers', `status=all&search=${encodeURIComponent(search)}`)
  const { text, values } = totalStatement(dialect, resourceNamed('transfers'), plan)
  return [text.slice(text.indexOf(' WHERE ') + 7), ...values]
}

test('what has no other forms is looked for as it is written, and nothing in it stands for anything else', () => {
  assert.deepEqual(conditionsOf('1_%\\-'), ['(t."number" COLLATE "C" LIKE $1))', '%1\\_\\%\\\\-%'])
  assert.deepEqual(conditionsOf('T12345'), ['(t."number" COLLATE "C" ~ $1))', '[Tt]12345'])
})

test('records of a restricted client: own price, names by reference, times to the second', () => {
  const fields = fieldsOf('products', 'id', 'department', 'vendor_id', 'updated_at', 'price')
  const plan = detailPlan('products', '12', { ...everything, priceList: 4 })
  assert.deepEqual(recordsStatement(dialect, resourceNamed('products'), fields, { ...plan, ids: '{12,13}' }), {
    text:
      `SELECT 0, NULL, t."id", (SELECT r."name" FROM "departments" r WHERE r."id" = t."department_id" LIMIT 1),` +
      ` coalesce(t."vendor_id", 0), date_trunc('second', t."updated_at"),` +
      ` coalesce(nullif((SELECT r."price" FROM "product_prices" r` +
      ` WHERE r."product_id" = t."id" AND r."price_list_id" = $2::bigint LIMIT 1), 0), t."price")` +
      ` FROM "products" t WHERE t."id" = ANY ($1::bigint[])`,
    values: ['{12,13}', 4],
  })
})

test('arrays take all their records at once, and ids beyond 2^53 as they are', () => {
  const payments = arrayOf('invoices', 'payments', 'date', 'cash')
  assert.deepEqual(
    arrayStatement(
      dialect,
      payments,
      { list: dialect.integerList([9, 2n ** 60n]), archived: true, isVoid: true },
      everything,
    ),
    {
      text:
        `SELECT c."invoice_id", date_trunc('second', c."date"), 0 FROM "invoice_payments_archive" c` +
        ` WHERE c."invoice_id" = ANY ($1::bigint[])` +
        ` ORDER BY c."invoice_id" ASC NULLS FIRST, date_trunc('second', c."date") ASC NULLS FIRST, c."id" ASC`,
      values: ['{9,1152921504606846976}'],
    },
  )
  const prices = arrayOf('products', 'price_lists', 'price_list_id', 'price')
  assert.deepEqual(
    arrayStatement(dialect, prices, { list: dialect.integerList([1]), archived: false, isVoid: false }, everything),
    {
      text:
        `SELECT o.id, l."id", coalesce((SELECT r."price" FROM "product_prices" r` +
        ` WHERE r."product_id" = o.id AND r."price_list_id" = l."id" LIMIT 1), 0)` +
        ` FROM unnest($1::bigint[]) AS o (id) CROSS JOIN "price_lists" l ORDER BY o.id, l."id"`,
      values: ['{1}'],
    },
  )
})

let connection: PostgresConnection
before(async () => {
  const url = await urlOf(newSchema('records'))
  connection = await connectPostgres(url, { timeoutMs: 30_000, setUp: `SET search_path = ${url.schema}, public` })
  await makePostgresPos(connection, url.schema, {}, schemaStatements(postgresSchema))
  await connection.script(sessionSetUp(url, { timeoutMs: 30_000, isReadOnly: true }))
})
after(async () => {
  await connection.script('SET default_transaction_read_only = off')
  const [row] = await connection.rows('SELECT current_schema()')
  await connection.script(`DROP SCHEMA ${String(row?.[0])} CASCADE`)
  await connection.close()
})

function valueOf(filter: Filter): string {
  if (filter.kind === 'status') return filter.labels[0]?.label ?? ''
  if (filter.kind === 'labels') return filter.labels.map(({ label }) => label).join(',')
  if (filter.kind === 'currency') return filter.values[0] ?? ''
  return filter.kind === 'integer' ? String(Number.MIN_SAFE_INTEGER) : '0001-01-01'
}

const accesses: readonly Access[] = [
  everything,
  { ...everything, stores: [1], priceList: 1 },
  { ...everything, stores: [1, Number.MAX_SAFE_INTEGER] },
  { ...everything, stores: [] },
]

function statementsOf(resource: Resource): Statement[] {
  const scalars = resource.fields.filter((field) => !isArray(field))
  const arrays = resource.fields.filter(isArray)
  const filters = resource.filters.map((filter) => `${filter.name}=${valueOf(filter)}`)
  const sorts = resource.sort.fields.flatMap((field) => [`sort=${field}`, `sort=-${field}`])
  const search = `search=${encodeURIComponent('aİ')}`
  const all = [...filters, search].join('&')
  const queries = [
    ...['', ...filters, search, all].flatMap((filter) => ['', ...sorts].map((sort) => `${filter}&${sort}`)),
    `sort=${resource.sort.fields.slice(-3).join(',-')}`,
    ...resource.filters.filter(({ kind }) => kind === 'integer').map(({ name }) => `${name}=0`),
    ...(resource.filters.some((filter) => filter.kind === 'status' && filter.all) ? ['status=all'] : []),
  ]
  return accesses.flatMap((access) => [
    ...queries.flatMap((query) => {
      const plan = listPlan(resource.name, query, access)
      return [totalStatement(dialect, resource, plan), pageStatement(dialect, resource, plan)]
    }),
    recordsStatement(dialect, resource, scalars, {
      ...detailPlan(resource.name, '1', access),
      ids: dialect.integerList([1, Number.MAX_SAFE_INTEGER]),
    }),
    ...arrays.flatMap((array) =>
      [false, ...(resource.archived ? [true] : [])].flatMap((archived) =>
        [false, true].map((isVoid) =>
          arrayStatement(dialect, array, { list: dialect.integerList([1, 2n ** 60n]), archived, isVoid }, access),
        ),
      ),
    ),
  ])
}

for (const resource of resources) {
  test(`${resource.name}: the server understands every statement`, async () => {
    const statements = new Map(statementsOf(resource).map((each) => [each.text, each]))
    assert(statements.size > 10)
    for (const { text, values } of statements.values())
      await connection.rows(`EXPLAIN ${text}`, values).catch((error: unknown) => {
        assert.fail(`${String(error)}\n${text}\n${JSON.stringify(values)}`)
      })
  })
}
