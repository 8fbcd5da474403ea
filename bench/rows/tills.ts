// What a till notices of us: how long its transactions take while sixteen connections read as fast as they can, against a
// service that nobody asks anything.
import { setTimeout as wait } from 'node:timers/promises'
import { startGenerator } from '../load/generator.ts'
import { median, percentile } from '../statistics.ts'
import { startWriter } from '../writer.ts'
import { firstPages } from './throughput.ts'
import { both, round, type Row } from './row.ts'

const connections = 16
const everyMs = 5
// In turns, so that whatever else the machine does meets both.
const rounds = { full: 4, quick: 1 }
// Callers are elsewhere in reality: what asks here gives way to the service and the tills.
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
        await writer.ask({ start: company.settings['VITRINE_DATABASE_URL'] ?? '', everyMs })
        // The first turn is for getting warm.
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
