import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const stores = referenceResource({
  name: 'stores',
  summary: 'The stores of the company.',
  relation: 'stores',
  fields: columns('id code name address manager phone phone2 email is_headquarters'),
})
