// The SQL that `vitrine check` offers: a cast only if it keeps the meaning of every value.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { after, describe, test } from 'node:test'
import { openSqlite } from '../../../src/platform/sqlite.ts'
import { checkDatabase } from '../../../src/operate/check/check.ts'
import { noon, soundRows } from '../../support/check-worlds.ts'
import { makePos } from '../../support/pos.ts'
import { temporaryFolder } from '../../support/process.ts'

const folder = temporaryFolder()
after(() => rmSync(folder, { recursive: true, force: true }))

interface Case {
  readonly name: string
  readonly column: string
  // Of the products 1, 2 and 3, as SQL.
  readonly values: readonly [string, string, string]
  // The results of the offered cast; undefined if only the operator can interpret the values.
  readonly become?: readonly unknown[]
  readonly offers?: RegExp
}

const cases: readonly Case[] = [
  { name: 'decimal points', column: 'price', values: [`'12.50'`, `' -3 '`, '4.5'], become: [12.5, -3, 4.5] },
  { name: 'decimal commas', column: 'price', values: [`'12,50'`, `'1'`, '4.5'], offers: /THEN … ELSE price END/ },
  { name: 'numbers in groups', column: 'price', values: [`'1.234.567'`, '1', '2'], offers: /THEN …/ },
  { name: 'minus one for true', column: 'active', values: ['-1', '0', `'1'`], become: [1, 0, 1] },
  {
    name: 'letters for yes and no',
    column: 'active',
    values: [`'Y'`, `'N'`, '1'],
    offers: /WHEN 'Y' THEN 1 WHEN 'N' THEN 0 ELSE active END/,
  },
  { name: 'ids as text', column: 'vendor_id', values: [`'12'`, '0', '3'], become: [12, 0, 3] },
  { name: 'ids as words', column: 'vendor_id', values: [`'V-12'`, '0', '3'], offers: /THEN …/ },
  { name: 'ids with zeros in front', column: 'vendor_id', values: [`'007'`, '7', '3'], offers: /THEN …/ },
  {
    name: 'seconds since 1970 beside right texts',
    column: 'updated_at',
    values: ['1790000000', `'2026-10-02T09:00:00'`, `'2026-10-02T09:00:00'`],
    become: ['2026-09-21T10:13:20', '2026-10-02T09:00:00', '2026-10-02T09:00:00'],
    offers: /-04:00 is the present offset of America\/Port-au-Prince, which VITRINE_TIME_ZONE names/,
  },
  {
    name: 'days as numbers',
    column: 'updated_at',
    values: ['20261002', `'2026-10-02T09:00:00'`, `'2026-10-02T09:00:00'`],
    offers: /THEN …/,
  },
]

describe('on SQLite', () => {
  for (const [at, { name, column, values, become, offers }] of cases.entries())
    test(name, async () => {
      const path = join(folder, `${at}.db`)
      makePos(path, soundRows)
      const sqlite = openSqlite(path)
      const own = `CASE "id" WHEN 1 THEN ${values[0]} WHEN 2 THEN ${values[1]} ELSE ${values[2]} END`
      const columns = sqlite
        .prepare(`SELECT name FROM pragma_table_info('products')`)
        .all()
        .map((row) => `${row['name'] === column ? own : `"${String(row['name'])}"`} AS "${String(row['name'])}"`)
      sqlite.exec(`ALTER TABLE products RENAME TO own_products;
        CREATE VIEW products AS SELECT ${columns.join(', ')} FROM own_products`)
      const { findings } = await checkDatabase({
        settings: {
          databaseUrl: { kind: 'sqlite', path },
          timeZone: 'America/Port-au-Prince',
          currencies: ['USD', 'HTG'],
          statementTimeoutMs: 5000,
        },
        clock: { now: () => noon },
        scope: 'decisive',
      })
      const found = findings.find((finding) => finding.relation === 'products' && finding.column === column)
      const remedy = found?.remedy ?? ''
      if (offers) assert.match(remedy, offers)
      const term = /^Select it in the view as: (.*) AS \w+/s.exec(remedy)?.[1] ?? ''
      assert.equal(term.includes('…') || term.includes(`'Y'`), become === undefined, remedy)
      if (become)
        assert.deepEqual(
          sqlite
            .prepare(`SELECT ${term} AS x FROM products ORDER BY id`)
            .all()
            .map(({ x }) => x),
          become,
        )
      sqlite.close()
    })
})
