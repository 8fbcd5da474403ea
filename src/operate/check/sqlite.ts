// Queries a SQLite file for `vitrine check`, and reads its shape. A statement cannot be interrupted, and without a write-ahead
// log a reader blocks the tills. So another process runs the queries, and is killed when one takes too long.
import { sqlite } from '../../sql/sqlite.ts'
import { startProcess, ThreadFailure, type Thread } from '../../platform/thread.ts'
import { statement, type Row } from '../../sql/statement.ts'
import {
  QueryTimeout,
  QueryRefused,
  type CheckedDatabase,
  type ColumnShape,
  type RelationShape,
  type DatabaseShape,
} from './database.ts'
import { relations } from '../../contract/relations.ts'
import type { Relation } from '../../contract/relation.ts'
import type { Sqlite } from '../../platform/sqlite.ts'
import { findSqliteJournal } from '../schema/journal.ts'

const lockTimeoutMs = 1000

// SQLITE_BUSY, SQLITE_LOCKED, SQLITE_SCHEMA.
const temporaryErrors = new Set([5, 6, 17])

export function openSqliteCheck(path: string, timeoutMs: number): CheckedDatabase {
  let reader: Thread | undefined
  const opened = async () => {
    if (reader) return reader
    reader = startProcess(new URL('sqlite-reader.ts', import.meta.url), { data: { path, lockTimeoutMs } })
    await reader.call({ text: 'SELECT 1', values: [] })
    return reader
  }
  const end = async () => {
    const ending = reader?.stop()
    reader = undefined
    await ending
  }
  return {
    dialect: sqlite,
    timeoutMs,
    // The next query starts another process.
    isOpen: () => true,
    async rows(compose) {
      const late = Promise.withResolvers<never>()
      let timer: NodeJS.Timeout | undefined
      try {
        // The timeout does not include starting the process and opening the file.
        const open = await opened()
        timer = setTimeout(() => late.reject(new QueryTimeout()), timeoutMs)
        return (await Promise.race([open.call(statement(sqlite, compose)), late.promise])) as Row[]
      } catch (error) {
        await end()
        if (!(error instanceof ThreadFailure)) throw error
        throw temporaryErrors.has(Number(error.errcode) & 0xff) ? new QueryTimeout() : new QueryRefused(error.message)
      } finally {
        clearTimeout(timer)
      }
    },
    close: end,
  }
}

export function sqliteShape(sqlite: Sqlite): DatabaseShape {
  const found = new Map<string, RelationShape>()
  const broken = new Map<string, string>()
  for (const relation of relations)
    try {
      const shape = relationShape(sqlite, relation)
      if (shape) found.set(relation.name, shape)
    } catch (error) {
      // A view over a table that no longer exists.
      broken.set(relation.name, (error as Error).message)
    }
  return {
    relations: found,
    broken,
    journal: { ...findSqliteJournal(sqlite, ({ name }) => found.get(name)?.isTable === true), isReadable: true },
  }
}

function relationShape(sqlite: Sqlite, { name, key }: Relation): RelationShape | undefined {
  const rows = sqlite
    .prepare('SELECT lower(name) AS name, type, pk, "notnull" FROM pragma_table_xinfo(?) WHERE hidden <> 1')
    .all(name)
  if (rows.length === 0) return undefined
  const columns = new Map(
    rows.map(({ name, type }): [string, ColumnShape] => [
      String(name),
      { type: String(type), isReadable: true, isRight: true },
    ]),
  )
  // SQLite ignores the case of names.
  const table = sqlite
    .prepare(`SELECT type, wr, strict FROM pragma_table_list WHERE schema = 'main' AND lower(name) = ?`)
    .get(name)
  const keys = rows.filter(({ pk }) => Number(pk) > 0)
  const isOwnKey = keys.map(({ name }) => name).join() === key.join()
  // In SQLite a primary key can be null, unless it is the rowid or declared NOT NULL.
  const isFilled =
    table?.['wr'] === 1 ||
    keys.every(({ type, notnull }) => notnull === 1 || (keys.length === 1 && /^INTEGER$/i.test(String(type))))
  return {
    isTable: table?.['type'] === 'table',
    kind: String(table?.['type']),
    columns,
    isKeyed: isOwnKey && isFilled,
    isStrict: table?.['strict'] === 1,
  }
}
