// Makes what is missing of the source contract's relations and indexes in the connected database, whichever engine it is.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { nameOf, tallies } from '../../catalogue/tallies.ts'
import { lackingColumns } from '../../engine/missing-parts.ts'
import { databaseProblems } from '../../engine/open.ts'
import { readColumns } from '../../engine/sqlite/check.ts'
import { keptTallies } from '../../engine/sqlite/tallies.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../files.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { indexStatements, tableStatements } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { inTransaction, openSqlite, readSqliteHeader, type Sqlite } from '../../sqlite.ts'
import type { OnProgress } from '../progress.ts'

export interface Applied {
  readonly database: string
  readonly statements: number
}

export interface ApplyOptions {
  readonly onProgress: OnProgress
  readonly remark: (text: string) => void
}

export async function applySchema(url: DatabaseUrl, options: ApplyOptions): Promise<Applied> {
  const applied = await apply(url, options)
  // What was there before stays as it is, and may be of another type.
  const problems = await databaseProblems(url)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
  return applied
}

async function apply(url: DatabaseUrl, options: ApplyOptions): Promise<Applied> {
  if (url.kind === 'sqlite') return applyToFile(url.path)
  const { applyToPostgres } = await import('./apply-postgres.ts')
  return applyToPostgres(url, options)
}

function applyToFile(path: string): Applied {
  makeFolder(dirname(path))
  if (existsSync(path) && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
  const database = openSqlite(path, { lockTimeoutMs: 5000 })
  try {
    // Readers then never hold up the point-of-sale system's writers, nor they the readers.
    database.exec('PRAGMA journal_mode = WAL')
    const [tables, indexes] = [tableStatements(sqliteSchema), indexStatements(sqliteSchema)]
    const counted = inTransaction(database, 'BEGIN IMMEDIATE', () => {
      // Before anything changes the schema.
      const kept = keptTallies(database)
      for (const statement of tables) database.exec(statement)
      const lacking = lackingColumns(path, readColumns(database))
      if (lacking.length > 0) throw new OperatorError(lacking.join('\n'), 1)
      for (const statement of indexes) database.exec(statement)
      return makeTallies(database, kept)
    })
    return { database: path, statements: tables.length + indexes.length + counted }
  } finally {
    database.close()
  }
}

// What is being kept already is not counted again.
function makeTallies(database: Sqlite, kept: ReadonlySet<string>): number {
  const isTable = database.prepare("SELECT 1 FROM sqlite_schema WHERE type = 'table' AND name = ?")
  const ofTables = tallies.filter((tally) => tally.relations.every(({ name }) => isTable.get(name)))
  const missing = ofTables.filter((tally) => !kept.has(nameOf(tally)))
  const statements = [...missing.flatMap((tally) => sqliteSchema.tally(tally)), ...sqliteSchema.trust(ofTables)]
  for (const statement of statements) database.exec(statement)
  return missing.length === 0 ? 0 : statements.length
}
