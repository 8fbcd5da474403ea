// Which tallies a SQLite database is trusted to keep: only those that nothing can have been written past. `schema apply` makes
// the others right again, and leaves those alone that are.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { permissions } from '../../../src/catalogue/access.ts'
import { findResource } from '../../../src/catalogue/resources/index.ts'
import { nameOf, tallies } from '../../../src/catalogue/tallies.ts'
import { findRelation } from '../../../src/contract/relations.ts'
import { createSqliteEngine } from '../../../src/engine/sqlite/engine.ts'
import { keptTallies } from '../../../src/engine/sqlite/tallies.ts'
import { createLog } from '../../../src/log.ts'
import { planList } from '../../../src/query/plan-list.ts'
import { tableStatements } from '../../../src/sql/schema.ts'
import { sqliteSchema } from '../../../src/sql/sqlite-schema.ts'
import { tallyTriggers } from '../../../src/sql/sqlite-tallies.ts'
import { openSqlite, type Sqlite } from '../../../src/sqlite.ts'
import { applySchema } from '../../../src/tools/schema/apply.ts'
import { makePos } from '../../support/pos.ts'
import { until } from '../../support/process.ts'

const all = tallies.map(nameOf)
const without = (...names: string[]) => new Set(all.filter((name) => !names.includes(name)))

let folder = ''
let files = 0
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'vitrine-kept-'))
})
after(() => rmSync(folder, { recursive: true }))

const apply = (path: string) => applySchema({ kind: 'sqlite', path }, { onProgress: () => {}, remark: () => {} })

// A database as `schema apply` makes it, and a hand in it.
async function onFresh(use: (database: Sqlite, path: string) => Promise<void> | void): Promise<void> {
  const path = join(folder, `pos-${(files += 1)}.db`)
  await apply(path)
  const database = openSqlite(path)
  try {
    await use(database, path)
  } finally {
    database.close()
  }
}

// As if nothing had happened since: what else there is to see is then seen.
function trust(database: Sqlite): void {
  const isThere = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  for (const statement of sqliteSchema.trust(
    tallies.filter((tally) => isThere.get(`${nameOf(tally)}_tally`)),
    [],
  ))
    database.exec(statement)
}
const trusted = (database: Sqlite) => {
  trust(database)
  return keptTallies(database)
}

const talliedOf = (database: Sqlite) =>
  Number(database.prepare(`SELECT coalesce(sum(n), 0) AS n FROM invoices_tally WHERE axis = ''`).get()?.['n'])

test('a new schema keeps them all', () => onFresh((database) => assert.deepEqual(keptTallies(database), new Set(all))))

test('without any one of its triggers, or with one changed, a tally is not kept; all others are', () =>
  onFresh((database) => {
    const triggers = tallies.flatMap((tally) => tallyTriggers(tally).map((each) => ({ ...each, tally: nameOf(tally) })))
    assert(triggers.length > 50)
    for (const { name, statement, tally } of triggers) {
      database.exec(`DROP TRIGGER ${name}`)
      assert.deepEqual(trusted(database), without(tally), `${name} dropped`)
      // As a version of the service might have made it that counted otherwise.
      database.exec(statement.replace('BEGIN\n', 'BEGIN\nSELECT 1;\n'))
      assert.deepEqual(trusted(database), without(tally), `${name} changed`)
      database.exec(`DROP TRIGGER ${name}; ${statement}`)
      assert.deepEqual(trusted(database), new Set(all), `${name} as it was`)
    }
  }))

describe('what else the point-of-sale system makes', () => {
  const own: { sql: string; kept: Set<string> }[] = [
    { sql: 'CREATE UNIQUE INDEX own ON invoices (number)', kept: without('invoices') },
    { sql: 'CREATE UNIQUE INDEX own ON quotes_archive (store_id, number)', kept: without('quotes') },
    { sql: 'CREATE UNIQUE INDEX own ON vendors (code) WHERE active = 1', kept: without('vendors') },
    { sql: 'CREATE INDEX own ON invoices (number)', kept: without() },
    { sql: 'CREATE UNIQUE INDEX own ON stores (code)', kept: without() },
    { sql: 'ALTER TABLE invoices ADD COLUMN own TEXT', kept: without() },
    { sql: 'DROP TABLE invoices_archive', kept: without('invoices') },
    { sql: 'CREATE TRIGGER own AFTER INSERT ON invoices BEGIN SELECT 1; END', kept: without() },
  ]
  for (const { sql, kept } of own)
    test(sql, () =>
      onFresh((database) => {
        database.exec(sql)
        // Whatever it was: until all is counted again, it may have been more than what is to be seen.
        assert.deepEqual(keptTallies(database), new Set())
        assert.deepEqual(trusted(database), kept)
      }),
    )
})

