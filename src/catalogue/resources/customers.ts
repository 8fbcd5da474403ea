import { activity } from '../../contract/codes.ts'
import { columns, financial, label, reference } from '../field.ts'
import type { Resource } from '../resource.ts'
import { activityFilter, byId, nameSort, updatedSince } from '../common.ts'

export const customers: Resource = {
  name: 'customers',
  summary: 'Customers, with their contact data, type and price list.',
  permission: 'customers:read',
  relation: 'customers',
  fields: [
    ...columns('id code name first_name last_name company_name alt_name phone phone2 email address city zip'),
    ...columns('currency payment_term'),
    label('status', 'active', activity),
    ...columns('customer_type_id'),
    reference('customer_type', 'customer_type_id', 'customer_types'),
    ...columns('price_list_id discount_level discount_type'),
    ...financial('credit_limit balance'),
    ...columns('created_at updated_at'),
  ],
  filters: [activityFilter, ...byId('customer_type_id', 'price_list_id'), updatedSince],
  search: ['name', 'code', 'company_name', 'phone', 'email'],
  sort: nameSort,
}
