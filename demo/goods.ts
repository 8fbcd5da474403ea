// Shelves → models: a good for each pair of a size and a brand, which may become a product.
import { buildingShelves } from './shelf-building.ts'
import { equipmentShelves } from './shelf-equipment.ts'
import { foodShelves } from './shelf-food.ts'
import { serviceShelves } from './shelf-services.ts'
import { readShelves, splitList, type Shelf } from './shelf.ts'

export interface Model {
  readonly shelf: Shelf
  readonly name: string
  readonly description: string | null
  readonly unit: string
  readonly secondUnit: string | null
  readonly factor: number
  readonly priceCents: number
  // The usual quantity in a sale, in thousandths.
  readonly least: number
  readonly most: number
  readonly step: number
  readonly size: string | null
  readonly attribute: string | null
}

function withFactor(text: string): [string, number] {
  const [name = '', factor = '1'] = text.split('*')
  return [name.trim(), Number(factor)]
}

function modelsOf(shelf: Shelf, line: string): Model[] {
  const [name = '', description = '', units = '', price = '', range = '', sizes = '', own = ''] = line
    .split('|')
    .map((part) => part.trim())
  const [unit = '', second = ''] = units.split('/')
  const [secondUnit, factor] = withFactor(second)
  const [span = '', step = '1'] = range.split('/')
  const [least = 1, most = 1] = span.split('-').map(Number)
  const attributes = own ? splitList(own) : shelf.brands
  // A decimal comma within a size (1,5 kW) does not end it.
  const sized = sizes ? splitList(sizes, /,(?!\d)/).map(withFactor) : [[null, 1] as const]
  return sized.flatMap(([size, times]) =>
    (attributes.length > 0 ? attributes : [null]).map((attribute) => ({
      shelf,
      name,
      description: description || null,
      unit,
      secondUnit: secondUnit || null,
      factor: secondUnit ? factor : 1,
      priceCents: Math.round(Number(price) * 100 * times),
      least: least * 1000,
      most: most * 1000,
      step: Number(step) * 1000,
      size,
      attribute,
    })),
  )
}

// The models of each good.
export const allGoods = (): Model[][] =>
  [foodShelves, buildingShelves, equipmentShelves, serviceShelves]
    .flatMap(readShelves)
    .flatMap((shelf) => shelf.goods.map((line) => modelsOf(shelf, line)))
