// `schema apply` and `schema print` on PostgreSQL: what is made is what the contract says, what is there stays as it is,
// and what cannot be is said.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { ColumnType } from '../../src/contract/relation.ts'
import { findRelation, relations } from '../../src/contract/relations.ts'
import { dropDatabases, makeDatabase, runOn, type Database } from '../support/database.ts'
import { runVitrine } from '../support/process.ts'

after(dropDatabases)

const apply = async (url: string, ...words: string[]) => {
  const done = await runOn(url, 'schema', 'apply', ...words)
  assert.equal(done.status, 0, done.stderr)
  return done
}
const print = async () => (await runVitrine(['schema', 'print', '--dialect', 'postgres'])).stdout

const typeNames: Record<ColumnType, string> = {
  int: 'bigint',
  num: 'numeric',
  text: 'text',
  bool: 'boolean',
  time: 'timestamp without time zone',
  day: 'date',
}

/** Every relation of a schema with its columns, types, key and indexes, in words without the schema's name. */
async function readSchema(database: Database, schema: string) {
  const columns = await database.query(
    `SELECT c.relname AS relation, a.attname AS name, format_type(a.atttypid, a.atttypmod) AS type, a.attnotnull AS required
     FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
     WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' AND c.relname <> 'vitrine_journal'
     ORDER BY c.relname, a.attnum`,
    [`"${schema.replaceAll('"', '""')}"`],
  )
  const indexes = await database.query(
    `SELECT t.relname AS relation, i.relname AS name, x.indisprimary AS "isKey", x.indisvalid AS "isValid",
       ARRAY(SELECT pg_get_indexdef(x.indexrelid, n, false) FROM generate_series(1, x.indnkeyatts) n) AS terms
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
     WHERE t.relnamespace = $1::regnamespace ORDER BY t.relname, i.relname`,
    [`"${schema.replaceAll('"', '""')}"`],
  )
  return { columns, indexes }
}

/** Changes if anything is made again: the object ids and files of a schema's relations and indexes. */
const identities = (database: Database, schema = 'public') =>
  database.query(
    `SELECT oid, relname, relfilenode, xmin::text FROM pg_class WHERE relnamespace = $1::regnamespace ORDER BY oid`,
    [schema],
  )

function assertContract({ columns, indexes }: Awaited<ReturnType<typeof readSchema>>): void {
  assert.deepEqual(
    columns.map(({ relation, name, type, required }) => [relation, name, type, required]),
    relations
      .toSorted((one, other) => (one.name < other.name ? -1 : 1))
      .flatMap(({ name, columns, key }) =>
        Object.entries(columns).map(([column, type]) => [name, column, typeNames[type], key.includes(column)]),
      ),
  )
  for (const relation of relations) {
    const mine = indexes.filter((index) => index['relation'] === relation.name)
    assert.ok(mine.every(({ isValid }) => isValid))
    assert.deepEqual(
      mine.map(({ isKey, terms }) => [isKey, terms]).toSorted(([one], [other]) => Number(other) - Number(one)),
      [[true, [...relation.key]], ...(relation.parent === undefined ? [] : [[false, [relation.parent, 'id']]])],
      relation.name,
    )
  }
}

