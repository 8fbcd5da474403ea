// What the service has, as types: every resource with its records, filters and sort fields.
// Made from the service's catalogue by `npm run generate`; a test fails when it is out of date.

export interface ProductPriceList {
  /** List that the prices beside it are from: an `id` of price-lists. */
  readonly price_list_id: number | null
  /** Selling price of one `unit` in this list; zero means the base price. */
  readonly price: number | null
  /** Selling price of one `second_unit` in this list; zero means the base price. */
  readonly second_unit_price: number | null
}

export interface ProductStock {
  /** Store that holds this stock: an `id` of stores. */
  readonly store_id: number | null
  /** How much of the product is there. */
  readonly quantity: number | null
  /** How much of it is reserved for open orders of customers. */
  readonly on_sales_order: number | null
  /** How much more is expected from vendors on open orders. */
  readonly on_purchase_order: number | null
}

/** Stocked products, services, assembled and special items, with prices and stock. */
export interface Product {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Article code that people in the company know the product by. */
  readonly code: string | null
  /** What a scanner reads from the package. */
  readonly barcode: string | null
  /** What the product is called on documents and labels. */
  readonly name: string | null
  /** More about the product, as free text. */
  readonly description: string | null
  /** `inventory` is stocked, `service` is not, `assembly` is built from other products, `special` is neither. */
  readonly type: 'inventory' | 'service' | 'assembly' | 'special' | null
  /** `active` if it is still sold; lists leave `inactive` out unless you ask. */
  readonly status: 'active' | 'inactive' | null
  /** How large it is, as free text. */
  readonly size: string | null
  /** Another property such as brand or colour, as free text. */
  readonly attribute: string | null
  /** Department that it is sorted into: an `id` of departments. */
  readonly department_id: number | null
  /** Sub-department that it is sorted into: an `id` of sub-departments. */
  readonly sub_department_id: number | null
  /** Name of the department. */
  readonly department: string | null
  /** Name of the sub-department. */
  readonly sub_department: string | null
  /** Main unit of sale, for example a piece or a bag. */
  readonly unit: string | null
  /** Second unit of sale, for example a case. */
  readonly second_unit: string | null
  /** Vendor that it is usually bought from, an `id` of vendors; 0 when there is none. */
  readonly vendor_id: number | null
  /** Stock at which more should be ordered. */
  readonly reorder_point: number | null
  /** Code of the currency that the product's prices and costs are in. */
  readonly currency: string | null
  /** What it cost at the last purchase. Needs the permission costs:read. */
  readonly cost?: number | null
  /** Weighted average of what it has cost. Needs the permission costs:read. */
  readonly average_cost?: number | null
  /** Cost that purchase orders are written with. Needs the permission costs:read. */
  readonly order_cost?: number | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
  /** Stock, summed over the stores that the key may see. */
  readonly quantity_total: number | null
  /** Reserved for open orders of customers, in the stores that the key may see. */
  readonly on_sales_order: number | null
  /** Expected from vendors on open orders, in the stores that the key may see. */
  readonly on_purchase_order: number | null
  /** Selling price of one `unit` for the key: the base price, or that of its price list. */
  readonly price: number | null
  /** The same for one `second_unit`. */
  readonly second_unit_price: number | null
  /** What the product costs in every price list. Absent for a key that is restricted to one price list. */
  readonly price_lists?: readonly ProductPriceList[]
  /** Quantities in each store that the key may see. */
  readonly stock: readonly ProductStock[]
}

export interface ProductFilters {
  /** Products that are still sold, that are not, or both. `all` leaves nothing out. */
  status?: 'active' | 'inactive' | 'all'
  /** Products of some kinds only. Several are separated by commas. */
  type?: 'inventory' | 'service' | 'assembly' | 'special' | readonly ('inventory' | 'service' | 'assembly' | 'special')[]
  /** Products of one department: an `id` of departments. */
  department_id?: number
  /** Products of one sub-department: an `id` of sub-departments. */
  sub_department_id?: number
  /** Products usually bought from one vendor, an `id` of vendors; 0 finds those without one. */
  vendor_id?: number
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: name, code, barcode. */
  search?: string
}

export type ProductSort = 'id' | 'name' | 'code' | 'updated_at'

