// The SQLite schema in the hands of another program, the machine's own sqlite3: however it writes, search finds exactly
// the rows that are there.
import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { rmSync } from 'node:fs'
import { Agent } from 'node:https'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { relations } from '../../src/contract/relations.ts'
import type { Relation } from '../../src/contract/relation.ts'
import { runVitrine, startServer, temporaryFolder, type Server } from '../support/process.ts'

const version = spawnSync('sqlite3', ['--version'], { encoding: 'utf8' }).stdout?.split(' ')[0] ?? ''
const skip = version === '' ? 'there is no sqlite3 on this machine' : false

const root = temporaryFolder()
after(() => rmSync(root, { recursive: true }))

function sqlite3(path: string, input: string): string {
  const done = spawnSync('sqlite3', ['-bail', path], { input, encoding: 'utf8' })
  assert.deepEqual([done.status, done.stderr], [0, ''])
  return done.stdout
}
const schemaOf = (path: string) => sqlite3(path, 'SELECT type, name, sql FROM sqlite_schema ORDER BY type, name;')
const apply = (path: string) =>
  runVitrine(['schema', 'apply', '--json'], { VITRINE_DATA_DIR: root, VITRINE_DATABASE_URL: `sqlite:${path}` })

test('schema print --dialect sqlite | sqlite3 new.db makes what schema apply makes', { skip }, async () => {
  const [printed, applied] = [join(root, 'printed.db'), join(root, 'applied.db')]
  const { stdout, stderr } = await runVitrine(['schema', 'print', '--dialect', 'sqlite'])
  assert.equal(stderr, '')
  assert.equal(sqlite3(printed, stdout), '')
  const done = await apply(applied)
  assert.deepEqual([done.status, done.stderr], [0, ''])
  assert.equal(schemaOf(printed), schemaOf(applied))
  for (const { name } of relations) assert.equal(sqlite3(printed, `SELECT count(*) FROM ${name};`), '0\n')
  // What one has made the other leaves as it is.
  const before = schemaOf(printed)
  assert.equal((await apply(printed)).status, 0)
  assert.equal(schemaOf(printed), before)
})

test('schema print --dialect postgres has every relation with every column', async () => {
  const { status, stdout } = await runVitrine(['schema', 'print', '--dialect', 'postgres'])
  assert.equal(status, 0)
  for (const { name, columns } of relations) {
    const table = stdout
      .split(';')
      .find((statement) => new RegExp(`CREATE TABLE (IF NOT EXISTS )?"?${name}"? \\(`).test(statement))
    for (const column of Object.keys(columns))
      assert.match(table ?? '', new RegExp(`\\n\\s*"?${column}"? `), `${name}.${column}`)
  }
})

test('schema print --json is one object with the statements', async () => {
  const { stdout } = await runVitrine(['schema', 'print', '--json'])
  const { dialect, statements } = JSON.parse(stdout) as { dialect: string; statements: string[] }
  assert.equal(dialect, 'sqlite')
  assert.ok(statements.length > relations.length)
})

// Which columns a search looks at, as the specification says; the rest of a row makes it be shown.
const searched: Record<string, { resource: string; columns: string; shown?: Record<string, number> }> = {
  stores: { resource: 'stores', columns: 'name code' },
  departments: { resource: 'departments', columns: 'name code' },
  sub_departments: { resource: 'sub-departments', columns: 'name code' },
  price_lists: { resource: 'price-lists', columns: 'name code' },
  customer_types: { resource: 'customer-types', columns: 'name code' },
  products: { resource: 'products', columns: 'name code barcode', shown: { active: 1 } },
  customers: { resource: 'customers', columns: 'name code company_name phone email', shown: { active: 1 } },
  vendors: { resource: 'vendors', columns: 'name code phone email', shown: { active: 1 } },
  quotes: { resource: 'quotes', columns: 'number customer_name', shown: { status: 1 } },
  quotes_archive: { resource: 'quotes', columns: 'number customer_name', shown: { status: 1 } },
  sales_orders: { resource: 'sales-orders', columns: 'number customer_name', shown: { status: 1 } },
  invoices: { resource: 'invoices', columns: 'number customer_name po_number', shown: { status: 3, kind: 1 } },
  invoices_archive: { resource: 'invoices', columns: 'number customer_name po_number', shown: { status: 3, kind: 1 } },
  payments: { resource: 'payments', columns: 'number customer_name', shown: { status: 3 } },
  purchase_orders: { resource: 'purchase-orders', columns: 'number vendor_name', shown: { status: 1 } },
  receivings: { resource: 'receivings', columns: 'number vendor_name receipt_number', shown: { status: 9, kind: 1 } },
  transfers: { resource: 'transfers', columns: 'number', shown: { status: 9 } },
  adjustments: { resource: 'adjustments', columns: 'number reason', shown: { status: 9, kind: 1 } },
}

