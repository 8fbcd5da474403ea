// The columns that make up the total of a document: some are added to the sum of its lines, some are subtracted.
import type { Relation } from './relation.ts'

const added = ['tax', 'shipping', 'freight', 'fee']
const takenOff = ['discount_amount']

interface TotalParts {
  readonly added: readonly string[]
  readonly takenOff: readonly string[]
}

// Undefined if the relation does not have both a total and a sum of lines.
export function totalParts({ columns }: Relation): TotalParts | undefined {
  const own = (names: readonly string[]) => names.filter((name) => name in columns)
  return 'items_total' in columns && 'total' in columns
    ? { added: ['items_total', ...own(added)], takenOff: own(takenOff) }
    : undefined
}
