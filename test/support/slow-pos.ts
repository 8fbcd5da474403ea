// A POS database of which some relations take seconds to go through: views that make their rows as they are read, as an
// installation with other tables may have them.
import { join } from 'node:path'
import { findRelation } from '../../src/contract/relations.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { makePos, type Rows } from './pos.ts'

export interface SlowOptions {
  /** About a second for each million on one idle core, and nothing on the disk. */
  readonly rows: number
  readonly relations?: readonly string[]
  readonly others?: Rows
}

export function makeSlowPos(folder: string, { rows, relations = ['products'], others = {} }: SlowOptions): void {
  const path = join(folder, 'pos.db')
  makePos(path, others)
  const database = openSqlite(path)
  for (const relation of relations) {
    const columns = Object.entries(findRelation(relation).columns).map(([name, type]) => {
      const value = { int: '1', bool: '1', num: '1.5', text: `'Word ' || n`, time: 'NULL', day: 'NULL' }[type]
      // Each row has its own key, and no test asks for its parent.
      return `${/^id$|_id$/.test(name) ? 'n + 1000' : value} AS "${name}"`
    })
    database.exec(`
      DROP TABLE ${relation};
      CREATE VIEW ${relation} AS
        WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < ${rows})
        SELECT ${columns.join(', ')} FROM numbers`)
  }
  database.close()
}

/** Goes through every product and finds none. */
export const slowTarget = '/products?search=zz'
