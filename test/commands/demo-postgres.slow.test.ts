// `demo` on PostgreSQL: the same company as on SQLite, row by row; what is there is replaced only when told to, whole or not
// at all, and only where it is plain tables.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { DatabaseSync } from 'node:sqlite'
import { after, describe, test } from 'node:test'
import type { ColumnType, Relation } from '../../src/contract/relation.ts'
import { relations } from '../../src/contract/relations.ts'
import { dropDatabases, makeDatabase, runOn, startOn, type Database, type Role } from '../support/database.ts'
import { runVitrine, temporaryFolder, until, type Ended } from '../support/process.ts'

const root = temporaryFolder()
after(() => rmSync(root, { recursive: true }))
after(dropDatabases)

interface Made {
  readonly database: string
  readonly scale: number
  readonly seed: number
  readonly documents: number
  readonly rows: Record<string, number>
}

const demo = (url: string, ...words: string[]) => runOn(url, 'demo', '--json', ...words)
async function made(url: string, ...words: string[]): Promise<Made> {
  const { status, stdout, stderr } = await demo(url, ...words)
  assert.deepEqual([status, stderr], [0, ''])
  assert.match(stdout, /^\{.*\}\n$/)
  return JSON.parse(stdout) as Made
}
const small = ['--scale', '0.01', '--seed']

const names = ({ columns }: Relation) => Object.keys(columns).map((name) => `"${name}"`)
const inOrder = ({ name, key }: Relation) =>
  `FROM "${name}" r ORDER BY ${key.map((column) => `r.${column}`).join(', ')}`

// A row as the contract types it, from what each engine stores.
const fromSqlite = (type: ColumnType, value: unknown) => (type === 'bool' && value !== null ? Boolean(value) : value)
function fromText(type: ColumnType, text: string | null): unknown {
  if (text === null) return null
  if (type === 'int' || type === 'num') return Number(text)
  if (type === 'bool') return text === 'true'
  return type === 'time' ? text.replace(' ', 'T') : text
}

const invoices = async (database: Database, schema = 'public') =>
  JSON.stringify(await database.query(`SELECT * FROM ${schema}.invoices ORDER BY id`))
const relationsOf = (database: Database) =>
  database.query(
    `SELECT oid, reltuples FROM pg_class WHERE relnamespace = 'public'::regnamespace AND relkind IN ('r', 'i') AND relname NOT LIKE 'vitrine%' ORDER BY oid`,
  )
const locks = (database: Database) =>
  database.query(
    `SELECT pid, mode FROM pg_locks WHERE database = (SELECT oid FROM pg_database WHERE datname = $1) AND pid <> $2`,
    [database.name, database.pid],
  )

