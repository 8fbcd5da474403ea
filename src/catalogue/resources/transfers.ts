import { children, columns, costs, label, reference } from '../field.ts'
import type { Resource } from '../resource.ts'
import { byId, dateRange, documentStatusFilter, statuses, updatedSince } from '../common.ts'

const labels = statuses('hold', 'open', 'posted')

export const transfers: Resource = {
  name: 'transfers',
  summary: 'Stock moved between two stores.',
  permission: 'transfers:read',
  relation: 'transfers',
  fields: [
    ...columns('id number date from_store_id'),
    reference('from_store', 'from_store_id', 'stores'),
    ...columns('to_store_id'),
    reference('to_store', 'to_store_id', 'stores'),
    label('status', 'status', labels),
    ...columns('quantity_total notes created_at updated_at'),
    children('lines', 'transfer_lines', 'transfer_id', [
      ...columns('id product_id name description quantity unit base_quantity'),
      ...costs('average_cost'),
    ]),
  ],
  filters: [documentStatusFilter(labels), ...byId('from_store_id', 'to_store_id'), ...dateRange, updatedSince],
  search: ['number'],
  sort: { fields: ['id', 'date', 'updated_at'], default: '-date' },
}
