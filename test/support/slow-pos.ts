// A POS database whose products take seconds to go through: a view that makes its rows as it is read, as an
// installation with other tables may have one.
import { join } from 'node:path'
import { findRelation } from '../../src/contract/relations.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { makePos, type Rows } from './pos.ts'

/** About a second for each million rows on one idle core, and nothing on the disk. */
export function makeSlowPos(folder: string, rows: number, others: Rows = {}): void {
  const path = join(folder, 'pos.db')
  makePos(path, others)
  const database = openSqlite(path)
  const known: Record<string, string> = { id: 'n', name: `'Product ' || n`, active: '1', kind: '1', price: '1.5' }
  const columns = Object.keys(findRelation('products').columns).map((name) => `${known[name] ?? 'NULL'} AS "${name}"`)
  database.exec(`
    DROP TABLE products;
    DROP TABLE products_search;
    CREATE VIEW products AS
      WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
      SELECT ${columns.join(', ')} FROM numbers`)
  database.close()
}

/** Goes through every product and finds none. */
export const slowTarget = '/products?search=zz'
