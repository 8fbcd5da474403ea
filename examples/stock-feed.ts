// Keeps a web shop's stock exact: every product that can be sold, with its price and its available quantity, in one JSON file.
//
//   node examples/stock-feed.ts stock.json 60      # looks every 60 seconds, until it is stopped
//   node examples/stock-feed.ts stock.json         # looks once
//
// Node.js 24 runs it as it stands. VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET say where and who. Give the shop a key of
// its own that may read products alone, with the price list and the stores it sells from: prices and quantities are then those of the
// shop. A look is one request to the change feed. The file holds the cursor too, and is replaced as a whole: after any failure, start
// the program again.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createClient, type Product } from '../client/index.ts'

interface Offer {
  readonly id: number
  readonly code: string | null
  readonly barcode: string | null
  readonly name: string | null
  readonly unit: string | null
  readonly price: number
  readonly currency: string | null
  readonly available: number
}

interface Stock {
  readonly cursor: string | null
  readonly products: readonly Offer[]
}

// Null for a product that the shop does not sell: inactive, a service, or without a price.
function offerOf(product: Product): Offer | null {
  const { id, code, barcode, name, unit, price, currency, type, status } = product
  if (status !== 'active' || (type !== 'inventory' && type !== 'assembly') || price === null || price <= 0) return null
  return { id, code, barcode, name, unit, price, currency, available: availableOf(product) }
}

// In stock and not reserved. Quantities may have decimals (metres, kilos), and 0.3 - 0.1 must not become 0.19999999999999998.
function availableOf({ quantity_total, on_sales_order }: Product): number {
  const millionths = Math.round((quantity_total ?? 0) * 1e6) - Math.round((on_sales_order ?? 0) * 1e6)
  return Math.max(0, millionths) / 1e6
}

async function readStock(path: string): Promise<Stock> {
  try {
    return JSON.parse(await readFile(path, 'utf8')) as Stock
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    return { cursor: null, products: [] }
  }
}

// Under another name first: a rename is one step, so that the shop never reads half a file.
async function writeStock(path: string, stock: Stock): Promise<void> {
  await writeFile(`${path}.new`, `${JSON.stringify(stock, null, 1)}\n`)
  await rename(`${path}.new`, path)
}

async function main(path: string | undefined, seconds: string | undefined): Promise<void> {
  const { VITRINE_URL: url, VITRINE_CLIENT_ID: clientId, VITRINE_CLIENT_SECRET: clientSecret } = process.env
  if (!url || !clientId || !clientSecret)
    throw new Error('Set VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET.')
  if (!path) throw new Error('Name the file to write: node examples/stock-feed.ts stock.json')
  const client = createClient({ url, clientId, clientSecret })
  const { cursor, products } = await readStock(path)
  const offers = new Map(products.map((offer) => [offer.id, offer]))
  const pause = seconds === undefined ? {} : { everySeconds: Number(seconds) }
  let isChanged = false
  for await (const part of client.follow({ resource: 'products', cursor, beginAgain: true, ...pause })) {
    // All products come again (the first time, and when the service no longer knows the cursor): those that do not are gone.
    if (part.isBeginning) offers.clear()
    for (const change of part.changes) {
      const offer = change.change === 'gone' ? null : offerOf(change.record)
      if (offer) offers.set(offer.id, offer)
      else offers.delete(change.id)
    }
    isChanged ||= part.isBeginning || part.changes.length > 0
    // Written at the end of a look only: until then, products may be missing.
    if (part.more) continue
    const sorted = [...offers.values()].toSorted((one, other) => one.id - other.id)
    if (isChanged) await writeStock(path, { cursor: part.cursor, products: sorted })
    const inStock = sorted.filter(({ available }) => available > 0).length
    console.log(`${path}: ${sorted.length} products, ${inStock} in stock, ${isChanged ? 'written' : 'unchanged'}`)
    isChanged = false
  }
}

try {
  await main(process.argv[2], process.argv[3])
} catch (error) {
  process.exitCode = 1
  console.error((error as Error).message)
}
