// Which search indexes a SQLite database is trusted to keep: only those that nothing can have been written past. A search is right
// with them and without, and `schema apply` makes them right again.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { permissions } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { tallies } from '../../../src/catalogue/tallies.ts'
import { findRelation, searchedRelations } from '../../../src/contract/relations.ts'
import type { Engine } from '../../../src/engine/engine.ts'
import { createSqliteEngine } from '../../../src/engine/sqlite/engine.ts'
import { keptSearches } from '../../../src/engine/sqlite/searches.ts'
import { keptTallies } from '../../../src/engine/sqlite/tallies.ts'
import { createLog } from '../../../src/log.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { trustStatements } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import { searchTriggers } from '../../../src/sql/sqlite-search.ts'
import { tallyTriggers } from '../../../src/sql/sqlite-tallies.ts'
import { openSqlite, type Sqlite } from '../../../src/sqlite.ts'
import { applySchema } from '../../../src/tools/schema/apply.ts'

const all = searchedRelations.map(({ name }) => name)
const recent = all.filter((name) => !name.endsWith('_archive'))
const without = (...names: string[]) => new Set(all.filter((name) => !names.includes(name)))

let folder = ''
let files = 0
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-searches-'))
})
after(() => rmSync(folder, { recursive: true }))

async function apply(path: string, rebuild = false): Promise<string[]> {
  const remarks: string[] = []
  await applySchema({ kind: 'sqlite', path }, { onProgress: () => {}, remark: (text) => remarks.push(text), rebuild })
  return remarks
}

// A database as `schema apply` makes it, a hand in it, and a service that runs on it from the start.
interface Fresh {
  readonly database: Sqlite
  readonly path: string
  readonly events: string[]
  readonly find: (relation: string, text: string) => Promise<number[]>
  readonly isUsed: () => boolean
}

async function onFresh(use: (fresh: Fresh) => Promise<void> | void): Promise<void> {
  const path = join(folder, `pos-${(files += 1)}.db`)
  await apply(path)
  const database = openSqlite(path, { lockTimeoutMs: 5000 })
  const events: string[] = []
  const log = createLog('info', (line) => {
    const { event } = JSON.parse(line) as { event: string }
    if (event.startsWith('search')) events.push(event)
  })
  const engine = createSqliteEngine({ path, readers: 1, statementTimeoutMs: 30_000, log })
  try {
    const isUsed = () => engine.load().areSearchIndexesUsed
    await use({ database, path, events, isUsed, find: (relation, text) => find(engine, relation, text) })
  } finally {
    database.close()
    await engine.close()
  }
}

async function find(engine: Engine, relation: string, text: string): Promise<number[]> {
  const resource = findResource(relation.replace('_archive', '').replace('_', '-'))
  assert(resource, relation)
  const planned = planList(resource, `search=${text}`, { permissions, stores: null, priceList: null })
  assert('plan' in planned)
  const { body } = await engine.list(planned.plan)
  return JSON.parse(new TextDecoder().decode(body)).data.map(({ id }: { id: number }) => id)
}

const isShown: Record<string, string> = { active: '1', status: '3', kind: '1' }
const shownStatus: Record<string, string> = { receivings: '9', transfers: '9', adjustments: '9' }

// A row that a list shows, with this word in the last of the columns that are searched.
function insert(relation: string, id: number, word: string): string {
  const { columns, search } = findRelation(relation)
  const cells: Record<string, string> = { id: String(id), [search.at(-1) ?? '']: `'${word}'` }
  for (const [name, value] of Object.entries(isShown))
    if (name in columns) cells[name] = name === 'status' ? (shownStatus[relation] ?? value) : value
  return `INSERT INTO ${relation} (${Object.keys(cells).join(', ')}) VALUES (${Object.values(cells).join(', ')});`
}
const update = (relation: string, id: number, word: string) =>
  `UPDATE ${relation} SET ${findRelation(relation).search.at(-1)} = '${word}' WHERE id = ${id};`

