import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const departments = referenceResource({
  name: 'departments',
  summary: 'The departments that products are sorted into.',
  relation: 'departments',
  fields: columns('id code name manager'),
})
