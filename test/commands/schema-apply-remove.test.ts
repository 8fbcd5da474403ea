// `schema apply` and `schema remove` on both engines: what they make and take away, and that nothing else of the database changes.
import assert from 'node:assert/strict'
import { after, describe, test } from 'node:test'
import { setTimeout as wait } from 'node:timers/promises'
import { relations } from '../../src/contract/relations.ts'
import { postgresSchema } from '../../src/sql/postgres-schema.ts'
import { indexStatements, tableStatements } from '../../src/sql/schema.ts'
import { sqliteSchema } from '../../src/sql/sqlite-schema.ts'
import { checkDatabase } from '../../src/operate/check/check.ts'
import { applySchema, removeSchema } from '../../src/operate/schema/apply.ts'
import { noon } from '../support/check-worlds.ts'
import { engines, makeTarget, type Target } from '../support/imported.ts'

const targets: Target[] = []
after(() => Promise.all(targets.map((target) => target.remove())))

const newTarget = async (engine: Target['engine']) => {
  const target = await makeTarget(engine)
  targets.push(target)
  return target
}

/** What was announced, which is also the result, and what was remarked. */
async function changed(change: typeof applySchema, { url }: Target, journalRows?: number) {
  const [announced, remarks]: [string[], string[]] = [[], []]
  const { steps } = await change(url, {
    onProgress() {},
    announce: (step) => announced.push(step),
    remark: (text) => remarks.push(text),
    journalRows,
  })
  assert.deepEqual(announced, steps)
  return { steps, remarks }
}
const apply = (target: Target, journalRows?: number) => changed(applySchema, target, journalRows)
const remove = (target: Target) => changed(removeSchema, target)

/** Every object of the database, as its catalogue describes it. */
const describeAll = (target: Target) =>
  target.rows(
    target.engine === 'sqlite'
      ? 'SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name'
      : `WITH here AS (SELECT oid, relname, relkind, relacl, relrowsecurity FROM pg_class WHERE relnamespace = 'public'::regnamespace)
         SELECT relkind::text, relname::text, concat_ws(' ', relacl, relrowsecurity, pg_get_indexdef(CASE WHEN relkind = 'i' THEN oid END)) FROM here
         UNION ALL SELECT 'column', relname::text, concat_ws(' ', attnum, attname, format_type(atttypid, atttypmod), attnotnull)
           FROM here JOIN pg_attribute ON attrelid = oid WHERE attnum > 0
         UNION ALL SELECT 'trigger', tgname::text, concat_ws(' ', tgenabled, pg_get_triggerdef(t.oid)) FROM here JOIN pg_trigger t ON tgrelid = here.oid
         UNION ALL SELECT 'function', proname::text, pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = 'public'::regnamespace AND prolang <> 13
         UNION ALL SELECT 'extension', extname::text, '' FROM pg_extension
         ORDER BY 1, 2, 3`,
  )

const schemas = { sqlite: sqliteSchema, postgres: postgresSchema }

// Objects of a POS.
const foreign = {
  sqlite: `
    CREATE TABLE tills (id INTEGER PRIMARY KEY, notes TEXT); INSERT INTO tills VALUES (1, 'Ana');
    CREATE INDEX tills_by_notes ON tills (notes);
    CREATE INDEX payments_by_clerk ON payments (notes);
    CREATE TRIGGER vendors_update AFTER UPDATE ON vendors BEGIN UPDATE tills SET notes = 'x'; END;`,
  postgres: `
    CREATE TABLE tills (id bigint PRIMARY KEY, notes text); INSERT INTO tills VALUES (1, 'Ana');
    CREATE INDEX tills_by_notes ON tills (notes);
    CREATE INDEX payments_by_clerk ON payments (notes);
    CREATE FUNCTION vendors_update() RETURNS trigger LANGUAGE plpgsql AS $$BEGIN RETURN NULL; END$$;
    CREATE TRIGGER vendors_update AFTER UPDATE ON vendors FOR EACH ROW EXECUTE FUNCTION vendors_update();`,
}