// What a migration of the point-of-sale system does to change a table.
const definitionOf = (database: Sqlite, name: string) =>
  String(database.prepare('SELECT sql FROM sqlite_schema WHERE name = ?').get(name)?.['sql'])
function dropTallyTriggers(database: Sqlite, relation: string): void {
  for (const tally of tallies.filter(({ relations }) => relations.some(({ name }) => name === relation)))
    for (const { name } of tallyTriggers(tally)) database.exec(`DROP TRIGGER IF EXISTS ${name}`)
}
const migrations = {
  'made anew by drop and rename': (database: Sqlite, name: string) => {
    const definition = definitionOf(database, name).replace(name, `${name}_new`)
    database.exec(`BEGIN; ${definition}; INSERT INTO ${name}_new SELECT * FROM ${name};
      DROP TABLE ${name}; ALTER TABLE ${name}_new RENAME TO ${name}; COMMIT`)
  },
  'renamed, and another in its place': (database: Sqlite, name: string) => {
    const definition = definitionOf(database, name)
    database.exec(`BEGIN; ALTER TABLE ${name} RENAME TO ${name}_old; ${definition};
      INSERT INTO ${name} SELECT * FROM ${name}_old; COMMIT`)
  },
} as const

for (const [what, migrate] of Object.entries(migrations))
  test(`tables that were ${what}: found is what is there, before schema apply and after`, () =>
    onFresh(async ({ database, path, find }) => {
      for (const relation of all) database.exec(insert(relation, 1, 'Before') + insert(relation, 2, 'Other'))
      assert.deepEqual(await find('vendors', 'before'), [1])
      for (const relation of all) {
        // SQLite checks all triggers when a table is renamed.
        dropTallyTriggers(database, relation)
        migrate(database, relation)
        database.exec(update(relation, 1, 'Wxyzzy') + insert(relation, 3, 'Third'))
      }
      const look = async () => {
        for (const relation of recent) {
          assert.deepEqual(await find(relation, 'wxyzzy'), [1], relation)
          assert.deepEqual(await find(relation, 'wx'), [1], `${relation}, two letters`)
          assert.deepEqual(await find(relation, 'before'), [], relation)
          assert.deepEqual(await find(relation, 'third'), [3], relation)
        }
      }
      await look()
      assert.deepEqual(await apply(path), [])
      assert.deepEqual(keptSearches(database), new Set(all))
      await look()
      const ofTable = database.prepare("SELECT count(*) AS n FROM sqlite_schema WHERE tbl_name = ? AND type = 'index'")
      for (const relation of all)
        assert.equal(ofTable.get(relation)?.['n'], findRelation(relation).indexes.length, relation)
      // Archived ones come forth, and are what they are now.
      for (const relation of all) database.exec(update(relation, 2, 'Latest'))
      for (const relation of recent.filter((name) => all.includes(`${name}_archive`))) {
        database.exec(`DELETE FROM ${relation}`)
        await look()
        assert.deepEqual((await find(relation, 'latest')).concat(await find(relation, 'other')), [2], relation)
      }
    }))

test('without any one of its triggers, or with one changed, a search index is not kept; all others are', () =>
  onFresh(({ database }) => {
    const trusted = () => {
      for (const statement of trustStatements(sqliteSchema)) database.exec(statement)
      return keptSearches(database)
    }
    for (const relation of searchedRelations)
      for (const { name, statement } of searchTriggers(relation)) {
        database.exec(`DROP TRIGGER ${name}`)
        assert.deepEqual(keptSearches(database), new Set(), 'the schema was changed')
        assert.deepEqual(trusted(), without(relation.name), `${name} dropped`)
        database.exec(statement.replace('BEGIN\n', 'BEGIN\nSELECT 1;\n'))
        assert.deepEqual(trusted(), without(relation.name), `${name} changed`)
        database.exec(`DROP TRIGGER ${name}; ${statement}`)
        assert.deepEqual(trusted(), new Set(all), `${name} as it was`)
      }
  }))

