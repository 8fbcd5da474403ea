// How the shelves of the demo company are written down.
import type { Currency } from './money.ts'

// What people buy together.
export const themes = ['food', 'home', 'building', 'energy', 'auto', 'school'] as const
export type Theme = (typeof themes)[number]

export interface Shelf {
  readonly department: number
  readonly subDepartment: number
  readonly theme: Theme
  readonly currency: Currency
  // Part of the price that is not cost, in percent.
  readonly margin: number
  readonly kind?: 1 | 2 | 3 | 4
  readonly brands: readonly string[]
  // A line: name | description | unit/second unit*factor | price | least-most/step | sizes*price factor | own attributes
  readonly items: string
}
