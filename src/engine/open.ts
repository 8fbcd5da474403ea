// The engine for a database URL. Every place that depends on which engine it is asks here.
import { OperatorError } from '../errors.ts'
import type { Log } from '../log.ts'
import type { DatabaseUrl } from '../settings/types.ts'
import type { Engine } from './engine.ts'
import { checkSqliteFile } from './sqlite/check.ts'
import { createSqliteEngine } from './sqlite/engine.ts'

export interface EngineOptions {
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
}

const notYet = 'VITRINE_DATABASE_URL names PostgreSQL, which this version does not support yet.'

// Why the database cannot be served, a sentence each.
export const databaseProblems = (url: DatabaseUrl): string[] =>
  url.kind === 'sqlite' ? checkSqliteFile(url.path) : [notYet]

export const startEngine = (url: DatabaseUrl, options: EngineOptions): Engine =>
  createSqliteEngine({ path: sqlitePath(url), ...options })

export function sqlitePath(url: DatabaseUrl): string {
  if (url.kind !== 'sqlite') throw new OperatorError(notYet)
  return url.path
}
