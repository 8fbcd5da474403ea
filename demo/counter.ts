// How a sale is paid at the counter (or a return refunded): the money that changes hands adds up to the total.
import type { Basket } from './basket.ts'
import { momentText } from './calendar.ts'
import { roundSum } from './money.ts'
import type { DemoRow } from './outbox.ts'
import type { Random } from './random.ts'
import { rateAt, type Story } from './story.ts'

export interface CounterPayment {
  readonly type: string
  readonly cash: number
  readonly card: number
  readonly cheque: number
  readonly chequeNumber: string | null
  // What is put on the customer's account instead of being paid.
  readonly account: number
  readonly deposit: number
}

export const paymentTypes = {
  cash: 'Cash',
  card: 'Debit/Credit card',
  cheque: 'Cheque',
  account: 'Account',
  mixed: 'Mixed',
}

const nothing = { cash: 0, card: 0, cheque: 0, chequeNumber: null, account: 0 }

export const chequeNumber = (random: Random) => String(random.between(1204, 998_877)).padStart(8, '0')

// `how`: by money only, on account as far as nothing is paid down, or whatever this customer usually does.
export function drawPayment(
  { random }: Story,
  { customer, currency, totals }: Basket,
  deposit: number,
  how: 'money' | 'account' | 'usual' = 'usual',
): CounterPayment {
  const due = totals.total - deposit
  const isOnAccount = how === 'account' || (how === 'usual' && customer.hasAccount && random.chance(78))
  if (isOnAccount) {
    const paidDown = random.chance(18) ? roundSum(Math.floor((due * random.between(10, 60)) / 100), currency) : 0
    return { ...nothing, type: paymentTypes.account, cash: paidDown, account: due - paidDown, deposit }
  }
  if (due === 0) return { ...nothing, type: paymentTypes.cash, deposit }
  const isCounter = customer.type === 1
  const draw = random.below(100)
  if (draw < (isCounter ? 76 : 52)) return { ...nothing, type: paymentTypes.cash, cash: due, deposit }
  if (draw < (isCounter ? 94 : 80)) return { ...nothing, type: paymentTypes.card, card: due, deposit }
  const cash = roundSum(Math.floor((due * random.between(20, 70)) / 100), currency)
  if (isCounter || draw < 85) return { ...nothing, type: paymentTypes.mixed, cash, card: due - cash, deposit }
  return { ...nothing, type: paymentTypes.cheque, cheque: due, chequeNumber: chequeNumber(random), deposit }
}

export const moneyOf = ({ cash, card, cheque, deposit }: CounterPayment) => cash + card + cheque + deposit

interface PaidDocument {
  readonly id: number
  readonly moment: number
  readonly basket: Basket
}

// Some who pay with cash and card do so in two steps, a few minutes apart.
export function writeCounterPayment(
  story: Story,
  relation: string,
  document: PaidDocument,
  paid: CounterPayment,
): void {
  const { random } = story
  if (paid.cash > 0 && paid.card > 0 && random.chance(40)) {
    writeRow(story, relation, document, { ...paid, card: 0 })
    const second = { ...document, moment: document.moment + random.between(60, 400) }
    writeRow(story, relation, second, { ...nothing, type: paid.type, card: paid.card, deposit: 0 })
    return
  }
  writeRow(story, relation, document, paid)
}

function writeRow(story: Story, relation: string, { id, moment, basket }: PaidDocument, paid: CounterPayment): void {
  const row: DemoRow = [
    story.numbers.nextId('invoice_payments'),
    id,
    momentText(moment),
    paid.cash / 100,
    paid.card / 100,
    paid.cheque / 100,
    paid.chequeNumber,
    paid.account / 100,
    paid.deposit / 100,
    basket.currency,
    rateAt(story, moment) / 10_000,
  ]
  story.out.add(relation, row)
}
