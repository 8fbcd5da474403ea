// Copies a POS with its own tables, from every engine into both: text keys keep their numbers, rows without a time are stamped, what is
// gone is deleted, and a fault or a failure changes nothing.
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { relations } from '../../src/contract/relations.ts'
import { withCopyLock } from '../../src/operate/copy/lock.ts'
import { planCopy } from '../../src/operate/copy/plan.ts'
import { removeSchema } from '../../src/operate/schema/apply.ts'
import { withPlace } from '../../src/operate/import/run.ts'
import { viewStatements } from '../../src/operate/views/print.ts'
import { assertWhole, dumpRelations, engines, makeTarget, type Target } from '../support/imported.ts'
import { countsOf, makeCopier, makeSource, type CopySource } from '../support/copied.ts'
import { mariadbZone, noMariadb, startMariadb, type MariadbServer } from '../support/mariadb-server.ts'
import { dropSchemas } from '../support/postgres.ts'

let mariadb: MariadbServer | undefined
before(async () => {
  if (!noMariadb) mariadb = await startMariadb()
})
after(async () => {
  await mariadb?.remove()
  await dropSchemas()
})

const time = { sqlite: 'text', postgres: 'timestamp', mysql: 'datetime' }
const double = { sqlite: 'real', postgres: 'double precision', mysql: 'double' }

const tables = (engine: CopySource['engine']) => `
  CREATE TABLE shop (code varchar(20) PRIMARY KEY, label varchar(50));
  CREATE TABLE item (code varchar(20) PRIMARY KEY, label varchar(50), price ${double[engine]}, active smallint, changed ${time[engine]});
  CREATE TABLE stock (item varchar(20), shop varchar(20), qty numeric(12, 3));
  CREATE TABLE sale (ticket varchar(40) PRIMARY KEY, no integer, shop varchar(20), day ${time[engine]}, total numeric(14, 2), state char(1));
  CREATE TABLE sale_line (ticket varchar(40), place integer, item varchar(20), qty ${double[engine]}, price ${double[engine]}, PRIMARY KEY (ticket, place));
  CREATE TABLE supplier_order (no integer PRIMARY KEY, total numeric(14, 2), changed ${time[engine]});
  CREATE TABLE supplier_order_line (no integer PRIMARY KEY, parent integer, label varchar(50));
  INSERT INTO shop VALUES ('PAP', 'Port-au-Prince'), ('CAP', 'Cap-Haïtien');
  INSERT INTO item VALUES ('RIZ', 'Riz', 0.1 + 0.2, 1, '2026-05-01 08:00:00'), ('SEL', 'Sel', 12.5, 0, '2026-05-02 08:00:00');
  INSERT INTO stock VALUES ('RIZ', 'PAP', 7.5);
  INSERT INTO sale VALUES ('b-1', 1, 'PAP', '2026-05-03 10:00:00', 123456789012.34, 'V'), ('a-2', 2, 'CAP', '2026-05-04 10:00:00', 2.10, 'X'), ('c-3', 3, NULL, NULL, NULL, 'Z');
  INSERT INTO sale_line VALUES ('b-1', 1, 'RIZ', 2, 0.3), ('b-1', 2, 'SEL', 1, 12.5), ('a-2', 1, 'GONE', 1, 2.1);
  INSERT INTO supplier_order VALUES (5, 10, '2026-05-05 09:00:00'), (6, 20, '2026-05-05 09:00:00');
  INSERT INTO supplier_order_line VALUES (51, 5, 'one'), (52, 5, 'two'), (61, 6, 'three')`

const concat = (engine: CopySource['engine']) =>
  engine === 'mysql' ? `CONCAT(ticket, '-', place)` : `ticket || '-' || place`