/** Customers, with their contact data, type and price list. */
export interface Customer {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Customer number that people in the company use. */
  readonly code: string | null
  /** Full name, as displayed. */
  readonly name: string | null
  /** Given name of the person. */
  readonly first_name: string | null
  /** Family name of the person. */
  readonly last_name: string | null
  /** Name of the business, if the customer is one. */
  readonly company_name: string | null
  /** Another name that the customer is known by. */
  readonly alt_name: string | null
  /** Telephone number to try first. */
  readonly phone: string | null
  /** Another telephone number. */
  readonly phone2: string | null
  /** Where to send messages; may hold several addresses. */
  readonly email: string | null
  /** Street and house number, as written on letters. */
  readonly address: string | null
  /** Town of the address. */
  readonly city: string | null
  /** Postal code of the address. */
  readonly zip: string | null
  /** Code of the currency that the customer prefers. */
  readonly currency: string | null
  /** How long the customer may take to pay, as free text. */
  readonly payment_term: string | null
  /** `active` if the company still sells to the customer. */
  readonly status: 'active' | 'inactive' | null
  /** Kind of customer: an `id` of customer-types. */
  readonly customer_type_id: number | null
  /** Name of the kind of customer. */
  readonly customer_type: string | null
  /** List that sets what the customer pays: an `id` of price-lists. */
  readonly price_list_id: number | null
  /** How large a discount the customer gets, as the POS has it. */
  readonly discount_level: number | null
  /** How the discount is calculated, as the POS has it. */
  readonly discount_type: string | null
  /** How much the customer may owe. Needs the permission customers:financial. */
  readonly credit_limit?: number | null
  /** Current balance of the customer's account, over all stores. Needs the permission customers:financial. */
  readonly balance?: number | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
}

export interface CustomerFilters {
  /** Customers that the company still sells to, or those that it does not; both if left out. */
  status?: 'active' | 'inactive'
  /** Customers of one kind: an `id` of customer-types. */
  customer_type_id?: number
  /** Customers who pay the prices of one list: an `id` of price-lists. */
  price_list_id?: number
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: name, code, company_name, phone, email. */
  search?: string
}

export type CustomerSort = 'id' | 'name' | 'code' | 'updated_at'

/** The companies that goods are bought from. */
export interface Vendor {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Vendor number that people in the company use. */
  readonly code: string | null
  /** Name of the company that sells. */
  readonly name: string | null
  /** Given name of the person to talk to. */
  readonly contact_first_name: string | null
  /** Family name of the person to talk to. */
  readonly contact_last_name: string | null
  /** Another person to talk to, as free text. */
  readonly other_contact: string | null
  /** Telephone number to try first. */
  readonly phone: string | null
  /** Another telephone number. */
  readonly phone2: string | null
  /** Where to send messages. */
  readonly email: string | null
  /** Address on the web. */
  readonly website: string | null
  /** Street and house number, as written on letters. */
  readonly address: string | null
  /** Town of the address. */
  readonly city: string | null
  /** Postal code of the address. */
  readonly zip: string | null
  /** Where the vendor is, as written on letters. */
  readonly country: string | null
  /** Code of the currency that the vendor is paid in. */
  readonly currency: string | null
  /** `active` if the company still buys from the vendor. */
  readonly status: 'active' | 'inactive' | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
}

export interface VendorFilters {
  /** Vendors that the company still buys from, or those that it does not; both if left out. */
  status?: 'active' | 'inactive'
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: name, code, phone, email. */
  search?: string
}

export type VendorSort = 'id' | 'name' | 'code' | 'updated_at'

export interface QuoteLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line, an `id` of products; 0 for a line of free text. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** `Inventory` is a stocked product, `Service` is not stocked, `Special` is neither. */
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  /** How many, counted in `unit`. */
  readonly quantity: number | null
  /** What `quantity` counts, for example a piece or a case. */
  readonly unit: string | null
  /** Selling price of one `unit`. Zero when the status is `void`. */
  readonly unit_price: number | null
  /** The same quantity, counted in the product's base unit. */
  readonly base_quantity: number | null
  /** Selling price of one of the product's base units. Zero when the status is `void`. */
  readonly base_unit_price: number | null
  /** What one base unit had cost the company. Zero when the status is `void`. Needs the permission costs:read. */
  readonly cost?: number | null
}

/** Prices offered to customers, recent and archived. */
export interface QuoteSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** Store that the document belongs to: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Customer of the document: an `id` of customers. */
  readonly customer_id: number | null
  /** Name of the customer when the document was written. */
  readonly customer_name: string | null
  /** `hold` is a draft, `converted` became an order or an invoice, `void` is cancelled. */
  readonly status: 'hold' | 'open' | 'converted' | 'void' | null
  /** How the customer pays, as recorded at the time, for example cash or account. */
  readonly payment_type: string | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** Sum of the quantities of all lines. */
  readonly quantity_total: number | null
  /** Sum of the item amounts, before discount, tax and shipping. Zero when the status is `void`. */
  readonly items_total: number | null
  /** Sum of the taxes on the document. Zero when the status is `void`. */
  readonly tax: number | null
  /** Discount on the whole document, in percent. */
  readonly discount_percent: number | null
  /** Discount on the whole document, as an amount. Zero when the status is `void`. */
  readonly discount_amount: number | null
  /** What the customer is charged for delivery. Zero when the status is `void`. */
  readonly shipping: number | null
  /** What the document comes to in the end: the amount to rely on. Zero when the status is `void`. */
  readonly total: number | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
  /** Person or company that the goods are delivered to. */
  readonly ship_to_name: string | null
  /** Where the goods are delivered. */
  readonly ship_to_address: string | null
  /** Telephone number for the delivery. */
  readonly ship_to_phone: string | null
}

