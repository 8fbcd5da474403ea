// What is on the shelves on the last day, and what open orders reserve or expect; written last.
import type { DemoRow } from './outbox.ts'
import type { Product } from './products.ts'
import type { Random } from './random.ts'
import { stores, type Store } from './reference.ts'

export class OpenOrders {
  readonly #onSalesOrder: Float64Array
  readonly #onPurchaseOrder: Float64Array

  constructor(products: number) {
    this.#onSalesOrder = new Float64Array(products * stores.length)
    this.#onPurchaseOrder = new Float64Array(products * stores.length)
  }

  reserve(product: Product, store: Store, thousandths: number): void {
    const at = place(product, store)
    this.#onSalesOrder[at] = (this.#onSalesOrder[at] ?? 0) + thousandths
  }

  expect(product: Product, store: Store, thousandths: number): void {
    const at = place(product, store)
    this.#onPurchaseOrder[at] = (this.#onPurchaseOrder[at] ?? 0) + thousandths
  }

  of(product: Product, store: Store): { reserved: number; expected: number } {
    const at = place(product, store)
    return { reserved: this.#onSalesOrder[at] ?? 0, expected: this.#onPurchaseOrder[at] ?? 0 }
  }
}

const place = (product: Product, store: Store) => (product.id - 1) * stores.length + store.id - 1

// Head office stocks everything, a small store leaves some of it out. What is not stocked has a row only where an order
// waits for it.
export function* stockRows(random: Random, products: readonly Product[], orders: OpenOrders): Generator<DemoRow> {
  for (const product of products) {
    const isStocked = product.kind === 1 || product.kind === 3
    const { step, most } = product.model
    for (const store of stores) {
      const { reserved, expected } = orders.of(product, store)
      const isCarried = isStocked && (store.id === 1 || !random.chance(18))
      const steps = Math.ceil(((most / step) * store.weight * random.between(0, 60)) / 200)
      const isEmpty = random.chance(7) || !product.isActive
      if (!isCarried && reserved === 0 && expected === 0) continue
      const quantity = isStocked && !isEmpty ? steps * step : 0
      yield [product.id, store.id, quantity / 1000, reserved / 1000, expected / 1000]
    }
  }
}
