// A world whose data is in Caisse's tables in PostgreSQL; the service reads it through the views of docs/connect.
import { startEngine } from '../../../src/engine/open.ts'
import type { PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import type { Place, PlaceOptions } from '../place.ts'
import { makePlaceWithState } from '../place-postgres.ts'
import { writingWith } from '../writing-with.ts'
import { createCompany } from './company.ts'
import { decimalCents, toCaisse, type CaisseRows } from './rows.ts'
import { caisseTables, caisseViews } from './scripts.ts'

export async function makePostgresViewsPlace({ rows }: PlaceOptions): Promise<Place> {
  // First of all: it fails where Caisse cannot hold them.
  const held = toCaisse(rows, decimalCents)
  const script = `CREATE SCHEMA caisse; ${caisseTables('caisse')}; ${caisseViews('caisse', 'views', 'CURRENT_USER')}`
  const { data, tills, ...state } = await makePlaceWithState('caisse', script)
  await replaceRows(tills, held, '')
  const company = createCompany(rows, decimalCents)
  return {
    ...state,
    startEngine: (options) => startEngine({ ...data, schema: 'views' }, options),
    ...writingWith((script) => {
      const tables = company.write(script)
      return replaceRows(tills, tables, [...tables.keys()].map((table) => `DELETE FROM ${table};`).join(' '))
    }),
    async remove() {
      company.close()
      await state.remove()
    },
  }
}

async function replaceRows(tills: PostgresConnection, tables: CaisseRows, before: string): Promise<void> {
  await tills.script(`BEGIN; ${before}`)
  for (const [table, rows] of tables) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    const cells = rows.map((row) => names.map((name) => row[name] ?? null))
    if (cells.length > 0) await tills.copy(`${table} (${names.join(', ')})`, cells)
  }
  await tills.script('COMMIT')
}
