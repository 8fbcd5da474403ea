// How SQLite goes about a page: it finds the keys by an index where there is one for the order, and reads no other record.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { permissions, type Access } from '../../../src/catalogue/access.ts'
import { isArray } from '../../../src/catalogue/field.ts'
import { resources } from '../../../src/catalogue/resources/index.ts'
import { relations } from '../../../src/contract/relations.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { pageStatement } from '../../../src/sql/records.ts'
import { sqlite } from '../../../src/sql/sqlite.ts'
import { openSqlite, type Sqlite } from '../../../src/sqlite.ts'
import { loadSqlite } from '../../../src/tools/demo/load-sqlite.ts'

const everything: Access = { permissions, stores: null, priceList: null }
const dialect = sqlite(new Set(relations.filter(({ search }) => search.length > 0).map(({ name }) => name)))
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

for (const resource of resources) {
  for (const query of ['', ...resource.sort.fields.map((field) => `sort=${field}&page=3`), 'search=abcd']) {
    test(`${resource.name}?${query}: only the records of the page are read whole, by their id`, () => {
      const planned = planList(resource, query, everything)
      assert('plan' in planned)
      const fields = resource.fields.filter((field) => !isArray(field))
      const { text, values } = pageStatement(dialect, resource, fields, planned.plan)
      const steps = database
        .prepare(`EXPLAIN QUERY PLAN ${text}`)
        .all(...values)
        .map(({ detail }) => String(detail))
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
