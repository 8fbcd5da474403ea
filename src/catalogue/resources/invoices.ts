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
const storedWithInvoices: Omit<Resource, 'name' | 'names' | 'permission' | 'en' | 'fr'> = {
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
  names: { en: 'Invoices', fr: 'Factures', ht: 'Fakti' },
  permission: 'invoices:read',
  group: 'sales',
  holds: { en: 'What was sold, line by line', fr: 'Ce qui a été vendu, ligne par ligne', ht: 'Sa ki vann, liy pa liy' },
  presets: ['accountant', 'dashboard'],
  only: { column: 'kind', code: codeOf(invoiceKind, 'invoice') },
  en: {
    says: 'Sales, recent and archived, with how they were paid at the counter.',
    status: '`regular` is final, `hold` is a draft, `void` is cancelled.',
    payments: 'How it was paid at the counter; what was received later is in the resource payments.',
  },
  fr: {
    says: 'Les ventes, récentes et archivées, et comment elles ont été payées au comptoir.',
    status: '`regular` est définitif, `hold` est un brouillon, `void` est annulé.',
    payments: 'Comment elle a été payée au comptoir ; ce qui a été reçu plus tard est dans la ressource payments.',
  },
}

export const creditMemos: Resource = {
  ...storedWithInvoices,
  name: 'credit-memos',
  names: { en: 'Credit memos', fr: 'Notes de crédit', ht: 'Nòt kredi' },
  permission: 'credit-memos:read',
  group: 'sales',
  holds: {
    en: 'Refunds and returned goods',
    fr: 'Remboursements et articles rendus',
    ht: 'Ranbousman ak machandiz yo remèt',
  },
  presets: ['accountant', 'dashboard'],
  only: { column: 'kind', code: codeOf(invoiceKind, 'credit memo') },
  en: {
    says: 'Goods taken back from customers, with how they were refunded.',
    status: '`regular` is final, `hold` is a draft, `void` is cancelled.',
    quantity_total: 'How much was returned, summed over all lines.',
    total: 'What the customer gets back, as a positive amount.',
    payment_status: '`paid` if the customer has been refunded, otherwise `unpaid`.',
    amount_paid: 'How much of the total has been refunded.',
    deposit: 'Part of the refund that was recorded as a deposit.',
    cost_total: 'What the goods returned had cost the company.',
    'lines[].quantity': 'How many were returned, counted in `unit`.',
    payments: 'How it was refunded, one entry for each time.',
    'payments[].date': 'When the refund was made.',
    'payments[].cash': 'Part of the refund in notes and coins.',
    'payments[].card': 'Part of the refund to a debit or credit card.',
    'payments[].cheque': 'Part of the refund by cheque.',
    'payments[].account': "What was credited to the customer's account.",
    'payments[].deposit': 'What was recorded as a deposit.',
  },
  fr: {
    says: 'Les marchandises reprises aux clients, et comment elles ont été remboursées.',
    status: '`regular` est définitif, `hold` est un brouillon, `void` est annulé.',
    quantity_total: 'Combien a été rendu, sur toutes les lignes.',
    total: 'Ce que le client récupère, en montant positif.',
    payment_status: '`paid` si le client a été remboursé, sinon `unpaid`.',
    amount_paid: 'Combien du total a été remboursé.',
    deposit: 'Partie du remboursement notée comme acompte.',
    cost_total: 'Ce que les marchandises rendues avaient coûté à l’entreprise.',
    'lines[].quantity': 'Combien ont été rendus, compté en `unit`.',
    payments: 'Comment elle a été remboursée, une entrée par fois.',
    'payments[].date': 'Quand le remboursement a été fait.',
    'payments[].cash': 'Partie du remboursement en billets et en pièces.',
    'payments[].card': 'Partie du remboursement sur une carte de débit ou de crédit.',
    'payments[].cheque': 'Partie du remboursement par chèque.',
    'payments[].account': 'Ce qui a été crédité au compte du client.',
    'payments[].deposit': 'Ce qui a été noté comme acompte.',
  },
}