test('what was written while a trigger was gone is found, before it is put back, after that, and after schema apply', () =>
  onFresh(async ({ database, path, find, events, isUsed }) => {
    database.exec(insert('invoices', 1, 'Before'))
    assert.deepEqual(await find('invoices', 'before'), [1])
    const trigger = searchTriggers(findRelation('invoices')).find(({ name }) => name === 'invoices_search_update')
    database.exec(`DROP TRIGGER invoices_search_update; ${update('invoices', 1, 'Wxyzzy')}`)
    assert.deepEqual(await find('invoices', 'wxyzzy'), [1])
    database.exec(trigger?.statement ?? '')
    assert.deepEqual(await find('invoices', 'wxyzz'), [1])
    assert.deepEqual([events, isUsed()], [['search_index_not_used'], false])
    await apply(path)
    assert.deepEqual(await find('invoices', 'wxyz'), [1])
    assert.deepEqual([events, isUsed()], [['search_index_not_used', 'search_index_used_again'], true])
    assert.deepEqual(keptSearches(database), new Set(all))
  }))

test('an index that was emptied, or lost a part, is not kept; schema apply makes it again', () =>
  onFresh(async ({ database, path, find }) => {
    database.exec(insert('vendors', 1, 'Before'))
    database.exec('DELETE FROM vendors_search')
    assert.deepEqual(keptSearches(database), without('vendors'))
    await apply(path)
    assert.deepEqual(keptSearches(database), new Set(all))
    assert.deepEqual(await find('vendors', 'before'), [1])
    database.enableDefensive(false)
    database.exec('DROP TABLE vendors_search_data')
    assert.deepEqual(await find('vendors', 'befor'), [1])
  }))

describe('schema apply', () => {
  test('leaves what is kept alone', () =>
    onFresh(async ({ database, path, find }) => {
      database.exec(insert('vendors', 1, 'Before'))
      // As only somebody who writes into the index itself can.
      database.exec('DELETE FROM vendors_search_members')
      assert.deepEqual(await apply(path), [])
      assert.deepEqual(await find('vendors', 'before'), [])
    }))

  test('--rebuild makes search indexes and tallies anew, whatever they say', () =>
    onFresh(async ({ database, path, find }) => {
      database.exec(insert('vendors', 1, 'Before') + insert('quotes', 1, 'Before'))
      database.exec('DELETE FROM vendors_search_members; DELETE FROM quotes_tally_cells')
      await apply(path)
      assert.deepEqual(await find('vendors', 'before'), [])
      await apply(path, true)
      assert.deepEqual(await find('vendors', 'before'), [1])
      assert.equal(database.prepare('SELECT count(*) AS n FROM quotes_tally_cells').get()?.['n'], 1)
      assert.equal(keptTallies(database).size, tallies.length)
      assert.deepEqual(keptSearches(database), new Set(all))
    }))

  test('says so where an index of one of our names is somebody else’s, and leaves it', () =>
    onFresh(async ({ database, path }) => {
      database.exec('CREATE TABLE own (id INTEGER, name TEXT); DROP INDEX vendors_by_name')
      database.exec('CREATE UNIQUE INDEX vendors_by_name ON own (name)')
      const [remark, ...others] = await apply(path)
      assert.match(remark ?? '', /vendors_by_name is one of own: vendors goes without/)
      assert.deepEqual(others, [])
      assert.match(definitionOf(database, 'vendors_by_name'), /UNIQUE INDEX .* ON own/)
    }))

  test('indexes what is a table, and tells of views', () =>
    onFresh(async ({ database, path, find }) => {
      dropTallyTriggers(database, 'vendors')
      database.exec(insert('vendors', 1, 'Before') + insert('customers', 1, 'Before'))
      database.exec('ALTER TABLE vendors RENAME TO own; CREATE VIEW vendors AS SELECT * FROM own')
      const [remark] = await apply(path)
      assert.match(remark ?? '', /no tables: vendors\./)
      assert.deepEqual(keptSearches(database), without('vendors'))
      assert.deepEqual([await find('vendors', 'before'), await find('customers', 'before')], [[1], [1]])
    }))
})
