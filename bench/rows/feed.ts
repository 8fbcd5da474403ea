// The change feed, one caller: how many records a second a first load gives, with lines and payments, and what a look costs when nothing
// has changed.
import { Agent } from 'node:https'
import { ask } from '../ask.ts'
import type { Bench } from '../bench.ts'
import { median } from '../statistics.ts'
import { both, round, type Row } from './row.ts'

const longestSeconds = 60
const looks = 200

interface Part {
  readonly data: readonly unknown[]
  readonly meta: { readonly cursor: string; readonly more: boolean }
}

/** Asks from a cursor on, until there is nothing further or the time is over. */
async function follow({ service, options }: Bench, path: string) {
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const most = Math.min(longestSeconds, 15 * options.seconds)
  const times: number[] = []
  let records = 0
  let cursor = ''
  const look = async () => {
    const query = cursor === '' ? 'limit=500' : `limit=500&cursor=${cursor}`
    const startedAt = performance.now()
    const { body } = await ask(service.place, `/api/v1${path}?${query}`, { token: await service.token(), agent })
    times.push(performance.now() - startedAt)
    const { data, meta } = JSON.parse(body.toString()) as Part
    records += data.length
    cursor = meta.cursor
    return meta.more
  }
  let more = true
  while (more && times.reduce((sum, each) => sum + each, 0) < most * 1000) more = await look()
  const loaded = { records, seconds: times.reduce((sum, each) => sum + each, 0) / 1000, isWhole: !more }
  times.length = 0
  const before = await service.timesOf(path)
  if (!more) for (let done = 0; done < looks; done += 1) await look()
  const after = await service.timesOf(path)
  agent.destroy()
  const insideMs = (1000 * (after.seconds - before.seconds)) / (after.count - before.count)
  return { ...loaded, insideMs, outsideMs: median(times) }
}

export const feedRows: Row[] = [
  {
    name: 'the change feed: first load',
    unit: 'records/s',
    isLeast: true,
    target: { sqlite: 5000, postgres: 3000 },
    async measure(bench) {
      const { records, seconds, isWhole } = await follow(bench, '/changes/invoices')
      const raw = { records, seconds: round(seconds) }
      return { value: records / seconds, raw, ...(isWhole ? {} : { note: 'not all invoices, within its time' }) }
    },
  },
  {
    name: 'a quiet look at the feed, in the service',
    unit: 'ms',
    target: both(1),
    async measure(bench) {
      const { insideMs, outsideMs } = await follow(bench, '/changes/stores')
      return { value: insideMs, raw: { looks, 'as the caller sees it, ms': round(outsideMs) } }
    },
  },
]
