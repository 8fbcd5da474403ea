// A basket is what quotes, sales orders and invoices have in common: who buys what, where and on which terms. It is
// carried from a quote to its order and from an order to its invoice.
import { momentText } from './calendar.ts'
import { pickCustomer, type Customer } from './customers.ts'
import type { Currency } from './money.ts'
import type { DemoRow } from './outbox.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { addUp, drawLines, type SaleLine, type Totals } from './sale-lines.ts'
import { rateAt, type Status, type Story } from './story.ts'

export interface Basket {
  readonly customer: Customer
  readonly store: Store
  readonly currency: Currency
  // In hundredths of a percent.
  readonly discountPercent: number
  readonly isTaxed: boolean
  readonly shipping: number
  readonly lines: readonly SaleLine[]
  readonly totals: Totals
}

export interface BasketWish {
  readonly customer?: Customer
  readonly withFreeText?: boolean
}

// At the counter, almost half of the buyers are not known by name.
export function drawCounterBasket(story: Story, moment: number, wish: BasketWish = {}): Basket {
  const { random, customers } = story
  if (wish.customer || !random.chance(46)) return drawBasket(story, moment, wish)
  const counter = customers[random.weighted(storeWeights)] as Customer
  return drawBasket(story, moment, { ...wish, customer: counter })
}

export function drawBasket(story: Story, moment: number, wish: BasketWish = {}): Basket {
  const { random } = story
  const customer = wish.customer ?? pickCustomer(random, story.customers, moment)
  const isCounter = customer.type === 1
  const store = isCounter || random.chance(86) ? customer.store : (stores[random.weighted(storeWeights)] as Store)
  const currency = isCounter ? (random.chance(78) ? 'HTG' : 'USD') : customer.currency
  const shipping = !isCounter && random.chance(10) ? random.between(1, 8) * (currency === 'USD' ? 500 : 50_000) : 0
  const lines = drawLines(story, { moment, customer, currency, withFreeText: wish.withFreeText ?? false })
  const isTaxed = isCounter ? random.chance(35) : customer.isTaxed
  return fillBasket({
    customer,
    store,
    currency,
    discountPercent: drawDiscount(story, customer),
    isTaxed,
    shipping,
    lines,
  })
}

export function fillBasket(parts: Omit<Basket, 'totals'>): Basket {
  return { ...parts, totals: addUp(parts.lines, parts.discountPercent, parts.isTaxed, parts.shipping) }
}

function drawDiscount({ random }: Story, customer: Customer): number {
  if (customer.discountPercent > 0 && random.chance(70)) return customer.discountPercent
  return random.chance(3) ? random.pick([200, 250, 300, 500]) : 0
}

// A customer who buys on account, for documents that need one.
export function pickAccountCustomer(story: Story, moment: number): Customer {
  for (;;) {
    const customer = pickCustomer(story.random, story.customers, moment)
    if (customer.hasAccount && customer.isActive) return customer
  }
}

interface Header {
  readonly number: string
  readonly moment: number
  readonly status: Status
  readonly paymentType: string | null
  readonly notes: string | null
  readonly updated: number
}

// The shared columns of sale documents after `id` (and `kind`).
export function headerRow(story: Story, { customer, store, currency, ...basket }: Basket, header: Header): DemoRow {
  const { totals, discountPercent, shipping } = basket
  const date = momentText(header.moment)
  return [
    header.number,
    store.id,
    date,
    customer.id,
    customer.name,
    header.status,
    header.paymentType,
    currency,
    rateAt(story, header.moment) / 10_000,
    totals.quantity / 1000,
    totals.items / 100,
    totals.tax / 100,
    discountPercent / 100,
    totals.discount / 100,
    shipping / 100,
    totals.total / 100,
    header.notes,
    date,
    momentText(header.updated),
  ]
}

// Where goods go when not to the customer's own door.
export function shipTo(story: Story, { customer, store }: Basket): DemoRow {
  const { random } = story
  if (!random.chance(40)) return [null, null, null]
  const address = random.chance(80) ? customer.address : `Chantier, ${store.city}`
  return [customer.name, address, random.chance(85) ? customer.phone : null]
}
