// Starts the engine for a database URL. Every decision by the kind of database is made here; modules for PostgreSQL are loaded only
// where it is used.
import { tellAvailability, type Log } from '../platform/log.ts'
import { settingsTable } from '../settings/table.ts'
import type { DatabaseUrl } from '../settings/types.ts'
import type { Engine, EngineOptions } from './engine.ts'
import type { Inspection } from './missing-parts.ts'
import { createReaders } from './readers.ts'
import type { Database } from './source.ts'
import { inspectSqliteFile } from './sqlite/check.ts'
import { watchSqlite } from './sqlite/watch.ts'

export async function inspectDatabase(url: DatabaseUrl): Promise<Inspection> {
  if (url.kind === 'sqlite') return inspectSqliteFile(url.path)
  const { inspectPostgres } = await import('./postgres/check.ts')
  return inspectPostgres(settingsTable.databaseUrl.name, url)
}

// One sentence for each problem of the POS database.
export const databaseProblems = async (url: DatabaseUrl): Promise<string[]> => (await inspectDatabase(url)).problems

export async function startEngine(url: DatabaseUrl, options: EngineOptions): Promise<Engine> {
  const { statementTimeoutMs: timeoutMs, log } = options
  if (url.kind === 'sqlite') return createReaders(watchFile(url.path, timeoutMs, log), options)
  const { watchPostgres } = await import('./postgres/watch.ts')
  const source = { kind: 'postgres', url, timeoutMs } as const
  return createReaders({ ...watchPostgres(url, timeoutMs, log), source }, options)
}

function watchFile(path: string, timeoutMs: number, log: Log): Database {
  return {
    ...watchSqlite(path),
    source: { kind: 'sqlite', path, timeoutMs },
    availability: tellAvailability(log, 'database'),
    lagSeconds: () => null,
    // One transaction writes at a time.
    feedHold: () => null,
  }
}
