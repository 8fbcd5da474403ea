// Purchase orders, and the receivings that fulfil them in one delivery, in two, or in part.
import { daysLeft, laterMoment, LAST_MOMENT, momentText, correctedMoment, dayAt, dayText } from './calendar.ts'
import { drawNote } from './notes.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { rateAt, status, type Status, type Story } from './story.ts'
import type { Vendor } from './vendors.ts'
import { convert, shelfPrice, timesQuantity } from './money.ts'
import type { DemoRow } from './outbox.ts'
import { atPricesOf } from './sale-lines.ts'
import type { Product } from './products.ts'

export function writePurchaseOrder(story: Story, moment: number, wanted?: Status): void {
  const { random, numbers, out } = story
  const vendor = random.pickSkewed(story.suppliers)
  const store = random.chance(50) ? (stores[0] as Store) : (stores[random.weighted(storeWeights)] as Store)
  const lines = drawPurchaseLines(story, moment, vendor)
  const id = numbers.nextId('purchase_orders')
  const drawn = wanted ?? drawStatus(story, moment)
  const fate = arrangeDeliveries(story, { vendor, store, lines, moment, id, code: drawn })
  const { quantity, items } = addUpPurchase(lines)
  const tax = vendor.isLocal && random.chance(45) ? Math.round(items / 10) : 0
  const date = momentText(moment)
  out.add('purchase_orders', [
    id,
    numbers.nextNumber('PO', store),
    store.id,
    date,
    vendor.id,
    vendor.name,
    fate.code,
    vendor.currency,
    rateAt(story, moment) / 10_000,
    quantity / 1000,
    items / 100,
    tax / 100,
    (items + tax) / 100,
    drawNote(random, 'purchase', 25),
    date,
    momentText(fate.updated),
  ])
  for (const { product, quantity: ordered, unit, factor, unitPrice } of lines)
    out.add('purchase_order_lines', [
      numbers.nextId('purchase_order_lines'),
      id,
      product.id,
      product.name,
      product.model.description,
      ordered / 1000,
      unit,
      unitPrice / 100,
      (ordered * factor) / 1000,
    ])
  if (fate.code !== status.open) return
  for (const line of fate.missing) story.openOrders.expect(line.product, store, line.quantity * line.factor)
}

function drawStatus({ random }: Story, moment: number): Status {
  const draw = random.below(100)
  if (draw < 2) return status.hold
  if (draw < 9) return status.closed
  return daysLeft(moment) < 60 && draw < 35 ? status.open : status.complete
}

interface Ordered {
  readonly vendor: Vendor
  readonly store: Store
  readonly lines: readonly PurchaseLine[]
  readonly moment: number
  readonly id: number
  readonly code: Status
}

interface Fate {
  readonly code: Status
  readonly updated: number
  readonly missing: readonly PurchaseLine[]
}

// A delivery that would come after the last day leaves the order open.
function arrangeDeliveries(story: Story, { vendor, store, lines, moment, id, code }: Ordered): Fate {
  const { random } = story
  const untouched = { updated: moment + random.below(1800), missing: lines }
  if (code === status.hold || code === status.open) return { ...untouched, code }
  const days = vendor.isLocal ? 3 : 18
  const isSplit = code === status.closed || (lines.length > 1 && random.chance(25))
  const first = isSplit ? lines.map(halve).filter((line) => line.quantity > 0) : lines
  const rest = isSplit ? remaining(lines, first) : []
  const delivery: Delivery = { vendor, store, purchaseOrderId: id, lines: first }
  const arrival = laterMoment(random, moment, days, days * 3)
  const isArranged = first.length > 0 && story.agenda.schedule(arrival, (when) => receive(story, when, delivery))
  if (!isArranged) return { ...untouched, code: status.open }
  // Entered twice by mistake: one of the two is void.
  if (random.chance(2)) story.agenda.schedule(arrival + 240, (when) => receive(story, when, delivery, status.void))
  const later = laterMoment(random, arrival, 4, 25)
  const partly = { updated: arrival, missing: rest }
  if (code === status.closed)
    return later <= LAST_MOMENT ? { ...partly, code, updated: later } : { ...partly, code: status.open }
  if (rest.length === 0) return { ...partly, code }
  const isCompleted = story.agenda.schedule(later, (when) => receive(story, when, { ...delivery, lines: rest }))
  return isCompleted ? { code, updated: later, missing: [] } : { ...partly, code: status.open }
}

const halve = (line: PurchaseLine) => ({ ...line, quantity: Math.floor(line.quantity / 2000) * 1000 })

function remaining(lines: readonly PurchaseLine[], delivered: readonly PurchaseLine[]): PurchaseLine[] {
  return lines
    .map((line) => {
      const part = delivered.find((each) => each.product === line.product)
      return { ...line, quantity: line.quantity - (part?.quantity ?? 0) }
    })
    .filter((line) => line.quantity > 0)
}

interface Delivery {
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

function receive(story: Story, moment: number, delivery: Delivery, code: Status = status.posted): void {
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
function receivingLine(story: Story, receiving: number, moment: number, vendor: Vendor, line: PurchaseLine): DemoRow {
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

interface PurchaseLine {
  readonly product: Product
  readonly unit: string
  readonly factor: number
  readonly quantity: number
  readonly unitPrice: number
}

const lineCounts = [18, 24, 22, 16, 10, 6, 4]

export function drawPurchaseLines(story: Story, moment: number, vendor: Vendor): PurchaseLine[] {
  const { random } = story
  const day = dayAt(moment)
  const products = story.byVendor.get(vendor) ?? []
  const lines: PurchaseLine[] = []
  const count = random.weighted(lineCounts) + 1
  for (let tries = 0; lines.length < count && tries < count + 6; tries += 1) {
    const product = random.pick(products)
    if (product.firstDay >= day || product.lastDay <= day || lines.some((line) => line.product === product)) continue
    lines.push(drawLine(story, moment, vendor, product))
  }
  // A vendor of one product that is not sold yet: bought all the same.
  if (lines.length === 0) lines.push(drawLine(story, moment, vendor, random.pick(products)))
  return lines
}

function drawLine(story: Story, moment: number, vendor: Vendor, product: Product): PurchaseLine {
  const { random } = story
  const { model } = product
  const { secondUnit, factor } = model
  const cost = convert(
    atPricesOf(dayAt(moment), product.cost),
    product.currency,
    vendor.currency,
    rateAt(story, moment),
  )
  const unitPrice = Math.max(1, Math.round((cost * factor * random.between(97, 101)) / 100))
  const quantity = secondUnit ? random.between(2, 24) : Math.ceil((model.most / 1000) * random.between(2, 9))
  return { product, unit: secondUnit ?? model.unit, factor, quantity: quantity * 1000, unitPrice }
}

function addUpPurchase(lines: readonly PurchaseLine[]): { quantity: number; items: number } {
  let quantity = 0
  let items = 0
  for (const line of lines) {
    quantity += line.quantity
    items += timesQuantity(line.unitPrice, line.quantity)
  }
  return { quantity, items }
}
