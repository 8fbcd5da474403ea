import { activity } from '../../contract/codes.ts'
import { columns, label } from '../field.ts'
import type { Resource } from '../resource.ts'
import { activityFilter, nameSort, updatedSince } from '../common.ts'

export const vendors: Resource = {
  name: 'vendors',
  summary: 'The companies that goods are bought from.',
  permission: 'vendors:read',
  relation: 'vendors',
  fields: [
    ...columns('id code name contact_first_name contact_last_name other_contact phone phone2 email website'),
    ...columns('address city zip country currency'),
    label('status', 'active', activity),
    ...columns('created_at updated_at'),
  ],
  filters: [activityFilter, updatedSince],
  search: ['name', 'code', 'phone', 'email'],
  sort: nameSort,
}
