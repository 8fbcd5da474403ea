// The shelves of the demo company. In a text, a shelf begins with a line of its department, sub-department, theme, currency,
// margin in percent, kind of product, and brands: `= 11 26 auto HTG 60 2: Brand, Other brand`. Then comes a line for each good:
// name | description | unit/second unit*factor | price | least-most/step | sizes*price factor | own attributes
import type { Currency } from './money.ts'

// Goods that people buy together.
export const themes = ['food', 'home', 'building', 'energy', 'auto', 'school'] as const
export type Theme = (typeof themes)[number]

export interface Shelf {
  readonly department: number
  readonly subDepartment: number
  readonly theme: Theme
  readonly currency: Currency
  readonly margin: number
  readonly kind: 1 | 2 | 3 | 4
  readonly brands: readonly string[]
  readonly goods: readonly string[]
}

export const splitList = (text: string, separator: string | RegExp = ',') =>
  text
    .split(separator)
    .map((part) => part.trim())
    .filter(Boolean)

export const readShelves = (text: string): Shelf[] =>
  splitList(text, /^ *= /m).map((shelf) => {
    const [heading = '', ...goods] = splitList(shelf, '\n')
    const [facts = '', brands = ''] = heading.split(':')
    const [department, subDepartment, theme, currency, margin, kind] = facts.split(' ')
    return {
      department: Number(department),
      subDepartment: Number(subDepartment),
      theme: theme as Theme,
      currency: currency as Currency,
      margin: Number(margin),
      kind: Number(kind) as Shelf['kind'],
      brands: splitList(brands),
      goods,
    }
  })