export interface Quote extends QuoteSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly QuoteLine[]
}

export interface QuoteFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'hold' | 'open' | 'converted' | 'void' | 'all'
  /** Documents of one customer: an `id` of customers. */
  customer_id?: number
  /** Documents of one store: an `id` of stores. */
  store_id?: number
  /** Documents whose amounts are in this currency. */
  currency?: string
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, customer_name. */
  search?: string
}

export type QuoteSort = 'id' | 'date' | 'total' | 'updated_at'

export interface SalesOrderLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line, an `id` of products; 0 for a line of free text. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** `Inventory` is a stocked product, `Service` is not stocked, `Special` is neither. */
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  /** How many, counted in `unit`. */
  readonly quantity: number | null
  /** How many the customer already has, counted in `unit`. */
  readonly delivered_quantity: number | null
  /** What `quantity` counts, for example a piece or a case. */
  readonly unit: string | null
  /** Selling price of one `unit`. */
  readonly unit_price: number | null
  /** The same quantity, counted in the product's base unit. */
  readonly base_quantity: number | null
  /** Selling price of one of the product's base units. */
  readonly base_unit_price: number | null
  /** What one base unit had cost the company. Needs the permission costs:read. */
  readonly cost?: number | null
}

export interface SalesOrderPayment {
  /** When the money was taken. */
  readonly date: string | null
  /** Part of the amount that was paid in notes and coins. */
  readonly cash: number | null
  /** Part of the amount that was paid by debit or credit card. */
  readonly card: number | null
  /** Part of the amount that was paid by cheque. */
  readonly cheque: number | null
  /** Number printed on the cheque. */
  readonly cheque_number: string | null
  /** Code of the currency that the money was taken in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the payment. */
  readonly exchange_rate: number | null
  /** Free remarks on the deposit. */
  readonly notes: string | null
}

/** Orders of customers, with what was delivered and the deposits paid on them. */
export interface SalesOrderSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** Store that the document belongs to: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Customer of the document: an `id` of customers. */
  readonly customer_id: number | null
  /** Name of the customer when the document was written. */
  readonly customer_name: string | null
  /** `hold` is a draft, `converted` became an invoice, `closed` is ended and keeps its amounts. */
  readonly status: 'new' | 'open' | 'hold' | 'converted' | 'refunded' | 'closed' | null
  /** How the customer pays, as recorded at the time, for example cash or account. */
  readonly payment_type: string | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** How much was ordered, summed over all lines. */
  readonly quantity_total: number | null
  /** Sum of the item amounts, before discount, tax and shipping. */
  readonly items_total: number | null
  /** Sum of the taxes on the document. */
  readonly tax: number | null
  /** Discount on the whole document, in percent. */
  readonly discount_percent: number | null
  /** Discount on the whole document, as an amount. */
  readonly discount_amount: number | null
  /** What the customer is charged for delivery. */
  readonly shipping: number | null
  /** What the document comes to in the end: the amount to rely on. */
  readonly total: number | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
  /** Sum of the deposits paid on the order. */
  readonly amount_paid: number | null
  /** What the goods ordered cost the company. Needs the permission costs:read. */
  readonly cost_total?: number | null
  /** Number of the quote that it came from. */
  readonly quote_number: string | null
  /** Person or company that the goods are delivered to. */
  readonly ship_to_name: string | null
  /** Where the goods are delivered. */
  readonly ship_to_address: string | null
  /** Telephone number for the delivery. */
  readonly ship_to_phone: string | null
}

export interface SalesOrder extends SalesOrderSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly SalesOrderLine[]
  /** Deposits recorded on the order. */
  readonly payments: readonly SalesOrderPayment[]
}

export interface SalesOrderFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'new' | 'open' | 'hold' | 'converted' | 'refunded' | 'closed' | 'all'
  /** Documents of one customer: an `id` of customers. */
  customer_id?: number
  /** Documents of one store: an `id` of stores. */
  store_id?: number
  /** Documents whose amounts are in this currency. */
  currency?: string
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, customer_name. */
  search?: string
}

export type SalesOrderSort = 'id' | 'date' | 'total' | 'updated_at'

