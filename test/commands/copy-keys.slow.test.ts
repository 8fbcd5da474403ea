// The same key of the source is the same id in every copy: whatever its type is there, when a copy is made anew, and when an older one
// is restored.
import assert from 'node:assert/strict'
import { copyFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import { dumpRelations, makeTarget, type Target } from '../support/imported.ts'
import { countsOf, makeCopier, makeSource, type CopySource } from '../support/copied.ts'
import { noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import { dropSchemas } from '../support/postgres.ts'

let mariadb: MariadbServer | undefined
before(async () => {
  if (!noMariadb) mariadb = await startMariadb()
})
after(async () => {
  await mariadb?.remove()
  await dropSchemas()
})

const tables = `
  CREATE TABLE client (code varchar(40), label varchar(20));
  CREATE TABLE item (no integer, label varchar(20));
  CREATE TABLE sale (ticket varchar(40), client varchar(40));
  CREATE TABLE sale_line (ticket varchar(40), place integer, item integer);
  INSERT INTO client VALUES ('-4', 'minus four'), ('10', 'ten'), ('007', 'zeros'), ('f3a1', 'hex');
  INSERT INTO item VALUES (2, 'two'), (10, 'ten'), (30, 'thirty');
  INSERT INTO sale VALUES ('s-1', '007'), ('s-2', '10'), ('77', '-4'), ('s-4', 'nowhere');
  INSERT INTO sale_line VALUES ('s-1', 1, 10), ('s-1', 2, 30), ('77', 1, 2)`

const views = (line: string) => `
  CREATE VIEW customers AS SELECT code AS id, label AS name FROM client;
  CREATE VIEW products AS SELECT no AS id, label AS name FROM item;
  CREATE VIEW invoices AS SELECT ticket AS id, client AS customer_id FROM sale;
  CREATE VIEW invoice_lines AS SELECT ${line} AS id, ticket AS invoice_id, item AS product_id FROM sale_line;`

const lineKey = {
  sqlite: `ticket || '-' || place`,
  postgres: `ticket || '-' || place`,
  mysql: `CONCAT(ticket, '-', place)`,
}
const toText = {
  sqlite: 'ALTER TABLE item RENAME TO old; CREATE TABLE item (no text, label text); INSERT INTO item SELECT * FROM old',
  postgres: 'ALTER TABLE item ALTER COLUMN no TYPE varchar(20)',
  mysql: 'ALTER TABLE item MODIFY no varchar(20)',
}
const into = { sqlite: 'postgres', postgres: 'sqlite', mysql: 'sqlite' } as const

// Without the times that a copy gives.
const idsIn = async (target: Target) => {
  const ids = (select: string) => target.rows(`${select} ORDER BY 1, 2`)
  return {
    customers: await ids('SELECT name, id FROM customers'),
    products: await ids('SELECT name, id FROM products'),
    invoices: await ids('SELECT id, customer_id FROM invoices'),
    lines: await ids('SELECT id, invoice_id, product_id FROM invoice_lines'),
  }
}

const sentence = (column: string, found: string) =>
  `${column}: The numbers from 281474976710656 to 562949953421311 are for keys that are texts; found "${found}". In the row with id 281474976710656. Such keys can be numbered as texts: CAST(${column} AS CHAR) AS ${column}, and the same in every view that refers to them.`

for (const engine of ['sqlite', 'postgres', 'mysql'] as const)
  describe(`keys of ${engine}`, { skip: engine === 'mysql' && noMariadb }, () => {
    let source: CopySource
    const ended: (() => unknown)[] = []
    const makeCopy = async (target?: Target) => {
      const made = target ?? (await makeTarget(into[engine]))
      const copier = makeCopier(source, made.url)
      ended.push(copier.remove, () => made.remove())
      copier.write(views(lineKey[engine]))
      return { target: made, copier }
    }
    let first: Awaited<ReturnType<typeof makeCopy>>
    before(async () => {
      source = await makeSource(engine, mariadb)
      await source.script(tables)
      first = await makeCopy()
      await first.copier.copy()
    })
    after(async () => {
      for (const end of ended) await end()
      await source.remove()
    })

    test('texts of whole numbers are these numbers; a reference gives the number of the key', async () => {
      const { customers, products, invoices } = await idsIn(first.target)
      const named = new Map(customers.map(([name, id]) => [name, Number(id)]))
      assert.equal(named.get('ten'), 10)
      assert.deepEqual(products, [
        ['ten', 10],
        ['thirty', 30],
        ['two', 2],
      ])
      const references = new Map(invoices.map(([id, customer]) => [Number(id), Number(customer)]))
      assert.equal(references.get(77), named.get('minus four'))
      assert.deepEqual(
        new Set([...references.values()].filter((id) => [...named.values()].includes(id))),
        new Set([named.get('minus four'), named.get('zeros'), 10]),
      )
      for (const name of ['minus four', 'zeros', 'hex'])
        assert((named.get(name) ?? 0) >= 2 ** 48 && (named.get(name) ?? 0) < 2 ** 49, name)
    })

    test('a copy made anew, with the rows in another order', async () => {
      const expected = await idsIn(first.target)
      await source.script(
        [
          ['client', 'code'],
          ['sale', 'ticket'],
        ]
          .map(
            ([table, key]) =>
              `CREATE TABLE ${table}_again AS SELECT * FROM ${table} ORDER BY ${key} DESC; DELETE FROM ${table}; INSERT INTO ${table} SELECT * FROM ${table}_again`,
          )
          .join('; '),
      )
      const second = await makeCopy()
      await second.copier.copy()
      assert.deepEqual(await idsIn(second.target), expected)
    })

    test('a copy that is older, and is brought up to date', async () => {
      const older = await makeCopy()
      await older.copier.copy()
      await source.script(`INSERT INTO client VALUES ('late-1', 'late 1')`)
      await first.copier.copy()
      await source.script(`INSERT INTO client VALUES ('a-2', 'late 2'); INSERT INTO sale VALUES ('a-1', 'late-1')`)
      await first.copier.copy()
      await older.copier.copy()
      assert.deepEqual(await idsIn(older.target), await idsIn(first.target))
    })

    test('a key that changes its type from integer to text keeps its id, and nothing is told to have changed', async () => {
      const expected = await idsIn(first.target)
      await source.script(toText[engine])
      // Only later do other texts arrive.
      assert.deepEqual(countsOf(await first.copier.copy())['products'], [3, 0, 0, 0])
      await source.script(`INSERT INTO item VALUES ('A-1', 'first')`)
      assert.deepEqual(countsOf(await first.copier.copy())['products'], [4, 1, 0, 0])
      const { products, ...others } = await idsIn(first.target)
      assert.deepEqual(
        [products.filter(([name]) => name !== 'first'), others],
        [expected.products, { customers: expected.customers, invoices: expected.invoices, lines: expected.lines }],
      )
    })

    test('numbers where those of texts are: refused, with what helps; larger ones are copied', async () => {
      await source.script(
        `CREATE TABLE large (no bigint, other bigint); INSERT INTO large VALUES (281474976710655, 5), (562949953421312, 1152921504606846977)`,
      )
      const { target, copier } = await makeCopy()
      copier.write(
        'CREATE VIEW vendors AS SELECT no AS id FROM large; CREATE VIEW products AS SELECT no AS id, other AS vendor_id FROM large;',
      )
      await copier.copy()
      assert.deepEqual(await target.rows('SELECT id, vendor_id FROM products ORDER BY id'), [
        [281474976710655, 5],
        [562949953421312, 1152921504606846977n],
      ])
      await source.script('INSERT INTO large VALUES (281474976710656, 562949953421311)')
      await assert.rejects(copier.copy({ mostKeptOut: 0 }), {
        message: [
          `vendors:3: ${sentence('id', '281474976710656')}`,
          `products:3: ${sentence('id', '281474976710656')}`,
          `products:3: ${sentence('vendor_id', '562949953421311')}`,
        ].join('\n'),
      })
    })

    test('a reference is read as the keys of its relation are, or as what it is itself', async () => {
      await source.script(`
        CREATE TABLE shop (no integer); CREATE TABLE dept (code varchar(9)); CREATE TABLE good (no integer, dept integer, shop varchar(9), maker varchar(9), other integer);
        INSERT INTO shop VALUES (7); INSERT INTO dept VALUES ('7'), ('A'); INSERT INTO good VALUES (1, 7, '007', '12', 0)`)
      const { target, copier } = await makeCopy()
      copier.write(`
        CREATE VIEW stores AS SELECT no AS id FROM shop; CREATE VIEW departments AS SELECT code AS id FROM dept;
        CREATE VIEW products AS SELECT no AS id, dept AS department_id, maker AS vendor_id, other AS sub_department_id FROM good;
        CREATE VIEW invoices AS SELECT no AS id, shop AS store_id FROM good`)
      await copier.copy()
      assert.deepEqual(
        await target.rows(
          'SELECT department_id, vendor_id, sub_department_id, store_id FROM products JOIN invoices ON invoices.id = products.id',
        ),
        [[7, 12, 0, 7]],
      )
    })

    test('a copy that another version made is made anew, and says so', async () => {
      const expected = await idsIn(first.target)
      await first.target.script(`
        DELETE FROM vitrine_copy_marks WHERE name = 'format';
        DROP TABLE vitrine_copy_numbers;
        CREATE TABLE vitrine_copy_numbers (space text NOT NULL, key text NOT NULL, number bigint NOT NULL, PRIMARY KEY (space, key));
        INSERT INTO vitrine_copy_numbers VALUES ('customers', '007', 1);
        UPDATE customers SET id = 1 WHERE name = 'zeros'`)
      const remarks: string[] = []
      const { is_whole } = await first.copier.copy({ remark: (text) => remarks.push(text) })
      assert.equal(is_whole, true)
      assert.match(remarks.join('\n'), /^The copy in .* was made by another version, .*: it is made anew\.$/)
      assert.deepEqual(await idsIn(first.target), expected)
      await first.copier.copy({ remark: (text) => assert.fail(text) })
    })
  })

test('a SQLite file in which some keys of a relation are numbers and others texts', async () => {
  const source = await makeSource('sqlite')
  const target = await makeTarget('sqlite')
  const copier = makeCopier(source, target.url)
  await source.script(`
    CREATE TABLE client (code, label text, changed text); CREATE TABLE sale (no integer, client);
    INSERT INTO client VALUES (7, 'seven', '2026-05-05 00:00:00'), ('C-8', 'eight', '2026-05-05 00:00:00');
    INSERT INTO sale VALUES (1, 7), (2, 'C-8'), (3, '7'), (4, 0), (5, NULL)`)
  copier.write(`
    CREATE VIEW customers AS SELECT code AS id, label AS name, changed AS updated_at FROM client;
    CREATE VIEW quotes AS SELECT no AS id, client AS customer_id FROM sale;`)
  await copier.copy()
  const joined =
    'SELECT q.id, c.name FROM quotes q LEFT JOIN customers c ON c.id = q.customer_id WHERE q.customer_id IS NOT NULL ORDER BY q.id'
  const expected = [
    [1, 'seven'],
    [2, 'eight'],
    [3, 'seven'],
    [4, null],
  ]
  assert.deepEqual(await target.rows(joined), expected)
  const held = await dumpRelations(target)
  // Nothing of the relation itself is read in this round.
  await source.script(`UPDATE client SET changed = '2026-01-01 00:00:00'`)
  assert.equal((await copier.copy()).is_whole, false)
  assert.deepEqual(await dumpRelations(target), held)
  copier.remove()
  await target.remove()
  await source.remove()
})

test('a copy that is put back from a backup: a key that it never had keeps the id it got meanwhile', async () => {
  const [source, target] = [await makeSource('sqlite'), await makeTarget('sqlite')]
  const copier = makeCopier(source, target.url)
  const path = target.url.kind === 'sqlite' ? target.url.path : ''
  const exchange = async (from: string, to: string) => {
    await target.script('PRAGMA wal_checkpoint(TRUNCATE)')
    copyFileSync(from, to)
  }
  const ids = async () => new Map((await target.rows('SELECT name, id FROM customers')) as [string, number][])
  copier.write('CREATE VIEW customers AS SELECT code AS id, label AS name FROM client')
  await source.script(`CREATE TABLE client (code text, label text); INSERT INTO client VALUES ('a', 'A'), ('b', 'B')`)
  await copier.copy()
  await exchange(path, `${path}.backup`)
  await source.script(`INSERT INTO client VALUES ('c', 'C')`)
  await copier.copy()
  const held = await ids()
  await exchange(`${path}.backup`, path)
  await source.script(`INSERT INTO client VALUES ('d', 'D'); DELETE FROM client WHERE code = 'c'`)
  await copier.copy()
  const between = await ids()
  assert.notEqual(between.get('D'), held.get('C'), 'no other record gets its id')
  await source.script(`INSERT INTO client VALUES ('c', 'C')`)
  await copier.copy()
  const now = await ids()
  for (const [name, id] of [...held, ...between]) assert.equal(now.get(name), id, name)
  copier.remove()
  for (const each of [target, source]) await each.remove()
})
