import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const subDepartments = referenceResource({
  name: 'sub-departments',
  names: { en: 'Sub-departments', fr: 'Sous-départements', ht: 'Sou-depatman' },
  relation: 'sub_departments',
  fields: columns('id code name manager'),
  en: { says: 'The parts of departments that products are sorted into.' },
  fr: { says: 'Les parties des départements où les produits sont classés.' },
})
