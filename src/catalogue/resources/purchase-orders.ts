import { amounts, children, columns, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, documentSort, documentStatusFilter, statuses } from '../common.ts'

const labels = statuses('hold', 'open', 'complete', 'closed')

export const purchaseOrders: Resource = {
  name: 'purchase-orders',
  names: { en: 'Purchase orders', fr: 'Bons de commande', ht: 'Bon kòmand' },
  permission: 'purchase-orders:read',
  group: 'stock',
  holds: { en: 'What you have ordered', fr: 'Ce que vous avez commandé', ht: 'Sa ou menm ou kòmande' },
  presets: ['accountant'],
  relation: 'purchase_orders',
  fields: [
    ...columns('id number store_id date vendor_id vendor_name'),
    label('status', 'status', labels),
    ...columns('currency exchange_rate quantity_total'),
    ...amounts('items_total tax total'),
    ...columns('notes created_at updated_at'),
    children('lines', 'purchase_order_lines', 'purchase_order_id', [
      ...columns('id product_id name description quantity unit'),
      ...amounts('unit_price'),
      ...columns('base_quantity'),
    ]),
  ],
  filters: [documentStatusFilter(labels), ...documentFilters('vendor_id')],
  search: ['number', 'vendor_name'],
  sort: documentSort,
  en: {
    says: 'Goods ordered from vendors.',
    status: '`hold` is a draft, `closed` is ended and keeps its amounts.',
    store_id: 'Store that the goods are ordered for: an `id` of stores.',
    quantity_total: 'How much was ordered, summed over all lines.',
    items_total: 'Sum of the item amounts, before tax.',
    'lines[].product_id': 'Product of the line: an `id` of products.',
    'lines[].unit_price': 'Purchase price of one `unit`.',
  },
  fr: {
    says: 'Les marchandises commandées aux fournisseurs.',
    status: '`hold` est un brouillon, `closed` est terminé et garde ses montants.',
    store_id: 'Magasin pour lequel les marchandises sont commandées : un `id` de stores.',
    quantity_total: 'Combien a été commandé, sur toutes les lignes.',
    items_total: 'Somme des montants des articles, avant taxe.',
    'lines[].product_id': 'Produit de la ligne : un `id` de products.',
    'lines[].unit_price': 'Prix d’achat d’une `unit`.',
  },
}
