import { amounts, children, columns, costs } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, documentHeader, documentSort, documentStatusFilter, saleLine, statuses } from '../common.ts'

const labels = statuses('new', 'open', 'hold', 'converted', 'refunded', 'closed')

export const salesOrders: Resource = {
  name: 'sales-orders',
  names: { en: 'Sales orders', fr: 'Commandes clients', ht: 'Kòmand kliyan' },
  permission: 'sales-orders:read',
  group: 'sales',
  holds: { en: 'What customers have ordered', fr: 'Ce que les clients ont commandé', ht: 'Sa kliyan yo kòmande' },
  presets: ['dashboard'],
  relation: 'sales_orders',
  fields: [
    ...documentHeader(labels),
    ...amounts('amount_paid'),
    ...costs('cost_total'),
    ...columns('quote_number ship_to_name ship_to_address ship_to_phone'),
    children('lines', 'sales_order_lines', 'sales_order_id', saleLine('delivered_quantity')),
    children(
      'payments',
      'sales_order_payments',
      'sales_order_id',
      [...columns('date'), ...amounts('cash card cheque'), ...columns('cheque_number currency exchange_rate notes')],
      ['date', 'id'],
    ),
  ],
  filters: [documentStatusFilter(labels), ...documentFilters('customer_id')],
  search: ['number', 'customer_name'],
  sort: documentSort,
  en: {
    says: 'Orders of customers, with what was delivered and the deposits paid on them.',
    status: '`hold` is a draft, `converted` became an invoice, `closed` is ended and keeps its amounts.',
    quantity_total: 'How much was ordered, summed over all lines.',
    amount_paid: 'Sum of the deposits paid on the order.',
    cost_total: 'What the goods ordered cost the company.',
    payments: 'Deposits recorded on the order.',
    'payments[].notes': 'Free remarks on the deposit.',
    'lines[].delivered_quantity': 'How many the customer already has, counted in `unit`.',
  },
  fr: {
    says: 'Les commandes des clients, avec ce qui a été livré et les acomptes versés.',
    status: '`hold` est un brouillon, `converted` est devenu une facture, `closed` est terminé et garde ses montants.',
    quantity_total: 'Combien a été commandé, sur toutes les lignes.',
    amount_paid: 'Somme des acomptes versés sur la commande.',
    cost_total: 'Ce que les marchandises commandées coûtent à l’entreprise.',
    payments: 'Les acomptes notés sur la commande.',
    'payments[].notes': 'Remarques libres sur l’acompte.',
    'lines[].delivered_quantity': 'Combien le client en a déjà, compté en `unit`.',
  },
}
