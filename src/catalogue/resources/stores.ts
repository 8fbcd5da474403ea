import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const stores = referenceResource({
  name: 'stores',
  names: { en: 'Stores', fr: 'Magasins', ht: 'Magazen' },
  relation: 'stores',
  fields: columns('id code name address manager phone phone2 email is_headquarters'),
  en: {
    says: 'The stores of the company.',
    name: 'What the store is called.',
    is_headquarters: 'True for the head office.',
  },
  fr: {
    says: 'Les magasins de l’entreprise.',
    name: 'Le nom du magasin.',
    is_headquarters: 'Vrai pour le siège.',
  },
})
