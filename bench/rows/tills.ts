// How much the service slows down a till: the time of its transactions while sixteen connections read as fast as they can,
// against an idle service.
import { setTimeout as wait } from 'node:timers/promises'
import { startGenerator } from '../load/generator.ts'
import { median, percentile } from '../statistics.ts'
import { startWriter } from '../writer.ts'
import { firstPages } from './throughput.ts'
import { both, round, type Row } from './row.ts'

const connections = 16
const everyMs = 5
// Idle and busy phases take turns, so that other work of the machine affects both.
const rounds = { full: 4, quick: 1 }
// Real callers run on other machines, so the load here has the lowest priority.
const niceness = 19

export const tillRows: Row[] = [
  {
    name: "a till's transaction under full load, 99 %",
    unit: '×',
    target: both(1.5),
    async measure(bench) {
      const { company, options } = bench
      const [writer, generator] = [startWriter(), startGenerator(niceness)]
      const paths = await firstPages(company, options.isQuick)
      const target = await bench.target()
      const seconds = Math.max(options.isQuick ? 0.4 : 1, options.seconds)
      const times = { quiet: [] as number[], busy: [] as number[] }
      let requests = 0
      company.markChanged(true)
      try {
        await writer.ask({ start: company.settings['VITRINE_DATABASE_URL'] ?? '', everyMs, areSmall: true })
        // The first turn is a warm-up.
        for (let turn = 0; turn <= rounds[options.isQuick ? 'quick' : 'full']; turn += 1) {
          await writer.ask('times')
          await wait(seconds * 1000)
          const quiet = (await writer.ask('times')).times
          const done = await generator.ask({ ...target, paths, connections, seconds })
          const busy = (await writer.ask('times')).times
          if (turn === 0) continue
          times.quiet.push(...quiet)
          times.busy.push(...busy)
          requests += done.times.length / done.seconds
        }
      } finally {
        await writer.ask('stop')
        company.markChanged(false)
        await Promise.all([writer.close(), generator.close()])
      }
      const [quiet, busy] = [percentile(times.quiet, 0.99), percentile(times.busy, 0.99)]
      return {
        value: busy / quiet,
        raw: {
          'quiet, 99 %, ms': round(quiet),
          'under load, 99 %, ms': round(busy),
          'quiet, median ms': round(median(times.quiet)),
          'under load, median ms': round(median(times.busy)),
          'transactions measured': times.quiet.length + times.busy.length,
          'requests/s meanwhile': round(requests / rounds[options.isQuick ? 'quick' : 'full']),
        },
      }
    },
  },
]
