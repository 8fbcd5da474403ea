import { amounts, children, columns, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, statuses } from '../common.ts'

const labels = statuses('regular', 'void')

export const payments: Resource = {
  name: 'payments',
  summary: 'Payments received from customers against their account.',
  permission: 'payments:read',
  relation: 'payments',
  fields: [
    ...columns('id number store_id date customer_id customer_name'),
    label('status', 'status', labels),
    ...columns('payment_type currency exchange_rate'),
    ...amounts('amount_received cash card cheque'),
    ...columns('cheque_number notes created_at updated_at'),
    children('applied_to', 'payment_applications', 'payment_id', [
      ...columns('invoice_id invoice_number'),
      ...amounts('amount'),
      ...columns('date'),
    ]),
  ],
  filters: [
    { kind: 'status', name: 'status', column: 'status', labels, all: false },
    ...documentFilters('customer_id'),
  ],
  search: ['number', 'customer_name'],
  sort: { fields: ['id', 'date', 'amount_received', 'updated_at'], default: '-date' },
}