// Every way to write, on the keys from `from` on. Words are told apart by their number: `tag` and two digits.
function writing(relation: Relation, from: number, tag: string): string {
  const { columns, shown = {} } = searched[relation.name] ?? { columns: lastColumn(relation) }
  const texts = columns.split(' ')
  let turn = 0
  const row = (offset: number, word: string | null) => {
    turn += 1
    const cells: Record<string, string | number> = Object.fromEntries(relation.key.map((name) => [name, from + offset]))
    const text = texts[turn % texts.length] ?? ''
    const value = relation.columns[text] === 'text' ? `'Le ${tag}${word} ${turn}'` : Number(word)
    return { ...cells, ...shown, [text]: word === null ? 'NULL' : value }
  }
  const values = (cells: Record<string, string | number>) =>
    `INTO ${relation.name} (${Object.keys(cells).join(', ')}) VALUES (${Object.values(cells).join(', ')})`
  const sets = (cells: Record<string, string | number>) =>
    texts.map((name) => `${name} = ${cells[name] ?? 'NULL'}`).join(', ')
  const where = (offset: number) => relation.key.map((name) => `${name} = ${from + offset}`).join(' AND ')
  const moved = (offset: number) => relation.key.map((name) => `${name} = ${from + offset}`).join(', ')
  const conflict = relation.key.join(', ')
  return [
    `INSERT ${values(row(1, '01'))}`,
    `INSERT ${values(row(2, '02'))}`,
    `INSERT OR REPLACE ${values(row(2, '03'))}`,
    `INSERT ${values(row(3, '04'))}`,
    `INSERT ${values(row(3, '05'))} ON CONFLICT (${conflict}) DO UPDATE SET ${sets(row(3, '06'))}`,
    `INSERT ${values(row(4, '07'))}`,
    `UPDATE ${relation.name} SET ${sets(row(4, '08'))} WHERE ${where(4)}`,
    `INSERT ${values(row(5, '09'))}`,
    `DELETE FROM ${relation.name} WHERE ${where(5)}`,
    `INSERT ${values(row(6, '10'))}`,
    `UPDATE ${relation.name} SET ${moved(7)} WHERE ${where(6)}`,
    `REPLACE ${values(row(8, '11'))}`,
    `INSERT ${values(row(9, null))}`,
    `UPDATE ${relation.name} SET ${sets(row(9, '12'))} WHERE ${where(9)}`,
    `INSERT OR IGNORE ${values(row(1, '13'))}`,
    `BEGIN; INSERT ${values(row(10, '14'))}; ROLLBACK`,
    `INSERT ${values(row(11, '15'))}`,
    `INSERT ${values(row(12, '16'))}`,
    `UPDATE OR REPLACE ${relation.name} SET ${moved(12)} WHERE ${where(11)}`,
    '',
  ].join(';\n')
}
const lastColumn = ({ columns }: Relation) => Object.keys(columns).at(-1) ?? ''

const found: Record<string, number[]> = {
  '01': [1],
  '03': [2],
  '06': [3],
  '08': [4],
  '10': [7],
  '11': [8],
  '12': [9],
  '15': [12],
}
const gone = ['02', '04', '05', '07', '09', '13', '14', '16']
const left = [1, 2, 3, 4, 7, 8, 9, 12]

// The keys of an archive are not among the recent ones.
const startOf = ({ name }: Relation, start: number) => start + (name.endsWith('_archive') ? 100 : 0)

describe('the schema under the hand of sqlite3', { skip }, () => {
  const agent = new Agent({ keepAlive: true })
  let server: Server
  let token = ''
  // Recursive triggers make REPLACE fire the delete triggers too.
  const passes = [
    { tag: 'off', start: 0, pragma: 'PRAGMA recursive_triggers = OFF;' },
    { tag: 'rec', start: 1000, pragma: 'PRAGMA recursive_triggers = ON;' },
  ]
  before(async () => {
    server = await startServer()
    token = await server.token()
    for (const { tag, start, pragma } of passes) {
      const script = relations.map((each) => writing(each, startOf(each, start), tag)).join('')
      sqlite3(join(server.data, 'pos.db'), pragma + script)
    }
  })
  after(() => {
    agent.destroy()
    return server.remove()
  })

  for (const relation of relations) {
    test(`${relation.name}: written every way by sqlite3 ${version}, exactly the right rows are there`, () => {
      const [key] = relation.key
      const shown = sqlite3(join(server.data, 'pos.db'), `SELECT ${key} FROM ${relation.name} ORDER BY ${key};`)
      const expected = passes.flatMap(({ start }) => left.map((offset) => startOf(relation, start) + offset))
      assert.equal(shown, expected.map((id) => `${id}\n`).join(''))
    })
  }

  for (const [name, { resource }] of Object.entries(searched)) {
    test(`${name}: search finds the words that are there, and none that were`, async () => {
      const relation = relations.find((each) => each.name === name) ?? assert.fail(name)
      for (const { tag, start } of passes) {
        for (const word of [...Object.keys(found), ...gone]) {
          const answer = await server.ask(`/${resource}?search=${tag}${word}`, { token, agent })
          assert.equal(answer.status, 200, answer.text)
          const ids = answer.body.data.map(({ id }: { id: number }) => id) as number[]
          const mine = ids.filter((id) => relation.name.endsWith('_archive') === id - start > 100)
          assert.deepEqual(
            mine,
            (found[word] ?? []).map((offset) => startOf(relation, start) + offset),
            `${tag}${word}`,
          )
        }
      }
    })
  }
})
