// What the service has, as types: every resource with its records, filters and sort fields.
// Made from the service's catalogue by `npm run generate`; a test fails when it is out of date.

export interface ProductPriceList {
  readonly price_list_id: number | null
  readonly price: number | null
  readonly second_unit_price: number | null
}

export interface ProductStock {
  readonly store_id: number | null
  readonly quantity: number | null
  readonly on_sales_order: number | null
  readonly on_purchase_order: number | null
}

// Stocked products, services, assembled and special items, with prices and stock.
export interface Product {
  readonly id: number
  readonly code: string | null
  readonly barcode: string | null
  readonly name: string | null
  readonly description: string | null
  readonly type: 'inventory' | 'service' | 'assembly' | 'special' | null
  readonly status: 'active' | 'inactive' | null
  readonly size: string | null
  readonly attribute: string | null
  readonly department_id: number | null
  readonly sub_department_id: number | null
  readonly department: string | null
  readonly sub_department: string | null
  readonly unit: string | null
  readonly second_unit: string | null
  readonly vendor_id: number | null
  readonly reorder_point: number | null
  readonly currency: string | null
  readonly cost?: number | null
  readonly average_cost?: number | null
  readonly order_cost?: number | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly quantity_total: number | null
  readonly on_sales_order: number | null
  readonly on_purchase_order: number | null
  readonly price: number | null
  readonly second_unit_price: number | null
  readonly price_lists?: readonly ProductPriceList[]
  readonly stock: readonly ProductStock[]
}

export interface ProductFilters {
  status?: 'active' | 'inactive' | 'all'
  type?: 'inventory' | 'service' | 'assembly' | 'special' | readonly ('inventory' | 'service' | 'assembly' | 'special')[]
  department_id?: number
  sub_department_id?: number
  vendor_id?: number
  updated_since?: string
  search?: string
}

export type ProductSort = 'id' | 'name' | 'code' | 'updated_at'

