// Everything that the writers of documents share: the company's people and goods, its agenda, numbers and chance.
import type { Agenda } from './agenda.ts'
import { dayAt } from './calendar.ts'
import type { Customer } from './customers.ts'
import type { Numbers } from './numbers.ts'
import type { OpenOrders } from './stock.ts'
import type { Outbox } from './outbox.ts'
import type { Product } from './products.ts'
import type { Random } from './random.ts'
import type { Theme } from './shelf.ts'
import type { Vendor } from './vendors.ts'

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
