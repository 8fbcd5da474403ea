// A world whose data is in Caisse's tables, in any engine that can be copied; the service reads a copy, which is brought up to date after
// each write of the tills.
import { randomBytes } from 'node:crypto'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngine } from '../../../src/engine/open.ts'
import { copyOnce, prepareCopy } from '../../../src/operate/copy/run.ts'
import { faultText } from '../../../src/operate/import/files.ts'
import { manualClock } from '../../../src/platform/clock.ts'
import { inTransaction, openSqlite, type Sqlite } from '../../../src/platform/sqlite.ts'
import { relations } from '../../../src/contract/relations.ts'
import type { DatabaseUrl, SourceUrl } from '../../../src/settings/types.ts'
import { mariadbZone, sharedMariadb } from '../mariadb-server.ts'
import { copiedEngine, type Place, type PlaceOptions } from '../place.ts'
import { connectTills, stateBeside, urlOf } from '../place-postgres.ts'
import { stateIn } from '../place-sqlite.ts'
import type { Cell, Rows } from '../pos.ts'
import { newSchema } from '../postgres.ts'
import { writingWith } from '../writing-with.ts'
import { createCompany } from './company.ts'
import { makeCaisseTables, replacePostgresRows } from './place-postgres.ts'
import { decimalCents, floatingCents, toCaisse, type CaisseRows, type Cents } from './rows.ts'
import { caisseSelects, caisseTables } from './scripts.ts'

interface Caisse {
  readonly url: SourceUrl
  readonly views: string
  readonly cents: Cents
  replace(rows: CaisseRows): Promise<void> | void
  remove(): Promise<void> | void
}

// The specification's tests know which rows have no time: the times that the copy gave, by this clock, are taken out again.
const clock = manualClock(Date.UTC(9000, 0))
const withoutStamps = relations
  .filter(({ columns }) => 'updated_at' in columns)
  .map(({ name }) => `UPDATE ${name} SET updated_at = NULL WHERE updated_at > '8000-01-01T00:00:00'`)
  .join('; ')

export async function makeCopyPlace({ rows }: PlaceOptions): Promise<Place> {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  const caisse = await caisses[copiedEngine ?? 'sqlite'](rows, folder)
  const views = join(folder, 'views.sql')
  writeFileSync(views, caisse.views)
  const isPostgres = copiedEngine === 'postgres'
  const target: DatabaseUrl = isPostgres
    ? await urlOf(newSchema('copy'))
    : { kind: 'sqlite', path: join(folder, 'pos.db') }
  const tills = target.kind === 'postgres' ? await connectTills(target) : undefined
  const removeStamps = async () => {
    if (tills) return tills.script(withoutStamps)
    const database = openSqlite(join(folder, 'pos.db'), { lockTimeoutMs: 30_000 })
    database.exec(withoutStamps)
    database.close()
  }
  const copy = async () => {
    const result = await copyOnce(target, {
      from: caisse.url,
      views,
      timeZone: mariadbZone,
      timeoutMs: 60_000,
      // Every round compares everything.
      wholeEveryMs: 0,
      mostKeptOut: 0,
      clock,
      onProgress() {},
      onCommit() {},
      remark() {},
      signal: new AbortController().signal,
    })
    if ('faults' in result) throw new Error(result.faults.first.map(faultText).join('\n'))
    if (result.relations.some((each) => each.new + each.changed > 0)) await removeStamps()
  }
  await prepareCopy(target, caisse.url)
  await copy()
  const company = createCompany(rows, caisse.cents)
  const state = tills && target.kind === 'postgres' ? await stateBeside(tills, target.schema) : stateIn(folder)
  return {
    ...state,
    startEngine: (options) => startEngine(target, options),
    ...writingWith(async (script) => {
      await caisse.replace(company.write(script))
      await copy()
    }),
    async remove() {
      company.close()
      await state.remove()
      await caisse.remove()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

const caisses: Readonly<Record<'sqlite' | 'postgres' | 'mysql', (rows: Rows, folder: string) => Promise<Caisse>>> = {
  async sqlite(rows, folder) {
    const path = join(folder, 'caisse.db')
    const tills = openSqlite(path, { lockTimeoutMs: 30_000 })
    tills.exec(`PRAGMA journal_mode = WAL; PRAGMA synchronous = OFF; ${caisseTables()}`)
    replaceSqliteRows(tills, toCaisse(rows, floatingCents))
    return {
      url: { kind: 'sqlite', path },
      views: caisseSelects('sqlite'),
      cents: floatingCents,
      replace: (tables) => replaceSqliteRows(tills, tables),
      remove: () => tills.close(),
    }
  },
  async postgres(rows) {
    const { url, tills } = await makeCaisseTables(rows)
    return {
      url,
      views: caisseSelects('postgres', url.schema),
      cents: decimalCents,
      replace: (tables) =>
        replacePostgresRows(tills, tables, [...tables.keys()].map((table) => `DELETE FROM ${table};`).join(' ')),
      async remove() {
        await tills.script(`DROP SCHEMA ${url.schema} CASCADE`)
        await tills.close()
      },
    }
  },
  async mysql(rows) {
    const server = await sharedMariadb()
    const name = `caisse_${randomBytes(6).toString('hex')}`
    const replace = async (tables: CaisseRows) => {
      const inserts = [...tables].flatMap(([table, list]) => [
        `DELETE FROM ${table}`,
        ...list.map(
          (row) =>
            `INSERT INTO ${table} (${Object.keys(row).join(', ')}) VALUES (${Object.values(row).map(literal).join(', ')})`,
        ),
      ])
      await server.ask(`USE ${name}; BEGIN; ${inserts.join('; ')}; COMMIT`)
    }
    const tables = caisseTables().replaceAll(/\bnumeric\b/g, 'decimal(40, 12)')
    await server.ask(`CREATE DATABASE ${name} CHARACTER SET utf8mb4 COLLATE utf8mb4_bin; USE ${name}; ${tables}`)
    await replace(toCaisse(rows, decimalCents))
    return {
      url: server.url(name),
      views: caisseSelects('mysql'),
      cents: decimalCents,
      replace,
      remove: async () => void (await server.ask(`DROP DATABASE ${name}`)),
    }
  },
}

function replaceSqliteRows(database: Sqlite, tables: CaisseRows): void {
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

function literal(cell: Cell): string {
  if (cell === null) return 'NULL'
  return typeof cell === 'string' ? `'${cell.replaceAll('\\', '\\\\').replaceAll("'", "''")}'` : String(cell)
}
