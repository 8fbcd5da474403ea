// The customers: people, shops, companies, associations and schools, and one counter customer for each store. They are
// written last, when their balances are known.
import { DAY, DAYS, dayAt, momentText, openMoment } from './calendar.ts'
import { roundSum, type Currency } from './money.ts'
import {
  drawAddress,
  firstNames,
  lastNames,
  mottoes,
  neighbourhoods,
  nicknames,
  plainLetters,
  trades,
} from './names.ts'
import type { DemoRow } from './outbox.ts'
import type { Random } from './random.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { themes, type Theme } from './shelf.ts'

export interface Customer {
  readonly id: number
  readonly type: number
  readonly name: string
  readonly store: Store
  readonly currency: Currency
  readonly priceList: number
  readonly discountPercent: number
  readonly hasAccount: boolean
  // Days until an invoice on account is due, and the weekday on which this customer pays.
  readonly termDays: number
  readonly payWeekday: number
  readonly theme: Theme | null
  readonly isTaxed: boolean
  readonly isActive: boolean
  // Out of 255, against the other customers.
  readonly buysOften: number
  readonly address: string
  readonly phone: string
  readonly created: number
  readonly creditLimit: number
  readonly row: DemoRow
  balance: number
  touched: number
  // Money from returned goods that waits for the next purchase.
  credit: Credit | null
}

export interface Credit {
  readonly cents: number
  // Writes the credit memo down: used up at a moment, or still waiting on the last day.
  settle(usedAt: number | null): void
}

const typeWeights = [0, 58, 16, 13, 4, 6, 3]
const accountPercents = [0, 5, 45, 75, 85, 70, 60]
const dollarPercents = [0, 10, 6, 55, 85, 25, 0]

export function makeCustomers(random: Random, count: number): Customer[] {
  const customers = stores.map((store) => makeCustomer(random, store.id, 1, store, -2600 * DAY))
  for (let id = stores.length + 1; id <= count; id += 1) {
    const type = random.weighted(typeWeights) + 1
    const store = stores[random.weighted(storeWeights)] as Store
    customers.push(makeCustomer(random, id, type, store, openMoment(random, firstDayOf(id, count))))
  }
  return customers
}

// Ids follow the day of arrival: over half of the customers were there before the first day.
const KNOWN = 0.55
function firstDayOf(id: number, count: number): number {
  const share = id / (count + 1)
  if (share < KNOWN) return Math.floor((share / KNOWN - 1) * 2500)
  return Math.min(DAYS - 5, Math.floor(((share - KNOWN) / (1 - KNOWN)) * DAYS))
}

function makeCustomer(random: Random, id: number, type: number, store: Store, created: number): Customer {
  const first = random.chance(9) ? `${random.pick(firstNames)} ${random.pick(firstNames)}` : random.pick(firstNames)
  const last = random.pick(lastNames)
  const near = neighbourhoods[store.id - 1] as (typeof neighbourhoods)[number]
  const [city, zip] = (random.chance(60) ? near.cities[0] : undefined) ?? random.pick(near.cities)
  const business = type >= 3 && type <= 6 ? random.pick(trades[type as 3 | 4 | 5 | 6]) : null
  const company = business ? companyName(random, business[0], type <= 4 ? last : null, city) : null
  const name = type === 1 ? `Client comptoir ${store.city}` : (company ?? `${first} ${last}`)
  const hasAccount = random.chance(accountPercents[type - 1] ?? 0)
  const currency: Currency = random.chance(dollarPercents[type - 1] ?? 0) ? 'USD' : 'HTG'
  const termDays = hasAccount ? random.pick(type === 7 ? [30] : [15, 30, 30, 30, 45, 60]) : 0
  const isActive = type === 1 || (id % 17 !== 5 && !random.chance(1))
  const address = drawAddress(random, near, city)
  const phone = phoneNumber(random, company !== null && random.chance(40))
  const discountPercent = type === 1 ? 0 : random.pick([0, 0, 0, 0, 0, 2, 3, 5])
  const priceList = priceListOf(random, type)
  const isKnown = type !== 1
  const limit = hasAccount ? random.between(2, 40) * (company ? 5 : 1) : 0
  const row: DemoRow = [
    id,
    `${type === 1 ? 'CPT' : 'C'}${String(id).padStart(5, '0')}`,
    name,
    isKnown ? first : null,
    isKnown ? last : null,
    company,
    isKnown && random.chance(6) ? random.pick(nicknames) : null,
    isKnown ? phone : null,
    isKnown && random.chance(22) ? phoneNumber(random, false) : null,
    isKnown ? email(random, first, last, company) : null,
    isKnown && random.chance(82) ? address : null,
    isKnown ? city : store.city,
    isKnown && random.chance(40) ? zip : null,
    currency,
    hasAccount ? `Net ${termDays}` : 'Comptant',
    isActive,
    type,
    priceList,
    discountPercent,
    discountPercent > 0 ? 'Pourcentage' : null,
  ]
  return {
    id,
    type,
    name,
    store,
    currency,
    priceList,
    discountPercent: discountPercent * 100,
    hasAccount,
    termDays,
    payWeekday: random.between(1, 6),
    theme: business ? business[1] : random.chance(35) ? random.pick(themes) : null,
    isTaxed: random.chance(type === 5 ? 5 : type === 4 ? 85 : 40),
    isActive,
    // Few customers make most of the sales; companies more than people.
    buysOften: Math.floor(4 + 251 * (random.next() / 2 ** 32) ** (company ? 3 : 7)),
    address: `${address}, ${city}`,
    phone,
    created,
    creditLimit: limit * (currency === 'USD' ? 10_000 : 1_000_000),
    row,
    balance: 0,
    touched: created,
    credit: null,
  }
}

