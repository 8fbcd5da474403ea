// How much a flood of made-up tokens slows down a caller with a valid one.
import { randomBytes } from 'node:crypto'
import { api, detailPaths } from '../samples.ts'
import { median, percentile } from '../statistics.ts'
import { both, round, type Row } from './row.ts'

const connections = 16
const pauseMs = 5
// Keeps the flood at about 1,500 requests a second, however quickly they are answered.
const floodPauseMs = 10

// Well-formed and all different. (Hexadecimal digits are among the letters of a token.)
const madeUpTokens = (count: number) => Array.from({ length: count }, () => `svc_at_${randomBytes(26).toString('hex')}`)

const caller: Row = {
  name: 'a caller in a flood of made-up tokens',
  unit: '×',
  target: both(3),
  async measure(bench) {
    const { seconds } = bench.options
    const own = {
      ...(await bench.target()),
      paths: await detailPaths(bench.company.queries, 2000),
      connections: 1,
      pauseMs,
      atLeast: 50,
    }
    const alone = await bench.run({ ...own, seconds })
    const madeUp = madeUpTokens(5000)
    const paths = madeUp.map(() => `${api}/ping`)
    const flooding = bench.run(
      { place: own.place, paths, madeUp, connections, seconds: seconds * 2, pauseMs: floodPauseMs },
      1,
    )
    const flooded = await bench.run({ ...own, seconds: seconds * 1.8 })
    const flood = await flooding
    const raw = {
      'alone, median ms': round(median(alone.times)),
      'flooded, median ms': round(median(flooded.times)),
      'flooded, 99 % ms': round(percentile(flooded.times, 0.99)),
      'refused a second': round(flood.times.length / flood.seconds),
    }
    return { value: median(flooded.times) / median(alone.times), raw }
  },
}

export const floodRows: Row[] = [caller]
