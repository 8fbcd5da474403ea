// A database that a test imports into, of either engine, and what is in it afterwards.
import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { relations } from '../../src/contract/relations.ts'
import type { DatabaseUrl } from '../../src/settings/types.ts'
import { parsePostgresUrl } from '../../src/platform/postgres/url.ts'
import { openSqlite } from '../../src/platform/sqlite.ts'
import { findPostgresJournal, findSqliteJournal, plainTables } from '../../src/operate/schema/journal.ts'
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
  /** What is missing of the journal, or was changed. */
  journalFaults(): Promise<readonly string[]>
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
    journalFaults: async () => using((database) => findSqliteJournal(database, () => true).faults),
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
    journalFaults: async () => (await findPostgresJournal(connection, await plainTables(connection))).faults,
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

/** The journal is whole, and so are the indexes by which the parts of a record are found. */
export async function assertWhole(target: Target): Promise<void> {
  assert.deepEqual(await target.journalFaults(), [])
  const indexes = target.engine === 'sqlite' ? 'sqlite_schema' : 'pg_indexes'
  const name = target.engine === 'sqlite' ? 'name' : 'indexname'
  const found = new Set((await target.rows(`SELECT ${name} FROM ${indexes}`)).map(([each]) => each))
  const wanted = relations.flatMap(({ name, parent }) => (parent === undefined ? [] : [`${name}_by_${parent}`]))
  assert.deepEqual(
    wanted.filter((each) => !found.has(each)),
    [],
  )
}
