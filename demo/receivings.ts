// Receivings: goods that arrive from a vendor, with or without an order, and goods that go back.
import { correctedMoment, dayAt, daysLeft, dayText, laterMoment, momentText } from './calendar.ts'
import { convert, shelfPrice } from './money.ts'
import type { Row } from './outbox.ts'
import { addUpPurchase, drawPurchaseLines, type PurchaseLine } from './purchase-lines.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { atPricesOf } from './sale-lines.ts'
import { rateAt, status, type Status, type Story } from './story.ts'
import type { Vendor } from './vendors.ts'

export interface Delivery {
  readonly vendor: Vendor
  readonly store: Store
  readonly purchaseOrderId: number | null
  readonly lines: readonly PurchaseLine[]
}

const RECEIPT = 1
const RETURN = 2

// Bought without an order, from a house in the country.
export function receiveDirectly(story: Story, moment: number, wanted?: Status): void {
  const { random } = story
  const vendor = random.pick(story.suppliers)
  const store = stores[random.weighted(storeWeights)] as Store
  const lines = drawPurchaseLines(story, moment, vendor)
  const isRecent = daysLeft(moment) < 6
  const drawn = random.below(100)
  const code = drawn < 6 ? status.void : isRecent && drawn < 25 ? status.open : drawn < 7 ? status.hold : status.posted
  receive(story, moment, { vendor, store, purchaseOrderId: null, lines }, wanted ?? code)
}

export function receive(story: Story, moment: number, delivery: Delivery, code: Status = status.posted): void {
  writeReceiving(story, moment, delivery, RECEIPT, code)
  const { random } = story
  if (code !== status.posted || !random.chance(8)) return
  const back = delivery.lines.slice(0, random.between(1, 2)).map((line) => sendBack(story, line))
  const returned = { ...delivery, lines: back }
  story.agenda.schedule(laterMoment(random, moment, 2, 20), (when) => sendReturn(story, when, returned))
}

function sendBack({ random }: Story, line: PurchaseLine): PurchaseLine {
  const units = Math.floor(line.quantity / 1000)
  return { ...line, quantity: random.between(1, Math.max(1, Math.floor(units / 4))) * 1000 }
}

export function sendReturn(story: Story, moment: number, delivery: Delivery, wanted?: Status): void {
  writeReceiving(story, moment, delivery, RETURN, wanted ?? (story.random.chance(5) ? status.void : status.posted))
}

function writeReceiving(story: Story, moment: number, delivery: Delivery, kind: 1 | 2, code: Status): void {
  const { random, numbers, out } = story
  const { vendor, store, lines } = delivery
  const id = numbers.nextId('receivings')
  const { quantity, items } = addUpPurchase(lines)
  const percent = random.chance(20) ? random.pick([100, 200, 300, 500]) : 0
  const discount = Math.round((items * percent) / 10_000)
  const tax = vendor.isLocal && random.chance(45) ? Math.round((items - discount) / 10) : 0
  const isImported = kind === RECEIPT && !vendor.isLocal
  const freight = isImported ? Math.round((items * random.between(4, 11)) / 100) : 0
  const fee = isImported && random.chance(60) ? random.between(3, 40) * (vendor.currency === 'USD' ? 500 : 50_000) : 0
  const posted = code === status.void ? correctedMoment(random, moment, 0, 4) : moment + random.between(60, 3600)
  const date = momentText(moment)
  out.add('receivings', [
    id,
    kind,
    numbers.nextNumber(kind === RECEIPT ? 'REC' : 'RET', store),
    store.id,
    date,
    random.chance(92) ? `${random.pick(['BL', 'FAC', 'INV', 'CO'])}-${random.between(1200, 99_000)}` : null,
    dayText(dayAt(moment) - random.between(0, isImported ? 9 : 2)),
    delivery.purchaseOrderId,
    vendor.id,
    vendor.name,
    code,
    vendor.currency,
    rateAt(story, moment) / 10_000,
    quantity / 1000,
    items / 100,
    percent / 100,
    discount / 100,
    tax / 100,
    freight / 100,
    fee / 100,
    (items - discount + tax + freight + fee) / 100,
    kind === RETURN ? 'Marchandise retournée au fournisseur' : random.chance(8) ? 'Deux cartons abîmés' : null,
    date,
    momentText(posted),
  ])
  for (const line of lines) out.add('receiving_lines', receivingLine(story, id, moment, vendor, line))
}

// Costs and the selling price are in the document's currency, for one base unit.
function receivingLine(story: Story, receiving: number, moment: number, vendor: Vendor, line: PurchaseLine): Row {
  const { product, quantity, unit, factor, unitPrice } = line
  const inCurrency = (cents: number) =>
    convert(Math.round(atPricesOf(dayAt(moment), cents)), product.currency, vendor.currency, rateAt(story, moment))
  const previousAverage = inCurrency(product.averageCost)
  const average = Math.round((previousAverage * 3 + unitPrice / factor) / 4)
  return [
    story.numbers.nextId('receiving_lines'),
    receiving,
    product.id,
    product.name,
    product.model.description,
    product.barcode,
    quantity / 1000,
    unit,
    unitPrice / 100,
    shelfPrice(inCurrency(product.prices[0] ?? 0), vendor.currency) / 100,
    (quantity * factor) / 1000,
    average / 100,
    inCurrency(product.cost) / 100,
    previousAverage / 100,
  ]
}
