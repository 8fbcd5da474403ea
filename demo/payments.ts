// Payments that customers make later on their account. A customer pays on a weekday of their own, so that invoices due
// in the same week are settled by one payment.
import { correctedMoment, dayAt, momentText, nextOpenDay, openMoment, weekday } from './calendar.ts'
import { chequeNumber, paymentTypes } from './counter.ts'
import type { Customer } from './customers.ts'
import { roundSum } from './money.ts'
import { rateAt, status, type Application, type PaymentPlan, type Status, type Story } from './story.ts'

interface Debt {
  readonly customer: Customer
  readonly moment: number
  readonly invoiceId: number
  readonly invoiceNumber: string
  readonly cents: number
}

interface Collected {
  readonly cents: number
  readonly lastMoment: number
}

// Arranges how an amount on account will be paid: mostly at once, sometimes in two parts, now and then not at all.
export function collect(story: Story, debt: Debt): Collected {
  const { random } = story
  const { customer, cents } = debt
  const draw = random.below(100)
  if (draw < 5) return { cents: 0, lastMoment: debt.moment }
  const half = roundSum(Math.floor((cents * random.between(35, 65)) / 100), customer.currency)
  const parts = draw < 12 && half > 0 ? [half] : draw < 30 && half > 0 ? [half, cents - half] : [cents]
  let paid = 0
  let last = debt.moment
  let after = dayAt(debt.moment) + customer.termDays + random.between(-8, 16)
  for (const part of parts) {
    const day = payDay(customer, Math.max(after, dayAt(last) + 1))
    const moment = arrange(story, customer, day, { ...debt, cents: part })
    if (moment === null) break
    if (paid === 0 && random.chance(3)) arrangeBounced(story, debt, moment)
    paid += part
    last = moment
    after = day + random.between(10, 35)
  }
  return { cents: paid, lastMoment: last }
}

function payDay(customer: Customer, day: number): number {
  return nextOpenDay(day + ((customer.payWeekday - weekday(day) + 7) % 7))
}

function arrange(story: Story, customer: Customer, day: number, application: Application): number | null {
  const key = `${day} ${customer.id}`
  const planned = story.paymentPlans.get(key)
  if (planned) {
    planned.applications.push(application)
    return planned.moment
  }
  const plan: PaymentPlan = { moment: openMoment(story.random, day), applications: [application] }
  const isArranged = story.agenda.schedule(plan.moment, (moment) => {
    story.paymentPlans.delete(key)
    writePayment(story, moment, customer, plan.applications, status.regular)
  })
  if (!isArranged) return null
  story.paymentPlans.set(key, plan)
  return plan.moment
}

// A cheque that the bank sent back, before the payment that counts.
export function arrangeBounced(story: Story, debt: Debt, before: number): boolean {
  const day = dayAt(before) - story.random.between(1, 4)
  if (day <= dayAt(debt.moment)) return false
  const moment = openMoment(story.random, day)
  if (moment >= before) return false
  return story.agenda.schedule(moment, (when) => writePayment(story, when, debt.customer, [debt], status.void))
}

function writePayment(
  story: Story,
  moment: number,
  customer: Customer,
  applications: readonly Application[],
  code: Status,
): void {
  const { random, out, numbers } = story
  const isVoid = code === status.void
  const id = numbers.nextId('payments')
  const date = momentText(moment)
  let applied = 0
  for (const { cents } of applications) applied += cents
  const draw = isVoid ? 99 : random.below(100)
  // Cash is handed over in round sums now and then; what is too much stays on the account.
  const step = customer.currency === 'USD' ? 2000 : 100_000
  const received = draw < 4 ? Math.ceil(applied / step) * step : applied
  const type = draw < 38 ? 'cash' : draw < 52 ? 'card' : 'cheque'
  const updated = isVoid ? correctedMoment(random, moment, 1, 5) : moment + random.below(240)
  out.add('payments', [
    id,
    numbers.nextNumber('PAY', customer.store),
    customer.store.id,
    date,
    customer.id,
    customer.name,
    code,
    paymentTypes[type],
    customer.currency,
    rateAt(story, moment) / 10_000,
    received / 100,
    type === 'cash' ? received / 100 : 0,
    type === 'card' ? received / 100 : 0,
    type === 'cheque' ? received / 100 : 0,
    type === 'cheque' ? chequeNumber(random) : null,
    isVoid ? 'Chèque retourné par la banque' : random.chance(6) ? 'Versement sur compte' : null,
    date,
    momentText(updated),
  ])
  for (const { invoiceId, invoiceNumber, cents } of applications)
    out.add('payment_applications', [
      numbers.nextId('payment_applications'),
      id,
      invoiceId,
      invoiceNumber,
      cents / 100,
      date,
    ])
  if (!isVoid) customer.balance -= received - applied
  customer.touched = Math.max(customer.touched, moment)
}
