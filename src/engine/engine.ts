// What the routes ask of an engine: bytes for a plan. Everything between plan and bytes happens behind this.
import type { DetailPlan, ListPlan } from '../query/plan.ts'

export interface ListAnswer {
  readonly total: number
  readonly body: Uint8Array
}

// To a list, or to a record; null: there is no such record for this access.
export type Answer = ListAnswer | Uint8Array | null

// To look up where a page begins costs about as much as walking over so many records.
export const usualFarInto = 1000

// A copy that is further behind than this is told of.
export const toleratedLagSeconds = 1

export interface Engine {
  // A caller that hangs up (the signal) is not worked for any longer.
  list(plan: ListPlan, signal?: AbortSignal): Promise<ListAnswer>
  // null: there is no such record for this access.
  detail(plan: DetailPlan, signal?: AbortSignal): Promise<Uint8Array | null>
  // How far the data is behind the tills; null when it is not a copy.
  lagSeconds(): number | null
  close(): Promise<void>
}
