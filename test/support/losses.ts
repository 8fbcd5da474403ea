// Tests of sources that shrank, for copies of either engine: a relation that would lose most of its rows keeps them, with its family,
// while the others go on, until the loss is accepted, or has lasted.
import assert from 'node:assert/strict'
import { after, beforeEach, describe, test } from 'node:test'
import { readCopyState } from '../../src/operate/copy/run.ts'
import { countsOf, makeCopier, makeSource, type CopySource } from './copied.ts'
import { dumpRelations, makeTarget, type Target } from './imported.ts'

const minute = 60_000

const numbers = (count: number) => `WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < ${count})`

const tables = `
  CREATE TABLE item (code integer, price);
  CREATE TABLE stock (item integer, shop integer, qty);
  CREATE TABLE sale (no integer, total, changed text);
  CREATE TABLE old_sale (no integer, total, changed text);
  CREATE TABLE line (no integer, sale integer);
  CREATE TABLE dept (no integer, label text);
  INSERT INTO dept VALUES (1, 'one');
  ${numbers(40)} INSERT INTO item SELECT i, i FROM n; INSERT INTO stock SELECT code, 1, 5 FROM item;
  INSERT INTO sale SELECT code, code, '2026-05-06 07:00:00' FROM item; INSERT INTO line SELECT code, code FROM item;`

const views = (changed = '') => `
  CREATE VIEW departments AS SELECT no AS id, label AS name FROM dept;
  CREATE VIEW products AS SELECT code AS id, price FROM item;
  CREATE VIEW product_stock AS SELECT item AS product_id, shop AS store_id, qty AS quantity FROM stock;
  CREATE VIEW invoices AS SELECT no AS id, total${changed} FROM sale;
  CREATE VIEW invoices_archive AS SELECT no AS id, total${changed} FROM old_sale;
  CREATE VIEW invoice_lines AS SELECT no AS id, sale AS invoice_id FROM line;`

