// Whether the listener stays quick while eight callers send the most expensive requests, and how much memory that takes.
import type { Bench } from '../bench.ts'
import { api, below, deepPath, depthOf, searchPath, searchWords } from '../samples.ts'
import { median, percentile } from '../statistics.ts'
import { firstPages } from './throughput.ts'
import { both, round, type Row } from './row.ts'

const callers = 8
const pauseMs = 5

/** Half are searches of two letters, half are deep pages by a sort that is rarely requested. */
async function worstPaths({ company, service }: Bench): Promise<string[]> {
  const words = await searchWords(company, 2, 2)
  const depth = depthOf(await service.total(deepPath('', 1)))
  return words.flatMap((word) => [
    searchPath(word),
    deepPath('&sort=total', below(2) === 0 ? depth.middle() : depth.deep()),
  ])
}

async function underWorst(bench: Bench) {
  const { seconds } = bench.options
  const load = { ...(await bench.target()), paths: await worstPaths(bench), connections: callers, seconds: seconds * 2 }
  const busy = bench.run(load, 1)
  const place = bench.service.place
  const status = { place, paths: [`${api}/status`], connections: 1, seconds: seconds * 1.8, pauseMs, atLeast: 50 }
  const { times } = await bench.watchMemory(() => bench.run(status))
  const worst = await busy
  return { times, worst: worst.times }
}

const latency: Row = {
  name: '/status under the worst load, 99 %',
  unit: 'ms',
  target: both(20),
  async measure(bench) {
    const { times, worst } = await underWorst(bench)
    const raw = {
      'median, ms': round(median(times)),
      'slowest, ms': round(percentile(times, 1)),
      requests: times.length,
      'worst request, median ms': round(median(worst)),
      'worst requests': worst.length,
    }
    return { value: percentile(times, 0.99), raw }
  },
}

const memory: Row = {
  name: 'resident memory under load',
  unit: 'MB',
  target: both(350),
  async measure(bench) {
    if (bench.memory.length === 0) {
      const paths = await firstPages(bench.company, true)
      const job = { ...(await bench.target()), paths, connections: 16, seconds: bench.options.seconds }
      await bench.watchMemory(() => bench.run(job))
      await underWorst(bench)
    }
    const [most, usual] = [percentile(bench.memory, 1), median(bench.memory)]
    return { value: most, raw: { 'most, MB': most, 'median, MB': usual, samples: bench.memory.length } }
  },
}

export const listenerRows: Row[] = [latency, memory]
