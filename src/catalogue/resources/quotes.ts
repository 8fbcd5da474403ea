import { children, columns } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, documentHeader, documentSort, documentStatusFilter, saleLine, statuses } from '../common.ts'

const labels = statuses('hold', 'open', 'converted', 'void')

export const quotes: Resource = {
  name: 'quotes',
  summary: 'Prices offered to customers, recent and archived.',
  permission: 'quotes:read',
  relation: 'quotes',
  archived: true,
  fields: [
    ...documentHeader(labels),
    ...columns('ship_to_name ship_to_address ship_to_phone'),
    children('lines', 'quote_lines', 'quote_id', saleLine()),
  ],
  filters: [documentStatusFilter(labels), ...documentFilters('customer_id')],
  search: ['number', 'customer_name'],
  sort: documentSort,
}
