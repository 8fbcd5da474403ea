// Filters and sorting per resource, row by row of the specification's table: each filter with each of its values finds
// exactly the records it should, each sort gives exactly the order it should, and nothing outside the table is taken.
import assert from 'node:assert/strict'
import { after, before, suite, test } from 'node:test'
import { findRelation } from '../../src/contract/relations.ts'
import { compare, shownRecord, storedRecords, type Shown, type Value } from '../support/expected.ts'
import { company } from '../support/fixture.ts'
import { specification, type ResourceRule } from '../support/specification/index.ts'
import { createWorld, type World } from '../support/world.ts'

let world: World
let token: string

before(async () => {
  world = await createWorld({ rows: company })
  token = await world.tokenFor()
})
after(() => world.close())

const ask = (target: string) => world.ask(target, { token })

async function idsOf(name: string, query: string): Promise<number[]> {
  const { status, text, body, headers } = await ask(`/${name}?per_page=100&${query}`)
  assert.equal(status, 200, text)
  assert.equal(body.meta.total, body.data.length, 'one page holds all')
  assert.equal(headers['X-Total-Count'], String(body.meta.total))
  return body.data.map(({ id }: { id: number }) => id)
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

const recordsOf = (rule: ResourceRule): Shown[] =>
  storedRecords(company, rule).map((stored) => shownRecord(company, rule, stored, 'list'))

const sortedIds = (records: readonly Shown[]) => records.map(({ id }) => Number(id)).toSorted((a, b) => a - b)

// The order that a sort asks for, ties by id in the direction of the last field.
function orderedIds(records: readonly Shown[], sort: string): number[] {
  const terms = sort.split(',').map((term) => ({ field: term.replace('-', ''), sign: term.startsWith('-') ? -1 : 1 }))
  const all = [...terms, { field: 'id', sign: terms.at(-1)?.sign ?? 1 }]
  const ordered = records.toSorted((one, other) => {
    for (const { field, sign } of all) {
      const order = compare(one[field] as Value, other[field] as Value)
      if (order !== 0) return order * sign
    }
    return 0
  })
  return ordered.map(({ id }) => Number(id))
}

const shownByDefault = (rule: ResourceRule, records: readonly Shown[]) =>
  records.filter(({ status }) => {
    if (rule.omittedStatus === 'without hold') return status !== 'hold'
    return rule.omittedStatus === 'all' || status === 'active'
  })

type Scenario = readonly [value: string, matches: (record: Shown) => boolean]

const on = (field: string, holds: (value: string) => boolean) => (record: Shown) => {
  const value = record[field] as Value
  return value !== null && holds(String(value))
}

// Every value of a filter that the fixture has records for, and one that nothing has.
function scenarios(rule: ResourceRule, filter: string): Scenario[] {
  const days = ['2025-12-31', '2026-02-28', '2026-03-01', '2026-03-02', '2026-03-03']
  switch (rule.filters[filter]) {
    case 'labels': {
      const labels = Object.keys(rule.labels[filter]?.codes ?? {})
      const several = labels.flatMap((one) => labels.filter((other) => other !== one).map((other) => `${one},${other}`))
      return [...labels, ...several, labels.join(',')].map((value) => [
        value,
        on(filter, (shown) => value.split(',').includes(shown)),
      ])
    }
    case 'integer': {
      const shown = new Set(
        recordsOf(rule)
          .map((record) => String(record[filter] as Value))
          .filter((value) => value !== 'null'),
      )
      return [...shown, '424242', '-1'].map((value) => [value, on(filter, (other) => other === value)])
    }
    case 'currency':
      return ['USD', 'HTG'].map((value) => [value, on('currency', (shown) => shown === value)])
    case 'date':
      return days.map((day) => [
        day,
        on('date', (shown) => (filter === 'date_from' ? shown.slice(0, 10) >= day : shown.slice(0, 10) <= day)),
      ])
    case 'since': {
      const seconds = ['2026-03-01T23:59:59', '2026-03-02T08:30:00', '2026-03-02T08:30:01', '2026-03-02T08:30:02']
      return [...days, ...seconds].map((since) => [
        since,
        on('updated_at', (shown) => shown >= (since.length === 10 ? `${since}T00:00:00` : since)),
      ])
    }
    default:
      return []
  }
}

const allFilters = [...new Set(specification.flatMap(({ filters }) => Object.keys(filters))), 'status']

for (const rule of specification) {
  const { name } = rule
  const everything = recordsOf(rule)
  const all = rule.status.includes('all') ? 'status=all&' : ''

  suite(name, () => {
    test(`an omitted status shows ${rule.omittedStatus}`, async () => {
      const expected = shownByDefault(rule, everything)
      if (rule.omittedStatus !== 'all') assert.ok(expected.length < everything.length)
      assert.deepEqual(await idsOf(name, 'sort=id'), sortedIds(expected))
    })

    for (const status of rule.status) {
      test(`status=${status} finds exactly those records`, async () => {
        const expected = everything.filter((record) => status === 'all' || record['status'] === status)
        assert.ok(expected.length > 0)
        assert.deepEqual(await idsOf(name, `status=${status}&sort=id`), sortedIds(expected))
      })
    }

    for (const filter of Object.keys(rule.filters)) {
      test(`${filter} finds exactly the matching records, for each value`, async () => {
        let found = 0
        for (const [value, matches] of scenarios(rule, filter)) {
          const expected = sortedIds(everything.filter(matches))
          found += expected.length
          assert.ok(expected.length < everything.length, 'some record does not match')
          assert.deepEqual(await idsOf(name, `${all}sort=id&${filter}=${value}`), expected, value)
        }
        assert.ok(found > 0)
      })
    }

    test('filters combine with AND, the default status among them', async () => {
      const filters = Object.keys(rule.filters)
      for (const [at, one] of filters.entries()) {
        for (const other of filters.slice(at + 1)) {
          const [first] = scenarios(rule, one)
          const second = scenarios(rule, other).at(other.startsWith('date') ? 2 : 0)
          assert.ok(first && second)
          const expected = shownByDefault(rule, everything).filter((each) => first[1](each) && second[1](each))
          const query = `sort=id&${one}=${first[0]}&${other}=${second[0]}`
          assert.deepEqual(await idsOf(name, query), sortedIds(expected), query)
        }
      }
    })

    test('a filter that the table does not give the resource is unknown', async () => {
      const own = new Set([...Object.keys(rule.filters), ...(rule.status.length > 0 ? ['status'] : [])])
      const fields = rule.fields.map((field) => field.name)
      for (const filter of new Set([...allFilters, ...fields]))
        if (!own.has(filter)) await assertRefused(`/${name}?${filter}=1`, filter)
    })

    test('a value outside the list is refused', async () => {
      const labels = rule.status.length > 0 ? ['status'] : []
      for (const [filter, type] of Object.entries(rule.filters)) if (type === 'labels') labels.push(filter)
      const known = specification.flatMap((each) => [...each.status, ...Object.values(each.labels).flatMap(codesOf)])
      for (const filter of labels) {
        const own = filter === 'status' ? rule.status : Object.keys(rule.labels[filter]?.codes ?? {})
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

    test(`the default sort is ${rule.defaultSort}`, async () => {
      const expected = orderedIds(shownByDefault(rule, everything), rule.defaultSort)
      assert.deepEqual(await idsOf(name, ''), expected)
      assert.notDeepEqual(expected, expected.toReversed())
    })

    for (const sort of rule.sorts.flatMap((field) => [field, `-${field}`])) {
      test(`sort=${sort} gives exactly that order`, async () => {
        assert.deepEqual(await idsOf(name, `${all}sort=${sort}`), orderedIds(everything, sort))
      })
    }

    test('every pair and every three of the sortable fields give exactly that order', async () => {
      const [, one = '', two = '', three = 'id'] = rule.sorts
      for (const sort of [`${one},${two}`, `-${two},${one}`, `${two},-${one}`, `-${one},${three},-${two}`]) {
        assert.deepEqual(await idsOf(name, `${all}sort=${sort}`), orderedIds(everything, sort), sort)
      }
    })

    test('a field that is not sortable is refused', async () => {
      const names = [
        ...rule.fields.map((field) => field.name),
        ...Object.keys(rule.arrays),
        'kind',
        'active',
        'paid',
        'ID',
      ]
      for (const field of names.filter((each) => !rule.sorts.includes(each))) {
        await assertRefused(`/${name}?sort=${field}`, 'sort')
        await assertRefused(`/${name}?sort=id,-${field}`, 'sort')
      }
    })

    test('search looks into each of its columns and into no other', async () => {
      const filled = storedRecords(company, rule).filter(({ row }) => [1, 61, 101, 161].includes(Number(row['id'])))
      const own = filled.filter(({ row }) => String(row[rule.search[0] ?? '']).startsWith(rule.relation))
      assert.equal(own.length, rule.archived ? 2 : 1)
      for (const { row } of own) {
        const columns = Object.entries(findRelation(rule.relation).columns).filter(([column, type]) => {
          return column !== 'id' && !column.endsWith('store_id') && type !== 'bool' && String(row[column]).length > 1
        })
        assert.ok(columns.length >= rule.search.length)
        for (const [column, type] of columns) {
          const value = String(row[column])
          for (const needle of type === 'text' ? [value, value.slice(-2)] : [value]) {
            const found = await idsOf(name, `${all}search=${encodeURIComponent(needle)}`)
            assert.deepEqual(found, rule.search.includes(column) ? [row['id']] : [], `${column}: ${needle}`)
          }
        }
      }
    })
  })
}

function codesOf({ codes }: { codes: Readonly<Record<string, number>> }): string[] {
  return Object.keys(codes)
}