const views = (engine: CopySource['engine']) => `
  -- As the SQL of the source has it; nothing of it is created.
  CREATE VIEW stores AS SELECT code AS id, code, label AS name FROM shop;
  CREATE VIEW products AS SELECT code AS id, code, label AS name, price, active, changed AS updated_at FROM item;
  CREATE VIEW product_stock AS SELECT item AS product_id, shop AS store_id, qty AS quantity FROM stock;
  CREATE VIEW invoices AS
    SELECT ticket AS id, 1 AS kind, no AS number, shop AS store_id, day AS date, total,
      CASE state WHEN 'V' THEN 3 WHEN 'X' THEN 4 ELSE -1 END AS status FROM sale;
  CREATE VIEW invoice_lines AS
    SELECT ${concat(engine)} AS id, ticket AS invoice_id, item AS product_id, qty AS quantity, price AS unit_price FROM sale_line;
  CREATE VIEW purchase_orders AS SELECT no AS id, total, changed AS updated_at FROM supplier_order;
  CREATE VIEW purchase_order_lines AS SELECT no AS id, parent AS purchase_order_id, label AS name FROM supplier_order_line;`

const hour = 3_600_000

// A refusal comes from reading or from writing: each engine on either side, not every pair of them.
const refusedInto = { sqlite: 'sqlite', postgres: 'postgres', mysql: 'sqlite' } as const

