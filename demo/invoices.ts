// Invoices: sales at the counter and on account, and what becomes of them (paid later, returned, cancelled).
import { drawCounterBasket, headerRow, fillBasket, type Basket } from './basket.ts'
import { correctedMoment, daysLeft, laterMoment, ARCHIVE_END } from './calendar.ts'
import { drawPayment, moneyOf, paymentTypes, writeCounterPayment, type CounterPayment } from './counter.ts'
import { drawNote, voidNotes } from './notes.ts'
import { collect } from './payments.ts'
import { status, type Status, type Story } from './story.ts'
import type { Random } from './random.ts'
import { lineRow, type SaleLine } from './sale-lines.ts'

interface InvoiceWish {
  readonly status?: Status
  readonly deposit?: number
  readonly quoteNumber?: string | null
  readonly salesOrderNumber?: string | null
  // The goods are not returned, or the caller arranges the return.
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

export function writeCreditMemo(story: Story, moment: number, invoice: Invoice, wanted?: Status): void {
  const { random, numbers } = story
  const code = wanted ?? drawMemoStatus(random, moment)
  const basket = returnedBasket(random, invoice, wanted !== undefined || random.chance(15))
  const { customer, store, totals } = basket
  const isDraft = code === status.hold || code === status.new
  const isSmall = totals.total <= (basket.currency === 'USD' ? 30_000 : 4_000_000)
  const isCredited = !isDraft && customer.hasAccount && (code === status.open || (invoice.isOnAccount && isSmall))
  const waits = isCredited && code === status.regular
  // One credit at a time waits on an account; a second one is paid out.
  const refund = isDraft ? null : drawRefund(story, basket, isCredited && !(waits && customer.credit))
  const id = numbers.nextId('invoices')
  const number = numbers.nextNumber('CM', store)
  const corrected = code === status.void ? correctedMoment(random, moment, 0, 3) : moment + random.below(300)
  const notes = `Retour sur facture ${invoice.number}${random.chance(30) ? `, ${random.pick(reasons)}` : ''}`

  const writeHeader = (amountPaid: number, updated: number) => {
    const row = headerRow(story, basket, {
      number,
      moment,
      status: code,
      paymentType: refund?.type ?? paymentTypes.cash,
      notes,
      updated,
    })
    row.unshift(id, CREDIT_MEMO)
    row.push(amountPaid >= totals.total, amountPaid / 100, 0, totals.cost / 100)
    row.push(invoice.poNumber, null, invoice.salesOrderNumber)
    story.out.add(archived('invoices', moment), row)
  }

  writeInvoiceLines(story, id, moment, basket.lines)
  if (refund) writeCounterPayment(story, archived('invoice_payments', moment), { id, moment, basket }, refund)
  if (!refund || refund.account === 0 || !waits) {
    writeHeader(refund ? moneyOf(refund) : 0, corrected)
    if (code === status.open) customer.balance -= refund?.account ?? 0
    return
  }
  const { account } = refund
  customer.touched = Math.max(customer.touched, moment)
  customer.credit = {
    cents: account,
    settle(usedAt) {
      if (usedAt === null) customer.balance -= account
      writeHeader(usedAt === null ? 0 : account, usedAt ?? corrected)
    },
  }
}

function drawMemoStatus(random: Random, moment: number): Status {
  const left = daysLeft(moment)
  if (left < 3 && random.chance(15)) return status.new
  if (left < 12 && random.chance(15)) return status.open
  const draw = random.below(1000)
  if (draw < 5) return status.hold
  return draw < 35 ? status.void : status.regular
}

const reasons = ['article défectueux', 'mauvaise taille', 'emballage abîmé', 'trop commandé', "erreur de l'expédition"]

function drawRefund(story: Story, basket: Basket, isCredited: boolean): CounterPayment {
  if (!isCredited) return drawPayment(story, basket, 0, 'money')
  const none = { cash: 0, card: 0, cheque: 0, chequeNumber: null, deposit: 0 }
  return { ...none, type: paymentTypes.account, account: basket.totals.total }
}

// Some of the goods, in whole or in part, at the price they were sold for.
function returnedBasket(random: Random, { basket }: Invoice, withGoodwill: boolean): Basket {
  const stocked = basket.lines.filter((line) => line.kind === 1)
  const goods = stocked.length > 0 ? stocked : basket.lines
  const start = random.below(goods.length)
  const chosen = goods.slice(start, start + random.between(1, 3))
  const lines: SaleLine[] = chosen.map((line) => {
    const whole = Math.floor(line.quantity / 1000)
    const isPart = whole > 1 && line.quantity === whole * 1000 && random.chance(70)
    return isPart ? { ...line, quantity: random.between(1, whole - 1) * 1000 } : line
  })
  if (withGoodwill) lines.push(goodwill(basket))
  return fillBasket({ ...basket, shipping: 0, lines })
}

// A line of free text: something for the trouble, about a twentieth of the sale at most.
function goodwill({ currency, totals }: Basket): SaleLine {
  const unitPrice = Math.min(currency === 'USD' ? 150 : 20_000, Math.ceil(totals.items / 2000) * 100)
  return {
    product: null,
    name: 'Geste commercial',
    description: null,
    kind: 3,
    unit: null,
    factor: 1,
    quantity: 1000,
    unitPrice,
    cost: 0,
  }
}

const INVOICE = 1
const CREDIT_MEMO = 2

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

function writeInvoiceLines(story: Story, id: number, moment: number, lines: readonly SaleLine[]): void {
  const relation = archived('invoice_lines', moment)
  for (const line of lines) story.out.add(relation, lineRow(story.numbers.nextId('invoice_lines'), id, line))
}