export function describeLosses(into: Target['engine']): void {
  describe(`a source that shrank, copied into ${into}`, () => {
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
    const rowsIn = async (relation: string) => Number((await target.rows(`SELECT count(*) FROM ${relation}`))[0]?.[0])
    const waitingIn = ({ waiting }: Awaited<ReturnType<typeof copier.copy>>) =>
      waiting.map(({ relation, had, has, lost }) => [relation, had, has, lost].join(' '))
    const marks = () =>
      target.rows(`SELECT value FROM vitrine_copy_marks WHERE name = 'invoices' AND value LIKE '2026%'`)
    const rename = () => source.script(`UPDATE dept SET label = label || '+'`)

    test('more than half: it keeps its rows and the others go on; back in order, it goes on by itself', async () => {
      await source.script(
        `CREATE TABLE kept AS SELECT * FROM item; DELETE FROM item WHERE code > 19; UPDATE item SET price = 0`,
      )
      await rename()
      const round = await copier.copy()
      assert.deepEqual(waitingIn(round), ['products 40 19 21'])
      assert.deepEqual(await target.rows('SELECT name FROM departments'), [['one+']])
      assert.deepEqual(await target.rows('SELECT count(*), min(price) FROM products'), [[40, 1]])
      assert.deepEqual(Object.keys(countsOf(round)), ['departments', 'invoices', 'invoices_archive', 'invoice_lines'])
      await source.script(`DELETE FROM item; INSERT INTO item SELECT * FROM kept; UPDATE item SET price = 2`)
      assert.deepEqual(waitingIn(await copier.copy()), [])
      assert.deepEqual(await target.rows('SELECT count(*), min(price) FROM products'), [[40, 2]])
      assert.deepEqual((await readCopyState(target.url)).waiting, [])
    })

    test('half of its rows, or all of fewer than ten, are deleted at once', async () => {
      await source.script('DELETE FROM item WHERE code > 20')
      const first = await copier.copy()
      assert.deepEqual([waitingIn(first), countsOf(first)['products']], [[], [20, 0, 0, 20]])
      await source.script('DELETE FROM item WHERE code > 10')
      await copier.copy()
      await source.script('DELETE FROM item WHERE code > 9')
      await copier.copy()
      await source.script('DELETE FROM item')
      assert.deepEqual([waitingIn(await copier.copy()), await rowsIn('products')], [[], 0])
    })

    test('all of ten wait, and are deleted where that is accepted', async () => {
      await source.script('DELETE FROM item WHERE code > 20')
      await copier.copy()
      await source.script('DELETE FROM item WHERE code > 10')
      await copier.copy()
      await source.script('DELETE FROM item')
      assert.deepEqual(waitingIn(await copier.copy()), ['products 10 0 10'])
      assert.equal(await rowsIn('products'), 10)
      assert.deepEqual(waitingIn(await copier.copy({ acceptsLoss: true })), [])
      assert.equal(await rowsIn('products'), 0)
    })

    test('all ids are other ones: that is a loss, too', async () => {
      await source.script('UPDATE item SET code = code + 100')
      assert.deepEqual(waitingIn(await copier.copy()), ['products 40 40 40'])
    })

    for (const [what, script] of [
      ['lines', 'DELETE FROM line WHERE no > 10'],
      ['documents', 'DELETE FROM sale WHERE no > 10'],
    ] as const)
      test(`${what} shrink: documents, their lines and their archive wait together`, async () => {
        const before = await dumpRelations(target)
        await source.script(
          `UPDATE sale SET total = 99; UPDATE line SET sale = 1 WHERE no = 2; INSERT INTO old_sale VALUES (500, 1, NULL); ${script}`,
        )
        assert.equal(waitingIn(await copier.copy()).length, 1)
        assert.deepEqual(await dumpRelations(target), before)
      })

    test('products wait with their stock; stock waits alone', async () => {
      await source.script('DELETE FROM stock; UPDATE item SET price = 7')
      assert.deepEqual(waitingIn(await copier.copy()), ['product_stock 40 0 40'])
      assert.deepEqual(await target.rows('SELECT DISTINCT price FROM products'), [[7]])
      await source.script('INSERT INTO stock SELECT code, 1, 8 FROM item; DELETE FROM item')
      assert.deepEqual(waitingIn(await copier.copy()), ['products 40 0 40'])
      assert.deepEqual(await target.rows('SELECT DISTINCT quantity FROM product_stock'), [[5]])
    })

    test('documents that move to the archive are not lost', async () => {
      await source.script('INSERT INTO old_sale SELECT * FROM sale; DELETE FROM sale')
      assert.deepEqual(waitingIn(await copier.copy()), [])
      assert.deepEqual([await rowsIn('invoices'), await rowsIn('invoices_archive')], [0, 40])
    })

    test('fewer than 1,000 rows: accepted when three rounds and an hour have said the same', async () => {
      const { clock } = copier
      await source.script('DELETE FROM item WHERE code > 5')
      const waits = async () => waitingIn(await copier.copy()).length > 0
      assert.equal(await waits(), true)
      clock.advance(59 * minute)
      assert.equal(await waits(), true)
      // Still being restored: it begins anew.
      await source.script('INSERT INTO item VALUES (6, 6)')
      assert.equal(await waits(), true)
      clock.advance(30 * minute)
      // A new row is no change of what is lost.
      await source.script('INSERT INTO item VALUES (1000, 1)')
      assert.equal(await waits(), true)
      clock.advance(29 * minute)
      assert.equal(await waits(), true)
      clock.advance(minute)
      assert.equal(await waits(), false)
      assert.equal(await rowsIn('products'), 7)
    })

    test('an hour in which there were two rounds is not enough, and a large relation waits for ever', async () => {
      await source.script(
        `DELETE FROM item WHERE code > 5; ${numbers(1000)} INSERT INTO old_sale SELECT i + 1000, 1, NULL FROM n`,
      )
      copier.clock.advance(1)
      await copier.copy()
      await source.script('DELETE FROM old_sale')
      copier.clock.advance(61 * minute)
      assert.deepEqual(waitingIn(await copier.copy()), ['products 40 5 35', 'invoices_archive 1000 0 1000'])
      for (let round = 0; round < 4; round++) {
        copier.clock.advance(61 * minute)
        await copier.copy()
      }
      assert.deepEqual([await rowsIn('products'), await rowsIn('invoices_archive')], [5, 1000])
    })

    test('a clock that is put back begins the hour anew', async () => {
      await source.script('DELETE FROM item')
      await copier.copy()
      copier.clock.advance(-120 * minute)
      await copier.copy()
      copier.clock.advance(minute)
      assert.equal(waitingIn(await copier.copy()).length, 1)
      copier.clock.advance(60 * minute)
      assert.equal(waitingIn(await copier.copy()).length, 0)
    })

    test('read by updated_at: the mark of a relation that waits stays, and it is read whole until it goes on', async () => {
      copier.write(views(', changed AS updated_at'))
      await copier.copy()
      assert.deepEqual(await marks(), [['2026-05-06T07:00:00']])
      copier.clock.advance(61 * minute)
      await source.script(
        `CREATE TABLE kept AS SELECT * FROM sale; DELETE FROM sale; INSERT INTO sale VALUES (900, 1, '2026-05-06 08:30:00')`,
      )
      assert.deepEqual(waitingIn(await copier.copy()), ['invoices 40 1 40'])
      assert.deepEqual(await marks(), [['2026-05-06T07:00:00']])
      copier.clock.advance(minute)
      const second = await copier.copy()
      assert.deepEqual([second.is_whole, waitingIn(second)], [false, ['invoices 40 1 40']])
      await source.script('INSERT INTO sale SELECT * FROM kept')
      copier.clock.advance(minute)
      const third = await copier.copy()
      assert.deepEqual(countsOf(third)['invoices'], [41, 1, 0, 0])
      assert.deepEqual(await marks(), [['2026-05-06T08:30:00']])
    })

    test('a view that is removed from the file is refused, until its rows may go', async () => {
      copier.write(views().replace(/CREATE VIEW departments[^;]*;/, ''))
      await assert.rejects(copier.copy(), {
        message:
          'departments: The copy has 1 row of it, and the file has no view. Put the view back; if the rows are to go, ' +
          '"vitrine copy --accept-loss" deletes them.',
      })
      assert.equal(await rowsIn('departments'), 1)
      assert.deepEqual(countsOf(await copier.copy({ acceptsLoss: true }))['departments'], [0, 0, 0, 1])
      assert.equal('departments' in countsOf(await copier.copy()), false)
    })
  })
}
