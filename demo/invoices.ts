// Invoices: sales at the counter and on account, and what becomes of them (paid later, returned, cancelled).
import { drawCounterBasket, headerRow, type Basket } from './basket.ts'
import { correctedMoment, daysLeft, laterMoment } from './calendar.ts'
import { drawPayment, moneyOf, paymentTypes, writeCounterPayment } from './counter.ts'
import { writeCreditMemo } from './credit-memos.ts'
import { archived, INVOICE, writeInvoiceLines, type Invoice } from './invoice-parts.ts'
import { drawNote, voidNotes } from './notes.ts'
import { collect } from './payments.ts'
import { status, type Status, type Story } from './story.ts'

interface InvoiceWish {
  readonly status?: Status
  readonly deposit?: number
  readonly quoteNumber?: string | null
  readonly salesOrderNumber?: string | null
  // The goods do not come back, or whoever wishes arranges that.
  readonly isKept?: boolean
}

// One sale in forty has a line of free text.
export function sell(story: Story, moment: number): void {
  writeInvoice(story, moment, drawCounterBasket(story, moment, { withFreeText: story.random.chance(2.5) }))
}

export function writeInvoice(story: Story, moment: number, basket: Basket, wish: InvoiceWish = {}): Invoice {
  const { random, numbers } = story
  const { customer, store, totals } = basket
  const code = wish.status ?? drawStatus(story, moment, basket)
  const isDraft = code === status.hold || code === status.new
  const counts = code === status.regular || code === status.open
  const deposit = wish.deposit ?? (code === status.regular ? useCredit(basket, moment) : 0)
  const how = code === status.open ? 'account' : 'usual'
  const paid = isDraft ? null : drawPayment(story, basket, deposit, how)
  const id = numbers.nextId('invoices')
  const number = numbers.nextNumber('INV', store)
  const debt = { customer, moment, invoiceId: id, invoiceNumber: number, cents: paid?.account ?? 0 }
  const later = code === status.regular && debt.cents > 0 ? collect(story, debt) : { cents: 0, lastMoment: moment }
  const amountPaid = paid ? moneyOf(paid) + later.cents : 0
  const corrected = code === status.void ? correctedMoment(random, moment, 0, 3) : moment + random.below(300)
  const isBusiness = customer.type >= 4 && customer.type <= 6
  const poNumber = isBusiness && random.chance(40) ? poNumberOf(story) : null
  const row = headerRow(story, basket, {
    number,
    moment,
    status: code,
    paymentType: paid?.type ?? paymentTypes.cash,
    notes: code === status.void ? random.pick(voidNotes) : drawNote(random, 'sale', 7),
    updated: Math.max(corrected, later.lastMoment),
  })
  row.unshift(id, INVOICE)
  row.push(amountPaid >= totals.total, amountPaid / 100, (paid?.deposit ?? 0) / 100, totals.cost / 100, poNumber)
  row.push(wish.quoteNumber ?? null, wish.salesOrderNumber ?? null)
  story.out.add(archived('invoices', moment), row)
  writeInvoiceLines(story, id, moment, basket.lines)
  if (paid) writeCounterPayment(story, archived('invoice_payments', moment), { id, moment, basket }, paid)
  if (counts && paid && paid.account > 0) {
    customer.balance += totals.total - amountPaid
    customer.touched = Math.max(customer.touched, moment)
  }
  const salesOrderNumber = wish.salesOrderNumber ?? null
  const invoice = { id, number, moment, basket, poNumber, salesOrderNumber, isOnAccount: debt.cents > 0 }
  if (code === status.regular && !wish.isKept && random.chance(5)) arrangeReturn(story, invoice)
  return invoice
}

function drawStatus({ random }: Story, moment: number, { customer }: Basket): Status {
  const left = daysLeft(moment)
  if (left < 3 && random.chance(8)) return status.new
  if (left < 20 && customer.hasAccount && random.chance(12)) return status.open
  const draw = random.below(1000)
  if (draw < 3) return status.hold
  return draw < 19 ? status.void : status.regular
}

// Money from an earlier return pays for the next purchase that is large enough.
function useCredit({ customer, totals }: Basket, moment: number): number {
  const { credit } = customer
  if (!credit || credit.cents > totals.total) return 0
  customer.credit = null
  credit.settle(moment)
  return credit.cents
}

function poNumberOf({ random }: Story): string {
  const number = random.between(100, 9999)
  return random.pick([`BC-${number}`, `PO-${number}`, `BC ${random.between(2023, 2026)}/${number}`, String(number)])
}

function arrangeReturn(story: Story, invoice: Invoice): void {
  if (!invoice.basket.lines.some((line) => line.kind === 1)) return
  const moment = laterMoment(story.random, invoice.moment, 1, 24)
  story.agenda.schedule(moment, (when) => writeCreditMemo(story, when, invoice))
}
