// Purchase orders, and the receivings that fulfil them in one delivery, in two, or in part.
import { daysLeft, laterMoment, LAST_MOMENT, momentText } from './calendar.ts'
import { drawNote } from './notes.ts'
import { addUpPurchase, drawPurchaseLines, type PurchaseLine } from './purchase-lines.ts'
import { receive, type Delivery } from './receivings.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { rateAt, status, type Status, type Story } from './story.ts'
import type { Vendor } from './vendors.ts'

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
