// Credit memos: goods of an earlier invoice come back, for a refund or for credit on the customer's account. They are
// stored with the invoices, under a kind of their own.
import { fillBasket, headerRow, type Basket } from './basket.ts'
import { correctedMoment, daysLeft } from './calendar.ts'
import { drawPayment, moneyOf, paymentTypes, writeCounterPayment, type CounterPayment } from './counter.ts'
import { archived, CREDIT_MEMO, writeInvoiceLines, type Invoice } from './invoice-parts.ts'
import type { Random } from './random.ts'
import type { SaleLine } from './sale-lines.ts'
import { status, type Status, type Story } from './story.ts'

export function writeCreditMemo(story: Story, moment: number, invoice: Invoice, wanted?: Status): void {
  const { random, numbers } = story
  const code = wanted ?? drawStatus(random, moment)
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

function drawStatus(random: Random, moment: number): Status {
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
