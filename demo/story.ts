// Everything that the writers of documents share: the company's people and goods, its agenda, numbers and chance.
import { dayAt, busyness, DAY, DAYS, LAST_MOMENT } from './calendar.ts'
import type { Customer } from './customers.ts'
import type { OpenOrders } from './stock.ts'
import type { Outbox } from './outbox.ts'
import type { Product } from './products.ts'
import type { Random } from './random.ts'
import type { Theme } from './shelf.ts'
import type { Vendor } from './vendors.ts'
import type { Store } from './reference.ts'

export interface Story {
  readonly random: Random
  readonly out: Outbox
  readonly numbers: Numbers
  readonly agenda: Agenda
  // Gourdes for a dollar, in ten-thousandths, by day.
  readonly rates: readonly number[]
  readonly vendors: readonly Vendor[]
  readonly customers: readonly Customer[]
  readonly products: readonly Product[]
  readonly goods: ReadonlyMap<Theme, readonly Product[]>
  readonly services: ReadonlyMap<Theme, readonly Product[]>
  readonly specials: readonly Product[]
  readonly byVendor: ReadonlyMap<Vendor, readonly Product[]>
  readonly suppliers: readonly Vendor[]
  readonly openOrders: OpenOrders
  readonly paymentPlans: Map<string, PaymentPlan>
}

// Part of a payment, for one invoice.
export interface Application {
  readonly invoiceId: number
  readonly invoiceNumber: string
  readonly cents: number
}

// The payment that a customer will make on a day, as far as it is known.
export interface PaymentPlan {
  readonly moment: number
  readonly applications: Application[]
}

// The codes of the source contract that the writers use by name.
export const status = {
  new: 0,
  open: 1,
  hold: 2,
  regular: 3,
  void: 4,
  converted: 5,
  refunded: 6,
  closed: 7,
  complete: 8,
  posted: 9,
} as const

export type Status = (typeof status)[keyof typeof status]

export const rateAt = (story: Story, moment: number) => story.rates[dayAt(moment)] ?? 1_320_000

interface Task {
  readonly moment: number
  run(moment: number): void
}

export class Agenda {
  readonly #days: Task[][] = Array.from({ length: DAYS }, () => [])
  readonly #planned: number
  readonly #goals: number[]
  #promised = 0
  #done = 0

  constructor(planned: number) {
    this.#planned = planned
    let sum = 0
    const sums = Array.from({ length: DAYS }, (_, day) => (sum += busyness(day)))
    this.#goals = sums.map((each) => Math.floor((planned * each) / sum))
  }

  // One task is one document. Returns false, without scheduling, after the last day or when the company has all its documents.
  schedule(moment: number, run: (moment: number) => void): boolean {
    if (moment > LAST_MOMENT || this.#promised >= this.#planned) return false
    this.#promised += 1
    this.#days[Math.floor(moment / DAY)]?.push({ moment, run })
    return true
  }

  // How many documents of a day are not scheduled yet.
  freeTasks(day: number): number {
    const room = this.#planned - this.#promised
    if (day === DAYS - 1) return room
    const due = this.#days[day]?.length ?? 0
    return Math.max(0, Math.min(room, (this.#goals[day] ?? 0) - this.#done - due))
  }

  takeDay(day: number): Task[] {
    const tasks = this.#days[day] ?? []
    this.#days[day] = []
    this.#done += tasks.length
    return tasks.toSorted((one, other) => one.moment - other.moment)
  }
}

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
