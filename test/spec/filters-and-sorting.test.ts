// Filters and sorting per resource, row by row of the specification's table: each filter with each of its values finds
// exactly the records it should, each sort gives exactly the order it should, and nothing outside the table is taken.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { visibleRecords } from '../model/access.ts'
import { targetOf } from '../model/compare.ts'
import type { Parameters } from '../model/filters.ts'
import { expectedAnswer } from '../model/model.ts'
import { columnsOf, typeOf } from '../model/relations.ts'
import { company } from '../support/fixture.ts'
import { allPermissions } from '../support/routes.ts'
import { filterNames, labelsOf, specification, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

const everything = { permissions: allPermissions, stores: null, priceList: null }
let world: World
let token: string

before(async () => {
  world = await createWorld({ rows: company })
  token = await world.tokenFor()
})
after(() => world.close())

const ask = (target: string) => world.ask(target, { token })

// How many records it finds, after a comparison to the byte.
async function assertList({ name }: ResourceRule, parameters: Parameters): Promise<number> {
  const request = { resource: name, id: null, parameters: { per_page: '100', ...parameters } }
  const expected = expectedAnswer(company, request, everything)
  const { text, body } = await ask(targetOf(request))
  assert.equal(text, 'text' in expected ? expected.text : '', targetOf(request))
  return body.meta.total
}

async function assertRefused(target: string, parameter: string) {
  const { status, body } = await ask(target)
  assert.equal(status, 400, target)
  assert.equal(body.error.code, 'invalid_parameter')
  assert.deepEqual(
    body.error.details.map((detail: { parameter: string }) => detail.parameter),
    [parameter],
    target,
  )
}

// Every value of a filter that the fixture has records for, and one that nothing has.
function valuesOf(rule: ResourceRule, filter: string): readonly string[] {
  const days = ['2025-12-31', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03']
  switch (rule.filters[filter]) {
    case 'labels': {
      const labels = labelsOf(rule, filter)
      const several = labels.flatMap((one) => labels.filter((other) => other !== one).map((other) => `${one},${other}`))
      return [...labels, ...several, labels.join(',')]
    }
    case 'integer': {
      const stored = visibleRecords(rule, company, everything).map(({ row }) => row[filter] ?? null)
      return [...new Set([...stored.filter((value) => value !== null).map(String), '0', '424242', '-1'])]
    }
    case 'currency':
      return ['USD', 'HTG']
    case 'date':
      return days
    case 'since': {
      const seconds = ['2026-03-01T23:59:59', '2026-03-02T08:30:00', '2026-03-02T08:30:01', '2026-03-02T08:30:02']
      return [...days, ...seconds]
    }
    default:
      return []
  }
}

const allFilters = [...new Set(specification.flatMap(filterNames))]

for (const rule of specification) {
  const { name } = rule
  const all: Parameters = rule.status.includes('all') ? { status: 'all' } : {}

  suite(name, () => {
    test(`an omitted status shows ${rule.omittedStatus}`, async () => {
      const isHidden = (await assertList(rule, {})) < (await assertList(rule, all))
      assert.equal(isHidden, rule.omittedStatus !== 'all')
    })

    for (const status of rule.status) {
      test(`status=${status} finds exactly those records`, async () => {
        assert.ok((await assertList(rule, { status, sort: 'id' })) > 0)
      })
    }

    for (const filter of Object.keys(rule.filters)) {
      test(`${filter} finds exactly the matching records, for each value`, async () => {
        const most = await assertList(rule, all)
        let found = 0
        for (const value of valuesOf(rule, filter)) {
          const total = await assertList(rule, { ...all, sort: 'id', [filter]: value })
          found += total
          assert.ok(total < most, 'some record does not match')
        }
        assert.ok(found > 0)
      })
    }

    test('filters combine with AND, the default status among them', async () => {
      const filters = Object.keys(rule.filters)
      for (const [at, one] of filters.entries()) {
        for (const other of filters.slice(at + 1)) {
          const [first] = valuesOf(rule, one)
          const second = valuesOf(rule, other).at(other.startsWith('date') ? 2 : 0)
          assert.ok(first && second)
          await assertList(rule, { sort: 'id', [one]: first, [other]: second })
        }
      }
    })

    test('a filter that the table does not give the resource is unknown', async () => {
      const own = new Set(filterNames(rule))
      const fields = rule.fields.map((field) => field.name)
      for (const filter of new Set([...allFilters, ...fields]))
        if (!own.has(filter)) await assertRefused(`/${name}?${filter}=1`, filter)
    })

    test('a value outside the list is refused', async () => {
      const labels = filterNames(rule).filter((filter) => filter === 'status' || rule.filters[filter] === 'labels')
      const known = specification.flatMap((each) => [
        ...each.status,
        ...Object.keys(each.labels).flatMap((label) => labelsOf(each, label)),
      ])
      for (const filter of labels) {
        const own = filter === 'status' ? rule.status : labelsOf(rule, filter)
        const foreign = [...new Set(known)].filter((label) => !own.includes(label))
        const upper = own.map((label) => label.toUpperCase())
        for (const value of [...foreign, ...upper, '1', '0', 'null', ` ${own[0]}`, `${own[0]},`, `,${own[0]}`])
          await assertRefused(`/${name}?${filter}=${value.replaceAll(' ', '%20')}`, filter)
      }
      if (rule.status.length > 0) await assertRefused(`/${name}?status=${rule.status.slice(0, 2).join(',')}`, 'status')
      if (rule.filters['currency'])
        for (const value of ['usd', 'EUR', 'USD,HTG', 'HTG%20'])
          await assertRefused(`/${name}?currency=${value}`, 'currency')
    })

    for (const sort of rule.sorts.flatMap((field) => [field, `-${field}`])) {
      test(`sort=${sort} gives exactly that order`, async () => {
        await assertList(rule, { ...all, sort })
      })
    }

    test('every pair and every three of the sortable fields give exactly that order', async () => {
      const [, one = '', two = '', three = 'id'] = rule.sorts
      for (const sort of [`${one},${two}`, `-${two},${one}`, `${two},-${one}`, `-${one},${three},-${two}`])
        await assertList(rule, { ...all, sort })
    })

    test('a field that is not sortable is refused', async () => {
      const fields = [...rule.fields.map((field) => field.name), ...Object.keys(rule.arrays)]
      for (const field of [...fields, 'kind', 'active', 'paid', 'ID'].filter((each) => !rule.sorts.includes(each))) {
        await assertRefused(`/${name}?sort=${field}`, 'sort')
        await assertRefused(`/${name}?sort=id,-${field}`, 'sort')
      }
    })

    test('search looks into each of its columns and into no other', async () => {
      const filled = visibleRecords(rule, company, everything).filter(({ row }) =>
        [1, 61, 101, 161].includes(Number(row['id'])),
      )
      assert.equal(filled.length, rule.archived ? 2 : 1)
      const columns = (columnsOf[rule.relation] ?? []).filter(
        (column) => column !== 'id' && !column.endsWith('store_id'),
      )
      let found = 0
      for (const { row } of filled)
        for (const column of columns.filter((each) => String(row[each] ?? '').length > 1)) {
          const value = String(row[column])
          for (const search of typeOf(column) === 'text' ? [value, value.slice(-2)] : [value])
            found += await assertList(rule, { ...all, search })
        }
      assert.ok(found >= 2 * rule.search.length)
    })
  })
}
