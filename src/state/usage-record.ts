// Counts the usage of each key in memory, by the hour, and hands it to the state every ten seconds, so that no request waits for
// it. Counts that the state refuses are kept and handed over again.
import type { Clock } from '../platform/clock.ts'
import type { Permission } from '../catalogue/access.ts'
import { hourOf, minuteOf } from './rows.ts'
import type { LastUse, State, Usage } from './state.ts'

const handOverEveryMs = 10_000

type MutableUsage = { -readonly [Name in keyof Usage]: Usage[Name] }

interface CountedAnswer {
  readonly accessKey: string
  readonly records: number
  readonly isRefused: boolean
  // The permissions that the answer depended on.
  readonly used: readonly Permission[]
  readonly address: string
}

interface UsageRecord {
  count(answered: CountedAnswer): void
  // Hands over the remaining counts.
  close(): Promise<void>
}

export function recordUsage(state: Pick<State, 'addUsage'>, clock: Clock): UsageRecord {
  let counts = new Map<string, MutableUsage>()
  let lastUses = new Map<string, LastUse>()
  let handingOver = Promise.resolve()

  const countOf = (hour: number, accessKey: string): MutableUsage => {
    const name = `${hour} ${accessKey}`
    let count = counts.get(name)
    if (!count) counts.set(name, (count = { hour, accessKey, requests: 0, records: 0, refusals: 0 }))
    return count
  }
  const add = ({ hour, accessKey, requests, records, refusals }: Usage) => {
    const count = countOf(hour, accessKey)
    count.requests += requests
    count.records += records
    count.refusals += refusals
  }
  const note = (lastUse: LastUse) => {
    const name = `${lastUse.accessKey} ${lastUse.permission}`
    if (lastUse.at >= (lastUses.get(name)?.at ?? 0)) lastUses.set(name, lastUse)
  }
  const handOver = () => {
    if (counts.size === 0) return
    const [usage, lastUse] = [[...counts.values()], [...lastUses.values()]]
    counts = new Map()
    lastUses = new Map()
    // One hand-over at a time, without a timeout of ours: usage that was added late must not be added twice.
    handingOver = handingOver
      .then(() => state.addUsage(usage, lastUse))
      .catch(() => {
        usage.forEach(add)
        const later = [...lastUses.values()]
        lastUse.forEach(note)
        later.forEach(note)
      })
  }
  const timer = setInterval(handOver, handOverEveryMs)
  timer.unref()

  return {
    count({ accessKey, records, isRefused, used, address }) {
      const now = clock.now()
      add({ hour: hourOf(now), accessKey, requests: 1, records, refusals: isRefused ? 1 : 0 })
      note({ accessKey, permission: '', at: minuteOf(now), address })
      for (const permission of used) note({ accessKey, permission, at: minuteOf(now), address: null })
    },
    async close() {
      clearInterval(timer)
      await handingOver
      handOver()
      await handingOver
    },
  }
}
