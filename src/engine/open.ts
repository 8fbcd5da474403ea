// The engine for a database URL. Every place that depends on which engine it is asks here. What PostgreSQL needs is loaded
// only where it is used.
import { existsSync } from 'node:fs'
import { tellAvailability } from '../platform/log.ts'
import type { DatabaseUrl } from '../settings/types.ts'
import { settingsTable } from '../settings/table.ts'
import type { Engine } from './engine.ts'
import type { EngineOptions } from './options.ts'
import { createReaders } from './readers.ts'
import { rememberAnswers } from './sqlite/answers.ts'
import { checkSqliteFile } from './sqlite/check.ts'
import { isViewsFile } from './sqlite/views-file.ts'

// What is wrong with the POS database, a sentence each.
export async function databaseProblems(url: DatabaseUrl): Promise<string[]> {
  if (url.kind === 'sqlite') return checkSqliteFile(url.path)
  const { checkPostgres } = await import('./postgres/check.ts')
  return checkPostgres(settingsTable.databaseUrl.name, url)
}

export async function startEngine(url: DatabaseUrl, options: EngineOptions): Promise<Engine> {
  const timeoutMs = options.statementTimeoutMs
  if (url.kind === 'sqlite') {
    const { path } = url
    return createReaders(
      {
        source: { kind: 'sqlite', path, timeoutMs },
        answers: rememberAnswers(path),
        availability: tellAvailability(options.log, 'database'),
        lagSeconds: () => null,
        areProcesses: existsSync(path) && isViewsFile(path),
        canCancel: false,
        graceMs: 0,
      },
      options,
    )
  }
  const { watchPostgres } = await import('./postgres/watch.ts')
  const watched = watchPostgres(url, timeoutMs, options.log)
  return createReaders(
    {
      ...watched,
      source: { kind: 'postgres', url, timeoutMs },
      areProcesses: false,
      canCancel: true,
      graceMs: postgresGraceMs,
    },
    options,
  )
}

// A reader cancels what is late on the server, and gives up the connection a second after that.
const postgresGraceMs = 1500