async function checkJournal({ url }: Target): Promise<string[]> {
  const settings = { databaseUrl: url, timeZone: 'UTC', currencies: ['USD', 'HTG'], statementTimeoutMs: 5000 }
  const { findings } = await checkDatabase({ settings, clock: { now: () => noon }, scope: 'quick' })
  return findings.filter(({ code }) => code === 'journal_missing').map(({ message }) => message)
}

for (const engine of engines)
  describe(`schema apply and schema remove on ${engine}`, () => {
    test('in a POS that has the relations: apply makes the journal alone, remove leaves all as it was', async () => {
      const target = await newTarget(engine)
      const schema = schemas[engine]
      if (engine === 'sqlite') await apply(target).then(() => remove(target))
      await target.script([...tableStatements(schema), ...indexStatements(schema)].join(';'))
      await target.script(foreign[engine])
      const before = await describeAll(target)
      const { steps } = await apply(target)
      assert.equal(steps.length, 1)
      assert.match(steps[0] ?? '', /^Make the journal: the table vitrine_journal, and triggers on 33 relations/)
      const made = (await describeAll(target)).filter((each) => !before.some((old) => isSame(old, each)))
      assert.ok(made.length > 2 * relations.length)
      assert.deepEqual(
        made.filter(([, name]) => !String(name).startsWith('vitrine_')),
        [],
      )
      await target.script(`INSERT INTO vendors (id) VALUES (1)`)
      assert.deepEqual(await apply(target), { steps: [], remarks: [] })
      assert.equal((await remove(target)).steps.length, 1)
      assert.deepEqual(await describeAll(target), before)
      assert.deepEqual((await remove(target)).steps, [])
      assert.deepEqual(await target.rows('SELECT id FROM vendors'), [[1]])
      assert.deepEqual(await target.rows('SELECT * FROM tills'), [[1, 'Ana']])
    })

    test("the journal's length is what apply was told last, also when the journal is made again", async () => {
      const target = await newTarget(engine)
      await apply(target)
      const rowsKept = engine === 'sqlite' ? 'id FROM vitrine_journal' : 'store_id::int FROM vitrine_journal'
      const kept = async () => (await target.rows(`SELECT ${rowsKept} WHERE seq = 0`))[0]?.[0]
      assert.equal(await kept(), 200_000)
      assert.deepEqual((await apply(target, 50_000)).steps, ['Let the journal keep 50,000 rows.'])
      assert.deepEqual((await apply(target, 50_000)).steps, [])
      assert.deepEqual((await apply(target)).steps, [])
      const trigger = engine === 'sqlite' ? 'vitrine_vendors_delete' : 'vitrine_vendors_row ON vendors'
      await target.script(`DROP TRIGGER ${trigger}`)
      assert.equal((await apply(target)).steps.at(-1), 'Let the journal keep 50,000 rows.')
      assert.equal(await kept(), 50_000)
      // Of rows that are written from now on, the journal keeps so many.
      await target.script('DELETE FROM vitrine_journal WHERE seq > 1')
      if (engine === 'sqlite') {
        for (const seq of [2, 57_600])
          await target.script(`INSERT INTO vitrine_journal (seq, relation) VALUES (${seq}, '')`)
        assert.deepEqual(await target.rows('SELECT seq FROM vitrine_journal WHERE seq IN (2, 57600)'), [[57_600]])
      } else {
        const insert = async (rows: number) =>
          target.script(`INSERT INTO vitrine_journal (relation) SELECT '' FROM generate_series(1, ${rows})`)
        const length = async () => Number((await target.rows('SELECT count(*)::int FROM vitrine_journal'))[0]?.[0])
        await insert(51_000)
        for (let turn = 0; turn < 30; turn += 1) await insert(64)
        // Rows stay while a transaction that is older than they are is open anywhere on the server, such as another test's.
        for (let turn = 0; turn < 100 && (await length()) >= 50_200; turn += 1) {
          await wait(300)
          await insert(64)
        }
        const rows = await length()
        assert.ok(rows > 50_000 && rows < 50_200, `${rows} rows stayed`)
      }
    })

    test('in an empty database: apply makes everything, remove leaves the relations and their indexes', async () => {
      const [target, plain] = [await newTarget(engine), await newTarget(engine)]
      assert.deepEqual(
        (await apply(target)).steps.map((step) => /^\w+ \w+ \w+/.exec(step)?.[0]),
        ['Make 33 relations', 'Make 13 indexes', 'Make the journal'],
      )
      await remove(target)
      if (plain.url.kind === 'sqlite') await apply(plain).then(() => remove(plain))
      else {
        const schema = schemas[engine]
        await plain.script([...tableStatements(schema), ...indexStatements(schema)].join(';'))
      }
      assert.deepEqual(await describeAll(target), await describeAll(plain))
      assert.deepEqual(
        (await describeAll(target)).filter(([, name]) => /vitrine/.test(String(name))),
        [],
      )
    })

    const row = engine === 'sqlite' ? 'vitrine_invoices_update' : 'vitrine_invoices_row'
    const changes: Readonly<Record<string, string>> =
      engine === 'sqlite'
        ? {
            dropped: `DROP TRIGGER ${row}`,
            changed: `DROP TRIGGER ${row}; CREATE TRIGGER ${row} AFTER UPDATE OF id ON invoices BEGIN SELECT 1; END`,
            'gone with its table': `DROP TABLE invoices; ${tableStatements(sqliteSchema).find((each) => each.includes('"invoices" '))}`,
          }
        : {
            dropped: `DROP TRIGGER ${row} ON invoices`,
            disabled: `ALTER TABLE invoices DISABLE TRIGGER ${row}`,
            'no longer always on': `ALTER TABLE invoices DISABLE TRIGGER ALL; ALTER TABLE invoices ENABLE TRIGGER ALL`,
            'for inserts alone': `DROP TRIGGER ${row} ON invoices; CREATE TRIGGER ${row} AFTER INSERT ON invoices FOR EACH ROW
              EXECUTE FUNCTION vitrine_invoices_journal(); ALTER TABLE invoices ENABLE ALWAYS TRIGGER ${row}`,
            'under a condition': `DROP TRIGGER ${row} ON invoices; CREATE TRIGGER ${row} AFTER INSERT OR UPDATE OR DELETE ON invoices FOR EACH ROW
              WHEN (pg_trigger_depth() = 7) EXECUTE FUNCTION vitrine_invoices_journal(); ALTER TABLE invoices ENABLE ALWAYS TRIGGER ${row}`,
          }
    test('a trigger that was dropped, changed or disabled is told by check and mended by apply', async () => {
      const target = await newTarget(engine)
      await apply(target)
      const whole = await describeAll(target)
      assert.deepEqual(await checkJournal(target), [])
      for (const [how, statement] of Object.entries(changes)) {
        await target.script(statement)
        const [told = '', ...others] = await checkJournal(target)
        assert.match(told, new RegExp(`\\b${row}\\b`), how)
        assert.deepEqual(others, [])
        const { steps } = await apply(target)
        assert.match(steps.join(), new RegExp(`^Make the journal anew, .*\\b${row}\\b`), how)
        assert.deepEqual(await describeAll(target), whole, how)
        assert.deepEqual(await checkJournal(target), [], how)
      }
    })

    test('a table that was renamed has taken its triggers along: apply removes them, and makes those of its successor', async () => {
      const target = await newTarget(engine)
      await apply(target)
      const successor = `${tableStatements(schemas[engine]).find((each) => each.includes('"quote_lines" '))}`
      await target.script(`ALTER TABLE quote_lines RENAME TO old_lines; ${successor}`)
      const { steps } = await apply(target)
      assert.match(steps.join('\n'), /^Make 1 indexes: vitrine_quote_lines_by_quote_id\.\nMake the journal anew/)
      const names = async () => (await target.rows('SELECT relation, id FROM vitrine_journal')).filter(([name]) => name)
      await target.script('INSERT INTO old_lines (id, quote_id) VALUES (1, 8); DELETE FROM old_lines')
      assert.deepEqual(await names(), [])
      await target.script('INSERT INTO quote_lines (id, quote_id) VALUES (1, 9)')
      assert.deepEqual(await names(), [['quote_lines', 9]])
      assert.deepEqual((await apply(target)).steps, [])
    })
  })

const isSame = (one: unknown[], other: unknown[]) => JSON.stringify(one) === JSON.stringify(other)
