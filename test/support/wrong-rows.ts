// Tests of wrong rows for copies of either engine. They out of a copy: their records keep their last good state, documents with all of their lines, and come in
// by themselves when they are in order. Beyond a bound, and in a first copy, a round is refused.
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { readCopyState } from '../../src/operate/copy/run.ts'
import { makeCopier, makeSource, type CopySource } from './copied.ts'
import { dumpRelations, makeTarget, type Target } from './imported.ts'

const hour = 3_600_000

// SQLite stores any value in a column.
const tables = `
  CREATE TABLE item (code text, label text, price);
  CREATE TABLE stock (item text, shop integer, qty);
  CREATE TABLE sale (no, total, changed text);
  CREATE TABLE old_sale (no, total, changed text);
  CREATE TABLE line (no, sale, label text, qty);
  CREATE TABLE old_line (no, sale, label text, qty);
  CREATE TABLE payment (no, sale, cash);
  INSERT INTO item VALUES ('RIZ', 'Rice', 2), ('SEL', 'Salt', 1);
  INSERT INTO stock VALUES ('RIZ', 1, 5), ('SEL', 1, 6);
  INSERT INTO sale VALUES (1, 10, '2026-01-01 10:00:00'), (2, 20, '2026-05-06 07:00:00');
  INSERT INTO line VALUES (11, 1, 'a', 1), (12, 1, 'b', 1), (21, 2, 'c', 1), (22, 2, 'd', 1);
  INSERT INTO payment VALUES (1, 1, 10), (2, 2, 20);`

const views = (changed = '') => `
  CREATE VIEW products AS SELECT code AS id, label AS name, price FROM item;
  CREATE VIEW product_stock AS SELECT item AS product_id, shop AS store_id, qty AS quantity FROM stock;
  CREATE VIEW invoices AS SELECT no AS id, total${changed} FROM sale;
  CREATE VIEW invoices_archive AS SELECT no AS id, total${changed} FROM old_sale;
  CREATE VIEW invoice_lines AS SELECT no AS id, sale AS invoice_id, label AS name, qty AS quantity FROM line;
  CREATE VIEW invoice_lines_archive AS SELECT no AS id, sale AS invoice_id, label AS name, qty AS quantity FROM old_line;
  CREATE VIEW invoice_payments AS SELECT no AS id, sale AS invoice_id, cash FROM payment;`

