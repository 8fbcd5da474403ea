// Searches and combinations of filters, each requested for the first time; one caller.
import type { Bench } from '../bench.ts'
import { different, filterCombination, pick, searchPath, searchWords, someDays } from '../samples.ts'
import { median, percentile } from '../statistics.ts'
import { both, round, type Measured, type Row } from './row.ts'

// Some take fifty times as long as others, so a small sample would give a different figure each time.
const count = { full: 300, quick: 20 }

type Paths = (bench: Bench) => Promise<() => string>

const words =
  (least: number, most: number, hasWhole = false): Paths =>
  async ({ company }) => {
    const drawn = await searchWords(company, least, most, hasWhole)
    return () => searchPath(pick(drawn))
  }

const filters: Paths = async ({ company }) => {
  const days = await someDays(company, 300)
  return () => filterCombination(days)
}

async function ask(bench: Bench, paths: Paths): Promise<Measured['raw']> {
  const make = await paths(bench)
  const asked = different(count[bench.options.isQuick ? 'quick' : 'full'], make)
  const job = { ...(await bench.target()), paths: asked, isInOrder: true, connections: 1 }
  const { times } = await bench.run({ ...job, seconds: 0, atLeast: asked.length })
  return {
    'median, ms': round(median(times)),
    '95 %, ms': round(percentile(times, 0.95)),
    'slowest, ms': round(percentile(times, 1)),
    requests: times.length,
  }
}

const row = (name: string, of: string, most: number, paths: Paths): Row => ({
  name,
  unit: 'ms',
  target: both(most),
  async measure(bench) {
    const raw = await ask(bench, paths)
    return { value: raw[of] ?? Number.NaN, raw, note: `95 % within ${raw['95 %, ms']} ms` }
  },
})

export const searchRows: Row[] = [
  row('filters, asked for the first time, median', 'median, ms', 20, filters),
  row('search: names, numbers, parts of them, median', 'median, ms', 30, words(3, 8, true)),
  row('search: two letters, median', 'median, ms', 30, words(2, 2)),
  row('search: two letters, slowest', 'slowest, ms', 250, words(2, 2)),
]