describe('schema apply on PostgreSQL', { concurrency: 2 }, () => {
  test('in an empty database it makes the whole contract; a second time it changes nothing, and rows stay', async () => {
    const database = await makeDatabase()
    await apply(database.url)
    assertContract(await readSchema(database, 'public'))
    await database.query(`INSERT INTO vendors (id, name) VALUES (1, 'Kept')`)
    const before = await identities(database)
    await apply(database.url)
    assert.deepEqual(await identities(database), before)
    assert.deepEqual(await database.query('SELECT id, name FROM vendors'), [{ id: '1', name: 'Kept' }])
  })

  test('it makes a schema of any name, and uses one that is there without touching what else is in it', async () => {
    const database = await makeDatabase()
    const name = `Caisse "été" %1; --`
    await apply(database.at(name))
    assertContract(await readSchema(database, name))
    await database.query('CREATE SCHEMA shop; CREATE TABLE shop.tills (id int PRIMARY KEY, notes text)')
    await database.query('CREATE INDEX tills_by_notes ON shop.tills (notes)')
    const before = await identities(database, 'shop')
    await apply(database.at('shop'))
    const after = await identities(database, 'shop')
    for (const one of before) assert.ok(after.some((other) => JSON.stringify(other) === JSON.stringify(one)))
    assert.deepEqual(
      await database.query(`SELECT relname FROM pg_class WHERE relnamespace = 'public'::regnamespace`),
      [],
    )
  })

  test('of a database that was made in part it makes the rest; a column of a type that cannot be read is named', async () => {
    const database = await makeDatabase()
    await apply(database.url)
    const whole = await readSchema(database, 'public')
    await database.query(`INSERT INTO products (id, code) VALUES (7, 'kept')`)
    await database.query('DROP TABLE invoices, product_stock, stores')
    await database.query('DROP INDEX transfer_lines_by_transfer_id')
    const left = await identities(database)
    await apply(database.url)
    assert.deepEqual(await readSchema(database, 'public'), whole)
    assert.deepEqual(await database.query('SELECT id, code FROM products'), [{ id: '7', code: 'kept' }])
    const now = new Set((await identities(database)).map(({ oid }) => oid))
    assert.ok(left.every(({ oid, relname }) => now.has(oid) || relname.startsWith('vitrine_journal')))
    // What it cannot make good is said.
    await database.query('ALTER TABLE departments ALTER COLUMN code TYPE bytea USING NULL')
    const { status, stderr } = await runOn(database.url, 'schema', 'apply')
    assert.equal(status, 1)
    assert.match(stderr, /^vitrine: departments\.code .* is bytea: it must be text/m)
  })

  test('relations that lack columns: required ones are named, exit status 1, and nothing is changed; others are added', async () => {
    const database = await makeDatabase()
    await database.query('CREATE TABLE price_lists (id bigint PRIMARY KEY, code text)')
    await database.query('CREATE TABLE invoices (id bigint PRIMARY KEY, kind bigint, total numeric)')
    await database.query('INSERT INTO invoices VALUES (1, 1, 12.5)')
    const { status, stdout, stderr } = await runOn(database.url, 'schema', 'apply')
    assert.deepEqual([status, stdout], [1, ''])
    assert.match(stderr, /^vitrine: In .*, invoices lacks the columns store_id, status; .*check" .*\n$/)
    assert.deepEqual(await database.query('SELECT * FROM invoices'), [{ id: '1', kind: '1', total: '12.5' }])
    // The others are added.
    await database.query('ALTER TABLE invoices ADD COLUMN store_id bigint, ADD COLUMN status bigint')
    const applied = await runOn(database.url, 'schema', 'apply')
    assert.equal(applied.status, 0, applied.stderr)
    const added = Object.keys(findRelation('invoices').columns)
      .filter((name) => !['id', 'kind', 'total', 'store_id', 'status'].includes(name))
      .map((name) => `invoices.${name}`)
    const step = `Add ${added.length + 1} columns, empty: ${['price_lists.name', ...added].join(', ')}.`
    assert.ok((applied.stderr + applied.stdout).includes(step), applied.stderr)
    assert.deepEqual(await database.query('SELECT id, total, po_number FROM invoices'), [
      { id: '1', total: '12.5', po_number: null },
    ])
  })

  test('--json prints one object and nothing else', async () => {
    const database = await makeDatabase()
    const { stdout, stderr } = await apply(database.at('pos'), '--json')
    assert.equal(stderr, '')
    assert.match(stdout, /^\{.*\}\n$/)
    const said = JSON.parse(stdout) as { database: string; steps: string[] }
    assert.deepEqual(Object.keys(said), ['database', 'steps'])
    assert.ok(said.database.includes('pos') && said.database.includes(database.name), said.database)
    assert.deepEqual(
      said.steps.map((step) => /^\w+ \w+ \w+/.exec(step)?.[0]),
      ['Make 33 relations', 'Make 13 indexes', 'Make the journal'],
    )
    assert.ok(!stdout.includes(new URL(database.url).password))
  })
})

describe('schema apply where relations are no plain tables', () => {
  test('views, partitioned and foreign tables stay, with what they read; a remark names them; the rest is made', async () => {
    const database = await makeDatabase()
    await apply(database.at('base'))
    await database.query(
      `CREATE SCHEMA shown; SET search_path = shown;
       CREATE VIEW invoices AS SELECT * FROM base.invoices; CREATE VIEW stores AS SELECT * FROM base.stores;
       CREATE TABLE payments (LIKE base.payments) PARTITION BY RANGE (id);
       CREATE TABLE payments_1 PARTITION OF payments FOR VALUES FROM (1) TO (1000);
       CREATE FOREIGN DATA WRAPPER nothing; CREATE SERVER elsewhere FOREIGN DATA WRAPPER nothing;
       CREATE FOREIGN TABLE price_lists (id bigint, code text, name text) SERVER elsewhere;
       CREATE MATERIALIZED VIEW quotes AS SELECT * FROM base.quotes; RESET search_path`,
    )
    const [base, shown] = [await identities(database, 'base'), await identities(database, 'shown')]
    const { stderr, stdout } = await apply(database.at('shown'))
    assert.match(
      stderr,
      /^Not in the journal, because they are no plain tables: stores, price_lists, invoices, quotes, payments\.$/m,
    )
    assert.match(stdout, /in place/)
    assert.deepEqual(await identities(database, 'base'), base)
    const now = new Map((await identities(database, 'shown')).map((each) => [each['oid'], each]))
    for (const each of shown) assert.equal(now.get(each['oid'])?.['relfilenode'], each['relfilenode'])
    const { indexes } = await readSchema(database, 'shown')
    const indexed = (name: string) => indexes.filter(({ relation }) => relation === name).length
    assert.equal(indexed('quotes') + indexed('invoices') + indexed('payments'), 0)
    assert.equal(indexed('invoice_lines'), 2)
    const watched = await database.query(
      `SELECT DISTINCT tgrelid::regclass::text AS name FROM pg_trigger WHERE tgname LIKE 'vitrine%' AND tgrelid::regclass::text LIKE 'shown.%'`,
    )
    // All but the five, and the journal itself.
    assert.equal(watched.length, relations.length - 5 + 1)
    assert.equal((await apply(database.at('shown'), '--json')).stdout.split('\n').length, 2)
  })
})

describe('schema print --dialect postgres', { concurrency: 2 }, () => {
  test('runs as it is in an empty database, and makes what schema apply makes', async () => {
    const database = await makeDatabase()
    await database.query(await print())
    const before = await identities(database)
    const printed = await readSchema(database, 'public')
    assertContract(printed)
    await apply(database.at('applied'))
    assert.deepEqual(await readSchema(database, 'applied'), printed)
    await apply(database.url)
    assert.deepEqual(await identities(database), before)
  })

  test('tells beside each column of codes what they stand for', async () => {
    const text = await print()
    for (const { name, codes } of relations) {
      const table = text.split(';').find((statement) => statement.includes(`"${name}" (\n`)) ?? assert.fail(name)
      for (const [column, list] of Object.entries(codes)) {
        const line = table.split('\n').find((each) => each.trim().startsWith(`"${column}" `)) ?? ''
        assert.ok(line.endsWith(` -- ${list.map(({ code, label }) => `${code} ${label}`).join(', ')}`), line)
      }
    }
  })

  test('is what schema print shows where the data is in PostgreSQL', async () => {
    const { stdout } = await runVitrine(['schema', 'print'], { VITRINE_DATABASE_URL: 'postgres://h/d' })
    assert.equal(stdout, await print())
  })
})

test('commands on data alone need no state named, but never touch the place of one that is', async () => {
  const database = await makeDatabase()
  const both = { VITRINE_DATABASE_URL: database.at('vitrine'), VITRINE_STATE_URL: database.url }
  assert.equal((await runVitrine(['company', 'disable'], { ...both, VITRINE_DATABASE_URL: database.url })).status, 0)
  const before = await identities(database, 'vitrine')
  for (const words of ['schema apply', 'demo --force --scale 0.01']) {
    const { status, stderr } = await runVitrine(words.split(' '), both)
    assert.equal(status, 2, stderr)
    assert.match(stderr, /^vitrine: .*both name the schema vitrine: state never shares a schema with the data\.\n$/)
  }
  assert.deepEqual(await identities(database, 'vitrine'), before)
  assert.equal((await runVitrine(['schema', 'apply'], { VITRINE_DATABASE_URL: database.url })).status, 0)
})
