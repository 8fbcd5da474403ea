// Imports files into both engines: the rows can be read again, with journal and indexes; existing rows are replaced, deleted or left alone;
// and a failure changes nothing.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import type { ColumnType, Relation } from '../../src/contract/relation.ts'
import { relations } from '../../src/contract/relations.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { loadSqlite } from '../../demo/load-sqlite.ts'
import { applySchema } from '../../src/operate/schema/apply.ts'
import { faultText } from '../../src/operate/import/files.ts'
import type { ImportOptions, ImportResult } from '../../src/operate/import/run.ts'
import { assertWhole, dumpRelations, engines, makeTarget, type Target } from '../support/imported.ts'
import { runImport, writeFile, writeFiles, type Format } from '../support/import-files.ts'
import type { Cell, Rows } from '../support/pos.ts'

const root = mkdtempSync(join(tmpdir(), 'vitrine-import-'))
after(() => rmSync(root, { recursive: true, force: true }))

type Files = (folder: string) => void
const files = (content: Readonly<Record<string, string>>): Files => {
  return (folder) => {
    for (const [name, text] of Object.entries(content)) writeFileSync(join(folder, name), text)
  }
}

function importing(target: Target, write: Files, options: Partial<ImportOptions> = {}) {
  const folder = mkdtempSync(join(root, 'files-'))
  write(folder)
  return runImport(target.url, folder, options)
}

/** What became of the rows: read, new, changed, unchanged, deleted. */
async function countsOf(target: Target, write: Files, options: Partial<ImportOptions> = {}): Promise<number[][]> {
  const result = await importing(target, write, options)
  assert.ok('relations' in result, 'faults' in result ? result.faults.first.map(faultText).join('\n') : '')
  return result.relations.map((each) => [each.read, each.new, each.changed, each.unchanged, each.deleted])
}

const formats: Format[] = ['csv', 'ndjson', 'csv.gz', 'ndjson.gz']
const invoice = (id: number, more: Readonly<Record<string, Cell>> = {}) => ({
  id,
  kind: 1 + (id % 2),
  number: `INV-${id}`,
  store_id: 1 + (id % 3),
  date: `2026-0${1 + (id % 9)}-1${id % 10}T10:00:00`,
  status: id % 10,
  currency: id % 2 === 0 ? 'USD' : 'HTG',
  total: id / 4,
  updated_at: `2026-0${1 + (id % 9)}-2${id % 9}T11:00:00`,
  paid: id % 2,
  ...more,
})
const invoices = (count: number, change: (id: number) => Readonly<Record<string, Cell>> = () => ({})): Files => {
  const rows = Array.from({ length: count }, (_, at) => invoice(at + 1, change(at + 1)))
  return (folder) => writeFile(folder, 'invoices', rows)
}

// What separators, quotes, escapes, ends of lines and doubles could get wrong; and what could be taken for nothing.
const odd: readonly Readonly<Record<ColumnType, Cell>>[] = [
  {
    int: 2n ** 53n + 1n,
    num: -123456789012.345,
    bool: 1,
    time: '0001-01-01T00:00:00',
    day: '9999-12-31',
    text: ` ,;"'\t\\N\\.\r\n\r{}:\ufeff\u2028\u0001é😀% `,
  },
  { int: 999_999_999, num: 0, bool: 0, time: null, day: null, text: '' },
]
const oddRows = ({ columns, codes }: Relation) =>
  odd.map((cells) =>
    Object.fromEntries(Object.entries(columns).map(([name, type]) => [name, codes[name] ? null : cells[type]])),
  )

let rows: Rows = {}
before(async () => {
  const path = join(root, 'demo.db')
  await loadSqlite({ path, scale: 0.02, seed: 3 })
  const demo = openSqlite(path, { readOnly: true })
  const stored = (name: string) => demo.prepare(`SELECT * FROM ${name}`).all() as Record<string, Cell>[]
  rows = Object.fromEntries(
    relations.map((relation) => [relation.name, [...stored(relation.name), ...oddRows(relation)]]),
  )
  demo.close()
})

const demoFiles: Files = (folder) =>
  writeFiles(folder, rows, (at) => ({
    format: formats[at % 4] ?? 'csv',
    separator: at % 8 < 4 ? ',' : ';',
    end: at % 3 === 0 ? '\n' : '\r\n',
    mark: at % 5 === 0 ? '\ufeff' : '',
  }))

