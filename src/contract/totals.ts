// What the total of a document is made of, of the columns that its relation has: what is added to what its lines come to, and
// what is taken off.
import type { Relation } from './relation.ts'

const added = ['tax', 'shipping', 'freight', 'fee']
const takenOff = ['discount_amount']

interface TotalParts {
  readonly added: readonly string[]
  readonly takenOff: readonly string[]
}

// Undefined where no total is told apart from what the lines come to.
export function totalParts({ columns }: Relation): TotalParts | undefined {
  const own = (names: readonly string[]) => names.filter((name) => name in columns)
  return 'items_total' in columns && 'total' in columns
    ? { added: ['items_total', ...own(added)], takenOff: own(takenOff) }
    : undefined
}
