// One stored cell as the API shows it: times, labels for codes, zeros in a void document.
import type { Cell } from '../support/pos.ts'
import { typeOf } from './relations.ts'
import type { Resource } from './resources.ts'

export type Shown = Cell | readonly { readonly [name: string]: Shown }[]
export type Shape = { readonly [name: string]: Shown }

const statusCodes: Record<number, string> = {
  0: 'new',
  1: 'open',
  2: 'hold',
  3: 'regular',
  4: 'void',
  5: 'converted',
  6: 'refunded',
  7: 'closed',
  8: 'complete',
  9: 'posted',
}
const lineTypes = ['Inventory', 'Service', 'Special']

const zeroed = new Set(
  `items_total tax discount_amount shipping freight fee total amount_paid amount_received deposit cash card cheque account
   cost_total unit_price base_unit_price new_price cost average_cost previous_cost previous_average_cost new_cost
   cost_difference amount`.split(/\s+/),
)

export const isEmptyDate = (stored: Cell | undefined) => !stored || String(stored).startsWith('0000-00-00')

export function showTime(stored: Cell | undefined): string | null {
  if (isEmptyDate(stored)) return null
  const text = String(stored)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}`
}

export const showDay = (stored: Cell | undefined) => (isEmptyDate(stored) ? null : String(stored).slice(0, 10))

export function showStatus(resource: Resource, stored: Cell | undefined): string | null {
  const label = statusCodes[Number(stored ?? -1)]
  return label !== undefined && resource.statuses.includes(label) ? label : null
}

const showType = (types: readonly string[], stored: Cell | undefined) => types[Number(stored ?? 0) - 1] ?? null

const showFlag = (stored: Cell | undefined, yes: string, no: string) => {
  if (stored === null || stored === undefined) return null
  return stored ? yes : no
}

export const isVoid = (resource: Resource, row: Readonly<Record<string, Cell>>) =>
  showStatus(resource, row['status']) === 'void'

// A field that is a column of the row itself.
export function showColumn(name: string, stored: Cell | undefined, inVoid: boolean): Cell {
  if (inVoid && zeroed.has(name)) return 0
  const type = typeOf(name)
  if (type === 'time') return showTime(stored)
  if (type === 'day') return showDay(stored)
  if (type === 'bool') return stored === null || stored === undefined ? null : Boolean(stored)
  return stored ?? null
}

export function showLabel(resource: Resource, name: string, row: Readonly<Record<string, Cell>>): string | null {
  if (name === 'payment_status') return showFlag(row['paid'], 'paid', 'unpaid')
  if (name === 'type') return showType(resource.types, row['kind'])
  return resource.statuses[0] === 'active'
    ? showFlag(row['active'], 'active', 'inactive')
    : showStatus(resource, row['status'])
}

export const showLineType = (stored: Cell | undefined) => showType(lineTypes, stored)
