// A world's data and state in files of its own.
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { startEngine } from '../../src/engine/open.ts'
import { schemaStatements, tableStatements } from '../../src/sql/schema.ts'
import { sqliteSchema } from '../../src/sql/sqlite-schema.ts'
import { inTransaction, openSqlite } from '../../src/platform/sqlite.ts'
import { openSqliteState, startSqliteState } from '../../src/state/sqlite/state.ts'
import { lackingSchema } from './lacking.ts'
import type { Place, PlaceOptions } from './place.ts'
import { makePos } from './pos.ts'
import { startWriter } from './writer.ts'

export function makeSqlitePlace({ rows, hasJournal, lacks }: PlaceOptions): Place {
  const folder = mkdtempSync(join(tmpdir(), 'vitrine-test-'))
  const path = join(folder, 'pos.db')
  makePos(path, rows, (hasJournal ? schemaStatements : tableStatements)(lackingSchema(sqliteSchema, lacks)))
  return {
    ...stateIn(folder),
    startEngine: (options) => startEngine({ kind: 'sqlite', path }, options),
    async write(sql) {
      const database = openSqlite(path, { lockTimeoutMs: 30_000 })
      try {
        inTransaction(database, 'BEGIN IMMEDIATE', () => database.exec(sql))
      } finally {
        database.close()
      }
    },
    keepWriting: (scripts, pauseMs) => startWriter(path, scripts, pauseMs),
  }
}

// The state beside the data, and the end of both.
export function stateIn(folder: string): Omit<Place, 'startEngine' | 'write' | 'keepWriting'> {
  const statePath = join(folder, 'state.db')
  return {
    startState: async (clock) => startSqliteState({ path: statePath, clock, timeoutMs: 30_000 }),
    openState: async (clock) => openSqliteState({ path: statePath, clock }),
    async readState() {
      const files = readdirSync(folder).filter((name) => name.startsWith('state.db'))
      return files.map((name) => readFileSync(join(folder, name), 'latin1')).join('')
    },
    // A lock would not prevent reads, so a table that every request reads is away.
    async lockState() {
      renameTable(statePath, 'company', 'away')
      return async () => renameTable(statePath, 'away', 'company')
    },
    async remove() {
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function renameTable(path: string, from: string, to: string): void {
  const database = openSqlite(path)
  database.exec(`ALTER TABLE ${from} RENAME TO ${to}`)
  database.close()
}