// Customers, with their contact data, type and price list.
export interface Customer {
  readonly id: number
  readonly code: string | null
  readonly name: string | null
  readonly first_name: string | null
  readonly last_name: string | null
  readonly company_name: string | null
  readonly alt_name: string | null
  readonly phone: string | null
  readonly phone2: string | null
  readonly email: string | null
  readonly address: string | null
  readonly city: string | null
  readonly zip: string | null
  readonly currency: string | null
  readonly payment_term: string | null
  readonly status: 'active' | 'inactive' | null
  readonly customer_type_id: number | null
  readonly customer_type: string | null
  readonly price_list_id: number | null
  readonly discount_level: number | null
  readonly discount_type: string | null
  readonly credit_limit?: number | null
  readonly balance?: number | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface CustomerFilters {
  status?: 'active' | 'inactive'
  customer_type_id?: number
  price_list_id?: number
  updated_since?: string
  search?: string
}

export type CustomerSort = 'id' | 'name' | 'code' | 'updated_at'

// The companies that goods are bought from.
export interface Vendor {
  readonly id: number
  readonly code: string | null
  readonly name: string | null
  readonly contact_first_name: string | null
  readonly contact_last_name: string | null
  readonly other_contact: string | null
  readonly phone: string | null
  readonly phone2: string | null
  readonly email: string | null
  readonly website: string | null
  readonly address: string | null
  readonly city: string | null
  readonly zip: string | null
  readonly country: string | null
  readonly currency: string | null
  readonly status: 'active' | 'inactive' | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface VendorFilters {
  status?: 'active' | 'inactive'
  updated_since?: string
  search?: string
}

export type VendorSort = 'id' | 'name' | 'code' | 'updated_at'

export interface QuoteLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  readonly quantity: number | null
  readonly unit: string | null
  readonly unit_price: number | null
  readonly base_quantity: number | null
  readonly base_unit_price: number | null
  readonly cost?: number | null
}

// Prices offered to customers, recent and archived.
export interface QuoteSummary {
  readonly id: number
  readonly number: string | null
  readonly store_id: number | null
  readonly date: string | null
  readonly customer_id: number | null
  readonly customer_name: string | null
  readonly status: 'hold' | 'open' | 'converted' | 'void' | null
  readonly payment_type: string | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly quantity_total: number | null
  readonly items_total: number | null
  readonly tax: number | null
  readonly discount_percent: number | null
  readonly discount_amount: number | null
  readonly shipping: number | null
  readonly total: number | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly ship_to_name: string | null
  readonly ship_to_address: string | null
  readonly ship_to_phone: string | null
}

export interface Quote extends QuoteSummary {
  readonly lines: readonly QuoteLine[]
}

export interface QuoteFilters {
  status?: 'hold' | 'open' | 'converted' | 'void' | 'all'
  customer_id?: number
  store_id?: number
  currency?: string
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type QuoteSort = 'id' | 'date' | 'total' | 'updated_at'

export interface SalesOrderLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  readonly quantity: number | null
  readonly delivered_quantity: number | null
  readonly unit: string | null
  readonly unit_price: number | null
  readonly base_quantity: number | null
  readonly base_unit_price: number | null
  readonly cost?: number | null
}

export interface SalesOrderPayment {
  readonly date: string | null
  readonly cash: number | null
  readonly card: number | null
  readonly cheque: number | null
  readonly cheque_number: string | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly notes: string | null
}

// Orders of customers, with what was delivered and the deposits paid on them.
export interface SalesOrderSummary {
  readonly id: number
  readonly number: string | null
  readonly store_id: number | null
  readonly date: string | null
  readonly customer_id: number | null
  readonly customer_name: string | null
  readonly status: 'new' | 'open' | 'hold' | 'converted' | 'refunded' | 'closed' | null
  readonly payment_type: string | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly quantity_total: number | null
  readonly items_total: number | null
  readonly tax: number | null
  readonly discount_percent: number | null
  readonly discount_amount: number | null
  readonly shipping: number | null
  readonly total: number | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly amount_paid: number | null
  readonly cost_total?: number | null
  readonly quote_number: string | null
  readonly ship_to_name: string | null
  readonly ship_to_address: string | null
  readonly ship_to_phone: string | null
}

export interface SalesOrder extends SalesOrderSummary {
  readonly lines: readonly SalesOrderLine[]
  readonly payments: readonly SalesOrderPayment[]
}

export interface SalesOrderFilters {
  status?: 'new' | 'open' | 'hold' | 'converted' | 'refunded' | 'closed' | 'all'
  customer_id?: number
  store_id?: number
  currency?: string
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type SalesOrderSort = 'id' | 'date' | 'total' | 'updated_at'

export interface InvoiceLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  readonly quantity: number | null
  readonly unit: string | null
  readonly unit_price: number | null
  readonly base_quantity: number | null
  readonly base_unit_price: number | null
  readonly cost?: number | null
}

export interface InvoicePayment {
  readonly date: string | null
  readonly cash: number | null
  readonly card: number | null
  readonly cheque: number | null
  readonly cheque_number: string | null
  readonly account: number | null
  readonly deposit: number | null
  readonly currency: string | null
  readonly exchange_rate: number | null
}

// Sales, recent and archived, with how they were paid at the counter.
export interface InvoiceSummary {
  readonly id: number
  readonly number: string | null
  readonly store_id: number | null
  readonly date: string | null
  readonly customer_id: number | null
  readonly customer_name: string | null
  readonly status: 'new' | 'open' | 'hold' | 'regular' | 'void' | null
  readonly payment_type: string | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly quantity_total: number | null
  readonly items_total: number | null
  readonly tax: number | null
  readonly discount_percent: number | null
  readonly discount_amount: number | null
  readonly shipping: number | null
  readonly total: number | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly payment_status: 'paid' | 'unpaid' | null
  readonly amount_paid: number | null
  readonly deposit: number | null
  readonly cost_total?: number | null
  readonly po_number: string | null
  readonly quote_number: string | null
  readonly sales_order_number: string | null
}

export interface Invoice extends InvoiceSummary {
  readonly lines: readonly InvoiceLine[]
  readonly payments: readonly InvoicePayment[]
}

export interface InvoiceFilters {
  status?: 'new' | 'open' | 'hold' | 'regular' | 'void' | 'all'
  payment_status?: 'paid' | 'unpaid' | readonly ('paid' | 'unpaid')[]
  customer_id?: number
  store_id?: number
  currency?: string
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type InvoiceSort = 'id' | 'date' | 'total' | 'updated_at'

export interface CreditMemoLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  readonly quantity: number | null
  readonly unit: string | null
  readonly unit_price: number | null
  readonly base_quantity: number | null
  readonly base_unit_price: number | null
  readonly cost?: number | null
}

export interface CreditMemoPayment {
  readonly date: string | null
  readonly cash: number | null
  readonly card: number | null
  readonly cheque: number | null
  readonly cheque_number: string | null
  readonly account: number | null
  readonly deposit: number | null
  readonly currency: string | null
  readonly exchange_rate: number | null
}

// Goods taken back from customers, with how they were refunded.
export interface CreditMemoSummary {
  readonly id: number
  readonly number: string | null
  readonly store_id: number | null
  readonly date: string | null
  readonly customer_id: number | null
  readonly customer_name: string | null
  readonly status: 'new' | 'open' | 'hold' | 'regular' | 'void' | null
  readonly payment_type: string | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly quantity_total: number | null
  readonly items_total: number | null
  readonly tax: number | null
  readonly discount_percent: number | null
  readonly discount_amount: number | null
  readonly shipping: number | null
  readonly total: number | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
  readonly payment_status: 'paid' | 'unpaid' | null
  readonly amount_paid: number | null
  readonly deposit: number | null
  readonly cost_total?: number | null
  readonly po_number: string | null
  readonly quote_number: string | null
  readonly sales_order_number: string | null
}

export interface CreditMemo extends CreditMemoSummary {
  readonly lines: readonly CreditMemoLine[]
  readonly payments: readonly CreditMemoPayment[]
}

export interface CreditMemoFilters {
  status?: 'new' | 'open' | 'hold' | 'regular' | 'void' | 'all'
  payment_status?: 'paid' | 'unpaid' | readonly ('paid' | 'unpaid')[]
  customer_id?: number
  store_id?: number
  currency?: string
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type CreditMemoSort = 'id' | 'date' | 'total' | 'updated_at'

export interface PaymentAppliedTo {
  readonly invoice_id: number | null
  readonly invoice_number: string | null
  readonly amount: number | null
  readonly date: string | null
}

// Payments received from customers against their account.
export interface PaymentSummary {
  readonly id: number
  readonly number: string | null
  readonly store_id: number | null
  readonly date: string | null
  readonly customer_id: number | null
  readonly customer_name: string | null
  readonly status: 'regular' | 'void' | null
  readonly payment_type: string | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly amount_received: number | null
  readonly cash: number | null
  readonly card: number | null
  readonly cheque: number | null
  readonly cheque_number: string | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface Payment extends PaymentSummary {
  readonly applied_to: readonly PaymentAppliedTo[]
}

export interface PaymentFilters {
  status?: 'regular' | 'void'
  customer_id?: number
  store_id?: number
  currency?: string
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type PaymentSort = 'id' | 'date' | 'amount_received' | 'updated_at'

export interface PurchaseOrderLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly quantity: number | null
  readonly unit: string | null
  readonly unit_price: number | null
  readonly base_quantity: number | null
}

// Goods ordered from vendors.
export interface PurchaseOrderSummary {
  readonly id: number
  readonly number: string | null
  readonly store_id: number | null
  readonly date: string | null
  readonly vendor_id: number | null
  readonly vendor_name: string | null
  readonly status: 'hold' | 'open' | 'complete' | 'closed' | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly quantity_total: number | null
  readonly items_total: number | null
  readonly tax: number | null
  readonly total: number | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface PurchaseOrder extends PurchaseOrderSummary {
  readonly lines: readonly PurchaseOrderLine[]
}

export interface PurchaseOrderFilters {
  status?: 'hold' | 'open' | 'complete' | 'closed' | 'all'
  vendor_id?: number
  store_id?: number
  currency?: string
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type PurchaseOrderSort = 'id' | 'date' | 'total' | 'updated_at'

export interface ReceivingLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly barcode: string | null
  readonly quantity: number | null
  readonly unit: string | null
  readonly unit_price: number | null
  readonly new_price: number | null
  readonly base_quantity: number | null
  readonly average_cost?: number | null
  readonly previous_cost?: number | null
  readonly previous_average_cost?: number | null
}

// Goods received from vendors and goods returned to them.
export interface ReceivingSummary {
  readonly id: number
  readonly number: string | null
  readonly type: 'receipt' | 'return' | null
  readonly store_id: number | null
  readonly date: string | null
  readonly receipt_number: string | null
  readonly receipt_date: string | null
  readonly purchase_order_id: number | null
  readonly vendor_id: number | null
  readonly vendor_name: string | null
  readonly status: 'open' | 'hold' | 'posted' | 'void' | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly quantity_total: number | null
  readonly items_total: number | null
  readonly discount_percent: number | null
  readonly discount_amount: number | null
  readonly tax: number | null
  readonly freight: number | null
  readonly fee: number | null
  readonly total: number | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface Receiving extends ReceivingSummary {
  readonly lines: readonly ReceivingLine[]
}

export interface ReceivingFilters {
  status?: 'open' | 'hold' | 'posted' | 'void' | 'all'
  type?: 'receipt' | 'return' | readonly ('receipt' | 'return')[]
  vendor_id?: number
  purchase_order_id?: number
  store_id?: number
  currency?: string
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type ReceivingSort = 'id' | 'date' | 'total' | 'updated_at'

export interface TransferLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly quantity: number | null
  readonly unit: string | null
  readonly base_quantity: number | null
  readonly average_cost?: number | null
}

// Stock moved between two stores.
export interface TransferSummary {
  readonly id: number
  readonly number: string | null
  readonly date: string | null
  readonly from_store_id: number | null
  readonly from_store: string | null
  readonly to_store_id: number | null
  readonly to_store: string | null
  readonly status: 'hold' | 'open' | 'posted' | null
  readonly quantity_total: number | null
  readonly notes: string | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface Transfer extends TransferSummary {
  readonly lines: readonly TransferLine[]
}

export interface TransferFilters {
  status?: 'hold' | 'open' | 'posted' | 'all'
  from_store_id?: number
  to_store_id?: number
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type TransferSort = 'id' | 'date' | 'updated_at'

export interface AdjustmentLine {
  readonly id: number
  readonly product_id: number | null
  readonly name: string | null
  readonly description: string | null
  readonly unit: string | null
  readonly previous_quantity: number | null
  readonly new_quantity: number | null
  readonly quantity_difference: number | null
  readonly on_hand_quantity: number | null
  readonly average_cost?: number | null
  readonly previous_cost?: number | null
  readonly new_cost?: number | null
  readonly cost_difference?: number | null
}

// Corrections of quantities and of costs.
export interface AdjustmentSummary {
  readonly id: number
  readonly number: string | null
  readonly type: 'quantity' | 'cost' | null
  readonly store_id: number | null
  readonly date: string | null
  readonly status: 'hold' | 'posted' | null
  readonly reason: string | null
  readonly currency: string | null
  readonly exchange_rate: number | null
  readonly total?: number | null
  readonly created_at: string | null
  readonly updated_at: string | null
}

export interface Adjustment extends AdjustmentSummary {
  readonly lines: readonly AdjustmentLine[]
}

export interface AdjustmentFilters {
  status?: 'hold' | 'posted' | 'all'
  type?: 'quantity' | 'cost' | readonly ('quantity' | 'cost')[]
  store_id?: number
  date_from?: string
  date_to?: string
  updated_since?: string
  search?: string
}

export type AdjustmentSort = 'id' | 'date' | 'updated_at'

// The stores of the company.
export interface Store {
  readonly id: number
  readonly code: string | null
  readonly name: string | null
  readonly address: string | null
  readonly manager: string | null
  readonly phone: string | null
  readonly phone2: string | null
  readonly email: string | null
  readonly is_headquarters: boolean | null
}

export interface StoreFilters {
  search?: string
}

export type StoreSort = 'id' | 'name' | 'code'

// The parts of departments that products are sorted into.
export interface SubDepartment {
  readonly id: number
  readonly code: string | null
  readonly name: string | null
  readonly manager: string | null
}

export interface SubDepartmentFilters {
  search?: string
}

export type SubDepartmentSort = 'id' | 'name' | 'code'

// The departments that products are sorted into.
export interface Department {
  readonly id: number
  readonly code: string | null
  readonly name: string | null
  readonly manager: string | null
}

export interface DepartmentFilters {
  search?: string
}

export type DepartmentSort = 'id' | 'name' | 'code'

// The price lists of the company.
export interface PriceList {
  readonly id: number
  readonly code: string | null
  readonly name: string | null
}

export interface PriceListFilters {
  search?: string
}

export type PriceListSort = 'id' | 'name' | 'code'

// The kinds of customers.
export interface CustomerType {
  readonly id: number
  readonly code: string | null
  readonly name: string | null
}

export interface CustomerTypeFilters {
  search?: string
}

export type CustomerTypeSort = 'id' | 'name' | 'code'

export interface Resources {
  products: { summary: Product; record: Product; filters: ProductFilters; sort: ProductSort }
  customers: { summary: Customer; record: Customer; filters: CustomerFilters; sort: CustomerSort }
  vendors: { summary: Vendor; record: Vendor; filters: VendorFilters; sort: VendorSort }
  quotes: { summary: QuoteSummary; record: Quote; filters: QuoteFilters; sort: QuoteSort }
  'sales-orders': { summary: SalesOrderSummary; record: SalesOrder; filters: SalesOrderFilters; sort: SalesOrderSort }
  invoices: { summary: InvoiceSummary; record: Invoice; filters: InvoiceFilters; sort: InvoiceSort }
  'credit-memos': { summary: CreditMemoSummary; record: CreditMemo; filters: CreditMemoFilters; sort: CreditMemoSort }
  payments: { summary: PaymentSummary; record: Payment; filters: PaymentFilters; sort: PaymentSort }
  'purchase-orders': { summary: PurchaseOrderSummary; record: PurchaseOrder; filters: PurchaseOrderFilters; sort: PurchaseOrderSort }
  receivings: { summary: ReceivingSummary; record: Receiving; filters: ReceivingFilters; sort: ReceivingSort }
  transfers: { summary: TransferSummary; record: Transfer; filters: TransferFilters; sort: TransferSort }
  adjustments: { summary: AdjustmentSummary; record: Adjustment; filters: AdjustmentFilters; sort: AdjustmentSort }
  stores: { summary: Store; record: Store; filters: StoreFilters; sort: StoreSort }
  'sub-departments': { summary: SubDepartment; record: SubDepartment; filters: SubDepartmentFilters; sort: SubDepartmentSort }
  departments: { summary: Department; record: Department; filters: DepartmentFilters; sort: DepartmentSort }
  'price-lists': { summary: PriceList; record: PriceList; filters: PriceListFilters; sort: PriceListSort }
  'customer-types': { summary: CustomerType; record: CustomerType; filters: CustomerTypeFilters; sort: CustomerTypeSort }
}

export type ResourceName = keyof Resources

// `stamped`: its records have `updated_at`. `arrays`: a single record has more than a list shows. `everything`: the
// parameters with which a list leaves nothing out.
export const resources: Readonly<Record<ResourceName, ResourceFacts>> = {
  products: { stamped: true, arrays: false, everything: { status: 'all' } },
  customers: { stamped: true, arrays: false, everything: {} },
  vendors: { stamped: true, arrays: false, everything: {} },
  quotes: { stamped: true, arrays: true, everything: { status: 'all' } },
  'sales-orders': { stamped: true, arrays: true, everything: { status: 'all' } },
  invoices: { stamped: true, arrays: true, everything: { status: 'all' } },
  'credit-memos': { stamped: true, arrays: true, everything: { status: 'all' } },
  payments: { stamped: true, arrays: true, everything: {} },
  'purchase-orders': { stamped: true, arrays: true, everything: { status: 'all' } },
  receivings: { stamped: true, arrays: true, everything: { status: 'all' } },
  transfers: { stamped: true, arrays: true, everything: { status: 'all' } },
  adjustments: { stamped: true, arrays: true, everything: { status: 'all' } },
  stores: { stamped: false, arrays: false, everything: {} },
  'sub-departments': { stamped: false, arrays: false, everything: {} },
  departments: { stamped: false, arrays: false, everything: {} },
  'price-lists': { stamped: false, arrays: false, everything: {} },
  'customer-types': { stamped: false, arrays: false, everything: {} },
}

export interface ResourceFacts {
  readonly stamped: boolean
  readonly arrays: boolean
  readonly everything: Readonly<Record<string, string>>
}
