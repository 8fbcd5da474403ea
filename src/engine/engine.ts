// What the routes ask of an engine: bytes for a plan. And what an engine is started with.
import type { PlainReason } from '../finder/snapshot.ts'
import type { Log } from '../platform/log.ts'
import type { ChangesPlan, DetailPlan, ListPlan } from '../query/plan.ts'
import type { Budget } from './budget.ts'
import type { ChangesAnswer } from './feed.ts'

export interface ListAnswer {
  readonly total: number
  // How many are on the page.
  readonly records: number
  readonly body: Uint8Array
}

// To a list, to a detail (null if the record does not exist for this access), or to a part of the change feed.
export type PlanAnswer = ListAnswer | Uint8Array | null | ChangesAnswer

export function bytesIn(answer: PlanAnswer): Uint8Array | undefined {
  if (answer === null || typeof answer === 'string') return undefined
  return 'body' in answer ? answer.body : answer
}

// A replica that is further behind than this is reported.
export const toleratedLagSeconds = 1

// How the lists of a collection are found.
export interface ListWay {
  readonly collection: string
  readonly way: 'columns' | 'plain'
  // Why by plain SQL.
  readonly why: PlainReason | null
  readonly rows: number
  readonly bytes: number
}

export interface Asker {
  // Readers are shared fairly among access keys.
  readonly key?: string
  // Given when the caller hangs up: no more work is done for it.
  readonly signal?: AbortSignal
}

// A transaction that holds the change feed back: newer changes are told when it has ended.
export interface FeedHold {
  // The session or prepared transaction, as a person finds it on the server.
  readonly holder: string
  // The statement that ends it, losing what it wrote.
  readonly remedy: string
  readonly seconds: number
}

// The load at this moment, for metrics and the console.
export interface EngineLoad {
  readonly readers: number
  readonly busy: number
  readonly waiting: number
  // Statements that were stopped because they took too long, since the start.
  readonly stopped: number
  // By collection; empty if no columns are kept.
  readonly lists: readonly ListWay[]
  // null: nothing has held the change feed back for longer than a minute.
  readonly feedHold: FeedHold | null
}

export interface Engine {
  list(plan: ListPlan, asker?: Asker): Promise<ListAnswer>
  // null: the record does not exist for this access.
  detail(plan: DetailPlan, asker?: Asker): Promise<Uint8Array | null>
  changes(plan: ChangesPlan, asker?: Asker): Promise<ChangesAnswer>
  // Whether the database has a journal that names every write; a promise where that has to be looked at first.
  hasFeed(): boolean | Promise<boolean>
  load(): EngineLoad
  // How far a replica is behind the tills; null if the database is not a replica.
  lagSeconds(): number | null
  close(): Promise<void>
}

export interface EngineOptions {
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly budget?: Budget
  // For the columns of lists; 0: every list is found by plain SQL.
  readonly indexMemoryBytes?: number
  // Where columns are saved for the next start.
  readonly columnsFolder?: string
}
