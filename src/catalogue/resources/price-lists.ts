import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const priceLists = referenceResource({
  name: 'price-lists',
  names: { en: 'Price lists', fr: 'Listes de prix', ht: 'Lis pri' },
  relation: 'price_lists',
  fields: columns('id code name'),
  en: { says: 'The price lists of the company.' },
  fr: { says: 'Les listes de prix de l’entreprise.' },
})
