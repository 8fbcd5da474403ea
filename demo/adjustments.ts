// Adjustments: quantities corrected after a count, a breakage or a theft, and costs corrected after a mistake.
import { dayAt, momentText } from './calendar.ts'
import { convert, timesQuantity, type Currency } from './money.ts'
import { costReasons, foodReasons, quantityReasons } from './notes.ts'
import type { Row } from './outbox.ts'
import type { Product } from './products.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { atPricesOf } from './sale-lines.ts'
import { drawStocked } from './stocked.ts'
import { rateAt, status, type Status, type Story } from './story.ts'

const QUANTITY = 1
const COST = 2

export function writeAdjustment(story: Story, moment: number, wanted?: { status: Status; kind: 1 | 2 }): void {
  const { random, numbers, out } = story
  const kind = wanted?.kind ?? (random.chance(78) ? QUANTITY : COST)
  const code = wanted?.status ?? (random.chance(1.5) ? status.hold : status.posted)
  const store = stores[random.weighted(storeWeights)] as Store
  const id = numbers.nextId('adjustments')
  const products = drawStocked(story, moment, random.between(1, 4))
  const isFood = products[0]?.model.shelf.theme === 'food'
  const reason = random.pick(kind === COST ? costReasons : isFood ? foodReasons : quantityReasons)
  const currency: Currency = products[0]?.currency ?? 'HTG'
  let total = 0
  for (const product of products) {
    const inCurrency = (cents: number) =>
      convert(Math.round(atPricesOf(dayAt(moment), cents)), product.currency, currency, rateAt(story, moment))
    const line = kind === QUANTITY ? recount(story, product, reason) : recost(story, product, inCurrency)
    const average = inCurrency(product.averageCost)
    const before = line.costBefore || inCurrency(product.cost)
    const after = line.costAfter || before
    const difference = line.after - line.before
    total += kind === QUANTITY ? timesQuantity(average, difference) : timesQuantity(after - before, line.before)
    out.add('adjustment_lines', [
      numbers.nextId('adjustment_lines'),
      id,
      product.id,
      product.name,
      product.model.description,
      product.model.unit,
      line.before / 1000,
      line.after / 1000,
      difference / 1000,
      line.before / 1000,
      average / 100,
      before / 100,
      after / 100,
      (after - before) / 100,
    ])
  }
  const date = momentText(moment)
  const row: Row = [id, kind, numbers.nextNumber('ADJ', store), store.id, date, code, reason, currency]
  row.push(rateAt(story, moment) / 10_000, total / 100, date, momentText(moment + random.below(1200)))
  out.add('adjustments', row)
}

interface Correction {
  readonly before: number
  readonly after: number
  readonly costBefore: number
  readonly costAfter: number
}

const onHand = ({ random }: Story, { model }: Product) =>
  Math.ceil(((model.most / model.step) * random.between(2, 40)) / 10) * model.step

// A count may find more than expected; breakage and theft only take away.
function recount(story: Story, product: Product, reason: string): Correction {
  const { random } = story
  const before = onHand(story, product)
  const { step } = product.model
  const most = Math.max(1, Math.floor(before / step / 6))
  const difference = random.between(1, most) * step
  const isGain = (reason === 'Inventaire physique' || reason === 'Erreur de saisie') && random.chance(45)
  return { before, after: isGain ? before + difference : before - difference, costBefore: 0, costAfter: 0 }
}

function recost(story: Story, product: Product, inCurrency: (cents: number) => number): Correction {
  const before = onHand(story, product)
  const costBefore = inCurrency(product.cost)
  const percent = story.random.pick([93, 95, 97, 102, 103, 104, 106])
  return { before, after: before, costBefore, costAfter: Math.max(1, Math.round((costBefore * percent) / 100)) }
}
