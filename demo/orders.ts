// Quotes, and the orders and invoices that some of them become.
import { drawBasket, headerRow, shipTo, fillBasket, type BasketWish, type Basket } from './basket.ts'
import { correctedMoment, laterMoment, daysLeft, LAST_MOMENT, momentText } from './calendar.ts'
import { paymentTypes, chequeNumber } from './counter.ts'
import { archived, writeInvoice } from './invoices.ts'
import { drawNote } from './notes.ts'
import { lineRow, type SaleLine } from './sale-lines.ts'
import { status, rateAt, type Status, type Story } from './story.ts'
import { roundSum } from './money.ts'

interface QuoteWish extends BasketWish {
  readonly status?: Status
}

export function writeQuote(story: Story, moment: number, wish: QuoteWish = {}): void {
  const { random, numbers, out } = story
  const basket = drawBasket(story, moment, { withFreeText: random.chance(7), ...wish })
  const id = numbers.nextId('quotes')
  const number = numbers.nextNumber('QUO', basket.store)
  let code = wish.status ?? drawQuoteStatus(story)
  let updated = moment + random.below(600)
  if (code === status.void) updated = correctedMoment(random, moment, 1, 20)
  if (code === status.converted) {
    const converted = laterMoment(random, moment, 1, 24)
    const toOrder = random.chance(55)
    const isArranged = story.agenda.schedule(converted, (when) => {
      if (toOrder) writeSalesOrder(story, when, basket, { quoteNumber: number })
      else writeInvoice(story, when, basket, { status: status.regular, quoteNumber: number })
    })
    if (isArranged) updated = converted
    else code = status.open
  }
  const row = headerRow(story, basket, {
    number,
    moment,
    status: code,
    paymentType: random.chance(70) ? (basket.customer.hasAccount ? paymentTypes.account : paymentTypes.cash) : null,
    notes: drawNote(random, 'quote', 35),
    updated,
  })
  row.unshift(id)
  row.push(...shipTo(story, basket))
  out.add(archived('quotes', moment), row)
  const lines = archived('quote_lines', moment)
  for (const line of basket.lines) out.add(lines, lineRow(numbers.nextId('quote_lines'), id, line))
}

function drawQuoteStatus({ random }: Story): Status {
  const draw = random.below(100)
  if (draw < 1) return status.hold
  if (draw < 6) return status.void
  return draw < 52 ? status.converted : status.open
}

interface OrderWish extends BasketWish {
  readonly status?: Status
  readonly quoteNumber?: string
}

interface Deposit {
  readonly moment: number
  // Negative when it was paid back.
  readonly cents: number
  readonly notes: string | null
}

export function takeOrder(story: Story, moment: number, wish: OrderWish = {}): void {
  writeSalesOrder(story, moment, drawBasket(story, moment, { withFreeText: story.random.chance(7), ...wish }), wish)
}

function writeSalesOrder(story: Story, moment: number, basket: Basket, wish: OrderWish = {}): void {
  const { random, numbers, out } = story
  const id = numbers.nextId('sales_orders')
  const number = numbers.nextNumber('SO', basket.store)
  const quoteNumber = wish.quoteNumber ?? null
  let code = wish.status ?? drawOrderStatus(story, moment)
  const deposits = code === status.hold || code === status.new ? [] : drawDeposits(story, moment, basket, code)
  const amountPaid = deposits.reduce((sum, { cents }) => sum + cents, 0)
  let updated = Math.max(moment + random.below(600), ...deposits.map((deposit) => deposit.moment))
  let delivered: readonly number[] = basket.lines.map(() => 0)

  if (code === status.converted) {
    const when = laterMoment(random, updated, 2, 28)
    const wishes = { status: status.regular, deposit: amountPaid, quoteNumber, salesOrderNumber: number }
    if (story.agenda.schedule(when, (at) => void writeInvoice(story, at, basket, wishes))) {
      updated = when
      delivered = basket.lines.map((line) => line.quantity)
    } else code = status.open
  } else if (code === status.closed) {
    const when = laterMoment(random, updated, 20, 90)
    if (when <= LAST_MOMENT) updated = when
    else code = status.open
  }
  if (code === status.open || code === status.closed) {
    const part = deliverPart(story, basket, { number, quoteNumber, after: moment, before: updated, code })
    if (part) ({ delivered, updated } = part)
  }

  const row = headerRow(story, basket, {
    number,
    moment,
    status: code,
    paymentType: amountPaid === 0 && basket.customer.hasAccount ? paymentTypes.account : paymentTypes.cash,
    notes: drawNote(random, 'order', 25),
    updated,
  })
  row.unshift(id)
  row.push(amountPaid / 100, basket.totals.cost / 100, quoteNumber, ...shipTo(story, basket))
  out.add('sales_orders', row)
  const isWaiting = code === status.open || code === status.new
  basket.lines.forEach((line, at) => {
    const done = delivered[at] ?? 0
    out.add('sales_order_lines', lineRow(numbers.nextId('sales_order_lines'), id, line, done))
    if (isWaiting && line.product)
      story.openOrders.reserve(line.product, basket.store, (line.quantity - done) * line.factor)
  })
  for (const deposit of deposits) writeDeposit(story, id, basket, deposit)
}

