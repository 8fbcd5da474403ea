// Documents that every demo company has, however small: each status of each kind. Finished ones lie in the past,
// unfinished ones in the last days.
import { writeAdjustment, writeTransfer } from './stock-moves.ts'
import { drawBasket, pickAccountCustomer, type Basket } from './basket.ts'
import { dayAt, DAYS, openMoment } from './calendar.ts'
import { writeCreditMemo, writeInvoice, type Invoice } from './invoices.ts'
import { arrangeBounced } from './payments.ts'
import { drawPurchaseLines, writePurchaseOrder, receiveDirectly, sendReturn } from './purchases.ts'
import { writeQuote, takeOrder } from './orders.ts'
import { stores, type Store } from './reference.ts'
import { status, type Status, type Story } from './story.ts'

type Write = (moment: number) => void

export function arrangeCoverage(story: Story): void {
  const { random, agenda } = story
  const past = (write: Write) => agenda.schedule(openMoment(random, random.between(60, DAYS - 200)), write)
  const lately = (write: Write) => agenda.schedule(openMoment(random, DAYS - random.between(1, 6)), write)

  for (const code of [status.regular, status.void]) past((at) => sellOnAccount(story, at, code))
  for (const code of [status.new, status.open, status.hold]) lately((at) => sellOnAccount(story, at, code))
  for (const code of [status.regular, status.void]) arrangeReturn(story, DAYS - 190, code)
  for (const code of [status.new, status.open, status.hold]) arrangeReturn(story, DAYS - 3, code)

  for (const code of [status.converted, status.void])
    past((at) => writeQuote(story, at, { status: code, withFreeText: true }))
  for (const code of [status.hold, status.open])
    lately((at) => writeQuote(story, at, { status: code, withFreeText: true }))

  for (const code of [status.converted, status.refunded, status.closed])
    past((at) => takeOrder(story, at, { status: code, withFreeText: true }))
  for (const code of [status.new, status.open, status.hold])
    lately((at) => takeOrder(story, at, { status: code, withFreeText: true }))

  past((at) => bounceCheque(story, at))

  for (const code of [status.complete, status.closed]) past((at) => writePurchaseOrder(story, at, code))
  for (const code of [status.hold, status.open]) lately((at) => writePurchaseOrder(story, at, code))

  for (const code of [status.posted, status.void]) past((at) => receiveDirectly(story, at, code))
  for (const code of [status.open, status.hold]) lately((at) => receiveDirectly(story, at, code))
  for (const code of [status.posted, status.void]) past((at) => returnToVendor(story, at, code))
  for (const code of [status.open, status.hold]) lately((at) => returnToVendor(story, at, code))

  past((at) => writeTransfer(story, at, status.posted))
  for (const code of [status.hold, status.open]) lately((at) => writeTransfer(story, at, code))

  for (const kind of [1, 2] as const) {
    past((at) => writeAdjustment(story, at, { kind, status: status.posted }))
    lately((at) => writeAdjustment(story, at, { kind, status: status.hold }))
  }
}

function accountBasket(story: Story, moment: number): Basket {
  return drawBasket(story, moment, { customer: pickAccountCustomer(story, moment), withFreeText: true })
}

const sellOnAccount = (story: Story, moment: number, code: Status) =>
  void writeInvoice(story, moment, accountBasket(story, moment), { status: code, isKept: true })

// A sale a week before, and its return.
function arrangeReturn(story: Story, day: number, code: Status): void {
  const { random, agenda } = story
  let sold: Invoice | null = null
  agenda.schedule(openMoment(random, day - random.between(5, 9)), (at) => {
    sold = writeInvoice(story, at, accountBasket(story, at), { status: status.regular, isKept: true })
  })
  agenda.schedule(openMoment(random, day), (at) => {
    if (sold) writeCreditMemo(story, at, sold, code)
  })
}

function bounceCheque(story: Story, moment: number): void {
  const basket = accountBasket(story, moment)
  const { id, number } = writeInvoice(story, moment, basket, { status: status.regular, isKept: true })
  const debt = { customer: basket.customer, moment, invoiceId: id, invoiceNumber: number, cents: basket.totals.total }
  arrangeBounced(story, debt, openMoment(story.random, dayAt(moment) + 20))
}

function returnToVendor(story: Story, moment: number, code: Status): void {
  const vendor = story.random.pick(story.suppliers)
  const lines = drawPurchaseLines(story, moment, vendor).slice(0, 2)
  sendReturn(story, moment, { vendor, store: stores[0] as Store, purchaseOrderId: null, lines }, code)
}
