// A database that a test imports into, of either engine, and what is in it afterwards.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { nameOf, tallies, type Tally, traitsOfRelation } from '../../src/catalogue/tallies.ts'
import { relations } from '../../src/contract/relations.ts'
import { keptTallies as keptInPostgres } from '../../src/engine/postgres/tallies.ts'
import { keptSearches } from '../../src/engine/sqlite/searches.ts'
import { keptTallies as keptInSqlite } from '../../src/engine/sqlite/tallies.ts'
import type { DatabaseUrl } from '../../src/settings/types.ts'
import { parsePostgresUrl } from '../../src/settings/postgres-url.ts'
import { tallyRows, tallyWords } from '../../src/sql/postgres-tallies.ts'
import { sqlite } from '../../src/sql/sqlite.ts'
import { openSqlite } from '../../src/sqlite.ts'
import { applySchema } from '../../src/tools/schema/apply.ts'
import { makeDatabase } from './database.ts'
import { connectTo } from './own-company.ts'
import type { Cell } from './pos.ts'
import { temporaryFolder } from './process.ts'

export interface Target {
  readonly engine: 'sqlite' | 'postgres'
  readonly url: DatabaseUrl
  /** As settings have it. */
  readonly address: string
  /** Rows of one statement, values as both engines have them in common. */
  rows(statement: string): Promise<Cell[][]>
  script(text: string): Promise<void>
  /** The tallies and search indexes that the service would use. */
  kept(): Promise<string[]>
  remove(): Promise<void>
}

export const engines = ['sqlite', 'postgres'] as const

export const makeTarget = (engine: Target['engine']): Promise<Target> =>
  engine === 'sqlite' ? makeFileTarget() : makeDatabaseTarget()

async function makeFileTarget(): Promise<Target> {
  const folder = temporaryFolder('vitrine-import-')
  const path = join(folder, 'data', 'pos.db')
  const using = <Result>(use: (database: ReturnType<typeof openSqlite>) => Result): Result => {
    const database = openSqlite(path, { lockTimeoutMs: 30_000 })
    try {
      return use(database)
    } finally {
      database.close()
    }
  }
  return {
    engine: 'sqlite',
    url: { kind: 'sqlite', path },
    address: `sqlite:${path}`,
    rows: async (statement) =>
      using((database) => {
        const prepared = database.prepare(statement)
        prepared.setReadBigInts(true)
        return prepared.all().map((row) => Object.values(row).map((cell) => plain(cell as Cell)))
      }),
    script: async (text) => using((database) => database.exec(text)),
    kept: async () =>
      using((database) => [...keptInSqlite(database), ...[...keptSearches(database)].map((name) => `${name} search`)]),
    remove: async () => rmSync(folder, { recursive: true, force: true }),
  }
}

async function makeDatabaseTarget(): Promise<Target> {
  const database = await makeDatabase()
  const address = database.at('public')
  const url = parsePostgresUrl(address, 'public', '/')
  if ('fault' in url) throw new Error(url.fault)
  const connection = await connectTo(address)
  return {
    engine: 'postgres',
    url: url.value,
    address,
    rows: async (statement) => (await connection.rows(statement)).map((row) => row.map((cell) => plain(cell as Cell))),
    script: (text) => connection.script(text),
    kept: async () => [...(await keptInPostgres(connection))],
    async remove() {
      await connection.close()
      await database.drop()
    },
  }
}

function plain(cell: Cell): Cell {
  if (typeof cell === 'boolean') return Number(cell)
  return typeof cell === 'bigint' && Number.isSafeInteger(Number(cell)) ? Number(cell) : cell
}

/** Every row of every relation that has some. */
export async function dumpRelations(target: Target): Promise<Record<string, Cell[][]>> {
  const all: Record<string, Cell[][]> = {}
  for (const { name, columns, key } of relations) {
    const list = Object.keys(columns).map((column) => `"${column}"`)
    const rows = await target.rows(`SELECT ${list.join(', ')} FROM "${name}" ORDER BY ${key.join(', ')}`)
    if (rows.length > 0) all[name] = rows
  }
  return all
}

async function dumpTallies(target: Target): Promise<Record<string, string[]>> {
  const all: Record<string, string[]> = {}
  const rowsOf = (tally: Tally) => (target.engine === 'sqlite' ? sqlite().tallyRows(tally) : tallyRows(tally))
  for (const tally of tallies) {
    const by = ['axis', 'bucket', ...tally.traits].map((name) => `t."${name}"`).join(', ')
    const rows = await target.rows(
      `SELECT ${by}, sum(t.n) FROM ${rowsOf(tally)} WHERE t.axis <> 'made' GROUP BY ${by} HAVING sum(t.n) <> 0`,
    )
    all[nameOf(tally)] = rows.map((row) => row.map(String).join('|')).toSorted()
  }
  return all
}

/** All tallies and search indexes are in use, and the same as if they were made anew. */
export async function assertCounted(target: Target): Promise<void> {
  const searches = target.engine === 'sqlite' ? relations.filter(({ search }) => search.length > 0).length : 0
  assert.equal((await target.kept()).length, tallies.length + searches)
  const before = [await dumpTallies(target), await dumpWords(target)]
  await applySchema(target.url, { onProgress() {}, remark() {}, rebuild: true })
  assert.deepEqual(before, [await dumpTallies(target), await dumpWords(target)])
}

async function dumpWords(target: Target): Promise<unknown> {
  if (target.engine === 'postgres') return dumpTallyWords(target)
  const searched = relations.filter(({ search }) => search.length > 0)
  // Combinations of traits and groups may have other numbers.
  const words = searched.map((relation) => {
    const search = `${relation.name}_search`
    const traits = traitsOfRelation(relation).map((name) => `c."${name}"`)
    return target.rows(
      `SELECT ${['m.id', 'g.words', 'g.n', 's.words', ...traits].join(', ')}
       FROM ${search}_members m JOIN ${search}_groups g ON g.grp = m.grp JOIN ${search}_cells c ON c.cell = g.cell
       LEFT JOIN ${search} s ON s.rowid = (m.id << 20) + g.cell ORDER BY 1`,
    )
  })
  return Promise.all(words)
}

async function dumpTallyWords(target: Target): Promise<unknown> {
  const words: unknown[] = []
  for (const tally of tallies) {
    const columns = ['words', ...tally.traits.map((name) => `"${name}"`)].join(', ')
    const of = `FROM ${tallyWords(tally)} GROUP BY ${columns} HAVING sum(n) <> 0 ORDER BY ${columns}`
    words.push(await target.rows(`SELECT ${columns}, sum(n)::int ${of}`))
  }
  return words
}
