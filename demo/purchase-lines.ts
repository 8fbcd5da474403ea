// The lines of purchase orders and receivings: products of one vendor, bought in their larger unit where there is one.
import { dayAt } from './calendar.ts'
import { convert, timesQuantity } from './money.ts'
import type { Product } from './products.ts'
import { atPricesOf } from './sale-lines.ts'
import { rateAt, type Story } from './story.ts'
import type { Vendor } from './vendors.ts'

export interface PurchaseLine {
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

export function addUpPurchase(lines: readonly PurchaseLine[]): { quantity: number; items: number } {
  let quantity = 0
  let items = 0
  for (const line of lines) {
    quantity += line.quantity
    items += timesQuantity(line.unitPrice, line.quantity)
  }
  return { quantity, items }
}
