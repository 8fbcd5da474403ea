// How much each key is used, counted in memory by the hour and handed to the state now and then: no request waits for it. What
// the state does not take is kept and handed over again.
import type { Clock } from '../platform/clock.ts'
import type { Permission } from '../catalogue/access.ts'
import { hourOf, minuteOf } from './rows.ts'
import type { LastUse, State, Usage } from './state.ts'

const handOverEveryMs = 10_000

type Count = { -readonly [Name in keyof Usage]: Usage[Name] }

interface CountedAnswer {
  readonly accessKey: string
  readonly records: number
  readonly isRefused: boolean
  // The permissions without which the answer would have been another.
  readonly used: readonly Permission[]
  readonly address: string
}

interface UsageRecord {
  count(answered: CountedAnswer): void
  // Hands over what there is.
  close(): Promise<void>
}

export function recordUsage(state: Pick<State, 'addUsage'>, clock: Clock): UsageRecord {
  let counts = new Map<string, Count>()
  let lastUses = new Map<string, LastUse>()
  let handingOver = Promise.resolve()

  const countOf = (hour: number, accessKey: string): Count => {
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
    // One after the other. What the state refuses comes back; it must say so itself, not a time limit of ours.
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
