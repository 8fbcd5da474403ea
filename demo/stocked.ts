// Draws products that are kept in stock, for transfers and adjustments: different ones, of one theme.
import { dayAt } from './calendar.ts'
import type { Product } from './products.ts'
import { themes } from './shelf.ts'
import type { Story } from './story.ts'

export function drawStocked(story: Story, moment: number, count: number): Product[] {
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
