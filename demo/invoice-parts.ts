// What invoices and credit memos share: one relation with its archive, one series of ids, the same lines.
import type { Basket } from './basket.ts'
import { ARCHIVE_END } from './calendar.ts'
import { lineRow, type SaleLine } from './sale-lines.ts'
import type { Story } from './story.ts'

export const INVOICE = 1
export const CREDIT_MEMO = 2

export interface Invoice {
  readonly id: number
  readonly number: string
  readonly moment: number
  readonly basket: Basket
  readonly poNumber: string | null
  readonly salesOrderNumber: string | null
  readonly isOnAccount: boolean
}

export const archived = (relation: string, moment: number) => (moment < ARCHIVE_END ? `${relation}_archive` : relation)

export function writeInvoiceLines(story: Story, id: number, moment: number, lines: readonly SaleLine[]): void {
  const relation = archived('invoice_lines', moment)
  for (const line of lines) story.out.add(relation, lineRow(story.numbers.nextId('invoice_lines'), id, line))
}
