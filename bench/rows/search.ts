// Searches of random words against the first page without one, in turns, one caller.
import type { Bench } from '../bench.ts'
import { aboutFirstPath, different, pick, searchPath, searchWords, times as manyTimes } from '../samples.ts'
import { median, percentile } from '../statistics.ts'
import { both, round, type Measured, type Row } from './row.ts'

const most = 150
// Some take fifty times as long as others: few would give another figure each time.
const least = { full: 200, quick: 10 }

// Searches are asked for the first time, and so are first pages: what another row asked for is forgotten once anything is written.
async function forget({ company: { queries } }: Bench): Promise<void> {
  const [row] = await queries.rows('SELECT max(id) FROM invoices WHERE notes IS NULL')
  if (typeof row?.[0] !== 'number') throw new Error('no invoice without notes, which could be changed and back')
  // What is written as it was is not written at all.
  for (const notes of [`'changed'`, 'NULL'])
    await queries.rows(`UPDATE invoices SET notes = ${notes} WHERE id = ${row[0]}`)
}

async function compare(bench: Bench, words: readonly string[]): Promise<Measured> {
  await forget(bench)
  const [firsts, searches] = [different(most, aboutFirstPath), different(most, () => searchPath(pick(words)))]
  const paths = manyTimes(Math.min(firsts.length, searches.length), (turn) => [
    firsts[turn] ?? '',
    searches[turn] ?? '',
  ]).flat()
  const job = { ...(await bench.target()), paths, isInOrder: true, connections: 1 }
  const { times } = await bench.run({
    ...job,
    seconds: bench.options.seconds,
    atLeast: least[bench.options.isQuick ? 'quick' : 'full'],
  })
  const first = median(times.filter((_, turn) => turn % 2 === 0))
  const took = times.filter((_, turn) => turn % 2 === 1)
  const [middle, late, latest] = [median(took), percentile(took, 0.95), percentile(took, 1)]
  return {
    value: middle / first,
    raw: {
      'first page, ms': round(first),
      'search, ms': round(middle),
      '95 %, ms': round(late),
      'slowest, ms': round(latest),
      requests: times.length,
    },
    note: `95 % within ${late.toPrecision(2)} ms`,
  }
}

const ratio = (name: string, least: number, longest: number, hasWhole: boolean): Row => ({
  name,
  unit: '×',
  target: both(5),
  measure: async (bench) => compare(bench, await searchWords(bench.company, least, longest, hasWhole)),
})

const twoLetters = (name: string, of: string): Row => ({
  name,
  unit: 'ms',
  target: both(200),
  async measure(bench) {
    const { raw } = await compare(bench, await searchWords(bench.company, 2, 2))
    return { value: raw[of] ?? Number.NaN, raw }
  },
})

export const searchRows: Row[] = [
  ratio('search: names, numbers, parts of them', 3, 8, true),
  ratio('search: three letters', 3, 3, false),
  twoLetters('search: two letters, median', 'search, ms'),
  twoLetters('search: two letters, slowest', 'slowest, ms'),
]
