import { children, columns, costs, label, reference } from '../field.ts'
import type { Resource } from '../resource.ts'
import { byId, dateRange, documentStatusFilter, statuses, updatedSince } from '../common.ts'

const labels = statuses('hold', 'open', 'posted')

export const transfers: Resource = {
  name: 'transfers',
  names: { en: 'Transfers', fr: 'Transferts', ht: 'Transfè' },
  permission: 'transfers:read',
  group: 'stock',
  holds: {
    en: 'What was moved between stores',
    fr: 'Ce qui a été déplacé entre magasins',
    ht: 'Sa ki deplase ant magazen',
  },
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
  en: {
    says: 'Stock moved between two stores.',
    status: '`hold` is a draft, `posted` has been booked.',
    from_store_id: 'Store that the goods left: an `id` of stores.',
    from_store: 'Name of the store that the goods left.',
    to_store_id: 'Store that the goods went to: an `id` of stores.',
    to_store: 'Name of the store that the goods went to.',
    'lines[].product_id': 'Product of the line: an `id` of products.',
    '?from_store_id': 'Goods that left one store: an `id` of stores.',
    '?to_store_id': 'Goods that went to one store: an `id` of stores.',
  },
  fr: {
    says: 'Le stock déplacé entre deux magasins.',
    status: '`hold` est un brouillon, `posted` est comptabilisé.',
    from_store_id: 'Magasin d’où partent les marchandises : un `id` de stores.',
    from_store: 'Nom du magasin d’où partent les marchandises.',
    to_store_id: 'Magasin où vont les marchandises : un `id` de stores.',
    to_store: 'Nom du magasin où vont les marchandises.',
    'lines[].product_id': 'Produit de la ligne : un `id` de products.',
    '?from_store_id': 'Les marchandises parties d’un magasin : un `id` de stores.',
    '?to_store_id': 'Les marchandises allées à un magasin : un `id` de stores.',
  },
}
