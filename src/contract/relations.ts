// Every relation that the service reads, with typed columns and keys. Table definitions, the check of a database and the demo company
// are derived from it. No other file states the type of a column.
import {
  adjustmentKind,
  documentStatus,
  invoiceKind,
  lineKind,
  productKind,
  receivingKind,
  type Codes,
} from './codes.ts'
import type { ColumnType, Relation } from './relation.ts'

// The type of a column follows from its name: it is named here, in `texts`, ends in `_id` (int), or is a number.
const named: Readonly<Record<string, ColumnType>> = {
  id: 'int',
  kind: 'int',
  status: 'int',
  active: 'bool',
  paid: 'bool',
  is_headquarters: 'bool',
  date: 'time',
  created_at: 'time',
  updated_at: 'time',
  receipt_date: 'day',
}
const texts = new Set(
  `code barcode name description size attribute unit second_unit currency address manager phone phone2 email website city
   zip country first_name last_name company_name alt_name contact_first_name contact_last_name other_contact payment_term
   discount_type number customer_name vendor_name payment_type notes po_number quote_number sales_order_number
   ship_to_name ship_to_address ship_to_phone cheque_number invoice_number receipt_number reason`.split(/\s+/),
)

function typeOf(column: string): ColumnType {
  if (named[column]) return named[column]
  if (column.endsWith('_id')) return 'int'
  if (texts.has(column)) return 'text'
  // Everything else is a number, unless its name suggests that an entry above is missing.
  if (/_at$|date$|^is_|^has_|name$|number$|code$/.test(column)) throw new Error(`the type of ${column} is not declared`)
  return 'num'
}

function codesOf(relation: string, column: string): Codes | undefined {
  if (column === 'status') return documentStatus
  if (column !== 'kind') return undefined
  if (relation.includes('_lines')) return lineKind
  return { products: productKind, receivings: receivingKind, adjustments: adjustmentKind }[relation] ?? invoiceKind
}

interface RelationOptions {
  key?: readonly string[]
  parent?: string
}

function relation(name: string, columns: string, { key = ['id'], parent }: RelationOptions = {}): Relation {
  const list = columns.split(/[\s,]+/).filter(Boolean)
  const coded = list.flatMap((column) => (codesOf(name, column) ? [[column, codesOf(name, column)]] : []))
  return {
    name,
    columns: Object.fromEntries(list.map((column) => [column, typeOf(column)])),
    codes: Object.fromEntries(coded) as Relation['codes'],
    key,
    ...(parent === undefined ? {} : { parent }),
  }
}

// The relation of older records, if there is one.
export const archiveOf = (relation: string) => `${relation}_archive`

const withArchive = (name: string, columns: string, options?: RelationOptions): Relation[] =>
  [name, archiveOf(name)].map((each) => relation(each, columns, options))

const header = `id number store_id date customer_id customer_name status payment_type currency exchange_rate quantity_total
  items_total tax discount_percent discount_amount shipping total notes created_at updated_at`
const invoiceColumns = header
  .replace('number', 'kind number')
  .concat(' paid amount_paid deposit cost_total po_number quote_number sales_order_number')
const shipTo = 'ship_to_name ship_to_address ship_to_phone'
const saleLine = 'product_id name description kind quantity unit unit_price base_quantity base_unit_price cost'
const counterPayment = 'date cash card cheque cheque_number account deposit currency exchange_rate'

const childOf = (parent: string): RelationOptions => ({ parent })

