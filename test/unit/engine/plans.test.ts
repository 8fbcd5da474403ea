// How SQLite goes about a page: it finds the keys by an index where there is one for the order, and reads no other record.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { permissions, type Access } from '../../../src/catalogue/access.ts'
import { isArray } from '../../../src/catalogue/field.ts'
import type { Filter } from '../../../src/catalogue/filters/filter.ts'
import type { Resource } from '../../../src/catalogue/resource.ts'
import { findResource, resources } from '../../../src/catalogue/resources/index.ts'
import { searchedRelations } from '../../../src/contract/relations.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { restrictions } from '../../../src/query/plan.ts'
import { arrayStatement } from '../../../src/sql/arrays.ts'
import { cutOf, pageStatement, recordsStatement, totalStatement } from '../../../src/sql/records.ts'
import { sqlite } from '../../../src/sql/sqlite.ts'
import { sqliteFinding } from '../../../src/sql/sqlite-finding.ts'
import { fillSearch } from '../../../src/sql/sqlite-search.ts'
import type { Statement } from '../../../src/sql/statement.ts'
import { openSqlite, type Sqlite } from '../../../src/sqlite.ts'
import { loadSqlite } from '../../../src/tools/demo/load-sqlite.ts'

const everything: Access = { permissions, stores: null, priceList: null }
const dialect = sqlite(sqliteFinding({ searchIndexes: new Set(searchedRelations.map(({ name }) => name)) }))
let folder = ''
let database: Sqlite
before(async () => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-plans-'))
  const path = join(folder, 'pos.db')
  await loadSqlite({ path, scale: 0.5, seed: 1 })
  database = openSqlite(path, { readOnly: true })
  database.function('keep_going', () => 1)
  database.function('contains', { varargs: true }, () => 1)
})
after(() => {
  database.close()
  rmSync(folder, { recursive: true })
})

const stepsOf = ({ text, values }: Statement) =>
  database
    .prepare(`EXPLAIN QUERY PLAN ${text}`)
    .all(...values)
    .map(({ detail }) => String(detail))

for (const resource of resources) {
  test(`${resource.name}: records that are asked for alike, and their arrays, are read by indexes`, () => {
    const list = dialect.integerList([3, 1, 4])
    const statements = [
      recordsStatement(
        dialect,
        resource,
        resource.fields.filter((field) => !isArray(field)),
        { access: everything, conditions: restrictions(resource, everything), ids: list },
      ),
      ...resource.fields
        .filter(isArray)
        .flatMap((field) =>
          [false, resource.archived === true].map((archived) =>
            arrayStatement(dialect, field, { list, archived, isVoid: false }, everything),
          ),
        ),
    ]
    for (const statement of statements) {
      const steps = stepsOf(statement)
      assert(
        steps.some((step) => step.startsWith('SEARCH ')),
        steps.join('\n'),
      )
      // The ids themselves, and every price list of the company.
      const scans = steps.filter((step) => /^SCAN (?!json_each |l( |$))/.test(step))
      assert.deepEqual(scans, [], `${statement.text}\n${steps.join('\n')}`)
    }
  })

  for (const query of ['', ...resource.sort.fields.map((field) => `sort=${field}&page=3`), 'search=abcd']) {
    test(`${resource.name}?${query}: only the records of the page are read whole, by their id`, () => {
      const planned = planList(resource, query, everything)
      assert('plan' in planned)
      const fields = resource.fields.filter((field) => !isArray(field))
      const { text, values } = pageStatement(dialect, resource, fields, planned.plan)
      const steps = stepsOf({ text, values })
      const reads = steps.slice(steps.findIndex((step) => step.startsWith('SCAN k')))
      assert(steps.includes('MATERIALIZE k'), steps.join('\n'))
      assert(
        reads.includes('SCAN k') && reads.includes('SEARCH t USING INTEGER PRIMARY KEY (rowid=?)'),
        steps.join('\n'),
      )
      assert(!reads.some((step) => step.startsWith('SCAN t') || step.includes('AUTOMATIC')), steps.join('\n'))
    })
  }
}

// How the keys of a page are found: the steps before the records themselves are read.
function stepsToKeys(resource: Resource, query: string, isSorted = false): string[] {
  const planned = planList(resource, query, everything)
  assert('plan' in planned, JSON.stringify(planned))
  const fields = resource.fields.filter((field) => !isArray(field))
  const cut = { ...cutOf(planned.plan), isSorted }
  const { text, values } = pageStatement(dialect, resource, fields, planned.plan, cut)
  const steps = stepsOf({ text, values })
  return steps.slice(
    steps.indexOf('MATERIALIZE k'),
    steps.findIndex((step) => step.startsWith('SCAN k')),
  )
}

