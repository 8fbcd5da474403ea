// Transactions as rough as those of real tills, in SQL that both engines take: from one row to many thousands, children first or last,
// with records that exist within the transaction only.
import type { Random } from './random.ts'

const firstLarge = 1000

/** Rows `n` of consecutive numbers. */
export const numbers = (from: number, count: number) =>
  `(WITH RECURSIVE s (n) AS (VALUES (${from}) UNION ALL SELECT n + 1 FROM s WHERE n < ${from + count - 1}) SELECT n FROM s) s`

interface RoughOptions {
  // REPLACE, as SQLite alone has it.
  readonly hasReplace: boolean
  // The greatest id of small transactions.
  readonly most: number
  // How many documents a large transaction writes at most, with so many lines each.
  readonly large: number
  readonly lines: number
}

export function roughSale(random: Random, { hasReplace, most, large, lines }: RoughOptions): string[] {
  if (random.chance(0.05)) return largeSale(random, large, lines)
  return Array.from({ length: 1 + random.upTo(4) }, () => smallStep(random, most, hasReplace)).flat()
}

const document = (random: Random, id: number) => `${id}, ${1 + random.upTo(2)}, ${1 + random.upTo(3)}, 3`

function smallStep(random: Random, most: number, hasReplace: boolean): string[] {
  const [id, other] = [1 + random.upTo(most), 1 + random.upTo(most)]
  const [relation, archive] = random.of([
    ['invoices', 'invoices_archive'],
    ['invoices_archive', 'invoices'],
    ['invoices', 'invoices_archive'],
  ] as const)
  const [line, place] = [1 + random.upTo(most), `UPDATE ${relation} SET`]
  const insert = (how = 'INSERT') =>
    `${how} INTO ${relation} (id, kind, store_id, status) VALUES (${document(random, id)})`
  const upsert = `${insert()} ON CONFLICT (id) DO UPDATE SET kind = excluded.kind, store_id = excluded.store_id`
  const free = 900 + random.upTo(20)
  const party = random.of(['customers', 'vendors', 'products'])
  return random.of<() => string[]>([
    () => [upsert],
    () => [upsert],
    () => [hasReplace ? insert('INSERT OR REPLACE') : upsert],
    () => [`${place} store_id = ${1 + random.upTo(3)} WHERE id = ${id}`],
    () => [`${place} kind = ${1 + random.upTo(2)}, total = ${random.upTo(99)} WHERE id = ${id}`],
    () => [`${place} total = ${random.upTo(99)} WHERE id BETWEEN ${id} AND ${id + 5}`],
    () => [`DELETE FROM ${relation} WHERE id = ${id}`],
    () => [`DELETE FROM ${relation} WHERE id BETWEEN ${id} AND ${id + 3}`],
    // Seen within the transaction only.
    () => [3, 1, 2, 3].map((store) => `${place} store_id = ${store} WHERE id = ${id}`),
    () => [`${insert()} ON CONFLICT (id) DO NOTHING`, `DELETE FROM ${relation} WHERE id = ${id}`],
    () => [`INSERT INTO ${party} (id) VALUES (${free})`, `DELETE FROM ${party} WHERE id = ${free}`],
    // Another key, and swapped keys.
    () => [`DELETE FROM ${relation} WHERE id = ${other} AND id <> ${id}`, `${place} id = ${other} WHERE id = ${id}`],
    () => [
      `${place} id = -${id} WHERE id = ${id}`,
      `${place} id = ${id} WHERE id = ${other}`,
      `${place} id = ${other} WHERE id = -${id} AND NOT EXISTS (SELECT 1 FROM ${relation} WHERE id = ${other})`,
      `DELETE FROM ${relation} WHERE id < 0`,
    ],
    // To the archive, or back.
    () => [
      `DELETE FROM ${archive} WHERE id = ${id}`,
      `INSERT INTO ${archive} (id, kind, store_id, status) SELECT id, kind, store_id, status FROM ${relation} WHERE id = ${id}`,
      `DELETE FROM ${relation} WHERE id = ${id}`,
    ],
    () => [
      `DELETE FROM invoice_lines WHERE id = ${line}`,
      `INSERT INTO invoice_lines (id, invoice_id, quantity) VALUES (${line}, ${id}, ${random.upTo(9)})`,
    ],
    () => [`UPDATE invoice_lines SET invoice_id = ${id} WHERE id = ${line}`],
    () => [`DELETE FROM invoice_lines WHERE invoice_id = ${id}`, `DELETE FROM invoices WHERE id = ${id}`],
    () => [`DELETE FROM ${party} WHERE id = ${id}`],
    () => [`INSERT INTO ${party} (id) VALUES (${id}) ON CONFLICT (id) DO UPDATE SET name = '${random.upTo(99)}'`],
    () => [
      `INSERT INTO product_stock (product_id, store_id, quantity) VALUES (${id}, ${1 + random.upTo(3)}, ${random.upTo(9)})
        ON CONFLICT (product_id, store_id) DO UPDATE SET quantity = excluded.quantity`,
    ],
  ])()
}

function largeSale(random: Random, large: number, lines: number): string[] {
  const count = Math.ceil(large ** (random.upTo(1000) / 1000))
  const from = firstLarge + random.of([0, large])
  const store = 1 + random.upTo(3)
  const all = (column: string) => `${column} BETWEEN ${from} AND ${from + count - 1}`
  const documents = `INSERT INTO invoices (id, kind, store_id, status)
    SELECT n, 1 + n % 2, ${store}, 3 FROM ${numbers(from, count)} WHERE NOT EXISTS (SELECT 1 FROM invoices i WHERE i.id = n)`
  const children = `INSERT INTO invoice_lines (id, invoice_id) SELECT n, n / ${lines} FROM ${numbers(from * lines, count * lines)}
    WHERE NOT EXISTS (SELECT 1 FROM invoice_lines l WHERE l.id = n)`
  const withoutChildren = `DELETE FROM invoice_lines WHERE ${all('invoice_id')}`
  const without = `DELETE FROM invoices WHERE ${all('id')}`
  const made = random.chance(0.5) ? [children, documents] : [documents, children]
  const deleted = random.chance(0.7) ? [withoutChildren, without] : [without, withoutChildren]
  return random.of([
    made,
    made,
    deleted,
    deleted,
    [...made, ...deleted],
    [`UPDATE invoice_lines SET quantity = ${random.upTo(9)} WHERE ${all('invoice_id')}`],
    [`UPDATE invoices SET total = ${random.upTo(9)} WHERE ${all('id')}`],
    [withoutChildren, `UPDATE invoices SET store_id = ${store} WHERE ${all('id')}`],
    [
      withoutChildren,
      `INSERT INTO invoices_archive (id, kind, store_id, status) SELECT id, kind, store_id, status FROM invoices i
        WHERE ${all('id')} AND NOT EXISTS (SELECT 1 FROM invoices_archive a WHERE a.id = i.id)`,
      without,
      `DELETE FROM invoices_archive WHERE ${all('id')} AND id % 2 = 0`,
    ],
  ])
}
