// The guess behind every "did you mean": the known word that an unknown one most likely stands for. Distant words are not offered,
// because a wild guess is worse than none.

const farthest = 3
const shareOfLength = 0.4
const fewestLetters = 3

export function nearest(word: string, candidates: readonly string[]): string | undefined {
  const wanted = word.toLowerCase()
  // `store` for `store_id`: a unique prefix is better evidence than a small edit distance.
  const withPrefix =
    wanted.length < fewestLetters ? [] : candidates.filter((each) => each.toLowerCase().startsWith(wanted))
  if (withPrefix.length === 1) return withPrefix[0]
  let best: string | undefined
  let bestDistance = Infinity
  for (const candidate of candidates) {
    const letters = candidate.toLowerCase()
    const allowed = Math.min(farthest, Math.floor(Math.max(wanted.length, letters.length) * shareOfLength))
    // The word may come from a caller and be kilobytes long, so compare lengths first.
    if (Math.abs(wanted.length - letters.length) > allowed) continue
    const distance = editDistance(wanted, letters)
    if (distance <= allowed && distance < bestDistance) {
      best = candidate
      bestDistance = distance
    }
  }
  return best
}

// Insertions, deletions, replacements and swaps of two neighbours each cost 1 ("optimal string alignment").
function editDistance(from: string, to: string): number {
  let beforePrevious: number[] = []
  let previous = Array.from({ length: to.length + 1 }, (_, column) => column)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      let cost = Math.min(
        at(previous, column) + 1,
        at(current, column - 1) + 1,
        at(previous, column - 1) + (same ? 0 : 1),
      )
      const swapped = from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      if (row > 1 && column > 1 && swapped) cost = Math.min(cost, at(beforePrevious, column - 2) + 1)
      current.push(cost)
    }
    beforePrevious = previous
    previous = current
  }
  return at(previous, to.length)
}

const at = (row: readonly number[], column: number): number => row[column] ?? Infinity
