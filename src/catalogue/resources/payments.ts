import { amounts, children, columns, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, statuses } from '../common.ts'

const labels = statuses('regular', 'void')

export const payments: Resource = {
  name: 'payments',
  names: { en: 'Payments', fr: 'Paiements', ht: 'Peman' },
  permission: 'payments:read',
  group: 'sales',
  holds: { en: 'What customers have paid', fr: 'Ce que les clients ont payé', ht: 'Sa kliyan yo peye' },
  presets: ['accountant'],
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
  en: {
    says: 'Payments received from customers against their account.',
    number: 'Number that people know the payment by; requests use the `id`.',
    store_id: 'Store that took the money: an `id` of stores.',
    customer_id: 'Who paid: an `id` of customers.',
    customer_name: 'Name of the customer at the time of the payment.',
    status: '`regular` counts, `void` is cancelled.',
    payment_type: 'How the customer paid, for example cash, cheque or card.',
    amount_received: 'What the customer paid, in all.',
    applied_to: 'The invoices that it paid, one entry for each.',
    'applied_to[].invoice_id': 'Invoice that was paid: an `id` of invoices.',
    'applied_to[].invoice_number': 'Number that people know the invoice by.',
    'applied_to[].amount': 'How much of the payment went to this invoice.',
    'applied_to[].date': 'When it was booked against this invoice.',
    '?status': 'Payments that count, or those that are cancelled; both if left out.',
    '?customer_id': 'Payments of one customer: an `id` of customers.',
    '?store_id': 'Payments that one store took: an `id` of stores.',
  },
  fr: {
    says: 'Les paiements reçus des clients sur leur compte.',
    number: 'Numéro par lequel on connaît le paiement ; les requêtes utilisent l’`id`.',
    store_id: 'Magasin qui a encaissé : un `id` de stores.',
    customer_id: 'Qui a payé : un `id` de customers.',
    customer_name: 'Nom du client au moment du paiement.',
    status: '`regular` compte, `void` est annulé.',
    payment_type: 'Comment le client a payé, par exemple comptant, par chèque ou par carte.',
    amount_received: 'Ce que le client a payé, en tout.',
    applied_to: 'Les factures qu’il a payées, une entrée pour chacune.',
    'applied_to[].invoice_id': 'Facture payée : un `id` de invoices.',
    'applied_to[].invoice_number': 'Numéro par lequel on connaît la facture.',
    'applied_to[].amount': 'Combien du paiement est allé à cette facture.',
    'applied_to[].date': 'Quand il a été imputé à cette facture.',
    '?status': 'Les paiements qui comptent, ou ceux qui sont annulés ; les deux si omis.',
    '?customer_id': 'Les paiements d’un client : un `id` de customers.',
    '?store_id': 'Les paiements encaissés par un magasin : un `id` de stores.',
  },
}
