// Makes what is missing of the source contract's relations and indexes in the connected database, whichever engine it is.
import { existsSync } from 'node:fs'
import { dirname } from 'node:path'
import { databaseProblems } from '../../engine/open.ts'
import { OperatorError } from '../../errors.ts'
import { makeFolder } from '../../files.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import { schemaStatements } from '../../sql/schema.ts'
import { sqliteSchema } from '../../sql/sqlite-schema.ts'
import { inTransaction, openSqlite, readSqliteHeader } from '../../sqlite.ts'

export interface Applied {
  readonly database: string
  readonly statements: number
  readonly remarks: readonly string[]
}

export type OnProgress = (step: { what: string; done: number; total: number }) => void

export async function applySchema(url: DatabaseUrl, onProgress: OnProgress): Promise<Applied> {
  const applied = await apply(url, onProgress)
  // Tables that were there before may lack columns: what is there stays as it is.
  const problems = await databaseProblems(url)
  if (problems.length > 0) throw new OperatorError(problems.join('\n'), 1)
  return applied
}

async function apply(url: DatabaseUrl, onProgress: OnProgress): Promise<Applied> {
  if (url.kind === 'sqlite') return applyToFile(url.path)
  const { applyToPostgres } = await import('./apply-postgres.ts')
  return applyToPostgres(url, onProgress)
}

function applyToFile(path: string): Applied {
  makeFolder(dirname(path))
  if (existsSync(path) && !readSqliteHeader(path)) throw new OperatorError(`${path} is not a SQLite database.`)
  const database = openSqlite(path, { lockTimeoutMs: 5000 })
  try {
    // Readers then never hold up the point-of-sale system's writers, nor they the readers.
    database.exec('PRAGMA journal_mode = WAL')
    const statements = schemaStatements(sqliteSchema)
    inTransaction(database, 'BEGIN IMMEDIATE', () => statements.forEach((statement) => database.exec(statement)))
    return { database: path, statements: statements.length, remarks: [] }
  } finally {
    database.close()
  }
}
