import { children, columns } from '../field.ts'
import type { Resource } from '../resource.ts'
import { documentFilters, documentHeader, documentSort, documentStatusFilter, saleLine, statuses } from '../common.ts'

const labels = statuses('hold', 'open', 'converted', 'void')

export const quotes: Resource = {
  name: 'quotes',
  names: { en: 'Quotes', fr: 'Devis', ht: 'Devi' },
  permission: 'quotes:read',
  group: 'sales',
  holds: { en: 'Offers to customers', fr: 'Offres faites aux clients', ht: 'Òf ou fè kliyan' },
  presets: ['dashboard'],
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
  en: {
    says: 'Prices offered to customers, recent and archived.',
    status: '`hold` is a draft, `converted` became an order or an invoice, `void` is cancelled.',
  },
  fr: {
    says: 'Les prix proposés aux clients, récents et archivés.',
    status: '`hold` est un brouillon, `converted` est devenu une commande ou une facture, `void` est annulé.',
  },
}
