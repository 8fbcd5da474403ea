// Transfers: stock that moves from one store to another, mostly out of head office.
import { correctedMoment, daysLeft, momentText } from './calendar.ts'
import { drawNote } from './notes.ts'
import type { Product } from './products.ts'
import { stores, storeWeights, type Store } from './reference.ts'
import { drawStocked } from './stocked.ts'
import { status, type Status, type Story } from './story.ts'

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
