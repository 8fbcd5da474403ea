// A world whose data is in a SQLite file of Caisse; the service reads it through the views of docs/connect, from a file of ours.
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { startEngine } from '../../../src/engine/open.ts'
import { inTransaction, openSqlite, type Sqlite } from '../../../src/platform/sqlite.ts'
import { applyViews } from '../../../src/operate/views/apply.ts'
import type { Place, PlaceOptions } from '../place.ts'
import type { Rows } from '../pos.ts'
import { stateIn } from '../place-sqlite.ts'
import { writingWith } from '../writing-with.ts'
import { createCompany } from './company.ts'
import { floatingCents, toCaisse, type CaisseRows } from './rows.ts'
import { caisseTables, connectFile } from './scripts.ts'

export function makeSqliteViewsPlace({ rows }: PlaceOptions): Place {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  const pos = join(folder, 'caisse.db')
  const path = join(folder, 'views.db')
  const tills = makeCaisse(pos, rows)
  applyViews(path, connectFile('views-sqlite.sql'), pos)
  const company = createCompany(rows, floatingCents)
  const state = stateIn(folder)
  return {
    ...state,
    startEngine: (options) => startEngine({ kind: 'sqlite', path }, options),
    ...writingWith(async (script) => {
      replaceSqliteRows(tills, company.write(script))
      // It writes in the thread of the test, which is to have its turn, too.
      await wait(5)
    }),
    async remove() {
      company.close()
      tills.close()
      await state.remove()
    },
  }
}

/** As the tills have it open. */
export function makeCaisse(path: string, rows: Rows): Sqlite {
  const tills = openSqlite(path, { lockTimeoutMs: 30_000 })
  tills.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${caisseTables()}`)
  replaceSqliteRows(tills, toCaisse(rows, floatingCents))
  return tills
}

export function replaceSqliteRows(database: Sqlite, tables: CaisseRows): void {
  inTransaction(database, 'BEGIN IMMEDIATE', () => {
    for (const [table, rows] of tables) {
      database.exec(`DELETE FROM ${table}`)
      for (const row of rows) {
        const names = Object.keys(row)
        database
          .prepare(`INSERT INTO ${table} (${names.join(', ')}) VALUES (${names.map(() => '?').join(', ')})`)
          .run(...Object.values(row).map((cell) => (typeof cell === 'boolean' ? Number(cell) : cell)))
      }
    }
  })
}
