import { receivingKind } from '../../contract/codes.ts'
import { amounts, children, columns, costs, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, documentSort, documentStatusFilter, statuses } from '../common.ts'

const labels = statuses('open', 'hold', 'posted', 'void')

export const receivings: Resource = {
  name: 'receivings',
  summary: 'Goods received from vendors and goods returned to them.',
  permission: 'receivings:read',
  relation: 'receivings',
  fields: [
    ...columns('id number'),
    label('type', 'kind', receivingKind),
    ...columns('store_id date receipt_number receipt_date purchase_order_id vendor_id vendor_name'),
    label('status', 'status', labels),
    ...columns('currency exchange_rate quantity_total'),
    ...amounts('items_total'),
    ...columns('discount_percent'),
    ...amounts('discount_amount tax freight fee total'),
    ...columns('notes created_at updated_at'),
    children('lines', 'receiving_lines', 'receiving_id', [
      ...columns('id product_id name description barcode quantity unit'),
      ...amounts('unit_price new_price'),
      ...columns('base_quantity'),
      ...costs('average_cost previous_cost previous_average_cost'),
    ]),
  ],
  filters: [
    documentStatusFilter(labels),
    { kind: 'labels', name: 'type', column: 'kind', labels: receivingKind },
    ...documentFilters('vendor_id', 'purchase_order_id'),
  ],
  search: ['number', 'vendor_name', 'receipt_number'],
  sort: documentSort,
}