for (const from of ['sqlite', 'postgres', 'mysql'] as const)
  for (const into of engines)
    describe(`copy from ${from} into ${into}`, { skip: from === 'mysql' && noMariadb }, () => {
      let source: CopySource
      let target: Target
      let copier: ReturnType<typeof makeCopier>
      before(async () => {
        source = await makeSource(from, mariadb)
        target = await makeTarget(into)
        copier = makeCopier(source, target.url)
        await source.script(tables(from))
        copier.write(views(from))
      })
      after(async () => {
        copier.remove()
        await target.remove()
        await source.remove()
      })
      const idOf = async (number: number) =>
        (await target.rows(`SELECT id FROM invoices WHERE number = '${number}'`))[0]?.[0]
      const invoiceTimes = () => target.rows('SELECT number, updated_at FROM invoices ORDER BY number')

      test('a first copy has every row, exact amounts, numbers for text keys, and a journal', async () => {
        const { is_whole, ...result } = await copier.copy()
        assert.equal(is_whole, true)
        assert.deepEqual(countsOf(result), {
          stores: [2, 2, 0, 0],
          products: [2, 2, 0, 0],
          product_stock: [1, 1, 0, 0],
          invoices: [3, 3, 0, 0],
          invoice_lines: [3, 3, 0, 0],
          purchase_orders: [2, 2, 0, 0],
          purchase_order_lines: [3, 3, 0, 0],
        })
        await assertWhole(target)
        await assert.rejects(removeSchema(target.url, { onProgress() {}, remark() {} }), /^Error: This is a copy:/)
        await assertWhole(target)
        assert.deepEqual(
          await target.rows('SELECT code, name, price, active, updated_at FROM products ORDER BY code'),
          [
            ['RIZ', 'Riz', 0.3, 1, '2026-05-01T08:00:00'],
            ['SEL', 'Sel', 12.5, 0, '2026-05-02T08:00:00'],
          ],
        )
        assert.deepEqual(
          await target.rows(
            'SELECT i.number, s.code, i.date, i.status, i.total FROM invoices i LEFT JOIN stores s ON s.id = i.store_id ORDER BY number',
          ),
          [
            ['1', 'PAP', '2026-05-03T10:00:00', 3, 123456789012.34],
            ['2', 'CAP', '2026-05-04T10:00:00', 4, 2.1],
            ['3', null, null, -1, null],
          ],
        )
        assert.deepEqual(
          await target.rows(
            `SELECT i.number, p.code, l.quantity, l.unit_price FROM invoice_lines l JOIN invoices i ON i.id = l.invoice_id
             LEFT JOIN products p ON p.id = l.product_id ORDER BY i.number, p.code`,
          ),
          [
            ['1', 'RIZ', 2, 0.3],
            ['1', 'SEL', 1, 12.5],
            ['2', null, 1, 2.1],
          ],
        )
        assert.deepEqual(
          await target.rows(
            'SELECT p.code AS product, s.code AS store, t.quantity FROM product_stock t JOIN products p ON p.id = t.product_id JOIN stores s ON s.id = t.store_id',
          ),
          [['RIZ', 'PAP', 7.5]],
        )
        assert.deepEqual(
          (await invoiceTimes()).map(([, at]) => at),
          Array.from({ length: 3 }, () => '2026-05-06T08:00:00'),
        )
      })

      test('nothing new: nothing is written', async () => {
        const held = await dumpRelations(target)
        const journal = await target.rows('SELECT count(*) FROM vitrine_journal')
        copier.clock.advance(60_000)
        const result = await copier.copy()
        assert(Object.values(countsOf(result)).every(([, ...changes]) => changes.every((count) => count === 0)))
        copier.clock.advance(2 * hour)
        const again = await copier.copy()
        assert.deepEqual([result.is_whole, again.is_whole], [false, true])
        assert(Object.values(countsOf(again)).every(([, ...changes]) => changes.every((count) => count === 0)))
        assert.deepEqual(await dumpRelations(target), held)
        assert.deepEqual(await target.rows('SELECT count(*) FROM vitrine_journal'), journal)
      })

      test('a changed row, and the record of a changed line, get the time of the copy; others keep theirs', async () => {
        const ids = [await idOf(1), await idOf(2)]
        await source.script(
          `UPDATE sale SET total = 99.99 WHERE no = 2; DELETE FROM sale_line WHERE ticket = 'b-1' AND place = 2`,
        )
        const { relations } = await copier.copy()
        assert.deepEqual(countsOf({ relations })['invoices'], [3, 0, 2, 0])
        // 14:01 in UTC.
        assert.deepEqual(await invoiceTimes(), [
          ['1', '2026-05-06T10:01:00'],
          ['2', '2026-05-06T10:01:00'],
          ['3', '2026-05-06T08:00:00'],
        ])
        assert.deepEqual([await idOf(1), await idOf(2)], ids)
        assert.deepEqual(await target.rows(`SELECT total FROM invoices WHERE number = '2'`), [[99.99]])
      })

      test('a record that is gone and comes back has the number it had', async () => {
        const id = await idOf(2)
        await source.script(`DELETE FROM sale WHERE no = 2`)
        assert.deepEqual(countsOf(await copier.copy())['invoices'], [2, 0, 0, 1])
        await source.script(`INSERT INTO sale (ticket, no) VALUES ('new', 4), ('a-2', 2)`)
        assert.deepEqual(countsOf(await copier.copy())['invoices'], [4, 2, 0, 0])
        assert.equal(await idOf(2), id)
      })

      test('with an updated_at: read from the last one on, with the lines of what is read; the rest in a whole round', async () => {
        await copier.copy()
        await source.script(`
          UPDATE supplier_order SET total = 11, changed = '2026-05-06 09:00:00' WHERE no = 5;
          UPDATE supplier_order_line SET label = 'uno' WHERE no = 51;
          DELETE FROM supplier_order_line WHERE no = 52;
          INSERT INTO supplier_order_line VALUES (53, 5, 'new');
          UPDATE item SET price = 1, changed = '2026-05-06 09:00:00' WHERE code = 'SEL';
          DELETE FROM item WHERE code = 'RIZ'`)
        await source.script(
          `UPDATE supplier_order SET changed = '2026-05-01 00:00:00' WHERE no = 6; DELETE FROM supplier_order_line WHERE no = 61`,
        )
        const quick = await copier.copy()
        assert.deepEqual(
          quick.relations.filter(({ relation }) => /^(products|purchase)/.test(relation)).map(({ how }) => how),
          ['since 2026-05-02 06:50:00', 'since 2026-05-05 07:50:00', 'with purchase_orders'],
        )
        const counts = countsOf(quick)
        assert.deepEqual(counts['products'], [1, 0, 1, 0])
        assert.deepEqual(counts['purchase_orders'], [1, 0, 1, 0])
        assert.deepEqual(counts['purchase_order_lines'], [2, 1, 1, 1])
        const labels = 'SELECT id, name FROM purchase_order_lines ORDER BY id'
        assert.deepEqual(await target.rows(labels), [
          [51, 'uno'],
          [53, 'new'],
          [61, 'three'],
        ])
        copier.clock.advance(2 * hour)
        const all = countsOf(await copier.copy())
        assert.deepEqual(all['products'], [1, 0, 0, 1])
        assert.deepEqual(all['purchase_orders'], [2, 0, 1, 0])
        assert.deepEqual(all['purchase_order_lines'], [2, 0, 0, 1])
      })

      test('children of a record with a text key are read with it', async () => {
        await source.script(`CREATE TABLE quote (ticket varchar(40), total numeric(14, 2), changed ${time[from]}); CREATE TABLE quote_line (place varchar(10), ticket varchar(40), label varchar(9));
          INSERT INTO quote VALUES ('it''s', 1, '2026-05-06 09:30:00'), ('old', 1, '2026-01-01 00:00:00'); INSERT INTO quote_line VALUES ('x', 'it''s', 'a'), ('y', 'old', 'b')`)
        copier.write(`${views(from)}
          CREATE VIEW quotes AS SELECT ticket AS id, total, changed AS updated_at FROM quote;
          CREATE VIEW quote_lines AS SELECT place AS id, ticket AS quote_id, label AS name FROM quote_line`)
        assert.equal((await copier.copy()).is_whole, true, 'other views are compared whole')
        await source.script(`UPDATE quote_line SET label = 'c'`)
        const quick = await copier.copy()
        assert.equal(quick.is_whole, false)
        assert.deepEqual(countsOf(quick)['quote_lines'], [1, 0, 1, 0])
        assert.deepEqual(await target.rows('SELECT name FROM quote_lines ORDER BY name'), [['b'], ['c']])
        copier.write(views(from))
        await copier.copy({ acceptsLoss: true })
      })

      test('as "views print" writes it: a copy without rows', async () => {
        const statements = viewStatements(from, relations, 'shop')
        copier.write(statements.map((statement) => `${statement};\n`).join('\n'))
        const printed = await copier.copy()
        assert.deepEqual(
          printed.relations.map(({ relation, read }) => [relation, read]),
          relations.map(({ name }) => [name, 0]),
        )
        assert.deepEqual(await dumpRelations(target), {})
        copier.write(views(from))
        await copier.copy()
      })

      test('a view that is removed: nothing is copied, until its rows may go', async () => {
        await source.script('CREATE TABLE dept (no integer); INSERT INTO dept VALUES (1)')
        copier.write(`${views(from)}CREATE VIEW departments AS SELECT no AS id FROM dept;`)
        await copier.copy()
        copier.write(views(from))
        await assert.rejects(copier.copy(), /^Error: departments: The copy has 1 row of it, and the file has no view\./)
        assert.deepEqual(countsOf(await copier.copy({ acceptsLoss: true }))['departments'], [0, 0, 0, 1])
        await copier.copy()
      })

      test('a wrong line keeps its document; what is kept out, and a loss, are found by their keys in the source', async () => {
        await source.script(`CREATE TABLE quote2 (ticket varchar(40), label varchar(10), changed ${time[from]});
          CREATE TABLE quote2_line (place varchar(10), ticket varchar(40), qty varchar(9));
          INSERT INTO quote2 VALUES ${Array.from({ length: 12 }, (_, at) => `('it''s ${at}', 'a', '2026-0${at < 9 ? 1 : 5}-01 00:00:00')`).join(', ')};
          INSERT INTO quote2_line VALUES ('x', 'it''s 1', '1'), ('y', 'it''s 1', '2'), ('z', 'it''s 2', '3')`)
        copier.write(`${views(from)}
          CREATE VIEW quotes AS SELECT ticket AS id, label AS number, changed AS updated_at FROM quote2;
          CREATE VIEW quote_lines AS SELECT place AS id, ticket AS quote_id, qty AS quantity FROM quote2_line;`)
        await copier.copy()
        const lines = () => target.rows('SELECT quantity FROM quote_lines ORDER BY quantity')
        await source.script(
          `UPDATE quote2 SET label = 'b'; UPDATE quote2_line SET qty = 'x' WHERE place = 'x'; UPDATE quote2_line SET qty = '9' WHERE place = 'y'`,
        )
        copier.clock.advance(2 * hour)
        assert.deepEqual((await copier.copy()).kept_out, [{ relation: 'quote_lines', rows: 1 }])
        assert.deepEqual(await lines(), [[1], [2], [3]])
        await source.script(`UPDATE quote2_line SET qty = '7' WHERE place = 'x'`)
        const quick = await copier.copy()
        assert.deepEqual([quick.is_whole, quick.kept_out], [false, []])
        assert.deepEqual(await lines(), [[3], [7], [9]])
        assert.deepEqual(await target.rows(`SELECT count(*) FROM quotes WHERE number = 'b'`), [[12]])
        await source.script(`DELETE FROM quote2 WHERE ticket <> 'it''s 3'`)
        copier.clock.advance(2 * hour)
        const { waiting } = await copier.copy()
        assert.deepEqual(
          waiting.map(({ relation, had, has, lost }) => [relation, had, has, lost]),
          [['quotes', 12, 1, 11]],
        )
        copier.write(views(from))
        await copier.copy({ acceptsLoss: true })
      })

      test('an amount that was a decimal and is a whole number is refused, until the view says what it means', async () => {
        await source.script('CREATE TABLE fee (no integer, amount numeric(12, 2)); INSERT INTO fee VALUES (1, 12.5)')
        const fees = (amount: string) =>
          copier.write(`${views(from)}CREATE VIEW vendors AS SELECT no AS id FROM fee;
            CREATE VIEW payments AS SELECT no AS id, ${amount} AS cash FROM fee;`)
        fees('amount')
        await copier.copy()
        await source.script('DROP TABLE fee')
        await source.script('CREATE TABLE fee (no integer, amount integer); INSERT INTO fee VALUES (1, 1250)')
        await assert.rejects(copier.copy(), /^Error: payments: cash: It had decimals, and is a whole number/)
        assert.deepEqual(await target.rows('SELECT cash FROM payments'), [[12.5]])
        fees('amount / 100.0')
        await copier.copy()
        assert.deepEqual(await target.rows('SELECT cash FROM payments'), [[12.5]])
        copier.write(views(from))
        await copier.copy({ acceptsLoss: true })
      })

      test('two copies at once: the second is refused', async () => {
        const refused = () => assert.rejects(copier.copy(), { message: /^Another .*copy.*; wait for its end\.$/ })
        if (target.url.kind === 'sqlite') await withCopyLock(target.url, refused)
        else await withPlace(target.url, { isDryRun: false, signal: new AbortController().signal }, refused)
        await assert.doesNotReject(copier.copy())
      })

      test('a plan names all that is wrong, whatever the source refuses', async () => {
        const plan = () =>
          planCopy({
            from: source.url,
            views: copier.viewsFile,
            timeZone: mariadbZone,
            timeoutMs: 60_000,
            signal: new AbortController().signal,
          })
        assert.deepEqual(
          new Map((await plan()).map(({ relation, how }) => [relation, how])),
          new Map([
            ['stores', 'whole'],
            ['products', 'from the last updated_at on'],
            ['product_stock', 'whole'],
            ['invoices', 'whole'],
            ['invoice_lines', 'whole'],
            ['purchase_orders', 'from the last updated_at on'],
            ['purchase_order_lines', 'with purchase_orders'],
          ]),
        )
        copier.write(`
          CREATE VIEW stores AS SELECT kode AS id FROM shop;
          CREATE VIEW departments AS SELECT label AS name FROM shop;
          CREATE VIEW vendors AS SELECT code AS id, label AS nam FROM shop;
          CREATE VIEW product_stock AS SELECT item AS product_id, NULL AS store_id FROM stock;
          CREATE VIEW quotes AS SELECT id FROM nowhere;`)
        const message = await plan().then(
          () => '',
          (error: Error) => error.message,
        )
        const says = [
          /^stores: The SELECT failed: .*kode.*\.$/m,
          /^departments: id: The column is not there; expected the key of the relation\.$/m,
          /^vendors: nam: vendors has no such column; did you mean name\?$/m,
          /^product_stock: store_id: A row has none; expected one in every row\.$/m,
          /^quotes: The SELECT failed: .*nowhere.*\.$/m,
        ]
        for (const sentence of says) assert.match(message, sentence)
        assert.equal(message.split('\n').length, says.length, message)
        copier.write(views(from))
      })

      if (into !== refusedInto[from]) return
      describe('what goes wrong changes nothing', () => {
        const refusals: readonly { name: string; script?: string; undo?: string; view?: string; says: RegExp }[] = [
          {
            name: 'invalid values, all of them',
            view: `CREATE VIEW products AS SELECT code AS id, 'x' AS price, 'y' AS created_at FROM item`,
            says: /products:1: price: Expected a number.*found "x"\. In the row with id SEL\.\nproducts:1: created_at: Expected a time/,
          },
          {
            name: 'a key twice',
            view: `CREATE VIEW stores AS SELECT CAST('twice' AS char(5)) AS id, code FROM shop`,
            says: /stores:2: id: twice is the key of another row, too/,
          },
          {
            name: 'a column that the contract does not have',
            view: `CREATE VIEW stores AS SELECT code AS id, label AS nam FROM shop`,
            says: /stores: nam: .*did you mean name\?/,
          },
          {
            name: 'many columns that the contract does not have: the list of its columns once',
            view: `CREATE VIEW stores AS SELECT code AS id, 1 AS xxxxxxxxxxx, 2 AS yyyyyyyyyyy FROM shop`,
            says: /^stores: xxxxxxxxxxx, yyyyyyyyyyy: stores has no such column; expected id, .*\.$/,
          },
          {
            name: 'keys that are no numbers of ours, with what helps',
            view: `CREATE VIEW departments AS SELECT 0 AS id; CREATE VIEW vendors AS SELECT -5 AS id`,
            says: /departments:1: id: .*CAST\(id AS CHAR\) AS id.*\nvendors:1: id: .*found "?-5.*CAST\(id AS CHAR\)/,
          },
          {
            name: 'a SELECT without the key',
            view: `CREATE VIEW stores AS SELECT label AS name FROM shop`,
            says: /stores: id: The column is not there; expected the key/,
          },
          {
            name: 'a column that the source does not have',
            view: `CREATE VIEW stores AS SELECT kode AS id FROM shop`,
            says: /^stores: The SELECT failed: .*kode.*\.$/,
          },
          {
            name: 'SELECTs that the source refuses, all of them, and other faults with them',
            view: `CREATE VIEW stores AS SELECT kode AS id FROM shop; CREATE VIEW departments AS SELECT id FROM nowhere;
              CREATE VIEW vendors AS SELECT code AS nam FROM shop`,
            says: /^stores: The SELECT failed: .*kode.*\ndepartments: The SELECT failed: .*nowhere.*\nvendors: nam: .*\nvendors: id: /,
          },
          {
            name: 'a statement that is no view',
            view: `DELETE FROM shop`,
            says: /is not a CREATE VIEW/,
          },
          {
            name: 'a schema that changes under it',
            script: 'ALTER TABLE sale RENAME TO sold',
            undo: 'ALTER TABLE sold RENAME TO sale',
            says: /^invoices: The SELECT failed: .*sale.*\.$/,
          },
        ]
        for (const { name, script, undo, view, says } of refusals)
          test(name, async () => {
            const held = await dumpRelations(target)
            if (script !== undefined) await source.script(script)
            await source.script(`UPDATE sale_line SET qty = qty + 1`)
            copier.write(
              view === undefined
                ? views(from)
                : `${views(from).replace(/CREATE VIEW (stores|products) AS[^;]*;/g, (text) => (view.includes(text.slice(0, 20)) ? '' : text))}${view};`,
            )
            await assert.rejects(copier.copy({ mostKeptOut: 0 }), { message: says })
            assert.deepEqual(await dumpRelations(target), held)
            if (undo !== undefined) await source.script(undo)
            copier.write(views(from))
            assert.equal(countsOf(await copier.copy())['invoice_lines']?.[2], held['invoice_lines']?.length)
          })
      })
    })