for (const engine of engines)
  describe(`import into ${engine}`, () => {
    let target: Target
    before(async () => {
      target = await makeTarget(engine)
    })
    after(() => target.remove())

    test('an empty database: the demo company and odd values in all formats come out as they were, with journal and indexes', async () => {
      const dry = await countsOf(target, demoFiles, { isDryRun: true })
      const counts = await countsOf(target, demoFiles)
      assert.deepEqual(counts, dry)
      assert.deepEqual(
        counts,
        relations.map(({ name }) => [rows[name]?.length, rows[name]?.length, 0, 0, 0]),
      )
      const wanted = relations
        .map(({ name, columns, key }) => {
          const cells = (rows[name] ?? []).map((row) => Object.keys(columns).map((column) => row[column] ?? null))
          const places = key.map((column) => Object.keys(columns).indexOf(column))
          const byKey = (one: Cell[], other: Cell[]) =>
            places.map((place) => Number(one[place]) - Number(other[place])).find((order) => order !== 0) ?? 0
          return [name, cells.toSorted(byKey)] as const
        })
        .filter(([, cells]) => cells.length > 0)
      assert.deepEqual(await dumpRelations(target), Object.fromEntries(wanted))
      await assertWhole(target)
      assert.deepEqual(
        await countsOf(target, demoFiles, { deletesMissing: true }),
        relations.map(({ name }) => [rows[name]?.length, 0, 0, rows[name]?.length, 0]),
      )
    })

    test('same key replaces the row whole; relations without a file stay; columns of others stay', async () => {
      await target.script('ALTER TABLE stores ADD COLUMN till_secret text')
      await target.script(
        `DELETE FROM stores; INSERT INTO stores (id, name, phone, till_secret) VALUES (1, 'One', '5', 'kept'), (2, 'Two', '6', NULL), (9, 'Nine', NULL, NULL)`,
      )
      const customers = await target.rows('SELECT count(*) FROM customers')
      const stores = files({ 'stores.csv': 'name;id\nOne;1\nTwo again;2\nThree;3\n' })
      assert.deepEqual(await countsOf(target, stores), [[3, 1, 2, 0, 0]])
      assert.deepEqual(await target.rows('SELECT id, name, phone, till_secret FROM stores ORDER BY id'), [
        [1, 'One', null, 'kept'],
        [2, 'Two again', null, null],
        [3, 'Three', null, null],
        [9, 'Nine', null, null],
      ])
      assert.deepEqual(await countsOf(target, stores), [[3, 0, 0, 3, 0]])
      assert.deepEqual(await countsOf(target, stores, { deletesMissing: true, isDryRun: true }), [[3, 0, 0, 3, 1]])
      assert.deepEqual(await countsOf(target, stores, { deletesMissing: true }), [[3, 0, 0, 3, 1]])
      assert.deepEqual(await target.rows('SELECT id FROM stores ORDER BY id'), [[1], [2], [3]])
      assert.deepEqual(await target.rows('SELECT count(*) FROM customers'), customers)
    })

    test('keys of two columns: replaced, deleted, told twice', async () => {
      const header = 'product_id,store_id,quantity\n'
      await countsOf(target, files({ 'product_stock.csv': `${header}1,1,5\n1,2,6\n2,1,7\n` }), { deletesMissing: true })
      const next = files({ 'product_stock.csv': `${header}1,1,5\n1,2,6.5\n3,1,8\n` })
      assert.deepEqual(await countsOf(target, next, { deletesMissing: true }), [[3, 1, 1, 1, 1]])
      const expected = [
        [1, 1, 5],
        [1, 2, 6.5],
        [3, 1, 8],
      ]
      const stored = 'SELECT product_id, store_id, quantity FROM product_stock ORDER BY 1, 2'
      assert.deepEqual(await target.rows(stored), expected)
      const twice = await importing(target, files({ 'product_stock.csv': `${header}4,1,1\n4,2,1\n4,1,2\n4,1,3\n` }))
      assert.ok('faults' in twice)
      assert.deepEqual(twice.faults.first.map(faultText), [
        'product_stock.csv:4: product_id, store_id: 4, 1 is the key of line 2 too; expected each key once.',
        'product_stock.csv:5: product_id, store_id: 4, 1 is the key of line 2 too; expected each key once.',
      ])
      assert.deepEqual(await target.rows(stored), expected)
    })

    test('much at once, little, and nothing: journal and indexes are whole each time', async () => {
      // Whatever changed the schema before.
      await applySchema(target.url, { onProgress() {}, remark() {} })
      assert.deepEqual((await countsOf(target, invoices(2600), { deletesMissing: true }))[0]?.[0], 2600)
      await assertWhole(target)
      const little = invoices(2600, (id) => (id % 100 === 0 ? { status: 4, number: `NEW-${id}` } : {}))
      assert.deepEqual(await countsOf(target, little), [[2600, 0, 26, 2574, 0]])
      await assertWhole(target)
      const other = invoices(2500, (id) => ({ store_id: 7, number: `ALL-${id}` }))
      assert.deepEqual(await countsOf(target, other, { deletesMissing: true }), [[2500, 0, 2500, 0, 100]])
      await assertWhole(target)
      assert.deepEqual(await countsOf(target, files({ 'invoices.ndjson': '' }), { deletesMissing: true }), [
        [0, 0, 0, 0, 2500],
      ])
      await assertWhole(target)
    })

    test('a fault in one file, and no file changes anything', async () => {
      const all = await dumpRelations(target)
      const result = await importing(
        target,
        files({ 'departments.csv': 'id,name\n1,Changed\n', 'vendors.csv': 'id,active\n1,2\n' }),
        { deletesMissing: true },
      )
      assert.ok('faults' in result)
      assert.deepEqual(result.faults.first.map(faultText), [
        'vendors.csv:2: active: Expected 0, 1, true or false; found "2".',
      ])
      assert.deepEqual(await dumpRelations(target), all)
    })

    test('what the database itself refuses, and Ctrl-C while it writes, changes nothing', async () => {
      await countsOf(target, invoices(50))
      const all = await dumpRelations(target)
      await target.script('CREATE UNIQUE INDEX refusing ON departments (code)')
      const both: Files = (folder) => {
        invoices(60)(folder)
        files({ 'departments.csv': 'id,code\n501,same\n502,same\n' })(folder)
      }
      await assert.rejects(importing(target, both), /refuses: .*(UNIQUE constraint failed|duplicate key value)/)
      await target.script('DROP INDEX refusing')
      assert.deepEqual(await dumpRelations(target), all)

      const stop = new AbortController()
      const onProgress: ImportOptions['onProgress'] = ({ what }) => what === 'writing' && stop.abort()
      const stopped = importing(target, invoices(3000), { onProgress, signal: stop.signal })
      await assert.rejects(stopped)
      assert.ok(stop.signal.aborted)
      assert.deepEqual(await dumpRelations(target), all)
      assert.deepEqual((await countsOf(target, invoices(60)))[0], [60, 10, 0, 50, 0])
    })

    test('what a till writes while files are checked is compared with, too', async () => {
      await countsOf(target, files({ 'price_lists.csv': 'id,name\n1,One\n2,Two\n' }), { deletesMissing: true })
      const till = await holdTill(target)
      const next = importing(target, files({ 'price_lists.csv': 'id,name\n1,One\n2,Two\n3,Three\n' }))
      await till.done
      const result = (await next) as ImportResult
      assert.deepEqual(await target.rows('SELECT id, name FROM price_lists ORDER BY id'), [
        [1, 'One'],
        [2, 'Two'],
        [3, 'Three'],
      ])
      const { new: added, changed } = result.relations[0] ?? {}
      assert.deepEqual([added, changed], [0, 2])
    })

    test('a view cannot be imported into; a table can lack what the file does not have', async () => {
      await target.script(
        `DROP TABLE customer_types; CREATE VIEW customer_types AS SELECT 1 AS id, 'a' AS code, 'b' AS name;
         ALTER TABLE transfer_lines DROP COLUMN average_cost; ALTER TABLE transfers DROP COLUMN updated_at;
         ALTER TABLE quotes RENAME COLUMN store_id TO shop`,
      )
      const refused = await importing(
        target,
        files({
          'customer_types.csv': 'id\n1\n',
          'quotes.csv': 'id\n1\n',
          'transfers.ndjson': '{"id":1,"updated_at":null}\n',
          'transfer_lines.csv': 'id,average_cost\n1,2\n',
        }),
      )
      assert.ok('faults' in refused)
      assert.deepEqual(refused.faults.first.map(faultText), [
        'customer_types.csv: customer_types is not a table in the connected database: import into what it reads from.',
        'quotes.csv: quotes lacks the columns store_id in the database.',
        `transfers.ndjson:1: updated_at: ${lacks('transfers')}`,
        `transfer_lines.csv:1: average_cost: ${lacks('transfer_lines')}`,
      ])
      for (const quantity of [1, 2]) {
        const parts = {
          'transfers.csv': 'id,number\n1,T\n',
          'transfer_lines.csv': `id,transfer_id,quantity\n1,1,${quantity}\n`,
        }
        assert.ok('relations' in (await importing(target, files(parts))))
        assert.deepEqual(await target.rows('SELECT id, transfer_id, quantity FROM transfer_lines WHERE id = 1'), [
          [1, 1, quantity],
        ])
      }
    })
  })

