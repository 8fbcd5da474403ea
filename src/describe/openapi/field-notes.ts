// What a field means, if its name does not say it: in the words of the specification. A note for one resource goes before a note for
// every `array.field` or `field` of that name.
import { usualCurrencies } from '../../settings/table.ts'

const notes: Readonly<Record<string, string>> = {
  number: 'Document number.',
  updated_at: 'When the record was last changed; `updated_since` asks for it.',
  items_total: 'Sum of the items, before discount, tax and shipping.',
  total: 'The sum that counts.',
  payment_type: 'As recorded at the sale, for example cash or account.',
  cost_total: 'Cost of the goods sold.',
  po_number: "The customer's purchase order.",
  quote_number: 'The quote it came from.',
  sales_order_number: 'The sales order it came from.',
  'lines.product_id': '0 for a line of free text.',
  'lines.quantity': 'In `unit`.',
  'lines.base_quantity': "In the product's base unit.",
  department: 'Name of the department.',
  sub_department: 'Name of the sub-department.',
  second_unit: 'Second unit of sale.',

  'products.unit': 'Main unit of sale.',
  'products.vendor_id': 'Usual vendor; 0 when there is none.',
  'products.cost': 'Last purchase cost.',
  'products.average_cost': 'Weighted average cost.',
  'products.order_cost': 'Cost used on purchase orders.',
  'products.quantity_total': 'Stock, summed over the stores that the key may see.',
  'products.on_sales_order': 'Reserved on open sales orders, in the stores that the key may see.',
  'products.on_purchase_order': 'Expected on open purchase orders, in the stores that the key may see.',
  'products.price': 'Selling price that applies to the key: the base price, or that of its price list.',
  'products.second_unit_price': 'The same for the second unit.',
  'products.price_lists': 'The prices of every price list.',
  'products.stock': 'Stock by store, for the stores that the key may see.',
  'products.type': '`inventory` is stocked, `service` is not, `assembly` is built from other products.',

  'customers.name': 'Full name, as displayed.',
  'customers.email': 'May hold several addresses.',
  'customers.currency': 'Preferred currency.',
  'customers.customer_type': 'Name of the customer type.',
  'customers.balance': 'Current balance of the account, over all stores.',
  'vendors.name': 'Name of the company.',
  'stores.is_headquarters': 'True for the head office.',
  'sub-departments.manager': 'Person in charge.',
  'departments.manager': 'Person in charge.',

  'invoices.payments': 'How it was paid at the counter. What was received later is in the resource payments.',
  'invoices.payments.account': "Charged to the customer's account.",
  'credit-memos.cost_total': 'Cost of the goods returned.',
  'credit-memos.payments': 'How it was refunded.',
  'credit-memos.payments.account': "Credited to the customer's account.",
  'credit-memos.lines.quantity': 'Quantity returned, in `unit`.',
  'sales-orders.payments': 'Deposits recorded on the order.',
  'payments.payment_type': 'For example cash, cheque or card.',
  'payments.amount_received': 'Zero when the payment is void.',
  'payments.applied_to': 'The invoices that it paid.',
  'purchase-orders.quantity_total': 'Quantity ordered.',
  'purchase-orders.lines.unit_price': 'Purchase price of one unit.',
  'purchase-orders.lines.product_id': 'The product.',
  'receivings.type': '`receipt` from a vendor, or `return` to one.',
  'receivings.receipt_number': "Number of the vendor's delivery note or invoice.",
  'receivings.fee': 'Other fees.',
  'receivings.lines.unit_price': 'Purchase price.',
  'receivings.lines.new_price': 'Selling price set at the reception.',
  'receivings.lines.average_cost': 'After the reception.',
  'receivings.lines.product_id': 'The product.',
  'transfers.from_store': 'Name of the store it left.',
  'transfers.to_store': 'Name of the store it went to.',
  'transfers.lines.product_id': 'The product.',
  'adjustments.type': 'Whether quantities or costs were adjusted.',
  'adjustments.total': 'Value of the adjustment.',
  'adjustments.lines.on_hand_quantity': 'On hand when the adjustment was made.',
  'adjustments.lines.product_id': 'The product.',
}

export const fieldNote = (
  resource: string,
  field: string,
  array?: string,
  currencies: readonly string[] = usualCurrencies,
): string | undefined => {
  const name = array === undefined ? field : `${array}.${field}`
  return notes[`${resource}.${name}`] ?? notes[name] ?? notes[field] ?? moneyNotes(currencies)[field]
}

const moneyNotes = (currencies: readonly string[]): Readonly<Record<string, string>> => ({
  currency: `${anyOf(currencies.map((each) => `\`${each}\``))}.`,
  exchange_rate:
    currencies.length === 2 ? `Rate between ${currencies.join(' and ')}.` : 'Exchange rate, as the POS recorded it.',
})

const anyOf = (names: readonly string[]) =>
  [names.slice(0, -1).join(', '), ...names.slice(-1)].filter((part) => part !== '').join(' or ')

export const notedNames = [...Object.keys(notes), ...Object.keys(moneyNotes(usualCurrencies))]
