import { codeOf, invoiceKind, payment } from '../../contract/codes.ts'
import { amounts, children, columns, costs, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import {
  counterPayment,
  documentFilters,
  documentHeader,
  documentSort,
  documentStatusFilter,
  invoiceStatuses,
  saleLine,
} from '../common.ts'

// Credit memos are stored with invoices: the two differ in nothing but their kind.
const storedWithInvoices: Omit<Resource, 'name' | 'summary' | 'permission'> = {
  relation: 'invoices',
  archived: true,
  fields: [
    ...documentHeader(invoiceStatuses),
    label('payment_status', 'paid', payment),
    ...amounts('amount_paid deposit'),
    ...costs('cost_total'),
    ...columns('po_number quote_number sales_order_number'),
    children('lines', 'invoice_lines', 'invoice_id', saleLine()),
    children('payments', 'invoice_payments', 'invoice_id', counterPayment, ['date', 'id']),
  ],
  filters: [
    documentStatusFilter(invoiceStatuses),
    { kind: 'labels', name: 'payment_status', column: 'paid', labels: payment },
    ...documentFilters('customer_id'),
  ],
  search: ['number', 'customer_name', 'po_number'],
  sort: documentSort,
}

export const invoices: Resource = {
  ...storedWithInvoices,
  name: 'invoices',
  summary: 'Sales, recent and archived, with how they were paid at the counter.',
  permission: 'invoices:read',
  only: { column: 'kind', code: codeOf(invoiceKind, 'invoice') },
}

export const creditMemos: Resource = {
  ...storedWithInvoices,
  name: 'credit-memos',
  summary: 'Goods taken back from customers, with how they were refunded.',
  permission: 'credit-memos:read',
  only: { column: 'kind', code: codeOf(invoiceKind, 'credit memo') },
}