export interface InvoiceLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line, an `id` of products; 0 for a line of free text. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** `Inventory` is a stocked product, `Service` is not stocked, `Special` is neither. */
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  /** How many, counted in `unit`. */
  readonly quantity: number | null
  /** What `quantity` counts, for example a piece or a case. */
  readonly unit: string | null
  /** Selling price of one `unit`. Zero when the status is `void`. */
  readonly unit_price: number | null
  /** The same quantity, counted in the product's base unit. */
  readonly base_quantity: number | null
  /** Selling price of one of the product's base units. Zero when the status is `void`. */
  readonly base_unit_price: number | null
  /** What one base unit had cost the company. Zero when the status is `void`. Needs the permission costs:read. */
  readonly cost?: number | null
}

export interface InvoicePayment {
  /** When the money was taken. */
  readonly date: string | null
  /** Part of the amount that was paid in notes and coins. Zero when the status is `void`. */
  readonly cash: number | null
  /** Part of the amount that was paid by debit or credit card. Zero when the status is `void`. */
  readonly card: number | null
  /** Part of the amount that was paid by cheque. Zero when the status is `void`. */
  readonly cheque: number | null
  /** Number printed on the cheque. */
  readonly cheque_number: string | null
  /** What was charged to the customer's account. Zero when the status is `void`. */
  readonly account: number | null
  /** What was taken from a deposit made earlier. Zero when the status is `void`. */
  readonly deposit: number | null
  /** Code of the currency that the money was taken in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the payment. */
  readonly exchange_rate: number | null
}

/** Sales, recent and archived, with how they were paid at the counter. */
export interface InvoiceSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** Store that the document belongs to: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Customer of the document: an `id` of customers. */
  readonly customer_id: number | null
  /** Name of the customer when the document was written. */
  readonly customer_name: string | null
  /** `regular` is final, `hold` is a draft, `void` is cancelled. */
  readonly status: 'new' | 'open' | 'hold' | 'regular' | 'void' | null
  /** How the customer pays, as recorded at the time, for example cash or account. */
  readonly payment_type: string | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** Sum of the quantities of all lines. */
  readonly quantity_total: number | null
  /** Sum of the item amounts, before discount, tax and shipping. Zero when the status is `void`. */
  readonly items_total: number | null
  /** Sum of the taxes on the document. Zero when the status is `void`. */
  readonly tax: number | null
  /** Discount on the whole document, in percent. */
  readonly discount_percent: number | null
  /** Discount on the whole document, as an amount. Zero when the status is `void`. */
  readonly discount_amount: number | null
  /** What the customer is charged for delivery. Zero when the status is `void`. */
  readonly shipping: number | null
  /** What the document comes to in the end: the amount to rely on. Zero when the status is `void`. */
  readonly total: number | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
  /** `paid` if nothing is owed any more, otherwise `unpaid`. */
  readonly payment_status: 'paid' | 'unpaid' | null
  /** How much of the total has been paid. Zero when the status is `void`. */
  readonly amount_paid: number | null
  /** Part of the payment that came from a deposit made earlier. Zero when the status is `void`. */
  readonly deposit: number | null
  /** What the goods sold had cost the company. Zero when the status is `void`. Needs the permission costs:read. */
  readonly cost_total?: number | null
  /** Number of the customer's own purchase order. */
  readonly po_number: string | null
  /** Number of the quote that it came from. */
  readonly quote_number: string | null
  /** Number of the sales order that it came from. */
  readonly sales_order_number: string | null
}

export interface Invoice extends InvoiceSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly InvoiceLine[]
  /** How it was paid at the counter; what was received later is in the resource payments. */
  readonly payments: readonly InvoicePayment[]
}

export interface InvoiceFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'new' | 'open' | 'hold' | 'regular' | 'void' | 'all'
  /** Documents that are settled (`paid`), or that are not (`unpaid`). Several are separated by commas. */
  payment_status?: 'paid' | 'unpaid' | readonly ('paid' | 'unpaid')[]
  /** Documents of one customer: an `id` of customers. */
  customer_id?: number
  /** Documents of one store: an `id` of stores. */
  store_id?: number
  /** Documents whose amounts are in this currency. */
  currency?: string
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, customer_name, po_number. */
  search?: string
}

export type InvoiceSort = 'id' | 'date' | 'total' | 'updated_at'

export interface CreditMemoLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line, an `id` of products; 0 for a line of free text. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** `Inventory` is a stocked product, `Service` is not stocked, `Special` is neither. */
  readonly type: 'Inventory' | 'Service' | 'Special' | null
  /** How many were returned, counted in `unit`. */
  readonly quantity: number | null
  /** What `quantity` counts, for example a piece or a case. */
  readonly unit: string | null
  /** Selling price of one `unit`. Zero when the status is `void`. */
  readonly unit_price: number | null
  /** The same quantity, counted in the product's base unit. */
  readonly base_quantity: number | null
  /** Selling price of one of the product's base units. Zero when the status is `void`. */
  readonly base_unit_price: number | null
  /** What one base unit had cost the company. Zero when the status is `void`. Needs the permission costs:read. */
  readonly cost?: number | null
}

