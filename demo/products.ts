// The products: which models the company carries, with codes, prices on seven lists, costs and when they came and went.
import { DAYS, openMoment } from './calendar.ts'
import { shelfPrice, type Currency } from './money.ts'
import type { Random } from './random.ts'
import { departments, priceLists } from './reference.ts'
import { allGoods, type Model } from './goods.ts'
import type { Vendor } from './vendors.ts'

export interface Product {
  readonly id: number
  readonly code: string
  readonly barcode: string | null
  readonly name: string
  readonly kind: 1 | 2 | 3 | 4
  readonly model: Model
  readonly currency: Currency
  readonly vendor: Vendor | null
  readonly cost: number
  readonly averageCost: number
  // By price list; 0 where the list has no price of its own.
  readonly prices: readonly number[]
  readonly secondPrices: readonly number[]
  readonly reorderPoint: number
  // Sold from its first to its last day only; an inactive product's last day is in the past.
  readonly firstDay: number
  readonly lastDay: number
  readonly isActive: boolean
  readonly created: number
  readonly updated: number
}

export const priceOn = (product: Product, list: number) => product.prices[list - 1] || (product.prices[0] ?? 0)
export const secondPriceOn = (product: Product, list: number) =>
  product.secondPrices[list - 1] || (product.secondPrices[0] ?? 0)

// One model of every good first, then the next of each: a small company has a little of everything.
function chooseModels(random: Random, count: number): Model[] {
  const goods = allGoods().map((models) => random.shuffle(models))
  const others = goods.filter((models) => models[0]?.shelf.kind !== 1)
  const stocked = random.shuffle(goods.filter((models) => models[0]?.shelf.kind === 1))
  const ordered = [...random.shuffle(others), ...stocked]
  const chosen: Model[] = []
  for (let round = 0; chosen.length < count; round += 1) {
    const models = ordered.flatMap((each) => each[round] ?? [])
    if (models.length === 0) break
    chosen.push(...models.slice(0, count - chosen.length))
  }
  return random.shuffle(chosen)
}

export function makeProducts(random: Random, count: number, vendors: readonly Vendor[]): Product[] {
  const perDepartment = new Map<number, number>()
  return chooseModels(random, count).map((model, index, all) => {
    const number = (perDepartment.get(model.shelf.department) ?? 0) + 1
    perDepartment.set(model.shelf.department, number)
    const prefix = String(departments[model.shelf.department - 1]?.[1])
    const firstDay = Math.floor((index / all.length - 0.72) * 3.2 * DAYS)
    const code = `${prefix}-${String(number).padStart(4, '0')}`
    return makeProduct(random, { id: index + 1, code, model, firstDay, vendors })
  })
}

interface Making {
  id: number
  code: string
  model: Model
  firstDay: number
  vendors: readonly Vendor[]
}

function makeProduct(random: Random, { id, code, model, firstDay, vendors }: Making): Product {
  const { shelf } = model
  const { currency } = shelf
  const kind = shelf.kind
  // Brands differ in price; a gift card or a fee does not.
  const brand = random.between(92, 109)
  const price = shelfPrice((model.priceCents * (kind === 4 ? 100 : brand)) / 100, currency)
  // Where rounding has eaten the margin of something cheap, cost stays below the price.
  const below = (cents: number) => Math.max(1, Math.min(price - 1, Math.round(cents)))
  const exact = (price * (100 - shelf.margin)) / 100
  const averageCost = below((exact * random.between(97, 100)) / 100)
  const isActive = kind !== 1 || id % 19 !== 7
  const lastDay = isActive ? DAYS : Math.max(firstDay + 30, random.between(250, 900))
  const prices = priceLists.map((list, at) => {
    if (at > 0 && random.chance(4)) return 0
    const listed = shelfPrice((price * (10_000 - shelf.margin * list.givenAway)) / 10_000, currency)
    return Math.min(price, Math.max(listed, averageCost + 1))
  })
  const ownVendors = vendors.filter((vendor) => vendor.isActive && vendor.departments.includes(shelf.department))
  const hasVendor = (kind === 1 || kind === 4) && ownVendors.length > 0 && !random.chance(3)
  const created = openMoment(random, Math.min(firstDay, DAYS - 30))
  const nameParts = [model.name, model.attribute, model.size].filter((part) => part !== null)
  return {
    id,
    code,
    barcode: kind === 1 && !isBulk(model) && random.chance(90) ? barcode(random) : null,
    name: nameParts.join(' '),
    kind,
    model,
    currency,
    vendor: hasVendor ? random.pick(ownVendors) : null,
    cost: below((exact * random.between(98, 102)) / 100),
    averageCost,
    prices,
    secondPrices: prices.map((each) => secondPrice(each, model)),
    reorderPoint: kind === 1 ? Math.ceil((model.most / 1000) * random.between(2, 6)) : 0,
    firstDay,
    lastDay,
    isActive,
    created,
    updated: Math.max(created, openMoment(random, isActive ? random.between(DAYS - 300, DAYS - 1) : lastDay)),
  }
}

// The larger unit is a little cheaper, by a quarter of the margin.
function secondPrice(price: number, model: Model): number {
  if (!model.secondUnit || price === 0) return 0
  return shelfPrice((price * model.factor * (400 - model.shelf.margin)) / 400, model.shelf.currency)
}

// Sand, iron and wood carry no label.
const isBulk = ({ shelf }: Model) => shelf.subDepartment >= 9 && shelf.subDepartment <= 11

// An EAN-13 of the range that shops give out themselves, with its check digit.
function barcode(random: Random): string {
  const digits = `2${random.between(0, 9)}${String(random.below(10 ** 10)).padStart(10, '0')}`
  let sum = 0
  for (let at = 0; at < 12; at += 1) sum += Number(digits[at]) * (at % 2 === 0 ? 1 : 3)
  return digits + String((10 - (sum % 10)) % 10)
}