function assertRefused({ status, stdout, stderr }: Ended, expected: 1 | 2, says: RegExp): void {
  assert.deepEqual([status, stdout], [expected, ''], stderr)
  assert.match(stderr, /^vitrine: \S.*\.\n$/)
  assert.match(stderr, says)
  assert.doesNotMatch(stderr, /\.ts:|\bat \w+ \(|Error:|\bfailed:|undefined/)
}

describe('demo on PostgreSQL', { concurrency: 2 }, () => {
  test('the same seed gives the same company as on SQLite, in every row of every relation', async () => {
    const database = await makeDatabase()
    const words = ['--scale', '0.05', '--seed', '7']
    const [here, there] = await Promise.all([
      made(database.url, ...words),
      runVitrine(['demo', '--json', ...words], { VITRINE_DATA_DIR: root }).then(
        ({ stdout }) => JSON.parse(stdout) as Made,
      ),
    ])
    assert.deepEqual([here.rows, here.documents, here.scale, here.seed], [there.rows, there.documents, 0.05, 7])
    assert.deepEqual(Object.keys(here), Object.keys(there))
    const file = new DatabaseSync(join(root, 'pos.db'), { readOnly: true })
    for (const relation of relations) {
      const columns = Object.entries(relation.columns)
      const rows = file.prepare(`SELECT ${names(relation).join(', ')} ${inOrder(relation)}`).all()
      const texts = names(relation).map((name) => `${name}::text`)
      const others = await database.query(`SELECT ${texts.join(', ')} ${inOrder(relation)}`)
      assert.equal(others.length, here.rows[relation.name], relation.name)
      assert.deepEqual(
        others.map((row) => columns.map(([name, type]) => fromText(type, row[name]))),
        rows.map((row) => columns.map(([name, type]) => fromSqlite(type, row[name]))),
        relation.name,
      )
    }
    file.close()
    // Indexed as schema apply would, and with the figures that the planner needs.
    const before = await relationsOf(database)
    assert.ok(before.every(({ reltuples }) => reltuples >= 0))
    assert.equal((await runOn(database.url, 'schema', 'apply')).status, 0)
    assert.deepEqual(await relationsOf(database), before)
  })

  test('what is there is replaced with --force alone, and rights and views of others stay', async () => {
    const database = await makeDatabase()
    const reader = await database.makeRole()
    await made(database.at('pos'), ...small, '3')
    await database.query(
      `GRANT USAGE ON SCHEMA pos TO ${reader.name}; GRANT SELECT ON ALL TABLES IN SCHEMA pos TO ${reader.name}`,
    )
    const largest = 'SELECT id, total FROM pos.invoices ORDER BY total DESC, id LIMIT 10'
    await database.query(`CREATE VIEW largest AS ${largest}`)
    const first = await invoices(database, 'pos')
    assertRefused(await demo(database.at('pos'), ...small, '4'), 2, /already; --force replaces it/)
    assert.equal(await invoices(database, 'pos'), first)
    const { seed } = await made(database.at('pos'), ...small, '4', '--force')
    const second = await invoices(database, 'pos')
    assert.deepEqual([seed, second === first], [4, false])
    const session = await database.connect(reader)
    assert.equal(JSON.stringify(await session.query('SELECT * FROM pos.invoices ORDER BY id')), second)
    await session.end()
    assert.deepEqual(await database.query('SELECT * FROM largest'), await database.query(largest))
    const schemas = await database.query(`SELECT nspname FROM pg_namespace WHERE nspname !~ '^pg_' ORDER BY nspname`)
    assert.deepEqual(
      schemas.map(({ nspname }) => nspname),
      ['information_schema', 'pos', 'public'],
    )
  })

  test('whoever reads meanwhile, as the service does, sees the old company or the new one, and is never refused', async () => {
    const database = await makeDatabase()
    await made(database.url, ...small, '1')
    const counted = `SELECT count(*)::int AS lines, (SELECT count(*)::int FROM invoices) AS invoices FROM invoice_lines`
    const [old] = await database.query(counted)
    const loading = startOn(database.url, 'demo', '--json', '--force', '--scale', '0.2', '--seed', '2')
    const seen: string[] = []
    const read = async () => {
      const reader = await database.connect()
      while (loading.child.exitCode === null) {
        await reader.query('BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY')
        const [row] = await reader.query(counted)
        await reader.query('COMMIT')
        seen.push(JSON.stringify(row))
      }
      await reader.end()
    }
    await Promise.all([read(), read(), read(), read()])
    const { status, stdout, stderr } = await loading.ended
    assert.equal(status, 0, stderr)
    const { rows } = JSON.parse(stdout) as Made
    const fresh = { lines: rows['invoice_lines'], invoices: rows['invoices'] }
    assert.deepEqual(new Set(seen), new Set([JSON.stringify(old), JSON.stringify(fresh)]))
  })

  test('killed in the middle, it leaves what was there, and no lock', async () => {
    const database = await makeDatabase()
    await made(database.url, ...small, '1')
    const before = await invoices(database)
    const loading = startOn(database.url, 'demo', '--force', '--seed', '2')
    await until('rows are going in', async () => {
      const [row] = await database.query(`SELECT FROM pg_stat_activity WHERE datname = $1 AND query LIKE 'COPY%'`, [
        database.name,
      ])
      return row
    })
    loading.child.kill('SIGKILL')
    assert.equal((await loading.ended).signal, 'SIGKILL')
    await until('nothing is locked', async () => (await locks(database)).length === 0)
    assert.equal(await invoices(database), before)
  })

  test('two at once: one makes the company, the other makes it again or says why not', async () => {
    const database = await makeDatabase()
    const both = await Promise.all([demo(database.url, ...small, '1'), demo(database.url, ...small, '1')])
    assert.ok(both.some(({ status }) => status === 0))
    for (const done of both)
      if (done.status !== 0) assertRefused(done, done.status === 1 ? 1 : 2, /at work|already; --force/)
  })
})

describe('demo where it must not replace what is there', { concurrency: 2 }, () => {
  const others: readonly (readonly [what: string, script: string])[] = [
    ['a view', 'CREATE TABLE base (id bigint); CREATE VIEW stores AS SELECT * FROM base'],
    ['a materialized view', 'CREATE TABLE base (id bigint); CREATE MATERIALIZED VIEW quotes AS SELECT * FROM base'],
    ['a partitioned table', 'CREATE TABLE payments (id bigint) PARTITION BY RANGE (id)'],
    [
      'a foreign table',
      `CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing;
       CREATE FOREIGN TABLE vendors (id bigint) SERVER elsewhere`,
    ],
  ]
  for (const [what, script] of others)
    test(`${what} among the relations: refused, with --force too, and all stays`, async () => {
      const database = await makeDatabase()
      await database.query(`CREATE TABLE invoices (id bigint); ${script}`)
      const all = `SELECT oid, relname FROM pg_class WHERE relnamespace = 'public'::regnamespace ORDER BY oid`
      const before = await database.query(all)
      assertRefused(await demo(database.url, ...small, '1', '--force'), 2, /not replaced/)
      assert.deepEqual(await database.query(all), before)
    })
})

describe('demo without rights', { concurrency: 2 }, () => {
  const cases: readonly (readonly [what: string, prepare: (role: Role) => string, says: RegExp])[] = [
    [
      'in a schema where the role may not make tables',
      ({ name }) => `CREATE SCHEMA pos; GRANT USAGE ON SCHEMA pos TO ${name}`,
      /GRANT .*CREATE ON SCHEMA "?pos"? TO/,
    ],
    ['where there is no schema and the role may not make one', () => '', /GRANT CREATE ON DATABASE .* TO/],
  ]
  for (const [what, prepare, says] of cases)
    test(`${what}: said, and nothing is made`, async () => {
      const database = await makeDatabase()
      const role = await database.makeRole()
      await database.query(prepare(role))
      const all = `SELECT relname FROM pg_class WHERE relnamespace = to_regnamespace('pos')`
      const before = await database.query(all)
      assertRefused(await demo(database.at('pos', role), ...small, '1', '--force'), 1, says)
      assert.deepEqual(await database.query(all), before)
    })

  test("on another role's tables: said, and they stay as they are", async () => {
    const database = await makeDatabase()
    const role = await database.makeRole()
    await made(database.at('pos'), ...small, '1')
    await database.query(
      `GRANT ALL ON SCHEMA pos TO ${role.name}; GRANT SELECT ON ALL TABLES IN SCHEMA pos TO ${role.name}`,
    )
    const before = await invoices(database, 'pos')
    assertRefused(await demo(database.at('pos', role), ...small, '2', '--force'), 1, /permission denied|must be owner/)
    assert.equal(await invoices(database, 'pos'), before)
  })
})
