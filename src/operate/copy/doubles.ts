// Floating-point numbers of a source → numbers with six decimals, as Vitrine adds them up: 0.30000000000000004 is 0.3. Counts the
// values that lose more than such an error by it, and those that are too large for cents.

export interface RoundedColumn {
  readonly relation: string
  readonly column: string
  readonly count: number
  // The first such value as the source has it, and as it was copied.
  readonly from: string
  readonly to: string
}

// Beyond this size a double no longer has six decimals.
const mostRounded = 2 ** 33
// Relative to the value: that of a sum of some 100,000 doubles.
const error = 2 ** -38

interface RoundedDouble {
  readonly text: string
  readonly isExact: boolean
}

export function roundDouble(text: string, centsBelow: number): RoundedDouble {
  const value = Number(text)
  const size = Math.abs(value)
  if (!(size < mostRounded)) return { text, isExact: !(size >= centsBelow) }
  const rounded = Math.round(value * 1e6) / 1e6
  return { text: String(rounded), isExact: size < centsBelow && Math.abs(value - rounded) <= size * error }
}

export function createRoundings(relation: string) {
  const found = new Map<string, RoundedColumn>()
  return {
    add: (column: string, from: string, to: string): void => {
      const { count, ...first } = found.get(column) ?? { relation, column, count: 0, from, to }
      found.set(column, { ...first, count: count + 1 })
    },
    all: (): readonly RoundedColumn[] => [...found.values()],
  }
}
