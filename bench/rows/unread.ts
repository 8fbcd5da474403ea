// What callers cost that do not read their answers: the memory of 4,000 unread answers, the delay of other callers, and when the
// last connection is closed. Asked of the small company, whose service has had little to do.
import { setTimeout as wait } from 'node:timers/promises'
import type { Bench } from '../bench.ts'
import { descriptorsOf, residentMb } from '../cpu.ts'
import { startHolder, type Way } from '../load/holder.ts'
import { api, deepPath, times } from '../samples.ts'
import { percentile } from '../statistics.ts'
import { both, round, type Measured, type Row, type Unit } from './row.ts'

const answers = 4000
// The longest wait until their connections are closed.
const mostMs = 90_000
const pollMs = 100
// The other callers request a first page now and then.
const others = { connections: 4, pauseMs: 5 }
const usualSeconds = 10

interface Kind {
  readonly name: string
  readonly way: Way
  readonly paths: readonly string[]
  readonly perConnection: number
  readonly hasToken?: boolean
}

const description = [`${api}/openapi.json`]
// All different, because equal answers share their bytes.
const lists = times(35, (turn) => deepPath('', turn + 1)).flatMap((path) => [
  path,
  `${path}&sort=id`,
  `${path}&sort=-id`,
])

const kinds: readonly Kind[] = [
  { name: 'a window of 0', way: 'window', paths: description, perConnection: 100 },
  { name: 'an unread socket', way: 'socket', paths: description, perConnection: 100 },
  { name: 'HTTP/1.1', way: 'pipeline', paths: description, perConnection: 40 },
  { name: 'one a connection', way: 'window', paths: description, perConnection: 2 },
  { name: 'lists of 100', way: 'window', paths: lists, perConnection: 100, hasToken: true },
]

interface Seen {
  readonly grownMb: number
  readonly slower: number
  readonly goneSeconds: number
  readonly raw: Measured['raw']
}

async function watch(bench: Bench, { way, paths, perConnection, hasToken }: Kind): Promise<Seen> {
  const { service } = await bench.small()
  const token = await service.token()
  const job = { place: service.place, token, paths: [`${api}/invoices?per_page=25`], ...others }
  const usual = await bench.run({ ...job, seconds: usualSeconds })
  const before = { mb: residentMb(service.pid), descriptors: descriptorsOf(service.pid) }
  const holder = startHolder()
  let mostMb = before.mb
  let [heldAt, goneAt] = [Number.NaN, Number.NaN]
  const hold = { place: service.place, way, paths, answers, perConnection, ...(hasToken ? { token } : {}) }
  const watching = (async () => {
    const startedAt = performance.now()
    await holder.ask(hold)
    heldAt = performance.now()
    // Includes the connections of the other callers.
    const mostDescriptors = before.descriptors + others.connections
    while (performance.now() - heldAt < mostMs && Number.isNaN(goneAt)) {
      await wait(pollMs)
      mostMb = Math.max(mostMb, residentMb(service.pid))
      if (descriptorsOf(service.pid) <= mostDescriptors) goneAt = performance.now()
    }
    return startedAt
  })()
  // Opening connections and making answers is ordinary work. Only the time after that counts: the cost of holding unread answers.
  const meanwhile: number[] = []
  while (Number.isNaN(goneAt) && (await Promise.race([watching.then(() => false), wait(pollMs, true)]))) {
    const isHeld = !Number.isNaN(heldAt)
    const { times } = await bench.run({ ...job, seconds: 1 })
    if (isHeld) meanwhile.push(...times)
  }
  await watching
  await holder.close()
  const [usually, then] = [percentile(usual.times, 0.99), percentile(meanwhile, 0.99)]
  return {
    grownMb: mostMb - before.mb,
    slower: then / usually,
    // Connections that are still open count as the longest wait.
    goneSeconds: Number.isNaN(goneAt) ? mostMs / 1000 : (goneAt - heldAt) / 1000,
    raw: {
      'before, MB': before.mb,
      'most, MB': mostMb,
      'others usually, 99 %, ms': round(usually),
      'others meanwhile, 99 %, ms': round(then),
      'asked within, s': round((heldAt - (await watching)) / 1000),
    },
  }
}

const figures: readonly [name: string, unit: Unit, target: number, figure: 'grownMb' | 'slower' | 'goneSeconds'][] = [
  ['memory', 'MB', 100, 'grownMb'],
  ['others, 99 %', '×', 2, 'slower'],
  ['gone after', 's', 60, 'goneSeconds'],
]

export const unreadRows: Row[] = kinds.flatMap((kind) => {
  const seen = new Map<Bench, Promise<Seen>>()
  return figures.map(([name, unit, target, figure]) => ({
    name: `unread, ${kind.name}: ${name}`,
    unit,
    target: both(target),
    isLong: true,
    async measure(bench) {
      const found = seen.get(bench) ?? watch(bench, kind)
      seen.set(bench, found)
      const { raw, [figure]: value } = await found
      return { value, raw }
    },
  }))
})
