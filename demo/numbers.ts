// Ids and document numbers: ids count through a relation and its archive, numbers through a kind of document and a store.
import type { Store } from './reference.ts'

export class Numbers {
  readonly #ids = new Map<string, number>()
  readonly #last = new Map<string, number>()

  nextId(relation: string): number {
    const id = (this.#ids.get(relation) ?? 0) + 1
    this.#ids.set(relation, id)
    return id
  }

  // The company is older than its data: no series starts at one.
  nextNumber(prefix: string, store: Store): string {
    const series = `${prefix}-${store.code}`
    const next = (this.#last.get(series) ?? store.weight * prefix.length * 7 + 200) + 1
    this.#last.set(series, next)
    return `${series}-${String(next).padStart(7, '0')}`
  }
}
