import { amounts, children, columns, costs } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, documentHeader, documentSort, documentStatusFilter, saleLine, statuses } from '../common.ts'

const labels = statuses('new', 'open', 'hold', 'converted', 'refunded', 'closed')

export const salesOrders: Resource = {
  name: 'sales-orders',
  summary: 'Orders of customers, with what was delivered and the deposits paid on them.',
  permission: 'sales-orders:read',
  relation: 'sales_orders',
  fields: [
    ...documentHeader(labels),
    ...amounts('amount_paid'),
    ...costs('cost_total'),
    ...columns('quote_number ship_to_name ship_to_address ship_to_phone'),
    children('lines', 'sales_order_lines', 'sales_order_id', saleLine('delivered_quantity')),
    children(
      'payments',
      'sales_order_payments',
      'sales_order_id',
      [...columns('date'), ...amounts('cash card cheque'), ...columns('cheque_number currency exchange_rate notes')],
      ['date', 'id'],
    ),
  ],
  filters: [documentStatusFilter(labels), ...documentFilters('customer_id')],
  search: ['number', 'customer_name'],
  sort: documentSort,
}
