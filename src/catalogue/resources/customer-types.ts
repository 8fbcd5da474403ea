import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const customerTypes = referenceResource({
  name: 'customer-types',
  summary: 'The kinds of customers.',
  relation: 'customer_types',
  fields: columns('id code name'),
})
