// Products, customers, vendors and the reference data, from the text of the specification.
import { activity, fields, nameSorts, type ResourceRule } from './rules.ts'

const reference = (name: string, relation: string, text: string): ResourceRule => ({
  name,
  permission: 'reference:read',
  relation,
  fields: fields(text),
  arrays: {},
  labels: {},
  sorts: ['id', 'name', 'code'],
  defaultSort: 'name',
  status: [],
  omittedStatus: 'all',
  filters: {},
  search: ['name', 'code'],
})

export const thingsAndPeople: readonly ResourceRule[] = [
  {
    name: 'products',
    permission: 'products:read',
    relation: 'products',
    fields: fields(`id:integer code:string barcode:string name:string description:string type:label status:label
      size:string attribute:string department_id:integer sub_department_id:integer department:string
      sub_department:string unit:string second_unit:string vendor_id:integer reorder_point:number currency:string
      cost:number(costs) average_cost:number(costs) order_cost:number(costs) created_at:date-time updated_at:date-time
      quantity_total:number on_sales_order:number on_purchase_order:number price:number second_unit_price:number`),
    arrays: {
      price_lists: {
        relation: 'product_prices',
        parent: 'product_id',
        inLists: true,
        fields: fields('price_list_id:integer price:number second_unit_price:number'),
      },
      stock: {
        relation: 'product_stock',
        parent: 'product_id',
        inLists: true,
        fields: fields('store_id:integer quantity:number on_sales_order:number on_purchase_order:number'),
      },
    },
    labels: {
      type: { column: 'kind', codes: { inventory: 1, service: 2, assembly: 3, special: 4 } },
      status: activity,
    },
    ...nameSorts,
    status: ['active', 'inactive', 'all'],
    omittedStatus: 'active',
    filters: {
      type: 'labels',
      department_id: 'integer',
      sub_department_id: 'integer',
      vendor_id: 'integer',
      updated_since: 'since',
    },
    search: ['name', 'code', 'barcode'],
  },
  {
    name: 'customers',
    permission: 'customers:read',
    relation: 'customers',
    fields: fields(`id:integer code:string name:string first_name:string last_name:string company_name:string
      alt_name:string phone:string phone2:string email:string address:string city:string zip:string currency:string
      payment_term:string status:label customer_type_id:integer customer_type:string price_list_id:integer
      discount_level:number discount_type:string credit_limit:number(financial) balance:number(financial)
      created_at:date-time updated_at:date-time`),
    arrays: {},
    labels: { status: activity },
    ...nameSorts,
    status: ['active', 'inactive'],
    omittedStatus: 'all',
    filters: { customer_type_id: 'integer', price_list_id: 'integer', updated_since: 'since' },
    search: ['name', 'code', 'company_name', 'phone', 'email'],
  },
  {
    name: 'vendors',
    permission: 'vendors:read',
    relation: 'vendors',
    fields: fields(`id:integer code:string name:string contact_first_name:string contact_last_name:string
      other_contact:string phone:string phone2:string email:string website:string address:string city:string zip:string
      country:string currency:string status:label created_at:date-time updated_at:date-time`),
    arrays: {},
    labels: { status: activity },
    ...nameSorts,
    status: ['active', 'inactive'],
    omittedStatus: 'all',
    filters: { updated_since: 'since' },
    search: ['name', 'code', 'phone', 'email'],
  },
]

export const referenceData: readonly ResourceRule[] = [
  reference(
    'stores',
    'stores',
    `id:integer code:string name:string address:string manager:string phone:string phone2:string email:string
     is_headquarters:boolean`,
  ),
  reference('sub-departments', 'sub_departments', 'id:integer code:string name:string manager:string'),
  reference('departments', 'departments', 'id:integer code:string name:string manager:string'),
  reference('price-lists', 'price_lists', 'id:integer code:string name:string'),
  reference('customer-types', 'customer_types', 'id:integer code:string name:string'),
]