export interface CreditMemoPayment {
  /** When the refund was made. */
  readonly date: string | null
  /** Part of the refund in notes and coins. Zero when the status is `void`. */
  readonly cash: number | null
  /** Part of the refund to a debit or credit card. Zero when the status is `void`. */
  readonly card: number | null
  /** Part of the refund by cheque. Zero when the status is `void`. */
  readonly cheque: number | null
  /** Number printed on the cheque. */
  readonly cheque_number: string | null
  /** What was credited to the customer's account. Zero when the status is `void`. */
  readonly account: number | null
  /** What was recorded as a deposit. Zero when the status is `void`. */
  readonly deposit: number | null
  /** Code of the currency that the money was taken in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the payment. */
  readonly exchange_rate: number | null
}

/** Goods taken back from customers, with how they were refunded. */
export interface CreditMemoSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** Store that the document belongs to: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Customer of the document: an `id` of customers. */
  readonly customer_id: number | null
  /** Name of the customer when the document was written. */
  readonly customer_name: string | null
  /** `regular` is final, `hold` is a draft, `void` is cancelled. */
  readonly status: 'new' | 'open' | 'hold' | 'regular' | 'void' | null
  /** How the customer pays, as recorded at the time, for example cash or account. */
  readonly payment_type: string | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** How much was returned, summed over all lines. */
  readonly quantity_total: number | null
  /** Sum of the item amounts, before discount, tax and shipping. Zero when the status is `void`. */
  readonly items_total: number | null
  /** Sum of the taxes on the document. Zero when the status is `void`. */
  readonly tax: number | null
  /** Discount on the whole document, in percent. */
  readonly discount_percent: number | null
  /** Discount on the whole document, as an amount. Zero when the status is `void`. */
  readonly discount_amount: number | null
  /** What the customer is charged for delivery. Zero when the status is `void`. */
  readonly shipping: number | null
  /** What the customer gets back, as a positive amount. Zero when the status is `void`. */
  readonly total: number | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
  /** `paid` if the customer has been refunded, otherwise `unpaid`. */
  readonly payment_status: 'paid' | 'unpaid' | null
  /** How much of the total has been refunded. Zero when the status is `void`. */
  readonly amount_paid: number | null
  /** Part of the refund that was recorded as a deposit. Zero when the status is `void`. */
  readonly deposit: number | null
  /** What the goods returned had cost the company. Zero when the status is `void`. Needs the permission costs:read. */
  readonly cost_total?: number | null
  /** Number of the customer's own purchase order. */
  readonly po_number: string | null
  /** Number of the quote that it came from. */
  readonly quote_number: string | null
  /** Number of the sales order that it came from. */
  readonly sales_order_number: string | null
}

export interface CreditMemo extends CreditMemoSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly CreditMemoLine[]
  /** How it was refunded, one entry for each time. */
  readonly payments: readonly CreditMemoPayment[]
}

export interface CreditMemoFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'new' | 'open' | 'hold' | 'regular' | 'void' | 'all'
  /** Documents that are settled (`paid`), or that are not (`unpaid`). Several are separated by commas. */
  payment_status?: 'paid' | 'unpaid' | readonly ('paid' | 'unpaid')[]
  /** Documents of one customer: an `id` of customers. */
  customer_id?: number
  /** Documents of one store: an `id` of stores. */
  store_id?: number
  /** Documents whose amounts are in this currency. */
  currency?: string
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, customer_name, po_number. */
  search?: string
}

export type CreditMemoSort = 'id' | 'date' | 'total' | 'updated_at'

export interface PaymentAppliedTo {
  /** Invoice that was paid: an `id` of invoices. */
  readonly invoice_id: number | null
  /** Number that people know the invoice by. */
  readonly invoice_number: string | null
  /** How much of the payment went to this invoice. Zero when the status is `void`. */
  readonly amount: number | null
  /** When it was booked against this invoice. */
  readonly date: string | null
}

/** Payments received from customers against their account. */
export interface PaymentSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the payment by; requests use the `id`. */
  readonly number: string | null
  /** Store that took the money: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Who paid: an `id` of customers. */
  readonly customer_id: number | null
  /** Name of the customer at the time of the payment. */
  readonly customer_name: string | null
  /** `regular` counts, `void` is cancelled. */
  readonly status: 'regular' | 'void' | null
  /** How the customer paid, for example cash, cheque or card. */
  readonly payment_type: string | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** What the customer paid, in all. Zero when the status is `void`. */
  readonly amount_received: number | null
  /** Part of the amount that was paid in notes and coins. Zero when the status is `void`. */
  readonly cash: number | null
  /** Part of the amount that was paid by debit or credit card. Zero when the status is `void`. */
  readonly card: number | null
  /** Part of the amount that was paid by cheque. Zero when the status is `void`. */
  readonly cheque: number | null
  /** Number printed on the cheque. */
  readonly cheque_number: string | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
}