function drawOrderStatus({ random }: Story, moment: number): Status {
  const left = daysLeft(moment)
  if (left < 4 && random.chance(25)) return status.new
  const draw = random.below(100)
  if (draw < 1) return status.hold
  if (draw < 5) return status.refunded
  if (draw < 12) return status.closed
  // An old order that is still open is rare.
  return draw < (left > 60 ? 15 : 25) ? status.open : status.converted
}

function drawDeposits({ random }: Story, moment: number, basket: Basket, code: Status): Deposit[] {
  const { total } = basket.totals
  const isRefunded = code === status.refunded
  if (!isRefunded && !random.chance(65)) return []
  const first = roundSum(Math.floor((total * random.between(25, 55)) / 100), basket.currency) || Math.floor(total / 2)
  const deposits: Deposit[] = [{ moment, cents: first, notes: random.chance(40) ? 'Acompte à la commande' : null }]
  const later = correctedMoment(random, moment, 1, 12)
  if (isRefunded) deposits.push({ moment: later, cents: -first, notes: "Remboursement de l'acompte" })
  else if (random.chance(15) && total > 2 * first)
    deposits.push({ moment: later, cents: Math.floor(first / 2), notes: 'Deuxième versement' })
  return deposits
}

interface Part {
  readonly number: string
  readonly quoteNumber: string | null
  readonly after: number
  readonly before: number
  readonly code: Status
}

// Half of what can be halved is delivered and invoiced; the order goes on waiting for the rest, or was closed over it.
function deliverPart(story: Story, basket: Basket, part: Part): { delivered: number[]; updated: number } | null {
  const { random, agenda } = story
  if (!random.chance(40)) return null
  const delivered = basket.lines.map((line) => (line.product ? Math.floor(line.quantity / 2000) * 1000 : 0))
  const lines: SaleLine[] = basket.lines
    .map((line, at) => ({ ...line, quantity: delivered[at] ?? 0 }))
    .filter((line) => line.quantity > 0)
  const when = laterMoment(random, part.after, 1, 12)
  if (lines.length === 0 || (part.code === status.closed && when > part.before)) return null
  const partial = fillBasket({ ...basket, lines, shipping: 0 })
  const { quoteNumber, number } = part
  const wish = { status: status.regular, deposit: 0, quoteNumber, salesOrderNumber: number }
  if (!agenda.schedule(when, (at) => void writeInvoice(story, at, partial, wish))) return null
  return { delivered, updated: Math.max(when, part.before) }
}

function writeDeposit(story: Story, order: number, { currency }: Basket, { moment, cents, notes }: Deposit): void {
  const { random } = story
  const draw = random.below(10)
  story.out.add('sales_order_payments', [
    story.numbers.nextId('sales_order_payments'),
    order,
    momentText(moment),
    draw < 6 ? cents / 100 : 0,
    draw >= 6 && draw < 8 ? cents / 100 : 0,
    draw >= 8 ? cents / 100 : 0,
    draw >= 8 ? chequeNumber(random) : null,
    currency,
    rateAt(story, moment) / 10_000,
    notes,
  ])
}