// A table of the point-of-sale system's own, with another idea of its key.
const ownKeys: { key: string; id: string; kept: Set<string> }[] = [
  { key: 'PRIMARY KEY (id)', id: 'INT NOT NULL', kept: new Set(all) },
  // It may be empty.
  { key: 'PRIMARY KEY (id)', id: 'INT', kept: without('vendors') },
  { key: 'PRIMARY KEY (code)', id: 'INT', kept: without('vendors') },
]
for (const { key, id, kept } of ownKeys)
  test(`a table with id ${id}, ${key}: replaced rows of another id are told of, or the tally is not kept`, () =>
    onFresh(async (database, path) => {
      const types: Record<string, string> = { int: 'INT', bool: 'INT', num: 'REAL' }
      const columns = Object.entries(findRelation('vendors').columns)
      const lines = columns.map(([name, type]) => `${name} ${name === 'id' ? id : (types[type] ?? 'TEXT')}`)
      database.exec(`DROP TABLE vendors; CREATE TABLE vendors (${lines.join(', ')}, ${key})`)
      assert.deepEqual(trusted(database), without('vendors'))
      database.exec('CREATE TABLE another (id INTEGER)')
      await apply(path)
      assert.deepEqual(keptTallies(database), kept)
    }))

// Another type, order or key than the contract's: counted apart from how it is listed.
for (const [own, change] of [
  ['a trait stored as text', (line: string) => line.replace('active INTEGER', 'active TEXT')],
  ['a column that folds case', (line: string) => line.replace('name TEXT', 'name TEXT COLLATE NOCASE')],
  [
    'a key of its own, and an id beside it',
    (line: string) => line.replace('id INTEGER PRIMARY KEY', 'own INTEGER PRIMARY KEY, id INTEGER'),
  ],
] as const)
  test(`${own}: the tally is not kept`, () =>
    onFresh(async (database, path) => {
      const types: Record<string, string> = { int: 'INTEGER', bool: 'INTEGER', num: 'REAL' }
      const columns = Object.entries(findRelation('vendors').columns)
      const lines = columns.map(
        ([name, type]) => `${name} ${types[type] ?? 'TEXT'}${name === 'id' ? ' PRIMARY KEY' : ''}`,
      )
      const definition = lines.join(', ')
      assert.notEqual(change(definition), definition)
      for (const [made, kept] of [
        [definition, new Set(all)],
        [change(definition), without('vendors')],
      ] as const) {
        database.exec(`DROP TABLE vendors; CREATE TABLE vendors (${made})`)
        await apply(path)
        assert.deepEqual(keptTallies(database), kept)
      }
    }))

const insert = (ids: readonly number[]) =>
  `INSERT INTO invoices (id, kind, status) VALUES ${ids.map((id) => `(${id}, 1, 3)`).join(', ')}`

describe('schema apply', () => {
  test('counts what was missed while a trigger was gone', () =>
    onFresh(async (database, path) => {
      database.exec(insert([1, 2]))
      database.exec('DROP TRIGGER invoices_tally_insert')
      database.exec(insert([3, 4, 5]))
      assert.equal(talliedOf(database), 2)
      await apply(path)
      assert.deepEqual(keptTallies(database), new Set(all))
      assert.equal(talliedOf(database), 5)
      database.exec(`${insert([6])}; DELETE FROM invoices WHERE id < 3`)
      assert.equal(talliedOf(database), 4)
    }))

  const lost = ['invoices_tally', 'invoices_tally_cells', 'invoices_archive_tally_replaced']
  for (const table of lost)
    test(`makes ${table} again where it was dropped, and counts; until then the tally is not kept`, () =>
      onFresh(async (database, path) => {
        database.exec(insert([1, 2]))
        database.exec(`DROP TABLE ${table}`)
        assert.deepEqual(trusted(database), without('invoices'))
        await apply(path)
        assert.deepEqual(keptTallies(database), new Set(all))
        database.exec(`${insert([3])}; INSERT INTO invoices_archive (id, kind) VALUES (3, 1), (4, 1)`)
        assert.equal(talliedOf(database), 4)
      }))

  test('does not count again what is kept: what it says stays, and it does less', () =>
    onFresh(async (database, path) => {
      database.exec(insert([1, 2]))
      const { statements } = await apply(path)
      database.exec(`UPDATE invoices_tally SET n = n + 40 WHERE axis = ''`)
      assert.equal((await apply(path)).statements, statements)
      assert.equal(talliedOf(database), 42)
      // After a change of the schema, whoever made it, all is counted again.
      database.exec('CREATE TABLE own (id INTEGER)')
      const again = await apply(path)
      assert(again.statements > statements)
      assert.equal(talliedOf(database), 2)
      assert.equal((await apply(path)).statements, statements)
    }))
})

