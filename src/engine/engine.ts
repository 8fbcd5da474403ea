// What the routes ask of an engine: bytes for a plan. Everything between plan and bytes happens behind this.
import type { DetailPlan, ListPlan } from '../query/plan.ts'

export interface ListAnswer {
  readonly total: number
  readonly body: Uint8Array
}

export interface Engine {
  list(plan: ListPlan): Promise<ListAnswer>
  // null: there is no such record for this access.
  detail(plan: DetailPlan): Promise<Uint8Array | null>
  close(): Promise<void>
}
