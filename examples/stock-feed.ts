// A feed for a web shop: every product that can be sold, with its price and what is available of it, as one JSON file. It is
// written only after a change, and replaced as a whole.
//
//   node examples/stock-feed.ts stock.json
//
// Node.js 24 runs it as it stands. VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET say where and who. Give the shop a key of its own that may read
// products alone, with the price list and the stores it sells from: prices and quantities are then those of the shop. Run it every
// few minutes: it reads everything, a hundred products a request, because a sale changes a quantity and not always `updated_at`.
import { readFile, rename, writeFile } from 'node:fs/promises'
import { createClient, type Client, type Product } from '../client/index.ts'

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

// The available quantity: in stock and not reserved. Quantities may have decimals (metres, kilos), and 0.3 - 0.1 must not become
// 0.19999999999999998.
function availableOf({ quantity_total, on_sales_order }: Product): number {
  const millionths = Math.round((quantity_total ?? 0) * 1e6) - Math.round((on_sales_order ?? 0) * 1e6)
  return Math.max(0, millionths) / 1e6
}

async function readOffers(client: Client): Promise<Offer[]> {
  const offers: Offer[] = []
  // Inactive ones too, in the order of their ids: so none leaves the list while it is read, and no page moves under us.
  for await (const product of client.records('products', {
    status: 'all',
    type: ['inventory', 'assembly'],
    sort: 'id',
  })) {
    const { id, code, barcode, name, unit, price, currency } = product
    if (product.status !== 'active' || price === null || price <= 0) continue
    offers.push({ id, code, barcode, name, unit, price, currency, available: availableOf(product) })
  }
  return offers
}

// True when the file was written.
async function writeIfChanged(path: string, text: string): Promise<boolean> {
  const before = await readFile(path, 'utf8').catch(() => null)
  if (before === text) return false
  // Beside it first: to rename a file is one step.
  const beside = `${path}.${process.pid}.new`
  await writeFile(beside, text)
  await rename(beside, path)
  return true
}

async function main(path: string | undefined): Promise<void> {
  const { VITRINE_URL: url, VITRINE_CLIENT_ID: clientId, VITRINE_CLIENT_SECRET: clientSecret } = process.env
  if (!url || !clientId || !clientSecret)
    throw new Error('Set VITRINE_URL, VITRINE_CLIENT_ID and VITRINE_CLIENT_SECRET.')
  if (!path) throw new Error('Name the file to write: node examples/stock-feed.ts stock.json')
  const offers = await readOffers(createClient({ url, clientId, clientSecret }))
  // No time of its own in it: with one it would be new every time.
  const isWritten = await writeIfChanged(path, `${JSON.stringify({ products: offers }, null, 1)}\n`)
  const inStock = offers.filter(({ available }) => available > 0).length
  console.log(`${path}: ${offers.length} products, ${inStock} in stock, ${isWritten ? 'written' : 'unchanged'}`)
}

try {
  await main(process.argv[2])
} catch (error) {
  process.exitCode = 1
  console.error((error as Error).message)
}
