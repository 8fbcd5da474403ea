// Random choices that a seed repeats.

export interface Random {
  /** From 0, below the number. */
  upTo(most: number): number
  of<Value>(list: readonly Value[]): Value
  /** So often, from 0 to 1. */
  chance(share: number): boolean
}

export function randomFrom(seed: number): Random {
  let state = seed >>> 0
  // Mulberry32: small, and good enough to choose with.
  const next = () => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const upTo = (most: number) => Math.floor(next() * most)
  return {
    upTo,
    chance: (share) => next() < share,
    of<Value>(list: readonly Value[]): Value {
      const chosen = list[upTo(list.length)]
      if (chosen === undefined) throw new Error('nothing to choose from')
      return chosen
    },
  }
}
