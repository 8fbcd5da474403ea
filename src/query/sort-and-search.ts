// Reads `sort` and `search`, which every list has.
import type { Condition } from '../catalogue/condition.ts'
import type { ParsedValue } from '../catalogue/filters/filter.ts'
import { noneAllowed } from '../catalogue/filters/words.ts'
import { limits } from './limits.ts'
import type { Order } from './plan.ts'

export function readSort(text: string, sortable: readonly string[]): ParsedValue<Order[]> {
  const order = text.split(',').map((term) => ({ field: term.replace(/^-/, ''), descending: term.startsWith('-') }))
  const names = order.map(({ field }) => field)
  const wrong = names.filter((name) => !sortable.includes(name))
  const twice = sortable.filter((name) => names.indexOf(name) !== names.lastIndexOf(name))
  const messages = [
    ...(wrong.length > 0 ? [noneAllowed(wrong, sortable)] : []),
    ...twice.map((name) => `${name} is given more than once.`),
    ...(names.length > limits.sortFields ? [`At most ${limits.sortFields} fields can be sorted by.`] : []),
  ]
  return messages.length > 0 ? { message: messages.join(' ') } : { value: breakTies(order) }
}

// Ties are ordered by id, in the direction of the last field. Fields after id have no effect.
function breakTies(order: Order[]): Order[] {
  const id = order.findIndex(({ field }) => field === 'id')
  if (id !== -1) return order.slice(0, id + 1)
  return [...order, { field: 'id', descending: order.at(-1)?.descending ?? false }]
}

export function readSearch(text: string, columns: readonly string[]): ParsedValue<Condition[]> {
  const { least, most } = limits.search
  const length = [...text].length
  if (length >= least && length <= most) return { value: [{ is: 'contains', columns, text }] }
  const has = length === 1 ? '1 character' : `${length} characters`
  return { message: `has ${has}; it must have ${least} to ${most}.` }
}
