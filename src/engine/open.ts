// Starts the engine for a database URL. Every decision by the kind of database is made here; modules for PostgreSQL are loaded only
// where it is used.
import { existsSync } from 'node:fs'
import { tellAvailability } from '../platform/log.ts'
import { watchVersion } from '../platform/sqlite.ts'
import { settingsTable } from '../settings/table.ts'
import type { DatabaseUrl } from '../settings/types.ts'
import type { Engine, EngineOptions } from './engine.ts'
import { createReaders } from './readers.ts'
import { checkSqliteFile } from './sqlite/check.ts'
import { areTables } from './sqlite/journal.ts'
import { isViewsFile } from './sqlite/views-file.ts'

// One sentence for each problem of the POS database.
export async function databaseProblems(url: DatabaseUrl): Promise<string[]> {
  if (url.kind === 'sqlite') return checkSqliteFile(url.path)
  const { checkPostgres } = await import('./postgres/check.ts')
  return checkPostgres(settingsTable.databaseUrl.name, url)
}

export async function startEngine(url: DatabaseUrl, options: EngineOptions): Promise<Engine> {
  const timeoutMs = options.statementTimeoutMs
  if (url.kind === 'sqlite') {
    const { path } = url
    const watch = watchVersion(path, { tells: areTables })
    return createReaders(
      {
        source: { kind: 'sqlite', path, timeoutMs },
        look() {
          const version = watch.look()
          const database = watch.file()
          return version === undefined || database === undefined ? undefined : { version, database }
        },
        availability: tellAvailability(options.log, 'database'),
        lagSeconds: () => null,
        areProcesses: existsSync(path) && isViewsFile(path),
        close: async () => watch.close(),
      },
      options,
    )
  }
  const { watchPostgres } = await import('./postgres/watch.ts')
  return createReaders(
    {
      ...watchPostgres(url, timeoutMs, options.log),
      source: { kind: 'postgres', url, timeoutMs },
      areProcesses: false,
    },
    options,
  )
}
