// A shop that outgrew one machine: two instances, their state on the tills' server, sixteen connections. Requests a second against two
// hand-written services over the same rows, while tills write (open) and while they do not (closed).
import type { Bench, Target } from '../bench.ts'
import {
  between,
  customerPaths,
  deepPath,
  detailPaths,
  different,
  firstPage,
  invoices,
  perDeepPage,
  searchPath,
  searchWords,
} from '../samples.ts'
import { median } from '../statistics.ts'
import { round, type Row } from './row.ts'

const instances = 2
const connections = 16 / instances
const rounds = { full: 3, quick: 1 }
const leastSeconds = 0.5

type Paths = (bench: Bench) => Promise<string[]>

const kinds: readonly { readonly name: string; readonly target: number; readonly paths: Paths }[] = [
  { name: 'first page', target: 150, paths: async () => [firstPage] },
  { name: 'detail', target: 1.15, paths: async ({ company }) => detailPaths(company.queries, 40_000) },
  {
    name: 'page 5,000 to 9,000 of 100',
    target: 100,
    paths: async ({ service }) => {
      const deepest = Math.min(9000, Math.floor((await service.total(firstPage)) / perDeepPage))
      return different(4000, () => deepPath('', between(Math.ceil(deepest * 0.55), deepest)))
    },
  },
  { name: 'one customer', target: 1, paths: async ({ company }) => customerPaths(company, 20_000) },
  {
    name: 'substring',
    target: 40,
    paths: async ({ company }) => (await searchWords(company, 4, 8)).slice(0, 20).map(searchPath),
  },
  {
    name: 'last 100 changed',
    target: 2.5,
    paths: async ({ company }) => {
      const [last] = await company.queries.rows('SELECT CAST(max(updated_at) AS text) FROM invoices')
      const since = `${String(last?.[0]).slice(0, 10)}T00:00:00`
      return [`${invoices}?updated_since=${since}&sort=-updated_at&per_page=100`]
    },
  },
]

const row = ({ name, target, paths }: (typeof kinds)[number], isOpen: boolean): Row => ({
  name: `${isOpen ? 'open' : 'closed'} shop: ${name}`,
  unit: '×',
  isLeast: true,
  target: { sqlite: target, postgres: target },
  engines: ['postgres'],
  isWriting: isOpen,
  hasSecond: true,
  async measure(bench) {
    const asked = await paths(bench)
    const seconds = Math.max(leastSeconds, bench.options.seconds)
    const own = [bench.service, await bench.second()]
    const peers = await Promise.all([bench.peer(0), bench.peer(1)])
    const rates = { own: [] as number[], peer: [] as number[] }
    for (let turn = 0; turn <= rounds[bench.options.isQuick ? 'quick' : 'full']; turn += 1) {
      const services = await Promise.all(own.map(async (each) => ({ place: each.place, token: await each.token() })))
      await Promise.all(own.map((each) => each.untilColumns()))
      const [ours, theirs] = [await rateOf(bench, services, asked, seconds), await rateOf(bench, peers, asked, seconds)]
      // The first round is a warm-up.
      if (turn === 0) continue
      rates.own.push(ours)
      rates.peer.push(theirs)
    }
    return {
      value: median(rates.own.map((rate, turn) => rate / (rates.peer[turn] ?? Number.NaN))),
      raw: { 'requests/s': round(median(rates.own)), 'peer, requests/s': round(median(rates.peer)) },
    }
  },
})

// Each has a load of its own.
async function rateOf({ run }: Bench, targets: readonly Target[], paths: readonly string[], seconds: number) {
  const done = await Promise.all(targets.map((target, at) => run({ ...target, paths, connections, seconds }, at)))
  return done.reduce((sum, { times, seconds: took }) => sum + times.length / took, 0)
}

export const shopRows: Row[] = [false, true].flatMap((isOpen) => kinds.map((kind) => row(kind, isOpen)))
