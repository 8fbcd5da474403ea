// A plan: one list, one detail or one part of the change feed to read, for one access. An engine takes nothing else. Plans are only made by plan-list.ts,
// plan-detail.ts and plan-changes.ts, which need an access, so that no restriction can be left out. Plain data: it is sent to reader threads.
import type { Access } from '../catalogue/access.ts'
import type { Condition } from '../catalogue/condition.ts'
import { isPriceLists, storeColumns, type Resource } from '../catalogue/resource.ts'

export interface Order {
  readonly field: string
  readonly descending: boolean
}

export interface ListPlan {
  readonly shows: 'list'
  readonly resource: string
  readonly access: Access
  readonly conditions: readonly Condition[]
  // Ends with `id`, so that no two records are equal.
  readonly order: readonly Order[]
  readonly page: number
  readonly perPage: number
}

export interface DetailPlan {
  readonly shows: 'detail'
  readonly resource: string
  readonly access: Access
  readonly conditions: readonly Condition[]
  readonly id: number
}

export interface ChangesPlan {
  readonly shows: 'changes'
  // In this order.
  readonly resources: readonly string[]
  readonly access: Access
  // Null: from the beginning.
  readonly from: FeedPosition | null
  readonly limit: number
}

// How far the feed was read.
export interface FeedPosition {
  // In the journal.
  readonly journal: string
  // While the first walk over all records lasts: the resource, and the id of the last record of it that was read. Changes come after it.
  readonly walk: { readonly resource: number; readonly after: string | null } | null
  // How many resources of the next row of the journal were read: invoices and credit memos share their rows.
  readonly resourcesRead: number
}

export type Plan = ListPlan | DetailPlan | ChangesPlan

// The conditions of every plan of a resource, whatever the caller asks: its own records, the stores and the price list of the key.
export function restrictions(resource: Resource, access: Access): Condition[] {
  const conditions: Condition[] = []
  if (resource.only) conditions.push({ is: 'equal', column: resource.only.column, value: resource.only.code })
  const columns = storeColumns(resource)
  if (access.stores !== null && columns.length > 0) {
    conditions.push({ is: 'in-stores', columns, stores: access.stores })
  }
  if (access.priceList !== null && isPriceLists(resource)) {
    conditions.push({ is: 'equal', column: 'id', value: access.priceList })
  }
  return conditions
}
