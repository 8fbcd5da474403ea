import { columns } from '../field.ts'
import { referenceResource } from '../common.ts'

export const priceLists = referenceResource({
  name: 'price-lists',
  summary: 'The price lists of the company.',
  relation: 'price_lists',
  fields: columns('id code name'),
})