export function describeWrongRows(into: Target['engine']): void {
  describe(`wrong rows, copied into ${into}`, () => {
    let source: CopySource
    let target: Target
    let copier: ReturnType<typeof makeCopier>
    const remove = async () => {
      copier?.remove()
      await target?.remove()
      await source?.remove()
    }
    beforeEach(async () => {
      await remove()
      source = await makeSource('sqlite')
      target = await makeTarget(into)
      copier = makeCopier(source, target.url)
      await source.script(tables)
      copier.write(views())
      await copier.copy()
    })
    after(remove)
    const invoices = () => target.rows('SELECT id, total FROM invoices ORDER BY id')
    const lines = () => target.rows('SELECT id, invoice_id, name, quantity FROM invoice_lines ORDER BY id')
    const faults = async () =>
      (await readCopyState(target.url)).keptOut.map(({ relation, key, records, message }) =>
        [relation, key, records.join(' and ') || 'unknown', message].join(' | '),
      )
    const later = (ms = 60_000) => copier.clock.advance(ms)

    test('a wrong record keeps its last good state, with its lines and payments, and the others go on', async () => {
      await source.script(`UPDATE sale SET total = 'much' WHERE no = 1; UPDATE sale SET total = 21 WHERE no = 2;
        DELETE FROM line WHERE no = 11; INSERT INTO line VALUES (13, 1, 'new', 1); UPDATE payment SET cash = cash + 1;
        UPDATE item SET price = 3; UPDATE line SET qty = 2 WHERE no = 21`)
      const { kept_out } = await copier.copy()
      assert.deepEqual(kept_out, [{ relation: 'invoices', rows: 1 }])
      assert.deepEqual(await invoices(), [
        [1, 10],
        [2, 21],
      ])
      assert.deepEqual(await lines(), [
        [11, 1, 'a', 1],
        [12, 1, 'b', 1],
        [21, 2, 'c', 2],
        [22, 2, 'd', 1],
      ])
      assert.deepEqual(await target.rows('SELECT cash FROM invoice_payments ORDER BY id'), [[10], [21]])
      assert.deepEqual(await target.rows('SELECT DISTINCT price FROM products'), [[3]])
      assert.deepEqual(await faults(), [
        'invoices | 1 | 1 | total: Expected a number with a decimal point, such as 12.50; found "much".',
      ])
      await source.script(`UPDATE sale SET total = 11 WHERE no = 1`)
      assert.deepEqual((await copier.copy()).kept_out, [])
      assert.deepEqual(await invoices(), [
        [1, 11],
        [2, 21],
      ])
      assert.deepEqual(
        (await lines()).map(([id]) => id),
        [12, 13, 21, 22],
      )
      assert.deepEqual(await faults(), [])
    })

    test('a wrong line or payment keeps the whole document; one never seen before stays out whole', async () => {
      await source.script(`UPDATE sale SET total = total + 1; UPDATE line SET qty = 'x' WHERE no = 11; UPDATE line SET qty = 9 WHERE no = 12;
        UPDATE payment SET cash = 'x' WHERE sale = 2; INSERT INTO sale VALUES (3, 30, NULL);
        INSERT INTO line VALUES (31, 3, 'e', 1), (32, 3, 'f', 'x'); INSERT INTO payment VALUES (3, 3, 30)`)
      const held = await dumpRelations(target)
      assert.deepEqual((await copier.copy()).kept_out, [
        { relation: 'invoice_lines', rows: 2 },
        { relation: 'invoice_payments', rows: 1 },
      ])
      assert.deepEqual(await dumpRelations(target), held)
      await source.script(`UPDATE line SET qty = 1; UPDATE payment SET cash = 1`)
      await copier.copy()
      assert.deepEqual(await invoices(), [
        [1, 11],
        [2, 21],
        [3, 30],
      ])
      assert.equal((await lines()).length, 6)
    })

    test('a document that moves to the archive with a wrong line stays where it was', async () => {
      await source.script(`INSERT INTO old_sale SELECT * FROM sale WHERE no = 1; DELETE FROM sale WHERE no = 1;
        INSERT INTO old_line SELECT no, sale, label, CASE no WHEN 11 THEN 'x' ELSE 7 END FROM line WHERE sale = 1; DELETE FROM line WHERE sale = 1`)
      const held = await dumpRelations(target)
      await copier.copy()
      assert.deepEqual(await dumpRelations(target), held)
      await source.script(`UPDATE old_line SET qty = 7`)
      await copier.copy()
      assert.deepEqual(await target.rows('SELECT id FROM invoices_archive'), [[1]])
      assert.deepEqual(await target.rows('SELECT id, quantity FROM invoice_lines_archive ORDER BY id'), [
        [11, 7],
        [12, 7],
      ])
      assert.deepEqual(await invoices(), [[2, 20]])
    })

    test('a line that moves away from a document that is kept: both documents keep their lines', async () => {
      await source.script(
        `UPDATE sale SET total = 'x' WHERE no = 1; UPDATE sale SET total = 99 WHERE no = 2; UPDATE line SET sale = 2 WHERE no = 12`,
      )
      const held = await dumpRelations(target)
      await copier.copy()
      assert.deepEqual(await dumpRelations(target), held)
    })

    test('a key that occurs twice: the record keeps its state, a line its document', async () => {
      await source.script(`UPDATE item SET label = 'Other', price = 8; INSERT INTO item VALUES ('RIZ', 'Again', 3);
        UPDATE line SET qty = 5; INSERT INTO line VALUES (11, 2, 'again', 1)`)
      assert.deepEqual((await copier.copy()).kept_out, [
        { relation: 'products', rows: 1 },
        { relation: 'invoice_lines', rows: 1 },
      ])
      assert.deepEqual(await target.rows('SELECT name, price FROM products ORDER BY price'), [
        ['Rice', 2],
        ['Other', 8],
      ])
      assert.deepEqual(
        (await lines()).map((row) => row[3]),
        [1, 1, 1, 1],
      )
      assert((await faults())[0]?.includes('RIZ is the key of another row, too; expected each key once.'))
    })

    test('prices and stock are kept out alone; a wrong product keeps none of them', async () => {
      await source.script(`UPDATE stock SET qty = 'x' WHERE item = 'RIZ'; UPDATE stock SET qty = 60 WHERE item = 'SEL';
        UPDATE item SET price = 'x' WHERE code = 'SEL'; UPDATE item SET price = 9 WHERE code = 'RIZ'`)
      await copier.copy()
      assert.deepEqual(await target.rows('SELECT quantity FROM product_stock ORDER BY quantity'), [[5], [60]])
      assert.deepEqual(await target.rows('SELECT price FROM products ORDER BY price'), [[1], [9]])
    })

    test('a key that cannot be read names no record: the row stays out, and what is gone is gone', async () => {
      await source.script(
        `UPDATE sale SET no = -1 WHERE no = 2; UPDATE line SET no = NULL, qty = 8 WHERE no = 11; UPDATE line SET qty = 8 WHERE no = 12`,
      )
      assert.deepEqual((await copier.copy()).kept_out, [
        { relation: 'invoices', rows: 1 },
        { relation: 'invoice_lines', rows: 1 },
      ])
      assert.deepEqual(await invoices(), [[1, 10]])
      assert.deepEqual(
        (await lines()).filter(([, invoice]) => invoice === 1),
        [
          [11, 1, 'a', 1],
          [12, 1, 'b', 1],
        ],
      )
      assert.deepEqual(
        (await faults()).map((fault) => fault.split(' | ').slice(0, 3).join(' ')),
        ['invoices -1 unknown', 'invoice_lines  1'],
      )
    })

    test('a line whose document cannot be read keeps the document that it has in the copy', async () => {
      await source.script(`UPDATE line SET sale = 'none' WHERE no = 11; UPDATE line SET qty = 8 WHERE no = 12`)
      const held = await dumpRelations(target)
      await copier.copy()
      assert.deepEqual(await dumpRelations(target), held)
    })

    test('a wrong record that vanishes is gone, as any other', async () => {
      await source.script(`UPDATE sale SET total = 'x' WHERE no = 1`)
      await copier.copy()
      await source.script(`DELETE FROM sale WHERE no = 1; DELETE FROM line WHERE sale = 1`)
      assert.deepEqual((await copier.copy()).kept_out, [])
      assert.deepEqual(await invoices(), [[2, 20]])
      assert.equal((await lines()).length, 2)
    })

    test('read by updated_at: kept-out records are read again each round, whatever their time', async () => {
      copier.write(views(', changed AS updated_at'))
      await source.script(`UPDATE sale SET total = 'x' WHERE no = 1; UPDATE line SET qty = 'x' WHERE no = 21`)
      assert.equal((await copier.copy()).is_whole, true)
      // The newest row is a week older than the next one.
      await source.script(`INSERT INTO sale VALUES (4, 40, '2026-05-06 07:30:00')`)
      later()
      const quick = await copier.copy()
      assert.deepEqual([quick.is_whole, quick.kept_out.map(({ rows }) => rows)], [false, [1, 1]])
      assert.match(quick.relations.find(({ relation }) => relation === 'invoices')?.how ?? '', /^since /)
      await source.script(`UPDATE sale SET total = 11 WHERE no = 1`)
      later()
      assert.deepEqual((await copier.copy()).kept_out, [{ relation: 'invoice_lines', rows: 1 }])
      assert.deepEqual(await invoices(), [
        [1, 11],
        [2, 20],
        [4, 40],
      ])
      await source.script(`UPDATE line SET qty = 3 WHERE no = 21`)
      later()
      const { kept_out, is_whole } = await copier.copy()
      assert.deepEqual([kept_out, is_whole], [[], false])
      assert.deepEqual(
        (await lines()).map((row) => row[3]),
        [1, 1, 3, 1],
      )
    })

    test('read by updated_at: a row that cannot be found again is told until the next whole round', async () => {
      copier.write(views(', changed AS updated_at'))
      await source.script(`INSERT INTO sale VALUES (NULL, 5, '2026-01-01 00:00:00')`)
      assert.deepEqual((await copier.copy()).kept_out, [{ relation: 'invoices', rows: 1 }])
      await source.script(`DELETE FROM sale WHERE no IS NULL`)
      later()
      assert.deepEqual((await copier.copy()).kept_out, [{ relation: 'invoices', rows: 1 }])
      later(hour)
      assert.deepEqual((await copier.copy()).kept_out, [])
    })

    test('the bound: ten rows, or one in a thousand, and what is set; beyond it nothing is copied', async () => {
      const fill = (count: number) =>
        source.script(`DELETE FROM item; WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})
          INSERT INTO item SELECT printf('%05d', i), 'Item', 1 FROM n`)
      const wrong = (count: number) =>
        source.script(
          `UPDATE item SET price = 1; UPDATE item SET price = 'x' WHERE rowid IN (SELECT rowid FROM item LIMIT ${count})`,
        )
      await fill(12_000)
      await copier.copy()
      await wrong(12)
      assert.deepEqual((await copier.copy()).kept_out, [{ relation: 'products', rows: 12 }])
      await source.script(`UPDATE sale SET total = 77`)
      await wrong(13)
      await assert.rejects(copier.copy(), /13 rows are wrong; at most 12 would be kept out, and the others copied\.$/)
      await wrong(3)
      await assert.rejects(copier.copy({ mostKeptOut: 2 }), /3 rows are wrong; at most 2 would be kept out/)
      await assert.rejects(
        copier.copy({ mostKeptOut: 0 }),
        /price: Expected a number.*found "x"\. In the row with id 00001\.\nproducts/,
      )
      assert.deepEqual(await invoices(), [
        [1, 10],
        [2, 20],
      ])
      assert.deepEqual((await copier.copy()).kept_out, [{ relation: 'products', rows: 3 }])
    })

    test('in a first copy, and in that of a relation, every fault is shown and nothing is kept out', async () => {
      copier.write(`${views()} CREATE VIEW stores AS SELECT 1 AS id, 'x' AS is_headquarters`)
      await assert.rejects(copier.copy(), /^Error: stores:1: is_headquarters: Expected 0, 1/)
      assert.deepEqual(await faults(), [])
    })
  })
}
