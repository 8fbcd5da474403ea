// Purchase orders, receivings, transfers and adjustments, from the text of the specification.
import { documentFilters, documentSorts, drafts, fields, lines, statuses, type ResourceRule } from './rules.ts'

export const goods: readonly ResourceRule[] = [
  {
    name: 'purchase-orders',
    permission: 'purchase-orders:read',
    relation: 'purchase_orders',
    fields: fields(`id:integer number:string store_id:integer date:date-time vendor_id:integer vendor_name:string
      status:label currency:string exchange_rate:number quantity_total:number items_total:number tax:number total:number
      notes:string created_at:date-time updated_at:date-time`),
    arrays: {
      lines: lines(
        'purchase_order_lines',
        'purchase_order_id',
        `id:integer product_id:integer name:string description:string quantity:number unit:string unit_price:number
         base_quantity:number`,
      ),
    },
    labels: { status: statuses('hold', 'open', 'complete', 'closed') },
    ...documentSorts,
    status: ['hold', 'open', 'complete', 'closed', 'all'],
    ...drafts,
    filters: documentFilters('vendor_id'),
    search: ['number', 'vendor_name'],
  },
  {
    name: 'receivings',
    permission: 'receivings:read',
    relation: 'receivings',
    fields: fields(`id:integer number:string type:label store_id:integer date:date-time receipt_number:string
      receipt_date:date purchase_order_id:integer vendor_id:integer vendor_name:string status:label currency:string
      exchange_rate:number quantity_total:number items_total:number discount_percent:number discount_amount:number
      tax:number freight:number fee:number total:number notes:string created_at:date-time updated_at:date-time`),
    arrays: {
      lines: lines(
        'receiving_lines',
        'receiving_id',
        `id:integer product_id:integer name:string description:string barcode:string quantity:number unit:string
         unit_price:number new_price:number base_quantity:number average_cost:number(costs) previous_cost:number(costs)
         previous_average_cost:number(costs)`,
      ),
    },
    labels: {
      type: { column: 'kind', codes: { receipt: 1, return: 2 } },
      status: statuses('open', 'hold', 'posted', 'void'),
    },
    ...documentSorts,
    status: ['open', 'hold', 'posted', 'void', 'all'],
    ...drafts,
    filters: { type: 'labels', ...documentFilters('vendor_id', 'purchase_order_id') },
    search: ['number', 'vendor_name', 'receipt_number'],
  },
  {
    name: 'transfers',
    permission: 'transfers:read',
    relation: 'transfers',
    fields: fields(`id:integer number:string date:date-time from_store_id:integer from_store:string to_store_id:integer
      to_store:string status:label quantity_total:number notes:string created_at:date-time updated_at:date-time`),
    arrays: {
      lines: lines(
        'transfer_lines',
        'transfer_id',
        `id:integer product_id:integer name:string description:string quantity:number unit:string base_quantity:number
         average_cost:number(costs)`,
      ),
    },
    labels: { status: statuses('hold', 'open', 'posted') },
    sorts: ['id', 'date', 'updated_at'],
    defaultSort: '-date',
    status: ['hold', 'open', 'posted', 'all'],
    ...drafts,
    filters: {
      from_store_id: 'integer',
      to_store_id: 'integer',
      date_from: 'date',
      date_to: 'date',
      updated_since: 'since',
    },
    search: ['number'],
  },
  {
    name: 'adjustments',
    permission: 'adjustments:read',
    relation: 'adjustments',
    fields: fields(`id:integer number:string type:label store_id:integer date:date-time status:label reason:string
      currency:string exchange_rate:number total:number(costs) created_at:date-time updated_at:date-time`),
    arrays: {
      lines: lines(
        'adjustment_lines',
        'adjustment_id',
        `id:integer product_id:integer name:string description:string unit:string previous_quantity:number
         new_quantity:number quantity_difference:number on_hand_quantity:number average_cost:number(costs)
         previous_cost:number(costs) new_cost:number(costs) cost_difference:number(costs)`,
      ),
    },
    labels: { type: { column: 'kind', codes: { quantity: 1, cost: 2 } }, status: statuses('hold', 'posted') },
    sorts: ['id', 'date', 'updated_at'],
    defaultSort: '-date',
    status: ['hold', 'posted', 'all'],
    ...drafts,
    filters: { type: 'labels', store_id: 'integer', date_from: 'date', date_to: 'date', updated_since: 'since' },
    search: ['number', 'reason'],
  },
]
