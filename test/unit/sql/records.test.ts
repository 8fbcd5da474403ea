// Plans → statements: the exact SQL of typical plans, so that a change of it is seen and meant.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Access } from '../../../src/catalogue/access.ts'
import { permissions } from '../../../src/catalogue/permissions.ts'
import { isArray, type ScalarField } from '../../../src/catalogue/field.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import type { Resource } from '../../../src/catalogue/resource.ts'
import { planDetail } from '../../../src/query/plan-detail.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { arrayStatement } from '../../../src/sql/arrays.ts'
import { pageStatement, recordsStatement, totalStatement } from '../../../src/sql/records.ts'
import { sqlite as dialect } from '../../../src/sql/sqlite.ts'

const everything: Access = { permissions, stores: null, priceList: null }
const time = (column: string) => `CASE WHEN ${column} > '0001' THEN replace(substr(${column}, 1, 19), ' ', 'T') END`
const guard = '(t."id" % 1021 OR keep_going())'

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
const fieldsOf = (name: string, ...names: string[]) =>
  resourceNamed(name).fields.filter((field): field is ScalarField => names.includes(field.name) && !isArray(field))

test('a total counts the recent and the archived, less those that are in both', () => {
  assert.deepEqual(totalStatement(dialect, resourceNamed('quotes'), listPlan('quotes', 'status=void')), {
    text:
      `SELECT (SELECT count(*) FROM "quotes" t WHERE ${guard} AND t."status" = 4)` +
      ` + (SELECT count(*) FROM "quotes_archive" t WHERE ${guard} AND t."status" = 4` +
      ` AND NOT EXISTS (SELECT 1 FROM "quotes" r WHERE r."id" = t."id"))`,
    values: [],
  })
})

test('a page is found by its keys', () => {
  const plan = listPlan('vendors', 'sort=-name&page=3&per_page=10&status=active')
  assert.deepEqual(pageStatement(dialect, resourceNamed('vendors'), plan), {
    text:
      `SELECT k.id FROM (SELECT t."id" AS id, t."name" COLLATE NOCASE AS s0, t."id" AS s1 FROM "vendors" t` +
      ` WHERE ${guard} AND t."active" = true) k ORDER BY k.s0 DESC, k.s1 DESC LIMIT ?1 OFFSET ?2`,
    values: [10, 20],
  })
})

test('every kind of condition is bound, none is written into the text', () => {
  const query =
    'status=all&customer_id=7&currency=USD&date_from=2026-01-02&date_to=2026-01-03&payment_status=paid,unpaid'
  const { text, values } = totalStatement(
    dialect,
    resourceNamed('credit-memos'),
    listPlan('credit-memos', `${query}&search=O%27Neil%25`, { ...everything, stores: [2, 5] }),
  )
  const where = text.slice(text.indexOf('WHERE ') + 6, text.indexOf(') + (SELECT'))
  assert.deepEqual(where.split(' AND '), [
    guard,
    't."kind" = ?1',
    't."store_id" IN (SELECT value FROM json_each(?2))',
    '(t."paid" = true OR t."paid" = false)',
    't."customer_id" = ?3',
    't."currency" = ?4',
    `${time('t."date"')} >= ?5`,
    `${time('t."date"')} <= ?6`,
    `(t."number" LIKE ?7 ESCAPE '\\' OR t."customer_name" LIKE ?7 ESCAPE '\\' OR t."po_number" LIKE ?7 ESCAPE '\\')`,
  ])
  const one = [2, '[2,5]', 7, 'USD', '2026-01-02T00:00:00', '2026-01-03T23:59:59', "%o'neil\\%%"]
  assert.deepEqual(values, [...one, ...one])
})

test('no store at all is a condition that nothing fulfils', () => {
  const plan = listPlan('transfers', 'status=all', { ...everything, stores: [] })
  assert.match(totalStatement(dialect, resourceNamed('transfers'), plan).text, / AND 1 = 0\)$/)
})

test('one store is compared, either end of a transfer will do', () => {
  const plan = listPlan('transfers', 'status=all', { ...everything, stores: [3] })
  const { text, values } = totalStatement(dialect, resourceNamed('transfers'), plan)
  assert.match(text, / AND \(t\."from_store_id" = \?1 OR t\."to_store_id" = \?2\)\)$/)
  assert.deepEqual(values, [3, 3])
})

test('records of a restricted client: own price, names by reference, drafts shown', () => {
  const access: Access = { ...everything, priceList: 4 }
  const planned = planDetail(resourceNamed('products'), '12', '', access)
  assert('plan' in planned)
  const fields = fieldsOf('products', 'id', 'department', 'vendor_id', 'price')
  assert.deepEqual(recordsStatement(dialect, resourceNamed('products'), fields, { ...planned.plan, ids: '[12,13]' }), {
    text:
      `SELECT 0, NULL, t."id",` +
      ` (SELECT r."name" FROM "departments" r WHERE (r."id" % 1021 OR keep_going())` +
      ` AND r."id" = t."department_id" LIMIT 1), coalesce(t."vendor_id", 0),` +
      ` coalesce(nullif((SELECT r."price" FROM "product_prices" r WHERE (r."product_id" % 1021 OR keep_going())` +
      ` AND r."product_id" = t."id" AND r."price_list_id" = ?2 LIMIT 1), 0), t."price")` +
      ` FROM (SELECT value AS id FROM json_each(?1)) o CROSS JOIN "products" t WHERE ${guard} AND t."id" = o.id`,
    values: ['[12,13]', 4],
  })
})

test('the lines of a void document are zero without being read', () => {
  const lines = resourceNamed('receivings').fields.find((field) => field.name === 'lines')
  assert(lines && isArray(lines))
  const few = { ...lines, fields: lines.fields.filter(({ name }) => ['id', 'quantity', 'unit_price'].includes(name)) }
  const owners = { list: dialect.integerList([9]), archived: false, isVoid: true }
  assert.deepEqual(arrayStatement(dialect, few, owners, everything), {
    text:
      `SELECT c."receiving_id", c."id", c."quantity", 0 FROM "receiving_lines" c` +
      ` WHERE (c."id" % 1021 OR keep_going()) AND c."receiving_id" IN (SELECT value FROM json_each(?1)) ORDER BY c."receiving_id" ASC, c."id" ASC`,
    values: ['[9]'],
  })
})
