// Floating-point numbers of a source → numbers with six decimals: 0.30000000000000004 becomes 0.3. Counts the values that this changes
// by more than a floating-point error, and the values that are too large for cents.

export interface RoundedColumn {
  readonly relation: string
  readonly column: string
  readonly count: number
  // The first of these values in the source, and in the copy.
  readonly from: string
  readonly to: string
}

// From this size on, a double has fewer than six decimals.
const roundedBelow = 2 ** 33
// The relative error of a sum of some 100,000 doubles.
const tolerance = 2 ** -38

export function roundDouble(text: string, centsBelow: number): { readonly text: string; readonly isExact: boolean } {
  const value = Number(text)
  const size = Math.abs(value)
  if (!(size < roundedBelow)) return { text, isExact: !(size >= centsBelow) }
  const rounded = Math.round(value * 1e6) / 1e6
  return { text: String(rounded), isExact: size < centsBelow && Math.abs(value - rounded) <= size * tolerance }
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
