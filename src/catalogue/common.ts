// Declarations that several resources share: the header and the lines of sales documents, their filters and sorts.
import { activity, codeOf, documentStatus, lineKind, type Codes } from '../contract/codes.ts'
import { usualCurrencies } from '../settings/currencies.ts'
import { amounts, columns, costs, label, orZero, type Field, type ScalarField } from './field.ts'
import type { Filter, IntegerFilter, StatusFilter, TimeFilter } from './filters/filter.ts'
import type { Resource } from './resource.ts'

export const statuses = (...labels: string[]): Codes =>
  labels.map((label) => ({ code: codeOf(documentStatus, label), label }))

export const invoiceStatuses = statuses('new', 'open', 'hold', 'regular', 'void')

// The shared document header of the specification, in its order.
export const documentHeader = (labels: Codes): Field[] => [
  ...columns('id number store_id date customer_id customer_name'),
  label('status', 'status', labels),
  ...columns('payment_type currency exchange_rate quantity_total'),
  ...amounts('items_total tax'),
  ...columns('discount_percent'),
  ...amounts('discount_amount shipping total'),
  ...columns('notes created_at updated_at'),
]

// A free-text line has product_id 0, also where nothing is stored.
export const saleLine = (...quantities: string[]): ScalarField[] => [
  ...columns('id'),
  ...orZero('product_id'),
  ...columns('name description'),
  label('type', 'kind', lineKind),
  ...columns(['quantity', ...quantities, 'unit'].join(' ')),
  ...amounts('unit_price'),
  ...columns('base_quantity'),
  ...amounts('base_unit_price'),
  ...costs('cost'),
]

export const counterPayment: ScalarField[] = [
  ...columns('date'),
  ...amounts('cash card cheque'),
  ...columns('cheque_number'),
  ...amounts('account deposit'),
  ...columns('currency exchange_rate'),
]

export const byId = (...names: string[]): IntegerFilter[] =>
  names.map((name) => ({ kind: 'integer', name, column: name }))

export const dateRange: TimeFilter[] = [
  { kind: 'day-from', name: 'date_from', column: 'date' },
  { kind: 'day-to', name: 'date_to', column: 'date' },
]

export const updatedSince: TimeFilter = { kind: 'since', name: 'updated_since', column: 'updated_at' }

const byCurrency: Filter = { kind: 'currency', name: 'currency', column: 'currency', values: usualCurrencies }

export const documentFilters = (party: 'customer_id' | 'vendor_id', ...more: string[]): Filter[] => [
  ...byId(party, ...more, 'store_id'),
  byCurrency,
  ...dateRange,
  updatedSince,
]

// Every resource with drafts hides them by default.
export const documentStatusFilter = (labels: Codes): StatusFilter => ({
  kind: 'status',
  name: 'status',
  column: 'status',
  labels,
  all: true,
  omitted: { hides: 'hold' },
})

export const activityFilter: StatusFilter = {
  kind: 'status',
  name: 'status',
  column: 'active',
  labels: activity,
  all: false,
}

export const documentSort = { fields: ['id', 'date', 'total', 'updated_at'], default: '-date' }
export const nameSort = { fields: ['id', 'name', 'code', 'updated_at'], default: 'name' }

// Reference data: one permission, no filters, the same sorts and search.
type ReferenceParts = Pick<Resource, 'name' | 'names' | 'relation' | 'fields' | 'en' | 'fr'>
export const referenceResource = (parts: ReferenceParts): Resource => ({
  ...parts,
  permission: 'reference:read',
  filters: [],
  search: ['name', 'code'],
  sort: { fields: ['id', 'name', 'code'], default: 'name' },
})
