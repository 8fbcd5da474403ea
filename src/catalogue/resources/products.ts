import { activity, productKind } from '../../contract/codes.ts'
import { columns, costs, label, orZero, reference } from '../field.ts'
import type { Resource } from '../resource.ts'
import { activityFilter, byId, nameSort, updatedSince } from '../common.ts'

export const products: Resource = {
  name: 'products',
  summary: 'Stocked products, services, assembled and special items, with prices and stock.',
  permission: 'products:read',
  relation: 'products',
  fields: [
    ...columns('id code barcode name description'),
    label('type', 'kind', productKind),
    label('status', 'active', activity),
    ...columns('size attribute department_id sub_department_id'),
    reference('department', 'department_id', 'departments'),
    reference('sub_department', 'sub_department_id', 'sub_departments'),
    ...columns('unit second_unit'),
    ...orZero('vendor_id'),
    ...columns('reorder_point currency'),
    ...costs('cost average_cost order_cost'),
    ...columns('created_at updated_at'),
    { kind: 'stock-sum', name: 'quantity_total', column: 'quantity' },
    { kind: 'stock-sum', name: 'on_sales_order', column: 'on_sales_order' },
    { kind: 'stock-sum', name: 'on_purchase_order', column: 'on_purchase_order' },
    { kind: 'price', name: 'price', column: 'price' },
    { kind: 'price', name: 'second_unit_price', column: 'second_unit_price' },
    { kind: 'price-lists', name: 'price_lists', fields: columns('price_list_id price second_unit_price') },
    { kind: 'stock', name: 'stock', fields: columns('store_id quantity on_sales_order on_purchase_order') },
  ],
  filters: [
    { ...activityFilter, all: true, omitted: { shows: 'active' } },
    { kind: 'labels', name: 'type', column: 'kind', labels: productKind },
    ...byId('department_id', 'sub_department_id'),
    { kind: 'integer', name: 'vendor_id', column: 'vendor_id', emptyIsZero: true },
    updatedSince,
  ],
  search: ['name', 'code', 'barcode'],
  sort: nameSort,
}
