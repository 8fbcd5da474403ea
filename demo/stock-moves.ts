// Transfers of stock between stores, and adjustments after a count, a breakage, a theft or a mistake.
import { correctedMoment, daysLeft, momentText, dayAt } from './calendar.ts'
import { drawNote, costReasons, foodReasons, quantityReasons } from './notes.ts'
import type { Product } from './products.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { status, rateAt, type Status, type Story } from './story.ts'
import { convert, timesQuantity, type Currency } from './money.ts'
import type { DemoRow } from './outbox.ts'
import { atPricesOf } from './sale-lines.ts'
import { themes } from './shelf.ts'

export function writeTransfer(story: Story, moment: number, wanted?: Status): void {
  const { random, numbers, out } = story
  const from = random.chance(60) ? (stores[0] as Store) : (stores[random.weighted(storeWeights)] as Store)
  let to = from
  while (to === from) to = stores[random.weighted(storeWeights)] as Store
  const id = numbers.nextId('transfers')
  const code = wanted ?? drawStatus(story, moment)
  const lines = drawStocked(story, moment, random.between(1, 5)).map((product) => drawQuantity(story, product))
  const isMoved = code === status.posted
  const updated = isMoved ? correctedMoment(random, moment, 0, 2) : moment + random.below(900)
  const date = momentText(moment)
  out.add('transfers', [
    id,
    numbers.nextNumber('TRF', from),
    date,
    from.id,
    to.id,
    code,
    lines.reduce((sum, line) => sum + line.quantity, 0) / 1000,
    drawNote(random, 'transfer', 40),
    date,
    momentText(updated),
  ])
  for (const { product, quantity, unit, factor } of lines)
    out.add('transfer_lines', [
      numbers.nextId('transfer_lines'),
      id,
      product.id,
      product.name,
      product.model.description,
      quantity / 1000,
      unit,
      (quantity * factor) / 1000,
      product.averageCost / 100,
    ])
}

function drawStatus({ random }: Story, moment: number): Status {
  if (random.chance(0.7)) return status.hold
  return daysLeft(moment) < 4 && random.chance(60) ? status.open : status.posted
}

function drawQuantity({ random }: Story, product: Product) {
  const { secondUnit, factor, unit, most } = product.model
  if (secondUnit && random.chance(60))
    return { product, unit: secondUnit, factor, quantity: random.between(1, 8) * 1000 }
  return { product, unit, factor: 1, quantity: random.between(1, Math.max(2, Math.floor(most / 1000))) * 1000 }
}

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
  const row: DemoRow = [id, kind, numbers.nextNumber('ADJ', store), store.id, date, code, reason, currency]
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

function drawStocked(story: Story, moment: number, count: number): Product[] {
  const { random } = story
  const goods = story.goods.get(themes[random.weighted([40, 15, 20, 10, 8, 7])] ?? 'food') ?? []
  const day = dayAt(moment)
  const drawn = new Set<Product>()
  for (let tries = 0; drawn.size < count && tries < count + 30; tries += 1) {
    const product = random.pickSkewed(goods)
    if (product.firstDay < day && product.lastDay > day) drawn.add(product)
  }
  return drawn.size > 0 ? [...drawn] : goods.slice(0, 1)
}
