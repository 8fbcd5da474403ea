// Requests a second over 16 connections, against a bare server that answers the same bytes.
import type { Bench, Target } from '../bench.ts'
import type { Company } from '../company.ts'
import { between, customerPaths, deepPath, depthOf, detailPaths, different, filteredPaths } from '../samples.ts'
import { median } from '../statistics.ts'
import { round, type Row } from './row.ts'

const connections = 16
// The servers take turns, so that other work of the machine affects all of them.
const rounds = { full: 3, quick: 2 }
// Shorter rounds would measure how quickly code is compiled.
const leastSeconds = 0.2

type Paths = (company: Company, isQuick: boolean) => Promise<string[]>

export const firstPages: Paths = (company, isQuick) => filteredPaths(company, isQuick ? 20 : 300, isQuick ? 200 : 1500)
const details: Paths = (company, isQuick) => detailPaths(company.queries, isQuick ? 300 : 40_000)

const row = (name: string, target: Row['target'], paths: Paths): Row => ({
  name,
  unit: 'of bare',
  isLeast: true,
  target,
  async measure(bench) {
    const asked = await paths(bench.company, bench.options.isQuick)
    return bench.withBare(asked, (bare) => bench.watchMemory(() => compare(bench, asked, bare)))
  },
})

async function compare(bench: Bench, paths: readonly string[], bare: Target) {
  const targets = { bare, service: await bench.target(), peer: await bench.peer() }
  const rates = { bare: [] as number[], service: [] as number[], peer: [] as number[] }
  const seconds = Math.max(leastSeconds, bench.options.seconds / 2)
  // The first round is a warm-up.
  for (let turn = 0; turn <= rounds[bench.options.isQuick ? 'quick' : 'full']; turn += 1) {
    for (const name of ['bare', 'service', 'peer'] as const) {
      const { times, seconds: took } = await bench.run({ ...targets[name], paths, connections, seconds })
      if (turn > 0) rates[name].push(times.length / took)
    }
  }
  const [bareRate, serviceRate, peerRate] = [median(rates.bare), median(rates.service), median(rates.peer)]
  // One ratio for each round: other work of the machine varies between rounds, but affects both servers of a round.
  const ratio = (of: readonly number[]) => median(of.map((rate, turn) => rate / (rates.bare[turn] ?? Number.NaN)))
  return {
    value: ratio(rates.service),
    raw: { 'service, requests/s': round(serviceRate), 'bare, requests/s': round(bareRate) },
    peer: { value: ratio(rates.peer), raw: { 'peer, requests/s': round(peerRate) } },
  }
}

// Requests a second for lists that are not remembered, and the same for the hand-written service.
const found = (name: string, target: Row['target'], paths: Paths): Row => ({
  name,
  unit: 'requests/s',
  isLeast: true,
  target,
  async measure(bench) {
    const asked = await paths(bench.company, bench.options.isQuick)
    const seconds = Math.max(leastSeconds, bench.options.seconds)
    const rateOf = async (target: Target) => {
      const { times, seconds: took } = await bench.run({ ...target, paths: asked, connections, seconds })
      return times.length / took
    }
    const target = await bench.target()
    await rateOf(target)
    const [service, peer] = [await rateOf(target), await rateOf(await bench.peer())]
    return {
      value: service,
      raw: { 'service, requests/s': round(service) },
      peer: { value: peer, raw: { 'peer, requests/s': round(peer) } },
    }
  },
})

const customers: Paths = (company, isQuick) => customerPaths(company, isQuick ? 300 : 20_000)
const farPages: Paths = async ({ queries }) => {
  const [row] = await queries.rows(
    'SELECT (SELECT count(*) FROM invoices WHERE kind = 1) + (SELECT count(*) FROM invoices_archive WHERE kind = 1)',
  )
  const { deepest } = depthOf(Number(row?.[0]) * 0.95)
  return different(4000, () => deepPath('', between(Math.ceil(deepest * 0.55), deepest)))
}

export const throughputRows: Row[] = [
  row('first page of 25 with total', { sqlite: 0.5, postgres: 0.49 }, firstPages),
  row('detail with lines and payments', { sqlite: 0.31, postgres: 0.23 }, details),
  found("one customer's invoices", { sqlite: 3000, postgres: 2000 }, customers),
  found('deep pages of 100', { sqlite: 1500, postgres: 1000 }, farPages),
]
