// Stages the rows of a relation in a temporary SQLite table, which locks nothing, and compares them with the relation: which
// rows are new, and which have changed.
import process from 'node:process'
import type { Relation } from '../../contract/relation.ts'
import { columnType } from '../../contract/relations.ts'
import { quote } from '../../sql/dialect.ts'
import { sqliteTypes } from '../../sql/sqlite-schema.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { prepareInsert } from '../insert-sqlite.ts'
import type { Duplicate, Stage, StagedRow } from './scan.ts'
import { setImmediate as pause } from 'node:timers/promises'
import {
  comparable,
  isMissing,
  sameKey,
  type CompareOptions,
  type Comparison,
  type Counts,
  type Staged,
  type StageTables,
} from './place.ts'
import { accessSync, constants, statSync } from 'node:fs'
import { OperatorError } from '../../errors.ts'

// The plan has the keys of new and changed rows.
export const tables: StageTables = {
  stage: ({ name }) => `temp.${quote(`import_${name}`)}`,
  plan: ({ name }) => `temp.${quote(`import_${name}_plan`)}`,
  table: ({ name }) => `main.${quote(name)}`,
  inPlan: (relation) => sameKey(relation, 's', 'p'),
}

export function makeStage(database: Sqlite, relation: Relation): Stage {
  const columns = Object.keys(relation.columns)
  const isPair = relation.key.length > 1
  const definitions = columns.map(
    (name) =>
      `${quote(name)} ${sqliteTypes[columnType(relation, name)]}${!isPair && name === 'id' ? ' PRIMARY KEY' : ''}`,
  )
  const key = relation.key.map(quote).join(', ')
  const table = tables.stage(relation)
  database.exec(
    `CREATE TABLE ${table} (${definitions.join(', ')}, _line INTEGER${isPair ? `, PRIMARY KEY (${key})) WITHOUT ROWID` : ')'}`,
  )
  database.exec(`CREATE TABLE ${tables.plan(relation)} (${key}, is_new INTEGER, PRIMARY KEY (${key})) WITHOUT ROWID`)
  const insert = `INSERT OR IGNORE INTO ${table} (${[...columns.map(quote), '_line'].join(', ')})`
  const insertRows = prepareInsert(database, insert, columns.length + 1)
  const places = relation.key.map((name) => columns.indexOf(name))
  const lineOf = database.prepare(
    `SELECT _line FROM ${table} WHERE ${relation.key.map((name) => `${quote(name)} = ?`).join(' AND ')}`,
  )
  const found: Duplicate[] = []
  const duplicatesIn = (rows: readonly StagedRow[]) => {
    for (const row of rows) {
      const values = places.map((place) => row[place] ?? null)
      const [line, firstLine] = [Number(row.at(-1)), Number(lineOf.get(...values)?.['_line'])]
      if (line !== firstLine) found.push({ line, firstLine, key: values })
    }
  }
  let count = 0
  return {
    add: (rows) =>
      writingTemporary(
        () => {
          database.exec('BEGIN')
          const ignored = rows.length - insertRows(rows)
          database.exec('COMMIT')
          count += ignored
          if (ignored > 0 && found.length < mostFound) duplicatesIn(rows)
        },
        { readsFile: false },
      ),
    duplicates: async (most) => ({ first: found.slice(0, most), count }),
  }
}

const mostFound = 10_000

export const comparisonIn = (database: Sqlite, isThere: Comparison['isThere']): Comparison => ({
  tables,
  isThere,
  compare: (...given) => compareStaged(database, ...given),
  async addChanged(relation, where) {
    const insert = `INSERT OR IGNORE INTO ${tables.plan(relation)} SELECT s.id, 0 FROM ${tables.stage(relation)} s WHERE ${where}`
    return Number(database.prepare(insert).run().changes)
  },
})

async function compareStaged(
  database: Sqlite,
  staged: Staged,
  isThere: boolean,
  { signal, stampedAt }: CompareOptions,
): Promise<Counts> {
  const { relation, deletes } = staged
  const [stage, plan, table] = [tables.stage(relation), tables.plan(relation), tables.table(relation)]
  const key = (row: string) => relation.key.map((name) => `${row}.${quote(name)}`)
  // The staged value comes first, because its collation (binary) applies.
  const isSame = Object.keys(relation.columns).map((name) => `${comparable(name, stampedAt)} IS m.${quote(name)}`)
  const isNew = isThere ? `${key('m')[0]} IS NULL` : 'true'
  const joined = isThere ? `LEFT JOIN ${table} m ON ${sameKey(relation, 'm', 's')}` : ''
  const differs = isThere ? ` AND (${isNew} OR NOT (${isSame.join(' AND ')}))` : ''
  database.exec(`DELETE FROM ${plan}`)
  const find = database.prepare(
    `INSERT INTO ${plan} SELECT ${key('s').join(', ')}, ${isNew} FROM ${stage} s ${joined}\n` +
      `WHERE ${key('s')[0]} BETWEEN ? AND ?${differs} ORDER BY ${key('s').join(', ')}`,
  )
  for await (const [from, to] of keyRanges(database, relation, stage, signal)) find.run(from, to)
  const count = (select: string) => Number(database.prepare(`SELECT count(*) AS n FROM ${select}`).get()?.['n'])
  const added = count(`${plan} WHERE is_new`)
  const changed = count(`${plan} WHERE NOT is_new`)
  return {
    new: added,
    changed,
    unchanged: count(stage) - added - changed,
    deleted: isThere && deletes !== 'none' ? count(`${table} m WHERE ${isMissing(staged, tables)}`) : 0,
  }
}

const rowsAtOnce = 20_000

// Ranges of the first key column, with a pause after each in which a signal can stop the program.
export async function* keyRanges(
  database: Sqlite,
  relation: Relation,
  table: string,
  signal: AbortSignal,
): AsyncGenerator<[from: bigint, to: bigint]> {
  const key = quote(relation.key[0] ?? '')
  const ends = database.prepare(`SELECT min(${key}) AS first, max(${key}) AS last FROM ${table}`)
  const next = database.prepare(`SELECT ${key} AS k FROM ${table} WHERE ${key} >= ? ORDER BY ${key} LIMIT 1 OFFSET ?`)
  for (const each of [ends, next]) each.setReadBigInts(true)
  const { first, last } = ends.get() as { first: bigint | null; last: bigint }
  for (let from = first; from !== null && from <= last;) {
    const to: bigint = (next.get(from, rowsAtOnce) as { k: bigint } | undefined)?.k ?? last
    yield [from, to]
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
  run: () => Result | Promise<Result>,
  { readsFile }: { readonly readsFile: boolean },
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
