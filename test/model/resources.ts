// The resources as the specification states them, transcribed from its tables by hand: fields in their order, gates,
// labels, filters, sorts, search. `name(costs)` marks a field that needs an add-on permission.

export interface FieldName {
  readonly name: string
  readonly gate: string | null
}

export interface ArrayInDetail {
  readonly name: string
  readonly relation: string
  // The column that points at the document.
  readonly parent: string
  readonly fields: readonly FieldName[]
}

export interface Resource {
  readonly name: string
  readonly relation: string
  readonly archive: boolean
  // The stored kind, where one relation holds two resources.
  readonly kind: number | null
  readonly permission: string
  readonly fields: readonly FieldName[]
  readonly arrays: readonly ArrayInDetail[]
  readonly statuses: readonly string[]
  readonly offersAll: boolean
  readonly types: readonly string[]
  readonly filters: readonly string[]
  readonly sorts: readonly string[]
  readonly defaultSort: string
  readonly search: readonly string[]
}

const words = (text: string) => text.split(/\s+/).filter(Boolean)

const gates: Record<string, string> = { costs: 'costs:read', financial: 'customers:financial' }

const fieldNames = (text: string): FieldName[] =>
  words(text).map((word) => {
    const [, name = word, gate] = /^(\w+)\((\w+)\)$/.exec(word) ?? []
    return { name, gate: gate ? (gates[gate] ?? null) : null }
  })

const array = (name: string, relation: string, parent: string, fields: string): ArrayInDetail => ({
  name,
  relation,
  parent,
  fields: fieldNames(fields),
})

interface Transcript {
  name: string
  relation?: string
  archive?: boolean
  kind?: number
  permission?: string
  fields: string
  arrays?: ArrayInDetail[]
  // As in the specification's column, `all` included.
  statuses?: string
  types?: string
  filters?: string
  sorts: string
  defaultSort: string
  search: string
}

const resource = (given: Transcript): Resource => ({
  name: given.name,
  relation: given.relation ?? given.name.replaceAll('-', '_'),
  archive: given.archive ?? false,
  kind: given.kind ?? null,
  permission: given.permission ?? `${given.name}:read`,
  fields: fieldNames(given.fields),
  arrays: given.arrays ?? [],
  statuses: words(given.statuses ?? '').filter((status) => status !== 'all'),
  offersAll: words(given.statuses ?? '').includes('all'),
  types: words(given.types ?? ''),
  filters: words(given.filters ?? ''),
  sorts: words(given.sorts),
  defaultSort: given.defaultSort,
  search: words(given.search),
})

const header = `id number store_id date customer_id customer_name status payment_type currency exchange_rate quantity_total
  items_total tax discount_percent discount_amount shipping total notes created_at updated_at`
const shipTo = 'ship_to_name ship_to_address ship_to_phone'
const saleLine = `id product_id name description type quantity unit unit_price base_quantity base_unit_price cost(costs)`
const counterPayment = 'date cash card cheque cheque_number account deposit currency exchange_rate'
const dates = 'store_id currency date_from date_to updated_since'
const byTotal = { sorts: 'id date total updated_at', defaultSort: '-date' }
const byName = { sorts: 'id name code updated_at', defaultSort: 'name' }

const invoiceLike = {
  relation: 'invoices',
  archive: true,
  fields: `${header} payment_status amount_paid deposit cost_total(costs) po_number quote_number sales_order_number`,
  arrays: [
    array('lines', 'invoice_lines', 'invoice_id', saleLine),
    array('payments', 'invoice_payments', 'invoice_id', counterPayment),
  ],
  statuses: 'new open hold regular void all',
  filters: `status payment_status customer_id ${dates}`,
  ...byTotal,
  search: 'number customer_name po_number',
}

const reference = (name: string, fields: string): Resource =>
  resource({
    name,
    permission: 'reference:read',
    fields,
    sorts: 'id name code',
    defaultSort: 'name',
    search: 'name code',
  })

