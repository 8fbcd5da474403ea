// The codes that the point-of-sale system stores, and the labels that the API shows for them.

export interface Code {
  readonly code: number
  readonly label: string
}
// In the order of the specification.
export type Codes = readonly Code[]

const codes = (...labels: [number, string][]): Codes => labels.map(([code, label]) => ({ code, label }))

export const documentStatus = codes(
  [0, 'new'],
  [1, 'open'],
  [2, 'hold'],
  [3, 'regular'],
  [4, 'void'],
  [5, 'converted'],
  [6, 'refunded'],
  [7, 'closed'],
  [8, 'complete'],
  [9, 'posted'],
)
export const VOID = 4

export const invoiceKind = codes([1, 'invoice'], [2, 'credit memo'])
export const receivingKind = codes([1, 'receipt'], [2, 'return'])
export const adjustmentKind = codes([1, 'quantity'], [2, 'cost'])
export const productKind = codes([1, 'inventory'], [2, 'service'], [3, 'assembly'], [4, 'special'])
export const lineKind = codes([1, 'Inventory'], [2, 'Service'], [3, 'Special'])

// Labels of stored booleans.
export const activity = codes([1, 'active'], [0, 'inactive'])
export const payment = codes([1, 'paid'], [0, 'unpaid'])

export function codeOf(list: Codes, label: string): number {
  const found = list.find((each) => each.label === label)
  if (!found) throw new Error(`no code for ${label}`)
  return found.code
}