export interface Payment extends PaymentSummary {
  /** The invoices that it paid, one entry for each. */
  readonly applied_to: readonly PaymentAppliedTo[]
}

export interface PaymentFilters {
  /** Payments that count, or those that are cancelled; both if left out. */
  status?: 'regular' | 'void'
  /** Payments of one customer: an `id` of customers. */
  customer_id?: number
  /** Payments that one store took: an `id` of stores. */
  store_id?: number
  /** Documents whose amounts are in this currency. */
  currency?: string
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, customer_name. */
  search?: string
}

export type PaymentSort = 'id' | 'date' | 'amount_received' | 'updated_at'

export interface PurchaseOrderLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line: an `id` of products. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** How many, counted in `unit`. */
  readonly quantity: number | null
  /** What `quantity` counts, for example a piece or a case. */
  readonly unit: string | null
  /** Purchase price of one `unit`. */
  readonly unit_price: number | null
  /** The same quantity, counted in the product's base unit. */
  readonly base_quantity: number | null
}

/** Goods ordered from vendors. */
export interface PurchaseOrderSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** Store that the goods are ordered for: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Vendor that the goods come from, or go back to: an `id` of vendors. */
  readonly vendor_id: number | null
  /** Name of the vendor when the document was written. */
  readonly vendor_name: string | null
  /** `hold` is a draft, `closed` is ended and keeps its amounts. */
  readonly status: 'hold' | 'open' | 'complete' | 'closed' | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** How much was ordered, summed over all lines. */
  readonly quantity_total: number | null
  /** Sum of the item amounts, before tax. */
  readonly items_total: number | null
  /** Sum of the taxes on the document. */
  readonly tax: number | null
  /** What the document comes to in the end: the amount to rely on. */
  readonly total: number | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
}

export interface PurchaseOrder extends PurchaseOrderSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly PurchaseOrderLine[]
}

export interface PurchaseOrderFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'hold' | 'open' | 'complete' | 'closed' | 'all'
  /** Documents of one vendor: an `id` of vendors. */
  vendor_id?: number
  /** Documents of one store: an `id` of stores. */
  store_id?: number
  /** Documents whose amounts are in this currency. */
  currency?: string
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, vendor_name. */
  search?: string
}

export type PurchaseOrderSort = 'id' | 'date' | 'total' | 'updated_at'

export interface ReceivingLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line: an `id` of products. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** What a scanner reads from the package. */
  readonly barcode: string | null
  /** How many, counted in `unit`. */
  readonly quantity: number | null
  /** What `quantity` counts, for example a piece or a case. */
  readonly unit: string | null
  /** Purchase price of one `unit`. Zero when the status is `void`. */
  readonly unit_price: number | null
  /** Selling price that was set at the reception. Zero when the status is `void`. */
  readonly new_price: number | null
  /** The same quantity, counted in the product's base unit. */
  readonly base_quantity: number | null
  /** Weighted average cost after the reception. Zero when the status is `void`. Needs the permission costs:read. */
  readonly average_cost?: number | null
  /** Purchase cost before the reception. Zero when the status is `void`. Needs the permission costs:read. */
  readonly previous_cost?: number | null
  /** Weighted average cost before the reception. Zero when the status is `void`. Needs the permission costs:read. */
  readonly previous_average_cost?: number | null
}

/** Goods received from vendors and goods returned to them. */
export interface ReceivingSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** `receipt` came from a vendor, `return` went back to one. */
  readonly type: 'receipt' | 'return' | null
  /** Store that the goods arrived at, or left: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Number of the vendor's delivery note or invoice. */
  readonly receipt_number: string | null
  /** Day of the vendor's delivery note or invoice. */
  readonly receipt_date: string | null
  /** Order that the goods answer: an `id` of purchase-orders. */
  readonly purchase_order_id: number | null
  /** Vendor that the goods come from, or go back to: an `id` of vendors. */
  readonly vendor_id: number | null
  /** Name of the vendor when the document was written. */
  readonly vendor_name: string | null
  /** `hold` is a draft, `posted` has been booked, `void` is cancelled. */
  readonly status: 'open' | 'hold' | 'posted' | 'void' | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** Sum of the quantities of all lines. */
  readonly quantity_total: number | null
  /** Sum of the item amounts, before discount, tax, freight and fees. Zero when the status is `void`. */
  readonly items_total: number | null
  /** Discount on the whole document, in percent. */
  readonly discount_percent: number | null
  /** Discount on the whole document, as an amount. Zero when the status is `void`. */
  readonly discount_amount: number | null
  /** Sum of the taxes on the document. Zero when the status is `void`. */
  readonly tax: number | null
  /** What the transport of the goods cost. Zero when the status is `void`. */
  readonly freight: number | null
  /** Other costs of the delivery. Zero when the status is `void`. */
  readonly fee: number | null
  /** What the document comes to in the end: the amount to rely on. Zero when the status is `void`. */
  readonly total: number | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
}

