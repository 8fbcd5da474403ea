// `schema apply` and `schema print` on PostgreSQL: what is made is what the contract says, what is there stays as it is,
// and what cannot be is said.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import type { ColumnType, Relation } from '../../src/contract/relation.ts'
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
     WHERE c.relnamespace = $1::regnamespace AND c.relkind = 'r' AND c.relname NOT LIKE '%\\_tally%'
     ORDER BY c.relname, a.attnum`,
    [`"${schema.replaceAll('"', '""')}"`],
  )
  const indexes = await database.query(
    `SELECT t.relname AS relation, i.relname AS name, am.amname AS method, x.indisprimary AS "isKey", x.indisvalid AS "isValid",
       ARRAY(SELECT pg_get_indexdef(x.indexrelid, n, false) FROM generate_series(1, x.indnkeyatts) n) AS terms,
       ARRAY(SELECT o.opcname::text FROM unnest(x.indclass) WITH ORDINALITY u (class, at) JOIN pg_opclass o ON o.oid = u.class ORDER BY at) AS classes
     FROM pg_index x JOIN pg_class i ON i.oid = x.indexrelid JOIN pg_class t ON t.oid = x.indrelid
       JOIN pg_am am ON am.oid = i.relam
     WHERE t.relnamespace = $1::regnamespace ORDER BY t.relname, i.relname`,
    [`"${schema.replaceAll('"', '""')}"`],
  )
  return { columns, indexes }
}

/** What changes if anything is made anew: the object ids and files of a schema's relations and indexes. */
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
    const keys = mine.filter(({ isKey }) => isKey)
    assert.deepEqual(
      keys.map(({ terms }) => terms),
      [[...relation.key]],
    )
    const trigrams = mine.filter(({ method }) => method === 'gin')
    assert.deepEqual(
      trigrams.flatMap(({ terms }) => terms as string[]).toSorted(),
      relation.search.toSorted(),
      relation.name,
    )
    assert.ok(trigrams.flatMap(({ classes }) => classes as string[]).every((name) => name === 'gin_trgm_ops'))
    for (const terms of relation.indexes)
      assert.ok(mine.some(isFor(relation, terms)), `${relation.name}: ${JSON.stringify(terms)}`)
    assert.equal(mine.length, 1 + relation.indexes.length + relation.search.length)
  }
}

