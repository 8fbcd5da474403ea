// Quotes, and the orders and invoices that some of them become.
import { drawBasket, headerRow, shipTo, type BasketWish } from './basket.ts'
import { correctedMoment, laterMoment } from './calendar.ts'
import { paymentTypes } from './counter.ts'
import { archived } from './invoice-parts.ts'
import { writeInvoice } from './invoices.ts'
import { drawNote } from './notes.ts'
import { lineRow } from './sale-lines.ts'
import { writeSalesOrder } from './sales-orders.ts'
import { status, type Status, type Story } from './story.ts'

interface QuoteWish extends BasketWish {
  readonly status?: Status
}

export function writeQuote(story: Story, moment: number, wish: QuoteWish = {}): void {
  const { random, numbers, out } = story
  const basket = drawBasket(story, moment, { withFreeText: random.chance(7), ...wish })
  const id = numbers.nextId('quotes')
  const number = numbers.nextNumber('QUO', basket.store)
  let code = wish.status ?? drawStatus(story)
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

function drawStatus({ random }: Story): Status {
  const draw = random.below(100)
  if (draw < 1) return status.hold
  if (draw < 6) return status.void
  return draw < 52 ? status.converted : status.open
}