export interface Receiving extends ReceivingSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly ReceivingLine[]
}

export interface ReceivingFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'open' | 'hold' | 'posted' | 'void' | 'all'
  /** Goods received (`receipt`), goods returned (`return`), or both. Several are separated by commas. */
  type?: 'receipt' | 'return' | readonly ('receipt' | 'return')[]
  /** Documents of one vendor: an `id` of vendors. */
  vendor_id?: number
  /** Goods received on one order: an `id` of purchase-orders. */
  purchase_order_id?: number
  /** Documents of one store: an `id` of stores. */
  store_id?: number
  /** Documents whose amounts are in this currency. */
  currency?: string
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, vendor_name, receipt_number. */
  search?: string
}

export type ReceivingSort = 'id' | 'date' | 'total' | 'updated_at'

export interface TransferLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line: an `id` of products. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** How many, counted in `unit`. */
  readonly quantity: number | null
  /** What `quantity` counts, for example a piece or a case. */
  readonly unit: string | null
  /** The same quantity, counted in the product's base unit. */
  readonly base_quantity: number | null
  /** Weighted average cost of one base unit at that time. Needs the permission costs:read. */
  readonly average_cost?: number | null
}

/** Stock moved between two stores. */
export interface TransferSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** Store that the goods left: an `id` of stores. */
  readonly from_store_id: number | null
  /** Name of the store that the goods left. */
  readonly from_store: string | null
  /** Store that the goods went to: an `id` of stores. */
  readonly to_store_id: number | null
  /** Name of the store that the goods went to. */
  readonly to_store: string | null
  /** `hold` is a draft, `posted` has been booked. */
  readonly status: 'hold' | 'open' | 'posted' | null
  /** Sum of the quantities of all lines. */
  readonly quantity_total: number | null
  /** Free remarks of the staff. */
  readonly notes: string | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
}

export interface Transfer extends TransferSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly TransferLine[]
}

export interface TransferFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'hold' | 'open' | 'posted' | 'all'
  /** Goods that left one store: an `id` of stores. */
  from_store_id?: number
  /** Goods that went to one store: an `id` of stores. */
  to_store_id?: number
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number. */
  search?: string
}

export type TransferSort = 'id' | 'date' | 'updated_at'

export interface AdjustmentLine {
  /** Identifies the line within its document; lines are ordered by it. */
  readonly id: number
  /** Product of the line: an `id` of products. */
  readonly product_id: number | null
  /** What the item was called when the document was written. */
  readonly name: string | null
  /** More about the item, as written on the document. */
  readonly description: string | null
  /** What the quantities of the line count. */
  readonly unit: string | null
  /** How many there were before. */
  readonly previous_quantity: number | null
  /** How many there are after it. */
  readonly new_quantity: number | null
  /** By how much the stock was corrected. */
  readonly quantity_difference: number | null
  /** How many were in the store when it was made. */
  readonly on_hand_quantity: number | null
  /** Weighted average cost of one base unit at that time. Needs the permission costs:read. */
  readonly average_cost?: number | null
  /** What one had cost before. Needs the permission costs:read. */
  readonly previous_cost?: number | null
  /** What one costs after it. Needs the permission costs:read. */
  readonly new_cost?: number | null
  /** By how much the cost was corrected. Needs the permission costs:read. */
  readonly cost_difference?: number | null
}

/** Corrections of quantities and of costs. */
export interface AdjustmentSummary {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Number that people know the document by; requests use the `id`. */
  readonly number: string | null
  /** `quantity` corrects how much there is, `cost` what it has cost. */
  readonly type: 'quantity' | 'cost' | null
  /** Store whose stock was corrected: an `id` of stores. */
  readonly store_id: number | null
  /** When the document was dated, in the local time of the company. */
  readonly date: string | null
  /** `hold` is a draft, `posted` has been booked. */
  readonly status: 'hold' | 'posted' | null
  /** Why it was made, as free text. */
  readonly reason: string | null
  /** Code of the currency that the amounts of the document are in. */
  readonly currency: string | null
  /** Rate between the company's currencies, as recorded with the document. */
  readonly exchange_rate: number | null
  /** What the correction is worth. Needs the permission costs:read. */
  readonly total?: number | null
  /** When the record was first stored. */
  readonly created_at: string | null
  /** When the record was last changed: what `updated_since` compares with. */
  readonly updated_at: string | null
}

