import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const customerTypes = referenceResource({
  name: 'customer-types',
  names: { en: 'Customer types', fr: 'Types de clients', ht: 'Kalite kliyan' },
  relation: 'customer_types',
  fields: columns('id code name'),
  en: { says: 'The kinds of customers.' },
  fr: { says: 'Les sortes de clients.' },
})
