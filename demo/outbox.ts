// Collects rows of every relation and hands them on in batches of a few thousand, whatever the size of the company.
import { findRelation } from '../src/contract/relations.ts'

type DemoValue = string | number | boolean | null
export type DemoRow = DemoValue[]

export interface DemoBatch {
  relation: string
  rows: DemoRow[]
  // How many documents (quotes, orders, invoices and the like) these rows complete.
  documents: number
}

const BATCH_ROWS = 2000

export class Outbox {
  readonly #open = new Map<string, DemoRow[]>()
  #full: DemoBatch[] = []

  // Values are in the order of the contract's columns.
  add(relation: string, row: DemoRow): void {
    const { columns } = findRelation(relation)
    if (row.length !== Object.keys(columns).length)
      throw new Error(`a row of ${relation} has ${row.length} values for ${Object.keys(columns).length} columns`)
    let rows = this.#open.get(relation)
    if (!rows) this.#open.set(relation, (rows = []))
    rows.push(row)
    if (rows.length < BATCH_ROWS) return
    this.#open.delete(relation)
    this.#full.push(batchOf(relation, rows))
  }

  get hasFull(): boolean {
    return this.#full.length > 0
  }

  takeFull(): DemoBatch[] {
    const full = this.#full
    this.#full = []
    return full
  }

  takeRest(): DemoBatch[] {
    const rest = [...this.takeFull(), ...Array.from(this.#open, ([relation, rows]) => batchOf(relation, rows))]
    this.#open.clear()
    return rest
  }
}

function batchOf(relation: string, rows: DemoRow[]): DemoBatch {
  const { columns, parent } = findRelation(relation)
  const isDocument = 'date' in columns && parent === undefined
  return { relation, rows, documents: isDocument ? rows.length : 0 }
}