const lacks = (relation: string) =>
  `The table ${relation} in the database lacks this column; "vitrine schema apply" adds it.`

// A till that has changed two rows, and ends its transaction a moment later.
async function holdTill({ engine, address, url }: Target): Promise<{ done: Promise<unknown> }> {
  const change = `UPDATE price_lists SET name = 'Till' WHERE id = 2; INSERT INTO price_lists (id, name) VALUES (3, 'Till')`
  const pauseMs = 1500
  if (engine === 'postgres') {
    const { connectTo } = await import('../support/own-company.ts')
    const connection = await connectTo(address)
    await connection.script(`BEGIN; ${change}`)
    const end = async () => {
      await wait(pauseMs)
      await connection.script('COMMIT')
      await connection.close()
    }
    return { done: end() }
  }
  const { Worker } = await import('node:worker_threads')
  const worker = new Worker(
    `const { workerData: [path, change, pauseMs], parentPort } = require('node:worker_threads')
     const database = new (require('node:sqlite').DatabaseSync)(path)
     database.exec('BEGIN IMMEDIATE; ' + change)
     parentPort.postMessage('begun')
     setTimeout(() => { database.exec('COMMIT'); database.close() }, pauseMs)`,
    { eval: true, workerData: [url.kind === 'sqlite' ? url.path : '', change, pauseMs] },
  )
  const done = new Promise((resolve, reject) => {
    worker.once('exit', resolve)
    worker.once('error', reject)
  })
  await new Promise((resolve) => {
    worker.once('message', resolve)
  })
  return { done }
}
