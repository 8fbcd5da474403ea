// The large company against the small one, in turns, one caller: how much slower a hundred times the documents are.
import type { Bench, Site } from '../bench.ts'
import { aboutDeepPath, aboutFirstPath, deepPath, different, depthOf, detailPaths } from '../samples.ts'
import { median } from '../statistics.ts'
import { both, round, type Row } from './row.ts'

type Paths = (site: Site) => Promise<string[]>

// The small company has no more different deep pages.
const most = 36
const rounds = 4

const pagesOf =
  (which: 'first' | 'deep'): Paths =>
  async ({ service }) => {
    const depth = depthOf(await service.total(deepPath('', 1)))
    return different(most, () => aboutDeepPath('', depth[which]()))
  }

const kinds: readonly (readonly [name: string, paths: Paths])[] = [
  ['first page of 25', async () => different(most, aboutFirstPath)],
  ['detail', async ({ company }) => (await detailPaths(company.queries, most)).slice(0, most)],
  ['page 1 of 100', pagesOf('first')],
  ['deepest page of 100', pagesOf('deep')],
]

const row = (name: string, paths: Paths): Row => ({
  name: `large against small: ${name}`,
  unit: '×',
  target: both(1.5),
  async measure(bench) {
    const sites = [await bench.small(), bench]
    const asked = [await paths(await bench.small()), await paths(bench)]
    const seen: number[][] = [[], []]
    for (let turn = 0; turn < rounds; turn += 1) {
      for (const [which, site] of sites.entries()) {
        seen[which]?.push(...(await measureTurn(bench, site, asked[which] ?? [], turn)))
      }
    }
    const [small, large] = [median(seen[0] ?? []), median(seen[1] ?? [])]
    const note = `${bench.company.documents.toLocaleString('en')} against ${sites[0]?.company.documents.toLocaleString('en')}`
    return { value: large / small, raw: { 'large, ms': round(large), 'small, ms': round(small) }, note }
  },
})

async function measureTurn(bench: Bench, { service }: Site, paths: readonly string[], turn: number) {
  const part = paths.slice((turn * paths.length) / rounds, ((turn + 1) * paths.length) / rounds)
  const seconds = bench.options.seconds / 2 / rounds
  const token = await service.token()
  const job = { place: service.place, token, paths: part, isInOrder: true, connections: 1, seconds, atLeast: 6 }
  const { times } = await bench.run(job)
  // The first request of a new connection includes the rest of its setup.
  return times.subarray(1)
}

export const growthRows: Row[] = kinds.map(([name, paths]) => row(name, paths))
