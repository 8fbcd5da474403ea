import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const subDepartments = referenceResource({
  name: 'sub-departments',
  summary: 'The parts of departments that products are sorted into.',
  relation: 'sub_departments',
  fields: columns('id code name manager'),
})