export interface Adjustment extends AdjustmentSummary {
  /** What the document consists of, one entry for each item. */
  readonly lines: readonly AdjustmentLine[]
}

export interface AdjustmentFilters {
  /** Documents in one state only. `all` leaves nothing out. Without it, `hold` is left out. */
  status?: 'hold' | 'posted' | 'all'
  /** Corrections of quantities, of costs, or both. Several are separated by commas. */
  type?: 'quantity' | 'cost' | readonly ('quantity' | 'cost')[]
  /** Documents of one store: an `id` of stores. */
  store_id?: number
  /** Documents dated on this day or later. */
  date_from?: string
  /** Documents dated on this day, the whole of it, or earlier. */
  date_to?: string
  /** Records changed at this time or later: a day, or a time without a zone in the local time of the company's server. */
  updated_since?: string
  /** Records in which one of these holds the text: number, reason. */
  search?: string
}

export type AdjustmentSort = 'id' | 'date' | 'updated_at'

/** The stores of the company. */
export interface Store {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Short code by which people in the company know it. */
  readonly code: string | null
  /** What the store is called. */
  readonly name: string | null
  /** Street and house number, as written on letters. */
  readonly address: string | null
  /** Person in charge. */
  readonly manager: string | null
  /** Telephone number to try first. */
  readonly phone: string | null
  /** Another telephone number. */
  readonly phone2: string | null
  /** Where to send messages. */
  readonly email: string | null
  /** True for the head office. */
  readonly is_headquarters: boolean | null
}

export interface StoreFilters {
  /** Records in which one of these holds the text: name, code. */
  search?: string
}

export type StoreSort = 'id' | 'name' | 'code'

/** The parts of departments that products are sorted into. */
export interface SubDepartment {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Short code by which people in the company know it. */
  readonly code: string | null
  /** What it is called in the company. */
  readonly name: string | null
  /** Person in charge. */
  readonly manager: string | null
}

export interface SubDepartmentFilters {
  /** Records in which one of these holds the text: name, code. */
  search?: string
}

export type SubDepartmentSort = 'id' | 'name' | 'code'

/** The departments that products are sorted into. */
export interface Department {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Short code by which people in the company know it. */
  readonly code: string | null
  /** What it is called in the company. */
  readonly name: string | null
  /** Person in charge. */
  readonly manager: string | null
}

export interface DepartmentFilters {
  /** Records in which one of these holds the text: name, code. */
  search?: string
}

export type DepartmentSort = 'id' | 'name' | 'code'

/** The price lists of the company. */
export interface PriceList {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Short code by which people in the company know it. */
  readonly code: string | null
  /** What it is called in the company. */
  readonly name: string | null
}

export interface PriceListFilters {
  /** Records in which one of these holds the text: name, code. */
  search?: string
}

export type PriceListSort = 'id' | 'name' | 'code'

/** The kinds of customers. */
export interface CustomerType {
  /** Identifies the record within its resource, and never changes. */
  readonly id: number
  /** Short code by which people in the company know it. */
  readonly code: string | null
  /** What it is called in the company. */
  readonly name: string | null
}

export interface CustomerTypeFilters {
  /** Records in which one of these holds the text: name, code. */
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

// `unfilteredQuery`: the parameters with which a list leaves nothing out.
export const resources: Readonly<Record<ResourceName, ResourceFacts>> = {
  products: { unfilteredQuery: { status: 'all' } },
  customers: { unfilteredQuery: {} },
  vendors: { unfilteredQuery: {} },
  quotes: { unfilteredQuery: { status: 'all' } },
  'sales-orders': { unfilteredQuery: { status: 'all' } },
  invoices: { unfilteredQuery: { status: 'all' } },
  'credit-memos': { unfilteredQuery: { status: 'all' } },
  payments: { unfilteredQuery: {} },
  'purchase-orders': { unfilteredQuery: { status: 'all' } },
  receivings: { unfilteredQuery: { status: 'all' } },
  transfers: { unfilteredQuery: { status: 'all' } },
  adjustments: { unfilteredQuery: { status: 'all' } },
  stores: { unfilteredQuery: {} },
  'sub-departments': { unfilteredQuery: {} },
  departments: { unfilteredQuery: {} },
  'price-lists': { unfilteredQuery: {} },
  'customer-types': { unfilteredQuery: {} },
}

export interface ResourceFacts {
  readonly unfilteredQuery: Readonly<Record<string, string>>
}
