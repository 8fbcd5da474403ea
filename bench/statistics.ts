// The median and other percentiles of measured times.

export function percentile(times: Iterable<number>, share: number): number {
  const sorted = Float64Array.from(times).toSorted()
  const found = sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]
  if (found === undefined) throw new Error('nothing was measured')
  return found
}

export const median = (times: Iterable<number>) => percentile(times, 0.5)
