// The demo company as `npm start` makes it, in a data folder, for tests that want a whole company.
import { join } from 'node:path'
import { loadSqlite } from '../../demo/load-sqlite.ts'

export async function makeDemoCompany(folder: string): Promise<void> {
  await loadSqlite({ path: join(folder, 'pos.db'), scale: 1, seed: 1 })
}
