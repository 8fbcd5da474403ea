// What the routes ask of an engine: bytes for a plan. Everything between plan and bytes happens behind this.
import type { PlainReason } from '../finder/plain-reasons.ts'
import type { DetailPlan, ListPlan } from '../query/plan.ts'

export interface ListAnswer {
  readonly total: number
  // How many are on the page.
  readonly records: number
  readonly body: Uint8Array
}

// To a list, or to a record; null: there is no such record for this access.
export type Answer = ListAnswer | Uint8Array | null

// A copy that is further behind than this is told of.
export const toleratedLagSeconds = 1

// How the lists of a collection are found.
export interface ListWay {
  readonly collection: string
  readonly way: 'columns' | 'plain'
  // Why it is plain SQL.
  readonly why: PlainReason | null
  readonly rows: number
  readonly bytes: number
}

// Who asks: readers are shared fairly among keys, and a caller that hangs up is not worked for any longer.
export interface Asker {
  readonly key?: string
  readonly signal?: AbortSignal
}

// What goes on at this moment, for whoever watches the service.
export interface EngineLoad {
  readonly readers: number
  readonly busy: number
  readonly waiting: number
  // Statements that were stopped because they took too long, since the start.
  readonly stopped: number
  // Which way lists take, collection by collection; none where no columns are kept at all.
  readonly lists: readonly ListWay[]
}

export interface Engine {
  list(plan: ListPlan, asker?: Asker): Promise<ListAnswer>
  // null: there is no such record for this access.
  detail(plan: DetailPlan, asker?: Asker): Promise<Uint8Array | null>
  load(): EngineLoad
  // How far the data is behind the tills; null when it is not a copy.
  lagSeconds(): number | null
  close(): Promise<void>
}
