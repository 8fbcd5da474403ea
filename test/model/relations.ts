// The relations of the source contract, transcribed from it by hand: names, columns and the type that a column's name tells.
import type { Cell } from '../support/pos.ts'

export type Row = Readonly<Record<string, Cell>>
export type Database = Readonly<Record<string, readonly Row[]>>
export type ColumnType = 'int' | 'code' | 'num' | 'text' | 'bool' | 'time' | 'day'

const header = `number store_id date customer_id customer_name status payment_type currency exchange_rate quantity_total
  items_total tax discount_percent discount_amount shipping total notes created_at updated_at`
const saleLine = 'product_id name description kind quantity unit unit_price base_quantity base_unit_price cost'
const shipTo = 'ship_to_name ship_to_address ship_to_phone'
const invoice = `id kind ${header} paid amount_paid deposit cost_total po_number quote_number sales_order_number`
const invoicePayment = 'id invoice_id date cash card cheque cheque_number account deposit currency exchange_rate'

const transcript: Record<string, string> = {
  stores: 'id code name address manager phone phone2 email is_headquarters',
  departments: 'id code name manager',
  sub_departments: 'id code name manager',
  price_lists: 'id code name',
  customer_types: 'id code name',
  vendors: `id code name contact_first_name contact_last_name other_contact phone phone2 email website address city zip
    country currency active created_at updated_at`,
  customers: `id code name first_name last_name company_name alt_name phone phone2 email address city zip currency
    payment_term active customer_type_id price_list_id discount_level discount_type credit_limit balance created_at
    updated_at`,
  products: `id code barcode name description kind active size attribute department_id sub_department_id unit second_unit
    vendor_id reorder_point currency cost average_cost order_cost price second_unit_price created_at updated_at`,
  product_prices: 'product_id price_list_id price second_unit_price',
  product_stock: 'product_id store_id quantity on_sales_order on_purchase_order',
  invoices: invoice,
  invoices_archive: invoice,
  invoice_lines: `id invoice_id ${saleLine}`,
  invoice_lines_archive: `id invoice_id ${saleLine}`,
  invoice_payments: invoicePayment,
  invoice_payments_archive: invoicePayment,
  quotes: `id ${header} ${shipTo}`,
  quotes_archive: `id ${header} ${shipTo}`,
  quote_lines: `id quote_id ${saleLine}`,
  quote_lines_archive: `id quote_id ${saleLine}`,
  sales_orders: `id ${header} amount_paid cost_total quote_number ${shipTo}`,
  sales_order_lines: `id sales_order_id product_id name description kind quantity delivered_quantity unit unit_price
    base_quantity base_unit_price cost`,
  sales_order_payments: 'id sales_order_id date cash card cheque cheque_number currency exchange_rate notes',
  payments: `id number store_id date customer_id customer_name status payment_type currency exchange_rate
    amount_received cash card cheque cheque_number notes created_at updated_at`,
  payment_applications: 'id payment_id invoice_id invoice_number amount date',
  purchase_orders: `id number store_id date vendor_id vendor_name status currency exchange_rate quantity_total items_total
    tax total notes created_at updated_at`,
  purchase_order_lines: 'id purchase_order_id product_id name description quantity unit unit_price base_quantity',
  receivings: `id kind number store_id date receipt_number receipt_date purchase_order_id vendor_id vendor_name status
    currency exchange_rate quantity_total items_total discount_percent discount_amount tax freight fee total notes
    created_at updated_at`,
  receiving_lines: `id receiving_id product_id name description barcode quantity unit unit_price new_price base_quantity
    average_cost previous_cost previous_average_cost`,
  transfers: 'id number date from_store_id to_store_id status quantity_total notes created_at updated_at',
  transfer_lines: 'id transfer_id product_id name description quantity unit base_quantity average_cost',
  adjustments: `id kind number store_id date status reason currency exchange_rate total created_at updated_at`,
  adjustment_lines: `id adjustment_id product_id name description unit previous_quantity new_quantity quantity_difference
    on_hand_quantity average_cost previous_cost new_cost cost_difference`,
}

const words = (text: string) => text.split(/\s+/)

export const columnsOf: Readonly<Record<string, readonly string[]>> = Object.fromEntries(
  Object.entries(transcript).map(([relation, columns]) => [relation, words(columns)]),
)

const byName: Record<string, ColumnType> = {
  id: 'int',
  kind: 'code',
  status: 'code',
  active: 'bool',
  paid: 'bool',
  is_headquarters: 'bool',
  date: 'time',
  created_at: 'time',
  updated_at: 'time',
  receipt_date: 'day',
}
// Unlike in the contract, all other columns are texts.
const numbers = new Set(
  words(`exchange_rate quantity_total items_total tax discount_percent discount_amount shipping total amount_paid deposit
    cost_total quantity unit_price base_quantity base_unit_price cost delivered_quantity cash card cheque account
    amount_received amount new_price average_cost previous_cost previous_average_cost freight fee previous_quantity
    new_quantity quantity_difference on_hand_quantity new_cost cost_difference discount_level credit_limit balance
    reorder_point order_cost price second_unit_price on_sales_order on_purchase_order`),
)

export function typeOf(column: string): ColumnType {
  if (column.endsWith('_id')) return 'int'
  return byName[column] ?? (numbers.has(column) ? 'num' : 'text')
}

export const rowsOf = (database: Database, relation: string): readonly Row[] => database[relation] ?? []
