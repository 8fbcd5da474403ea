// Notes on stored columns for the people who fill them, where the name and the description of the field do not say enough.

export const columnNotes: Readonly<Record<string, string>> = {
  id: 'The key: a whole number from 1, never null.',
  active: 'False for what is no longer used, sold or bought from.',
  paid: 'Whether all of it is paid.',
  currency: 'A code such as USD, one of VITRINE_CURRENCIES.',
  updated_at: 'When the record, or one of its lines, was last changed: this is how callers find out.',
  'invoices.total': 'Positive for credit memos, too: what kind it is says which way the money went.',
  'products.price': 'Base selling price, of one `unit`.',
  'products.second_unit_price': 'Base selling price of one `second_unit`.',
}

export const relationNotes: Readonly<Record<string, string>> = {
  invoices: 'Sales, and what was taken back from customers (credit memos).',
  product_prices:
    'What a product costs in a price list, where that is not its base price: one row a product and price list.',
  product_stock: 'How much of a product is in a store: one row a product and store.',
}