test('a service that runs tells of tallies it cannot use, and takes them up once they have been counted again', () =>
  onFresh(async (database, path) => {
    const events: string[] = []
    const log = createLog('info', (line) => {
      const { event } = JSON.parse(line) as { event: string }
      if (event.startsWith('tallies')) events.push(event)
    })
    const engine = createSqliteEngine({ path, readers: 1, statementTimeoutMs: 30_000, log })
    const vendors = findResource('vendors')
    assert(vendors)
    const ask = async (page: number) => {
      const planned = planList(vendors, `page=${page}`, { permissions, stores: null, priceList: null })
      assert('plan' in planned)
      await engine.list(planned.plan)
    }
    try {
      await ask(1)
      assert.deepEqual(events, [])
      database.exec('CREATE TABLE own (id INTEGER)')
      for (const page of [2, 3]) await ask(page)
      assert.deepEqual([events, engine.load().areTalliesUsed], [['tallies_not_used'], false])
      await apply(path)
      for (const page of [4, 5]) await ask(page)
      assert.deepEqual([events, engine.load().areTalliesUsed], [['tallies_not_used', 'tallies_used_again'], true])
    } finally {
      await engine.close()
    }
  }))

test('a reader opens the file before it is asked, so that no request pays for it: what it finds is told at once', () =>
  onFresh(async (database, path) => {
    database.exec('CREATE TABLE own (id INTEGER)')
    const events: unknown[] = []
    const log = createLog('info', (line) => events.push((JSON.parse(line) as { event: string }).event))
    const engine = createSqliteEngine({ path, readers: 1, statementTimeoutMs: 30_000, log })
    try {
      await until('it is told', () => events.length > 1)
      assert.deepEqual(events, ['tallies_not_used', 'search_index_not_used'])
    } finally {
      await engine.close()
    }
  }))

test('views in place of tables have no tally, and are served all the same', async () => {
  const path = join(folder, 'views.db')
  makePos(path, {}, tableStatements(sqliteSchema))
  const database = openSqlite(path)
  try {
    const columns = Object.keys(findRelation('invoices_archive').columns)
    const given: Record<string, string> = {
      id: 'number + 10',
      kind: '1',
      status: '3',
      date: `'2024-01-0' || number || ' 10:00:00'`,
    }
    const terms = columns.map((name) => `${given[name] ?? 'NULL'} AS ${name}`)
    database.exec(
      `DROP TABLE invoices_archive; CREATE TABLE own (number INTEGER PRIMARY KEY); INSERT INTO own VALUES (1), (2), (3);` +
        `CREATE VIEW invoices_archive AS SELECT ${terms.join(', ')} FROM own;` +
        `INSERT INTO invoices (id, kind, status) VALUES (1, 1, 3), (11, 1, 3);` +
        `ALTER TABLE vendors RENAME TO own_vendors; CREATE VIEW vendors AS SELECT * FROM own_vendors;` +
        `INSERT INTO own_vendors (id, active) VALUES (1, 1), (2, 1)`,
    )
    const ofTables = tallies.filter((tally) => !['invoices', 'vendors'].includes(nameOf(tally)))
    for (const statement of ofTables.flatMap((tally) => sqliteSchema.tally(tally))) database.exec(statement)
    trust(database)
    assert.deepEqual(keptTallies(database), without('invoices', 'vendors'))
    const log = createLog('error', () => {})
    const engine = createSqliteEngine({ path, readers: 1, statementTimeoutMs: 30_000, log, farInto: 1 })
    const list = async (name: string, query: string) => {
      const resource = findResource(name)
      assert(resource)
      const planned = planList(resource, query, { permissions, stores: null, priceList: null })
      assert('plan' in planned)
      const { total, body } = await engine.list(planned.plan)
      return [total, JSON.parse(new TextDecoder().decode(body)).data.map(({ id }: { id: number }) => id)]
    }
    try {
      assert.deepEqual(await list('invoices', 'sort=id&per_page=2&page=2'), [4, [12, 13]])
      assert.deepEqual(await list('invoices', 'date_from=2024-01-03'), [1, [13]])
      assert.deepEqual(await list('vendors', 'sort=-id'), [2, [2, 1]])
    } finally {
      await engine.close()
    }
  } finally {
    database.close()
  }
})