export const resources: readonly Resource[] = [
  resource({
    name: 'products',
    fields: `id code barcode name description type status size attribute department_id sub_department_id department
      sub_department unit second_unit vendor_id reorder_point currency cost(costs) average_cost(costs) order_cost(costs)
      created_at updated_at quantity_total on_sales_order on_purchase_order price second_unit_price price_lists stock`,
    statuses: 'active inactive all',
    types: 'inventory service assembly special',
    filters: 'status type department_id sub_department_id vendor_id updated_since',
    ...byName,
    search: 'name code barcode',
  }),
  resource({
    name: 'customers',
    fields: `id code name first_name last_name company_name alt_name phone phone2 email address city zip currency
      payment_term status customer_type_id customer_type price_list_id discount_level discount_type
      credit_limit(financial) balance(financial) created_at updated_at`,
    statuses: 'active inactive',
    filters: 'status customer_type_id price_list_id updated_since',
    ...byName,
    search: 'name code company_name phone email',
  }),
  resource({
    name: 'vendors',
    fields: `id code name contact_first_name contact_last_name other_contact phone phone2 email website address city zip
      country currency status created_at updated_at`,
    statuses: 'active inactive',
    filters: 'status updated_since',
    ...byName,
    search: 'name code phone email',
  }),
  resource({
    name: 'quotes',
    archive: true,
    fields: `${header} ${shipTo}`,
    arrays: [array('lines', 'quote_lines', 'quote_id', saleLine)],
    statuses: 'hold open converted void all',
    filters: `status customer_id ${dates}`,
    ...byTotal,
    search: 'number customer_name',
  }),
  resource({
    name: 'sales-orders',
    fields: `${header} amount_paid cost_total(costs) quote_number ${shipTo}`,
    arrays: [
      array(
        'lines',
        'sales_order_lines',
        'sales_order_id',
        `id product_id name description type quantity delivered_quantity unit unit_price base_quantity base_unit_price
         cost(costs)`,
      ),
      array(
        'payments',
        'sales_order_payments',
        'sales_order_id',
        'date cash card cheque cheque_number currency exchange_rate notes',
      ),
    ],
    statuses: 'new open hold converted refunded closed all',
    filters: `status customer_id ${dates}`,
    ...byTotal,
    search: 'number customer_name',
  }),
  resource({ name: 'invoices', kind: 1, ...invoiceLike }),
  resource({ name: 'credit-memos', kind: 2, ...invoiceLike }),
  resource({
    name: 'payments',
    fields: `id number store_id date customer_id customer_name status payment_type currency exchange_rate
      amount_received cash card cheque cheque_number notes created_at updated_at`,
    arrays: [array('applied_to', 'payment_applications', 'payment_id', 'invoice_id invoice_number amount date')],
    statuses: 'regular void',
    filters: `status customer_id ${dates}`,
    sorts: 'id date amount_received updated_at',
    defaultSort: '-date',
    search: 'number customer_name',
  }),
  resource({
    name: 'purchase-orders',
    fields: `id number store_id date vendor_id vendor_name status currency exchange_rate quantity_total items_total tax
      total notes created_at updated_at`,
    arrays: [
      array(
        'lines',
        'purchase_order_lines',
        'purchase_order_id',
        'id product_id name description quantity unit unit_price base_quantity',
      ),
    ],
    statuses: 'hold open complete closed all',
    filters: `status vendor_id ${dates}`,
    ...byTotal,
    search: 'number vendor_name',
  }),
  resource({
    name: 'receivings',
    fields: `id number type store_id date receipt_number receipt_date purchase_order_id vendor_id vendor_name status
      currency exchange_rate quantity_total items_total discount_percent discount_amount tax freight fee total notes
      created_at updated_at`,
    arrays: [
      array(
        'lines',
        'receiving_lines',
        'receiving_id',
        `id product_id name description barcode quantity unit unit_price new_price base_quantity average_cost(costs)
         previous_cost(costs) previous_average_cost(costs)`,
      ),
    ],
    statuses: 'open hold posted void all',
    types: 'receipt return',
    filters: `status type vendor_id purchase_order_id ${dates}`,
    ...byTotal,
    search: 'number vendor_name receipt_number',
  }),
  resource({
    name: 'transfers',
    fields: `id number date from_store_id from_store to_store_id to_store status quantity_total notes created_at
      updated_at`,
    arrays: [
      array(
        'lines',
        'transfer_lines',
        'transfer_id',
        'id product_id name description quantity unit base_quantity average_cost(costs)',
      ),
    ],
    statuses: 'hold open posted all',
    filters: 'status from_store_id to_store_id date_from date_to updated_since',
    sorts: 'id date updated_at',
    defaultSort: '-date',
    search: 'number',
  }),
  resource({
    name: 'adjustments',
    fields: 'id number type store_id date status reason currency exchange_rate total(costs) created_at updated_at',
    arrays: [
      array(
        'lines',
        'adjustment_lines',
        'adjustment_id',
        `id product_id name description unit previous_quantity new_quantity quantity_difference on_hand_quantity
         average_cost(costs) previous_cost(costs) new_cost(costs) cost_difference(costs)`,
      ),
    ],
    statuses: 'hold posted all',
    types: 'quantity cost',
    filters: 'status type store_id date_from date_to updated_since',
    sorts: 'id date updated_at',
    defaultSort: '-date',
    search: 'number reason',
  }),
  reference('stores', 'id code name address manager phone phone2 email is_headquarters'),
  reference('departments', 'id code name manager'),
  reference('sub-departments', 'id code name manager'),
  reference('price-lists', 'id code name'),
  reference('customer-types', 'id code name'),
]

export function findResource(name: string): Resource {
  const found = resources.find((each) => each.name === name)
  if (!found) throw new Error(`no resource ${name}`)
  return found
}
