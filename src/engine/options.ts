// What an engine is started with: what the service gives it, and what depends on the database.
import type { Availability, Log } from '../platform/log.ts'
import type { Budget } from './budget.ts'
import type { SourceData } from './open-source.ts'
import type { AnswerMemory } from './remembered-answers.ts'

export interface EngineOptions {
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly budget?: Budget
  // For the columns of lists; 0: every list is found by plain SQL.
  readonly indexMemoryBytes?: number
  // Where columns are kept from one run to the next; without it they are not.
  readonly columnsFolder?: string
}

export interface Database {
  readonly source: SourceData
  readonly answers: AnswerMemory
  // Tells the log when the database is lost, and when it is back.
  readonly availability: Availability
  readonly lagSeconds: () => number | null
  // Readers are processes: a view may compute for ever without giving a row, and no thread can be ended within a statement.
  readonly areProcesses: boolean
  // Whether a reader can stop a statement that nobody waits for.
  readonly canCancel: boolean
  // How long a reader may take to stop a statement by itself.
  readonly graceMs: number
}
