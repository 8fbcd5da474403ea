// Stages rows in temporary SQLite tables, which lock nothing.
import { accessSync, constants, statSync } from 'node:fs'
import process from 'node:process'
import { setImmediate as pause } from 'node:timers/promises'
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { OperatorError } from '../../errors.ts'
import { inTransaction, type Sqlite } from '../../platform/sqlite.ts'
import { quote } from '../../sql/dialect.ts'
import { sqliteTypes } from '../../sql/sqlite-schema.ts'
import { prepareInsert } from '../insert-sqlite.ts'
import type { Duplicate, Stage, StagedRow } from './scan.ts'
import type { StagedTables } from './staged.ts'

const stageOf = ({ name }: Relation) => `temp.${quote(`import_${name}`)}`
const planOf = ({ name }: Relation) => `temp.${quote(`import_${name}_plan`)}`

export function makeStage(database: Sqlite, relation: Relation): Stage {
  const columns = Object.keys(relation.columns)
  const isPair = relation.key.length > 1
  const definitions = columns.map(
    (name) =>
      `${quote(name)} ${sqliteTypes[columnType(relation, name)]}${!isPair && name === 'id' ? ' PRIMARY KEY' : ''}`,
  )
  const key = relation.key.map(quote).join(', ')
  const table = stageOf(relation)
  database.exec(
    `CREATE TABLE ${table} (${definitions.join(', ')}, _line INTEGER${isPair ? `, PRIMARY KEY (${key})) WITHOUT ROWID` : ')'}`,
  )
  database.exec(`CREATE TABLE ${planOf(relation)} (${key}, is_new INTEGER, PRIMARY KEY (${key})) WITHOUT ROWID`)
  const insert = `INSERT OR IGNORE INTO ${table} (${[...columns.map(quote), '_line'].join(', ')})`
  const insertRows = prepareInsert(database, insert, columns.length + 1)
  const places = relation.key.map((name) => columns.indexOf(name))
  const parentAt = columns.indexOf(relation.parent ?? '')
  const lineOf = database.prepare(
    `SELECT _line FROM ${table} WHERE ${relation.key.map((name) => `${quote(name)} = ?`).join(' AND ')}`,
  )
  const found: Duplicate[] = []
  const duplicatesIn = (rows: readonly StagedRow[]) => {
    for (const row of rows) {
      const values = places.map((place) => row[place] ?? null)
      const [line, firstLine] = [Number(row.at(-1)), Number(lineOf.get(...values)?.['_line'])]
      if (line !== firstLine) found.push({ line, firstLine, key: values, parent: row[parentAt] })
    }
  }
  let count = 0
  return {
    add: (rows) =>
      writingTemporary({ readsFile: false }, () => {
        const ignored = rows.length - inTransaction(database, 'BEGIN', () => insertRows(rows))
        count += ignored
        if (ignored > 0 && found.length < mostFound) duplicatesIn(rows)
      }),
    duplicates: async (most) => ({ first: found.slice(0, most), count }),
  }
}

const mostFound = 10_000

// The plan has the keys of new and changed rows.
export function stagedTables(
  database: Sqlite,
  { isThere, columnsOf }: Pick<StagedTables, 'isThere' | 'columnsOf'>,
  signal: AbortSignal,
): StagedTables {
  const affect = async (statement: string) => Number(database.prepare(statement).run().changes)
  return {
    stage: stageOf,
    plan: planOf,
    table: ({ name }) => `main.${quote(name)}`,
    planKey: ({ key }) => key,
    isThere,
    columnsOf,
    signal,
    async rows(statement, values) {
      const prepared = database.prepare(statement)
      prepared.setReturnArrays(true)
      return prepared.all(...values) as unknown as readonly unknown[][]
    },
    affect,
    async fillPlan(relation, select) {
      const plan = planOf(relation)
      await affect(`DELETE FROM ${plan}`)
      const order = relation.key.map((name) => `s.${quote(name)}`).join(', ')
      for await (const range of keyRanges(database, relation, stageOf(relation), signal))
        await affect(`INSERT INTO ${plan} ${select} AND s.${range} ORDER BY ${order}`)
    },
    async *partsOfPlan(relation) {
      for await (const range of keyRanges(database, relation, planOf(relation), signal)) yield `p.${range}`
    },
  }
}

const rowsAtOnce = 20_000

// Conditions on the first key column, with a pause after each in which a signal can stop the program.
async function* keyRanges(
  database: Sqlite,
  relation: Relation,
  table: string,
  signal: AbortSignal,
): AsyncGenerator<string> {
  const key = quote(relation.key[0] ?? '')
  const ends = database.prepare(`SELECT min(${key}) AS first, max(${key}) AS last FROM ${table}`)
  const next = database.prepare(`SELECT ${key} AS k FROM ${table} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1 OFFSET ?`)
  for (const each of [ends, next]) each.setReadBigInts(true)
  const { first, last } = ends.get() as { first: bigint | null; last: bigint }
  for (let from = first; from !== null && from <= last;) {
    const to: bigint = (next.get(from, rowsAtOnce) as { k: bigint } | undefined)?.k ?? last
    yield `${key} BETWEEN ${from} AND ${to}`
    from = to + 1n
    await pause()
    signal.throwIfAborted()
  }
}

// SQLITE_FULL
const full = 13
// SQLITE_IOERR and SQLITE_CANTOPEN.
const unusable = new Set([10, 14])

// Names the temporary folder in errors of statements that write only to temporary tables. If they also read the POS file, an
// I/O error may come from that file.
export async function writingTemporary<Result>(
  { readsFile }: { readonly readsFile: boolean },
  run: () => Result | Promise<Result>,
): Promise<Result> {
  try {
    return await run()
  } catch (error) {
    const { errcode = 0, message } = error as { errcode?: number; message: string }
    const code = errcode & 0xff
    if (code !== full && (readsFile || !unusable.has(code))) throw error
    const is = code === full ? 'is full' : 'cannot be used'
    throw new OperatorError(
      `SQLite's temporary folder ${temporaryFolder()} ${is} (${message}). Make room there, or name another with SQLITE_TMPDIR.`,
      1,
    )
  }
}

// The first usable folder, in SQLite's order.
function temporaryFolder(): string {
  const { SQLITE_TMPDIR, TMPDIR } = process.env
  const candidates = [SQLITE_TMPDIR, TMPDIR, '/var/tmp', '/usr/tmp', '/tmp']
  return candidates.find((path) => path !== undefined && isUsable(path)) ?? '.'
}

function isUsable(path: string): boolean {
  try {
    accessSync(path, constants.W_OK | constants.X_OK)
    return statSync(path).isDirectory()
  } catch {
    return false
  }
}