function priceListOf(random: Random, type: number): number {
  if (type === 2) return random.chance(15) ? 2 : 1
  if (type === 3) return random.chance(35) ? 4 : 3
  return [1, 1, 3, 5, 6, 6, 7][type - 1] ?? 1
}

// Shops and companies may bear their owner's name, schools and associations do not.
function companyName(random: Random, trade: string, owner: string | null, city: string): string {
  const motto = `${trade} ${random.pick(mottoes)}`
  if (owner && random.chance(25)) return `${trade} ${owner}${random.pick([' & Fils', ' et Frères', ' & Associés', ''])}`
  if (owner && random.chance(20)) return `${motto} ${random.pick(['S.A.', '2', 'Plus'])}`
  return owner || !/^[B-DF-KM-Z]/.test(city) || random.chance(60) ? motto : `${motto} de ${city}`
}

function phoneNumber(random: Random, isFixed: boolean): string {
  const start = isFixed
    ? random.pick(['28', '29'])
    : random.pick(['31', '34', '36', '37', '38', '40', '42', '44', '46', '48'])
  return `+509 ${start}${random.between(10, 99)}-${random.between(1000, 9999)}`
}

function email(random: Random, first: string, last: string, company: string | null): string | null {
  if (random.chance(company ? 15 : 45)) return null
  const person = `${plainLetters(first)}.${plainLetters(last)}`
  if (!company) return `${person}${random.chance(40) ? random.between(1, 99) : ''}@courriel.example`
  const domain = `${plainLetters(company)}.example`
  const main = `${random.pick(['info', 'contact', 'achats'])}@${domain}`
  return random.chance(15) ? `${main}; ${person}@${domain}` : main
}

// A customer who was there on that day and buys for their own account, the eager ones more often.
export function pickCustomer(random: Random, customers: readonly Customer[], moment: number): Customer {
  const day = dayAt(moment)
  const known = Math.floor(customers.length * (KNOWN + ((1 - KNOWN) * day) / DAYS))
  for (;;) {
    const customer = customers[random.between(stores.length, Math.max(stores.length, known - 1))] as Customer
    if (random.below(255) >= customer.buysOften || customer.created >= moment) continue
    if (customer.isActive || day < 500) return customer
  }
}

export function customerRow(customer: Customer, random: Random): DemoRow {
  const { row, creditLimit, balance, created, touched } = customer
  // Most limits are raised with the balance, so that few customers exceed theirs.
  const raised = roundSum(Math.round(balance * 1.25), customer.currency)
  const limit = customer.hasAccount ? Math.max(creditLimit, random.chance(90) ? raised : 0) : 0
  const updated = Math.max(touched, created + random.below(600))
  return [...row, limit / 100, balance / 100, momentText(created), momentText(updated)]
}
