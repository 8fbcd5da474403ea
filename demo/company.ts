// The demo company: a Haitian retailer with six stores and three years of documents, as rows of the source contract.
// The same scale and seed give the same rows everywhere; memory does not grow with the number of documents.
import { writeAdjustment, writeTransfer } from './stock-moves.ts'
import { Agenda, Numbers, type Story } from './story.ts'
import { DAYS, momentText, openMoment } from './calendar.ts'
import { arrangeCoverage } from './coverage.ts'
import { customerRow, makeCustomers } from './customers.ts'
import { sell } from './invoices.ts'
import { exchangeRates } from './money.ts'
import { Outbox, type DemoBatch, type DemoRow } from './outbox.ts'
import { makeProducts, type Product } from './products.ts'
import { writePurchaseOrder, receiveDirectly } from './purchases.ts'
import { writeQuote, takeOrder } from './orders.ts'
import { Random } from './random.ts'
import { customerTypes, departments, priceLists, stores, subDepartments } from './reference.ts'
import { themes, type Theme } from './shelf.ts'
import { OpenOrders, stockRows } from './stock.ts'
import { makeVendors, type Vendor } from './vendors.ts'

export type { DemoBatch, DemoRow } from './outbox.ts'

// One million documents at scale 50; a very small company still has every kind of document in every status.
export const documentCount = (scale: number) => Math.max(400, Math.round(20_000 * scale))

// People and goods grow more slowly than documents.
const productCount = (scale: number) => Math.max(120, Math.round(800 * scale ** 0.41))
const customerCount = (scale: number) => Math.max(80, Math.round(1500 * scale ** 0.66))
const vendorCount = (scale: number) => Math.max(36, Math.round(36 * scale ** 0.3))

type Write = (story: Story, moment: number) => void

// What happens without a cause in the books; deliveries, returns and payments follow from these.
const beginnings: readonly (readonly [number, Write])[] = [
  [5700, sell],
  [820, (story, moment) => writeQuote(story, moment)],
  [310, (story, moment) => takeOrder(story, moment)],
  [350, (story, moment) => writePurchaseOrder(story, moment)],
  [60, (story, moment) => receiveDirectly(story, moment)],
  [230, (story, moment) => writeTransfer(story, moment)],
  [170, (story, moment) => writeAdjustment(story, moment)],
]
const beginningWeights = beginnings.map(([weight]) => weight)

export function* demoCompany({ scale, seed }: { scale: number; seed: number }): Generator<DemoBatch> {
  const story = beginStory(scale, seed)
  const { random, agenda, out } = story
  writeReference(story)
  arrangeCoverage(story)
  for (let day = 0; day < DAYS; day += 1) {
    for (let free = agenda.freeTasks(day); free > 0; free -= 1) {
      const write = beginnings[random.weighted(beginningWeights)]?.[1] ?? sell
      agenda.schedule(openMoment(random, day), (moment) => write(story, moment))
    }
    for (const task of agenda.takeDay(day)) {
      task.run(task.moment)
      if (out.hasFull) yield* out.takeFull()
    }
  }
  for (const customer of story.customers) {
    customer.credit?.settle(null)
    out.add('customers', customerRow(customer, random))
  }
  for (const row of stockRows(random, story.products, story.openOrders)) out.add('product_stock', row)
  yield* out.takeRest()
}

function beginStory(scale: number, seed: number): Story {
  const random = new Random(seed, 'documents')
  const vendors = makeVendors(random.stream('vendors'), vendorCount(scale))
  const products = makeProducts(random.stream('products'), productCount(scale), vendors)
  const byVendor = new Map<Vendor, Product[]>()
  for (const product of products)
    if (product.vendor) byVendor.set(product.vendor, [...(byVendor.get(product.vendor) ?? []), product])
  const byTheme = (kinds: readonly number[]): Map<Theme, Product[]> =>
    new Map(
      themes.map((theme) => {
        const found = products.filter((each) => kinds.includes(each.kind) && each.model.shelf.theme === theme)
        return [theme, random.shuffle(found)]
      }),
    )
  return {
    random,
    out: new Outbox(),
    numbers: new Numbers(),
    agenda: new Agenda(documentCount(scale)),
    rates: exchangeRates(random.stream('rates')),
    customers: makeCustomers(random.stream('customers'), customerCount(scale)),
    products,
    vendors,
    goods: byTheme([1, 3]),
    services: byTheme([2]),
    specials: products.filter((product) => product.kind === 4),
    byVendor,
    suppliers: [...byVendor.keys()],
    openOrders: new OpenOrders(products.length),
    paymentPlans: new Map(),
  }
}

function writeReference({ out, vendors, products }: Story): void {
  const tables: Record<string, readonly DemoRow[]> = {
    stores: stores.map((store) => store.row),
    departments,
    sub_departments: subDepartments,
    price_lists: priceLists.map((list) => list.row),
    customer_types: customerTypes,
    vendors: vendors.map((vendor) => vendor.row),
    products: products.map(productRow),
    product_prices: products.flatMap(priceRows),
  }
  for (const [relation, rows] of Object.entries(tables)) for (const row of rows) out.add(relation, [...row])
}

function productRow(product: Product): DemoRow {
  const { model, cost } = product
  return [
    product.id,
    product.code,
    product.barcode,
    product.name,
    model.description,
    product.kind,
    product.isActive,
    model.size,
    model.attribute,
    model.shelf.department,
    model.shelf.subDepartment,
    model.unit,
    model.secondUnit,
    product.vendor?.id ?? 0,
    product.reorderPoint,
    product.currency,
    cost / 100,
    product.averageCost / 100,
    cost / 100,
    (product.prices[0] ?? 0) / 100,
    (product.secondPrices[0] ?? 0) / 100,
    momentText(product.created),
    momentText(product.updated),
  ]
}

function priceRows({ id, prices, secondPrices }: Product): DemoRow[] {
  return prices.map((price, at) => [id, at + 1, price / 100, (secondPrices[at] ?? 0) / 100])
}
