// Quotes, sales orders, invoices, credit memos and payments, from the text of the specification.
import {
  documentFilters,
  documentSorts,
  drafts,
  fields,
  header,
  lines,
  saleLines,
  shipTo,
  statuses,
  type ArrayRule,
  type ResourceRule,
} from './rules.ts'

const counterPayments: ArrayRule = {
  relation: 'invoice_payments',
  parent: 'invoice_id',
  inLists: false,
  fields: fields(`date:date-time cash:number card:number cheque:number cheque_number:string account:number
    deposit:number currency:string exchange_rate:number`),
}
const invoice = (name: string, permission: string, kind: number): ResourceRule => ({
  name,
  permission,
  relation: 'invoices',
  archived: true,
  kind,
  fields: fields(`${header} payment_status:label amount_paid:number deposit:number cost_total:number(costs)
    po_number:string quote_number:string sales_order_number:string`),
  arrays: { lines: saleLines('invoice_lines', 'invoice_id'), payments: counterPayments },
  labels: {
    status: statuses('new', 'open', 'hold', 'regular', 'void'),
    payment_status: { column: 'paid', codes: { paid: 1, unpaid: 0 } },
  },
  ...documentSorts,
  status: ['new', 'open', 'hold', 'regular', 'void', 'all'],
  ...drafts,
  filters: { payment_status: 'labels', ...documentFilters('customer_id') },
  search: ['number', 'customer_name', 'po_number'],
})

export const sales: readonly ResourceRule[] = [
  {
    name: 'quotes',
    permission: 'quotes:read',
    relation: 'quotes',
    archived: true,
    fields: fields(`${header} ${shipTo}`),
    arrays: { lines: saleLines('quote_lines', 'quote_id') },
    labels: { status: statuses('hold', 'open', 'converted', 'void') },
    ...documentSorts,
    status: ['hold', 'open', 'converted', 'void', 'all'],
    ...drafts,
    filters: documentFilters('customer_id'),
    search: ['number', 'customer_name'],
  },
  {
    name: 'sales-orders',
    permission: 'sales-orders:read',
    relation: 'sales_orders',
    fields: fields(`${header} amount_paid:number cost_total:number(costs) quote_number:string ${shipTo}`),
    arrays: {
      lines: saleLines('sales_order_lines', 'sales_order_id', 'delivered_quantity:number'),
      payments: lines(
        'sales_order_payments',
        'sales_order_id',
        `date:date-time cash:number card:number cheque:number cheque_number:string currency:string exchange_rate:number
         notes:string`,
      ),
    },
    labels: { status: statuses('new', 'open', 'hold', 'converted', 'refunded', 'closed') },
    ...documentSorts,
    status: ['new', 'open', 'hold', 'converted', 'refunded', 'closed', 'all'],
    ...drafts,
    filters: documentFilters('customer_id'),
    search: ['number', 'customer_name'],
  },
  invoice('invoices', 'invoices:read', 1),
  invoice('credit-memos', 'credit-memos:read', 2),
  {
    name: 'payments',
    permission: 'payments:read',
    relation: 'payments',
    fields: fields(`id:integer number:string store_id:integer date:date-time customer_id:integer customer_name:string
      status:label payment_type:string currency:string exchange_rate:number amount_received:number cash:number
      card:number cheque:number cheque_number:string notes:string created_at:date-time updated_at:date-time`),
    arrays: {
      applied_to: lines(
        'payment_applications',
        'payment_id',
        'invoice_id:integer invoice_number:string amount:number date:date-time',
      ),
    },
    labels: { status: statuses('regular', 'void') },
    sorts: ['id', 'date', 'amount_received', 'updated_at'],
    defaultSort: '-date',
    status: ['regular', 'void'],
    omittedStatus: 'all',
    filters: documentFilters('customer_id'),
    search: ['number', 'customer_name'],
  },
]
