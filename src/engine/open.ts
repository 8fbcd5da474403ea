// The engine for a database URL. Every place that depends on which engine it is asks here. What PostgreSQL needs is loaded
// only where it is used.
import type { DatabaseUrl } from '../settings/types.ts'
import { settingsTable } from '../settings/table.ts'
import type { Log } from '../log.ts'
import type { Budget } from './budget.ts'
import type { Engine } from './engine.ts'
import { checkSqliteFile } from './sqlite/check.ts'
import { createSqliteEngine } from './sqlite/engine.ts'

export interface EngineOptions {
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly budget?: Budget
  // A page after so many records is looked up; tests have less of them.
  readonly farInto?: number
}

// What is wrong with the POS database, a sentence each.
export async function databaseProblems(url: DatabaseUrl): Promise<string[]> {
  if (url.kind === 'sqlite') return checkSqliteFile(url.path)
  const { checkPostgres } = await import('./postgres/check.ts')
  return checkPostgres(settingsTable.databaseUrl.name, url)
}

export async function startEngine(url: DatabaseUrl, options: EngineOptions): Promise<Engine> {
  if (url.kind === 'sqlite') return createSqliteEngine({ path: url.path, ...options })
  const { createPostgresEngine } = await import('./postgres/engine.ts')
  return createPostgresEngine({ url, ...options })
}