// Each term speaks of its column, alone or in an expression; an amount also of the status; the key ends every index.
const isFor = (relation: Relation, wanted: Relation['indexes'][number]) => (index: Record<string, unknown>) => {
  const terms = index['terms'] as string[]
  if (index['isKey'] || index['method'] !== 'btree' || terms.length !== wanted.length + 1) return false
  const words = terms.map((term) => new Set(term.match(/\w+/g)))
  const isRight = (term: Relation['indexes'][number][number], at: number) =>
    typeof term === 'string'
      ? Boolean(words[at]?.has(term)) && !words[at]?.has('status') === (term !== 'status')
      : Boolean(words[at]?.has(term.amount) && words[at].has('status'))
  return wanted.every(isRight) && terms.at(-1) === relation.key[0]
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
    await database.query('DROP INDEX products_by_name, products_search_name, transfers_by_date')
    const left = await identities(database)
    await apply(database.url)
    assert.deepEqual(await readSchema(database, 'public'), whole)
    assert.deepEqual(await database.query('SELECT id, code FROM products'), [{ id: '7', code: 'kept' }])
    const now = new Set((await identities(database)).map(({ oid }) => oid))
    assert.ok(left.every(({ oid }) => now.has(oid)))
    // What it cannot make good is said.
    await database.query('ALTER TABLE departments ALTER COLUMN code TYPE bytea USING NULL')
    const { status, stderr } = await runOn(database.url, 'schema', 'apply')
    assert.equal(status, 1)
    assert.match(stderr, /^vitrine: departments\.code .* is bytea: it must be text/m)
  })

  test('what is written waits in short lists of search indexes, also of those that were made with long ones', async () => {
    const database = await makeDatabase()
    await apply(database.url)
    const lists = async () => {
      const found = await database.query(
        `SELECT c.relname AS name, c.reloptions AS options FROM pg_class c
         JOIN pg_am a ON a.oid = c.relam AND a.amname = 'gin' WHERE c.relnamespace = 'public'::regnamespace ORDER BY name`,
      )
      return new Map(found.map(({ name, options }) => [name, options]))
    }
    const waiting = async (name: string) => {
      const [row] = await database.query(`SELECT gin_clean_pending_list('${name}') AS pages`)
      return Number(row?.['pages'])
    }
    const short = new Map((await lists()).keys().map((name) => [name, ['gin_pending_list_limit=64']]))
    assert.ok(short.has('invoices_search_number') && short.has('invoices_tally_words_by_words'))
    assert.deepEqual(await lists(), short)
    await database.query(
      `ALTER INDEX invoices_search_number RESET (gin_pending_list_limit);
       ALTER INDEX invoices_tally_words_by_words RESET (gin_pending_list_limit);
       ALTER INDEX quotes_search_number SET (fastupdate = off);
       ALTER TABLE invoices SET (autovacuum_enabled = off);
       INSERT INTO invoices (id, kind, number) SELECT n, 1, 'INV-' || n FROM generate_series(1, 1000) n`,
    )
    await apply(database.url)
    assert.equal(await waiting('invoices_search_number'), 0)
    assert.ok((await waiting('invoices_search_po_number')) > 0, 'a short list is left alone')
    // Somebody's own setting stays.
    const kept = ['gin_pending_list_limit=64', 'fastupdate=off']
    assert.deepEqual(await lists(), new Map([...short, ['quotes_search_number', kept]]))
    // What has one of the names, and is no such index.
    await database.query('DROP INDEX vendors_search_name; CREATE INDEX vendors_search_name ON vendors (name)')
    await apply(database.url)
  })

  test('relations that lack columns: each is named with all it lacks, exit status 1, and they stay as they are', async () => {
    const database = await makeDatabase()
    await database.query('CREATE TABLE price_lists (id bigint PRIMARY KEY, code text)')
    await database.query('CREATE TABLE invoices (id bigint PRIMARY KEY, kind bigint, total numeric)')
    await database.query('INSERT INTO invoices VALUES (1, 1, 12.5)')
    const { status, stdout, stderr } = await runOn(database.url, 'schema', 'apply')
    assert.deepEqual([status, stdout], [1, ''])
    const lines = stderr.split('\n')
    const lacking = Object.keys(findRelation('invoices').columns).filter(
      (name) => !['id', 'kind', 'total'].includes(name),
    )
    assert.ok(
      lines.some((line) => /^vitrine: .*price_lists lacks the columns name\.$/.test(line)),
      stderr,
    )
    assert.ok(
      lines.some((line) => line.endsWith(`invoices lacks the columns ${lacking.join(', ')}.`)),
      stderr,
    )
    assert.doesNotMatch(stderr, /cannot be used|does not exist/)
    assert.deepEqual(await database.query('SELECT * FROM invoices'), [{ id: '1', kind: '1', total: '12.5' }])
  })

  test('--json prints one object and nothing else', async () => {
    const database = await makeDatabase()
    const { stdout, stderr } = await apply(database.at('pos'), '--json')
    assert.equal(stderr, '')
    assert.match(stdout, /^\{.*\}\n$/)
    const said = JSON.parse(stdout) as { database: string; statements: number }
    assert.deepEqual(Object.keys(said), ['database', 'statements'])
    assert.ok(said.database.includes('pos') && said.database.includes(database.name), said.database)
    assert.ok(said.statements > relations.length)
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
    const remark = stderr.split('\n').find((line) => line.includes('invoices')) ?? assert.fail(stderr)
    for (const name of ['invoices', 'stores', 'payments', 'price_lists'])
      assert.match(remark, new RegExp(`\\b${name}\\b`))
    assert.doesNotMatch(remark, /\bquotes\b|invoices_archive/)
    assert.match(stdout, /in place/)
    assert.deepEqual(await identities(database, 'base'), base)
    const now = new Map((await identities(database, 'shown')).map((each) => [each['oid'], each]))
    for (const each of shown) assert.equal(now.get(each['oid'])?.['relfilenode'], each['relfilenode'])
    const { indexes } = await readSchema(database, 'shown')
    const indexed = (name: string) => indexes.filter(({ relation }) => relation === name).length
    const { indexes: byTerms, search } = findRelation('quotes')
    assert.equal(indexed('quotes'), byTerms.length + search.length)
    assert.equal(indexed('invoices') + indexed('payments'), 0)
    assert.ok(indexed('invoices_archive') > 1)
    assert.equal((await apply(database.at('shown'), '--json')).stdout.split('\n').length, 2)
  })
})

describe('schema print --dialect postgres', { concurrency: 2 }, () => {
  test('runs as it is in an empty database, twice, and makes what schema apply makes', async () => {
    const database = await makeDatabase()
    const text = await print()
    await database.query(text)
    const before = await identities(database)
    await database.query(text)
    assert.deepEqual(await identities(database), before)
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
