// The selections that were used last, within a bound in bytes.
import type { Condition } from '../catalogue/condition.ts'
import type { Order } from '../query/plan.ts'
import type { Base } from './columns.ts'
import { select } from './selections.ts'

export type RememberedSelections = ReturnType<typeof createRememberedSelections>

export function createRememberedSelections(mostBytes: number) {
  // In order of their last use.
  const known = new Map<string, Uint32Array>()
  let bytes = 0

  function remember(key: string, selection: Uint32Array): void {
    bytes += sizeOf(key, selection)
    known.set(key, selection)
    for (const [oldest, rows] of known) {
      if (bytes <= mostBytes) break
      bytes -= sizeOf(oldest, rows)
      known.delete(oldest)
    }
  }

  return {
    select(base: Base, conditions: readonly Condition[], order: readonly Order[]): Uint32Array {
      const key = JSON.stringify([numberOf(base), conditions, order])
      const found = known.get(key)
      if (!found) {
        const selection = select(base, conditions, order)
        if (sizeOf(key, selection) <= mostBytes) remember(key, selection)
        return selection
      }
      known.delete(key)
      known.set(key, found)
      return found
    },
    /** What they take. */
    bytes: () => bytes,
  }
}

const sizeOf = (key: string, selection: Uint32Array) => key.length * 2 + selection.byteLength

// Row numbers mean nothing in another base: selections of a base that was replaced are never found again, and go in their turn.
const numbers = new WeakMap<Base, number>()
let lastNumber = 0

function numberOf(base: Base): number {
  let number = numbers.get(base)
  if (number === undefined) numbers.set(base, (number = lastNumber += 1))
  return number
}
