// The words in which the specification's resource chapters are written down, and what several resources share.

export type FieldType = 'integer' | 'number' | 'string' | 'boolean' | 'date-time' | 'date' | 'label'
export type FilterType = 'labels' | 'integer' | 'currency' | 'date' | 'since'

export interface FieldRule {
  readonly name: string
  readonly type: FieldType
  readonly permission: 'costs:read' | 'customers:financial' | null
}

export interface ArrayRule {
  readonly relation: string
  readonly parent: string
  readonly fields: readonly FieldRule[]
  // `price_lists` and `stock` of products are in lists too.
  readonly inLists: boolean
}

export interface LabelRule {
  readonly column: string
  // In the order of the specification, each with its stored code.
  readonly codes: Readonly<Record<string, number>>
}

export interface ResourceRule {
  readonly name: string
  readonly permission: string
  readonly relation: string
  readonly archived?: true
  // The stored kind of a relation that holds two resources.
  readonly kind?: number
  readonly fields: readonly FieldRule[]
  readonly arrays: Readonly<Record<string, ArrayRule>>
  readonly labels: Readonly<Record<string, LabelRule>>
  readonly sorts: readonly string[]
  readonly defaultSort: string
  readonly status: readonly string[]
  readonly omittedStatus: 'all' | 'without hold' | 'active'
  readonly filters: Readonly<Record<string, FilterType>>
  readonly search: readonly string[]
}

// `name:type`, and `(costs)` or `(financial)` as the specification marks them.
export const fields = (text: string): FieldRule[] =>
  text
    .trim()
    .split(/\s+/)
    .map((word) => {
      const [, name = '', type = '', mark] = /^(\w+):([a-z-]+)(?:\((\w+)\))?$/.exec(word) ?? []
      const permission = mark === 'costs' ? 'costs:read' : mark === 'financial' ? 'customers:financial' : null
      return { name, type: type as FieldType, permission }
    })

const statusCodes = {
  new: 0,
  open: 1,
  hold: 2,
  regular: 3,
  void: 4,
  converted: 5,
  refunded: 6,
  closed: 7,
  complete: 8,
  posted: 9,
}
type Status = keyof typeof statusCodes

export const statuses = (...names: Status[]): LabelRule => ({
  column: 'status',
  codes: Object.fromEntries(names.map((name) => [name, statusCodes[name]])),
})
export const activity: LabelRule = { column: 'active', codes: { active: 1, inactive: 0 } }
export const lineType: LabelRule = { column: 'kind', codes: { Inventory: 1, Service: 2, Special: 3 } }

export const header = `id:integer number:string store_id:integer date:date-time customer_id:integer customer_name:string
  status:label payment_type:string currency:string exchange_rate:number quantity_total:number items_total:number
  tax:number discount_percent:number discount_amount:number shipping:number total:number notes:string
  created_at:date-time updated_at:date-time`
export const shipTo = 'ship_to_name:string ship_to_address:string ship_to_phone:string'

export const saleLines = (relation: string, parent: string, delivered = ''): ArrayRule => ({
  relation,
  parent,
  inLists: false,
  fields: fields(`id:integer product_id:integer name:string description:string type:label quantity:number ${delivered}
    unit:string unit_price:number base_quantity:number base_unit_price:number cost:number(costs)`),
})
export const lines = (relation: string, parent: string, text: string): ArrayRule => ({
  relation,
  parent,
  inLists: false,
  fields: fields(text),
})

export const documentFilters = (...others: string[]): Record<string, FilterType> => ({
  ...Object.fromEntries(others.map((name) => [name, 'integer' as const])),
  store_id: 'integer',
  currency: 'currency',
  date_from: 'date',
  date_to: 'date',
  updated_since: 'since',
})
export const documentSorts = { sorts: ['id', 'date', 'total', 'updated_at'], defaultSort: '-date' }
export const nameSorts = { sorts: ['id', 'name', 'code', 'updated_at'], defaultSort: 'name' }
export const drafts = { omittedStatus: 'without hold' } as const
