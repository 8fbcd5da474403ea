// What a copy does about a source that is wrong: rows that the checks refuse, relations that lost most of their rows, and amounts whose
// type has changed. (Copies in PostgreSQL: test/commands/copy-kept-out.slow.test.ts.)
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { makeCopier, makeSource, type CopySource } from '../../support/copied.ts'
import { makeTarget, type Target } from '../../support/imported.ts'
import { describeLosses } from '../../support/losses.ts'
import { describeWrongRows } from '../../support/wrong-rows.ts'

describeWrongRows('sqlite')
describeLosses('sqlite')

describe('an amount of a source', () => {
  let source: CopySource
  let target: Target
  let copier: ReturnType<typeof makeCopier>
  before(async () => {
    source = await makeSource('sqlite')
    target = await makeTarget('sqlite')
    copier = makeCopier(source, target.url)
  })
  after(async () => {
    copier.remove()
    await target.remove()
    await source.remove()
  })

  test('that was a decimal and is an integer is refused, until the view says what it means', async () => {
    await source.script(`CREATE TABLE item (id integer, price decimal(10, 2)); INSERT INTO item VALUES (1, 12.5)`)
    copier.write('CREATE VIEW products AS SELECT id, price FROM item')
    await copier.copy()
    await source.script(
      `DROP TABLE item; CREATE TABLE item (id integer, price integer); INSERT INTO item VALUES (1, 1250)`,
    )
    await assert.rejects(copier.copy(), {
      message:
        'products: price: It had decimals, and is a whole number in the source now. Say in the view what it means: ' +
        'CAST(… AS decimal(20, 6)) AS price if amounts are as before, and divided by 100 if it counts cents now.',
    })
    assert.deepEqual(await target.rows('SELECT price FROM products'), [[12.5]])
    copier.write('CREATE VIEW products AS SELECT id, price / 100.0 AS price FROM item')
    await copier.copy()
    assert.deepEqual(await target.rows('SELECT price FROM products'), [[12.5]])
  })

  test('that is a double and not exact to the unit is refused', async () => {
    await source.script(
      `DROP TABLE item; CREATE TABLE item (id integer, price real); INSERT INTO item VALUES (1, 9007199254740992.0)`,
    )
    copier.write('CREATE VIEW products AS SELECT id, price FROM item')
    await assert.rejects(
      copier.copy({ mostKeptOut: 0 }),
      /as a floating-point number below 9,007,199,254,740,992; found "9007199254740992"/,
    )
    assert.equal((await copier.copy()).kept_out.length, 1)
    await source.script('UPDATE item SET price = 9007199254740991.0')
    assert.deepEqual((await copier.copy()).kept_out, [])
  })
})
