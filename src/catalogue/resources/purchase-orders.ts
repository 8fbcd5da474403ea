import { amounts, children, columns, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, documentSort, documentStatusFilter, statuses } from '../common.ts'

const labels = statuses('hold', 'open', 'complete', 'closed')

export const purchaseOrders: Resource = {
  name: 'purchase-orders',
  summary: 'Goods ordered from vendors.',
  permission: 'purchase-orders:read',
  relation: 'purchase_orders',
  fields: [
    ...columns('id number store_id date vendor_id vendor_name'),
    label('status', 'status', labels),
    ...columns('currency exchange_rate quantity_total'),
    ...amounts('items_total tax total'),
    ...columns('notes created_at updated_at'),
    children('lines', 'purchase_order_lines', 'purchase_order_id', [
      ...columns('id product_id name description quantity unit'),
      ...amounts('unit_price'),
      ...columns('base_quantity'),
    ]),
  ],
  filters: [documentStatusFilter(labels), ...documentFilters('vendor_id')],
  search: ['number', 'vendor_name'],
  sort: documentSort,
}