for (const relation of searchedRelations)
  test(`${relation.name}: what a trigger looks up of its search index, it finds by an index`, () => {
    for (const statement of fillSearch(relation, ' WHERE "id" = 1')) {
      const steps = stepsOf({ text: statement, values: [] })
      assert.deepEqual(
        steps.filter((step) => /^SCAN (?!CONSTANT)/.test(step)),
        [],
        `${statement}\n${steps.join('\n')}`,
      )
    }
  })

for (const [searched, index] of Object.entries({
  abcd: /^SEARCH m USING COVERING INDEX invoices(_archive)?_search_members_by_group \(grp=\?\)$/,
  ab: /^SEARCH m USING COVERING INDEX invoices(_archive)?_search_members_by_group \(grp=\?\)$/,
  abc1: /^SCAN invoices(_archive)?_search VIRTUAL TABLE/,
}))
  test(`invoices?search=${searched}: what is found is found by an index, and read by its id`, () => {
    const resource = findResource('invoices') ?? assert.fail()
    const steps = stepsToKeys(resource, `search=${searched}`, true)
    assert.equal(steps.filter((step) => index.test(step)).length, 2, steps.join('\n'))
    const reads = steps.filter((step) => / t /.test(step))
    assert.deepEqual(reads, Array(2).fill('SEARCH t USING INTEGER PRIMARY KEY (rowid=?)'), steps.join('\n'))
  })

const isSort = (step: string) => step.includes('TEMP B-TREE')
// Without an index in its name a scan goes along the ids, which is an order, too.
const isScan = (step: string) => /^SCAN t(?! USING)/.test(step)

function valueOf(filter: Filter): string {
  if (filter.kind === 'status' || filter.kind === 'labels') return filter.labels[0]?.label ?? ''
  if (filter.kind === 'text') return filter.values[0] ?? ''
  return filter.kind === 'integer' ? '2' : '2026-09-20'
}

// Reference data is small: nobody misses an index there.
for (const resource of resources.filter(({ filters }) => filters.length > 0)) {
  const orders = ['', ...resource.sort.fields.flatMap((field) => [`sort=${field}`, `sort=-${field}`])]
  for (const query of orders) {
    test(`${resource.name}?${query}: the order comes from an index, and nothing is sorted`, () => {
      const steps = stepsToKeys(resource, query)
      assert.deepEqual(steps.filter(isSort), [], steps.join('\n'))
      if (!/=-?id$/.test(query)) assert.deepEqual(steps.filter(isScan), [], steps.join('\n'))
    })
  }

  for (const filter of resource.filters) {
    const query = `${filter.name}=${valueOf(filter)}`
    test(`${resource.name}?${query}: an index finds it; at most what it finds is sorted`, () => {
      // Few match what changed lately: they are looked for by that, and sorted.
      const steps = stepsToKeys(resource, query, filter.kind === 'since')
      assert.deepEqual(steps.filter(isScan), [], steps.join('\n'))
      const isTime = filter.kind === 'day-from' || filter.kind === 'day-to' || filter.kind === 'since'
      const found = isTime ? /<expr>[<>]\?/ : new RegExp(`\\b${filter.column}=\\?`)
      for (const step of steps.filter((each) => each.startsWith('SEARCH t'))) assert.match(step, found)
      // By a time that the list is not sorted by, or by several values at once.
      const mayFewBeSorted = filter.kind === 'since' || filter.kind === 'labels' || 'emptyIsZero' in filter
      if (!mayFewBeSorted) assert.deepEqual(steps.filter(isSort), [], steps.join('\n'))
      else assert(!steps.some(isSort) || steps.some((step) => step.startsWith('SEARCH t')), steps.join('\n'))
    })
  }
}

// Both ends of the other axis are asked for: left to itself, SQLite follows that one.
for (const [along, index] of [
  ['id', 'INTEGER PRIMARY KEY (rowid>? AND rowid<?)'],
  ['updated_at', 'INDEX invoices_by_kind_updated_at (kind=? AND <expr>>? AND <expr><?)'],
] as const)
  test(`a piece of a list along ${along} is counted by that, whatever else is asked for`, () => {
    const resource = resources.find(({ name }) => name === 'invoices')
    assert(resource)
    const planned = planList(resource, 'status=regular&store_id=1&date_from=2026-01-01&date_to=2026-02-01', everything)
    assert('plan' in planned)
    const time = { column: along, time: '2026-01-05T00:00:00' }
    const bounds =
      along === 'id'
        ? [
            { is: 'at-least' as const, column: 'id', value: 1 },
            { is: 'at-most' as const, column: 'id', value: 9 },
          ]
        : [
            { is: 'from' as const, ...time },
            { is: 'to' as const, ...time },
          ]
    const { text, values } = totalStatement(dialect, resource, {
      conditions: [...planned.plan.conditions, ...bounds],
      along,
    })
    const steps = stepsOf({ text, values })
    assert(steps.includes(`SEARCH t USING ${index}`), steps.join('\n'))
  })
