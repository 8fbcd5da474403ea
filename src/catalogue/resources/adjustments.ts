import { adjustmentKind } from '../../contract/codes.ts'
import { children, columns, costs, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { byId, dateRange, documentStatusFilter, statuses, updatedSince } from '../common.ts'

const labels = statuses('hold', 'posted')

export const adjustments: Resource = {
  name: 'adjustments',
  summary: 'Corrections of quantities and of costs.',
  permission: 'adjustments:read',
  relation: 'adjustments',
  fields: [
    ...columns('id number'),
    label('type', 'kind', adjustmentKind),
    ...columns('store_id date'),
    label('status', 'status', labels),
    ...columns('reason currency exchange_rate'),
    ...costs('total'),
    ...columns('created_at updated_at'),
    children('lines', 'adjustment_lines', 'adjustment_id', [
      ...columns('id product_id name description unit'),
      ...columns('previous_quantity new_quantity quantity_difference on_hand_quantity'),
      ...costs('average_cost previous_cost new_cost cost_difference'),
    ]),
  ],
  filters: [
    documentStatusFilter(labels),
    { kind: 'labels', name: 'type', column: 'kind', labels: adjustmentKind },
    ...byId('store_id'),
    ...dateRange,
    updatedSince,
  ],
  search: ['number', 'reason'],
  sort: { fields: ['id', 'date', 'updated_at'], default: '-date' },
}
