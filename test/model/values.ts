// One stored cell as the API shows it: times, labels for codes, zeros in a void document.
import type { Cell } from '../support/pos.ts'
import { zeroedWhenVoid, type FieldRule, type LabelRule, type ResourceRule } from '../support/specification/index.ts'

export type Shown = Cell | readonly { readonly [name: string]: Shown }[]
export type Shape = { readonly [name: string]: Shown }

const isEmptyDate = (stored: Cell | undefined) => !stored || String(stored).startsWith('0000-00-00')

export function showTime(stored: Cell | undefined): string | null {
  if (isEmptyDate(stored)) return null
  const text = String(stored)
  return `${text.slice(0, 10)}T${text.slice(11, 19)}`
}

const showDay = (stored: Cell | undefined) => (isEmptyDate(stored) ? null : String(stored).slice(0, 10))

export function showLabel({ column, codes }: LabelRule, row: Readonly<Record<string, Cell>>): string | null {
  const stored = row[column] ?? null
  return Object.keys(codes).find((label) => stored !== null && codes[label] === Number(stored)) ?? null
}

export const isVoid = ({ labels }: ResourceRule, row: Readonly<Record<string, Cell>>) =>
  labels['status'] !== undefined && showLabel(labels['status'], row) === 'void'

// A field that is a column of the row itself.
export function showColumn({ name, type }: FieldRule, stored: Cell | undefined, inVoid: boolean): Cell {
  if (inVoid && zeroedWhenVoid.has(name)) return 0
  if (type === 'date-time') return showTime(stored)
  if (type === 'date') return showDay(stored)
  if (type === 'boolean') return stored === null || stored === undefined ? null : Boolean(stored)
  return stored ?? null
}