export const relations: readonly Relation[] = [
  relation('stores', 'id code name address manager phone phone2 email is_headquarters'),
  relation('departments', 'id code name manager'),
  relation('sub_departments', 'id code name manager'),
  relation('price_lists', 'id code name'),
  relation('customer_types', 'id code name'),
  relation(
    'vendors',
    `id code name contact_first_name contact_last_name other_contact phone phone2 email website address city zip country
     currency active created_at updated_at`,
  ),
  relation(
    'customers',
    `id code name first_name last_name company_name alt_name phone phone2 email address city zip currency payment_term
     active customer_type_id price_list_id discount_level discount_type credit_limit balance created_at updated_at`,
  ),
  relation(
    'products',
    `id code barcode name description kind active size attribute department_id sub_department_id unit second_unit
     vendor_id reorder_point currency cost average_cost order_cost price second_unit_price created_at updated_at`,
  ),
  relation('product_prices', 'product_id price_list_id price second_unit_price', {
    key: ['product_id', 'price_list_id'],
  }),
  relation('product_stock', 'product_id store_id quantity on_sales_order on_purchase_order', {
    key: ['product_id', 'store_id'],
  }),
  ...withArchive('invoices', invoiceColumns),
  ...withArchive('invoice_lines', `id invoice_id ${saleLine}`, childOf('invoice_id')),
  ...withArchive('invoice_payments', `id invoice_id ${counterPayment}`, childOf('invoice_id')),
  ...withArchive('quotes', `${header} ${shipTo}`),
  ...withArchive('quote_lines', `id quote_id ${saleLine}`, childOf('quote_id')),
  relation('sales_orders', `${header} amount_paid cost_total quote_number ${shipTo}`),
  relation(
    'sales_order_lines',
    `id sales_order_id ${saleLine.replace('quantity', 'quantity delivered_quantity')}`,
    childOf('sales_order_id'),
  ),
  relation(
    'sales_order_payments',
    'id sales_order_id date cash card cheque cheque_number currency exchange_rate notes',
    childOf('sales_order_id'),
  ),
  relation(
    'payments',
    `id number store_id date customer_id customer_name status payment_type currency exchange_rate amount_received cash
     card cheque cheque_number notes created_at updated_at`,
  ),
  relation('payment_applications', 'id payment_id invoice_id invoice_number amount date', childOf('payment_id')),
  relation(
    'purchase_orders',
    `id number store_id date vendor_id vendor_name status currency exchange_rate quantity_total items_total tax total
     notes created_at updated_at`,
  ),
  relation(
    'purchase_order_lines',
    'id purchase_order_id product_id name description quantity unit unit_price base_quantity',
    childOf('purchase_order_id'),
  ),
  relation(
    'receivings',
    `id kind number store_id date receipt_number receipt_date purchase_order_id vendor_id vendor_name status currency
     exchange_rate quantity_total items_total discount_percent discount_amount tax freight fee total notes created_at
     updated_at`,
  ),
  relation(
    'receiving_lines',
    `id receiving_id product_id name description barcode quantity unit unit_price new_price base_quantity average_cost
     previous_cost previous_average_cost`,
    childOf('receiving_id'),
  ),
  relation('transfers', 'id number date from_store_id to_store_id status quantity_total notes created_at updated_at'),
  relation(
    'transfer_lines',
    'id transfer_id product_id name description quantity unit base_quantity average_cost',
    childOf('transfer_id'),
  ),
  relation(
    'adjustments',
    'id kind number store_id date status reason currency exchange_rate total created_at updated_at',
  ),
  relation(
    'adjustment_lines',
    `id adjustment_id product_id name description unit previous_quantity new_quantity quantity_difference
     on_hand_quantity average_cost previous_cost new_cost cost_difference`,
    childOf('adjustment_id'),
  ),
]

const byName = new Map(relations.map((each) => [each.name, each]))

export function findRelation(name: string): Relation {
  const found = byName.get(name)
  if (!found) throw new Error(`no relation ${name} in the source contract`)
  return found
}

export function columnType({ name, columns }: Relation, column: string): ColumnType {
  const type = columns[column]
  if (!type) throw new Error(`no column ${column} in ${name}`)
  return type
}

// Kinds, statuses and stores decide what a document is and who may see it.
const deciding = /^(kind|status)$|(^|_)store_id$/

// The columns that every database must have. Any other column that it lacks reads as null.
export const isRequired = ({ columns, key, parent }: Relation, column: string): boolean =>
  key.includes(column) || column === parent || ('status' in columns && deciding.test(column))

// By column: the relations whose ids it may hold. Children of an archived record are archived with it; other columns may reference a
// recent record or an archived one.
export function referencesOf({ name, columns, parent }: Relation): Readonly<Record<string, readonly string[]>> {
  const named = Object.keys(columns).filter((column) => column.endsWith('_id'))
  return Object.fromEntries(
    named.map((column) => {
      const recent = `${column.replace(/_id$/, '').replace(/^(from|to)_/, '')}s`
      if (column === parent) return [column, [name.endsWith('_archive') ? archiveOf(recent) : recent]]
      return [column, [recent, archiveOf(recent)].filter((each) => byName.has(each))]
    }),
  )
}
