// The lines of quotes, sales orders, invoices and credit memos, and their totals.
import { dayAt, isSchoolSeason } from './calendar.ts'
import type { Customer } from './customers.ts'
import { convert, shelfPrice, timesQuantity, type Currency } from './money.ts'
import { drawFreeText } from './notes.ts'
import type { DemoRow } from './outbox.ts'
import { priceOn, secondPriceOn, type Product } from './products.ts'
import type { Random } from './random.ts'
import { themes, type Theme } from './shelf.ts'
import { rateAt, type Story } from './story.ts'

export interface SaleLine {
  // Null for a line of free text.
  readonly product: Product | null
  readonly name: string
  readonly description: string | null
  readonly kind: 1 | 2 | 3
  readonly unit: string | null
  readonly factor: number
  readonly quantity: number
  readonly unitPrice: number
  readonly cost: number
}

const lineCounts = [30, 26, 18, 11, 7, 4, 2, 2]
const lineKinds = [0, 1, 2, 1, 3] as const
const themeWeights = [46, 14, 18, 8, 8, 6]
const schoolWeights = [40, 12, 15, 6, 7, 32]

// Prices have risen by a tenth in three years, a little each quarter; today's are those on the lists.
export const atPricesOf = (day: number, cents: number) =>
  (cents * Math.min(1000, 901 + 9 * Math.floor(day / 92))) / 1000

interface Buying {
  readonly moment: number
  readonly customer: Customer
  readonly currency: Currency
  readonly withFreeText: boolean
}

export function drawLines(story: Story, buying: Buying): SaleLine[] {
  const { random } = story
  const theme = drawTheme(random, buying)
  const count = random.weighted(lineCounts) + 1
  const lines: SaleLine[] = []
  const day = dayAt(buying.moment)
  const goods = story.goods.get(theme) ?? []
  for (let tries = 0; lines.length < count && tries < count + 6; tries += 1) {
    const product = random.pickSkewed(goods)
    if (day <= product.firstDay || day >= product.lastDay) continue
    // Large generators are not sold to anonymous customers.
    if (buying.customer.type === 1 && inDollars(product, product.prices) > 900) continue
    if (!lines.some((line) => line.product === product)) lines.push(drawLine(story, buying, product))
  }
  const services = story.services.get(theme) ?? []
  if (services.length > 0 && random.chance(9)) lines.push(drawLine(story, buying, random.pick(services)))
  if (random.chance(2) || lines.length === 0) lines.push(drawLine(story, buying, random.pick(story.specials)))
  if (buying.withFreeText) lines.push(freeTextLine(random, buying.currency))
  return lines
}

function drawTheme(random: Random, { customer, moment }: Buying): Theme {
  if (customer.theme && random.chance(customer.type === 3 ? 95 : 80)) return customer.theme
  return themes[random.weighted(isSchoolSeason(dayAt(moment)) ? schoolWeights : themeWeights)] ?? 'food'
}

function drawLine(story: Story, { moment, customer, currency }: Buying, product: Product): SaleLine {
  const { random } = story
  const { model } = product
  const isBusiness = customer.type >= 3 && customer.type <= 6
  const isSecond = buysSecondUnit(story, customer, product)
  const listed = isSecond ? secondPriceOn(product, customer.priceList) : priceOn(product, customer.priceList)
  const rate = rateAt(story, moment)
  const day = dayAt(moment)
  const now = (cents: number) => convert(Math.round(atPricesOf(day, cents)), product.currency, currency, rate)
  return {
    product,
    name: product.name,
    description: model.description,
    kind: lineKinds[product.kind],
    unit: isSecond ? model.secondUnit : model.unit,
    factor: isSecond ? model.factor : 1,
    quantity: isSecond ? drawSeconds(random, customer, product) : drawQuantity(random, product, isBusiness),
    unitPrice: shelfPrice(now(listed), currency),
    cost: now(product.averageCost),
  }
}

const inDollars = ({ currency }: Product, prices: readonly number[]) =>
  convert(prices[0] ?? 0, currency, 'USD', 1_320_000) / 100

// Resellers buy sacks and cases, but no pallets of solar panels.
function buysSecondUnit({ random }: Story, customer: Customer, product: Product): boolean {
  if (product.model.secondUnit === null) return false
  const isReseller = customer.type === 3
  if (inDollars(product, product.secondPrices) > (isReseller ? 4000 : 250)) return false
  return random.chance(isReseller ? 65 : customer.type >= 4 ? 30 : 10)
}

function drawSeconds(random: Random, customer: Customer, product: Product): number {
  const dollars = inDollars(product, product.secondPrices)
  const most = dollars > 400 ? 1 : dollars > 80 ? 2 : customer.type === 3 ? 6 : 2
  return random.between(1, most) * 1000
}

// The smaller of two draws: small quantities are usual.
function drawQuantity(random: Random, { model }: Product, isBusiness: boolean): number {
  const steps = (model.most - model.least) / model.step
  const drawn = Math.min(random.between(0, steps), random.between(0, steps))
  const times = isBusiness && model.most >= 4000 ? random.between(1, 3) : 1
  return (model.least + drawn * model.step) * times
}

function freeTextLine(random: Random, currency: Currency): SaleLine {
  const { name, kind, cents } = drawFreeText(random, currency)
  return {
    product: null,
    name,
    description: null,
    kind,
    unit: null,
    factor: 1,
    quantity: 1000,
    unitPrice: cents,
    cost: 0,
  }
}

export interface Totals {
  readonly quantity: number
  readonly items: number
  readonly discount: number
  readonly tax: number
  readonly total: number
  readonly cost: number
}

// The discount in hundredths of a percent; the tax (TCA) is a tenth of what is left.
export function addUp(lines: readonly SaleLine[], discountPercent: number, isTaxed: boolean, shipping: number): Totals {
  let quantity = 0
  let items = 0
  let cost = 0
  for (const line of lines) {
    quantity += line.quantity
    items += timesQuantity(line.unitPrice, line.quantity)
    cost += timesQuantity(line.cost, line.quantity * line.factor)
  }
  const discount = Math.round((items * discountPercent) / 10_000)
  const tax = isTaxed ? Math.round((items - discount) / 10) : 0
  return { quantity, items, discount, tax, total: items - discount + tax + shipping, cost }
}

// The columns from `kind` on; a sales order has what was delivered after the quantity.
export function lineRow(id: number, document: number, line: SaleLine, delivered?: number): DemoRow {
  const { product, name, description, kind, quantity, unit, unitPrice, factor, cost } = line
  const row: DemoRow = [id, document, product?.id ?? 0, name, description, kind, quantity / 1000]
  if (delivered !== undefined) row.push(delivered / 1000)
  row.push(unit, unitPrice / 100, (quantity * factor) / 1000, Math.round(unitPrice / factor) / 100, cost / 100)
  return row
}
