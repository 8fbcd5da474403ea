// A world whose data is in Caisse's tables in PostgreSQL; the service reads it through the views of docs/connect.
import { startEngine } from '../../../src/engine/open.ts'
import type { PostgresConnection } from '../../../src/platform/postgres/connection.ts'
import type { Place, PlaceOptions } from '../place.ts'
import { connectTills, stateBeside, urlOf } from '../place-postgres.ts'
import type { Rows } from '../pos.ts'
import { newSchema } from '../postgres.ts'
import { writingWith } from '../writing-with.ts'
import { createCompany } from './company.ts'
import { decimalCents, toCaisse, type CaisseRows } from './rows.ts'
import { caisseTables, caisseViews } from './scripts.ts'

export async function makePostgresViewsPlace({ rows }: PlaceOptions): Promise<Place> {
  const { url: caisse, tills } = await makeCaisseTables(rows)
  const views = await urlOf(newSchema('views'))
  await tills.script(caisseViews(caisse.schema, views.schema, 'CURRENT_USER'))
  const company = createCompany(rows, decimalCents)
  const state = await stateBeside(tills, views.schema, caisse.schema)
  return {
    ...state,
    startEngine: (options) => startEngine(views, options),
    ...writingWith((script) => {
      const tables = company.write(script)
      return replacePostgresRows(tills, tables, [...tables.keys()].map((table) => `DELETE FROM ${table};`).join(' '))
    }),
    async remove() {
      company.close()
      await state.remove()
    },
  }
}

/** The tables alone, and the tills' connection to them. */
export async function makeCaisseTables(rows: Rows) {
  // First of all: it fails where Caisse cannot hold them.
  const held = toCaisse(rows, decimalCents)
  const url = await urlOf(newSchema('caisse'))
  const tills = await connectTills(url)
  await tills.script(`CREATE SCHEMA ${url.schema}; ${caisseTables(url.schema)}`)
  await replacePostgresRows(tills, held, '')
  return { url, tills }
}

export async function replacePostgresRows(
  tills: PostgresConnection,
  tables: CaisseRows,
  before: string,
): Promise<void> {
  await tills.script(`BEGIN; ${before}`)
  for (const [table, rows] of tables) {
    const names = [...new Set(rows.flatMap((row) => Object.keys(row)))]
    const cells = rows.map((row) => names.map((name) => row[name] ?? null))
    if (cells.length > 0) await tills.copy(`${table} (${names.join(', ')})`, cells)
  }
  await tills.script('COMMIT')
}
