import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const departments = referenceResource({
  name: 'departments',
  names: { en: 'Departments', fr: 'Départements', ht: 'Depatman' },
  relation: 'departments',
  fields: columns('id code name manager'),
  en: { says: 'The departments that products are sorted into.' },
  fr: { says: 'Les départements où les produits sont classés.' },
})
