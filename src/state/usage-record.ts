// Counts the usage of each key in memory, by hour, resource and outcome, and hands it to the state every ten seconds, so that no
// request waits for it. Counts that the state refuses are kept and handed over again.
import type { Clock } from '../platform/clock.ts'
import type { Permission } from '../catalogue/access.ts'
import { hourOf, minuteOf } from './rows.ts'
import type { LastUse, State } from './state.ts'
import { outcomeOf, type Usage } from './usage.ts'

const handOverEveryMs = 10_000

type MutableUsage = { -readonly [Name in keyof Usage]: Usage[Name] }

interface CountedAnswer {
  readonly accessKey: string
  readonly resource: string
  readonly status: number
  // The caller hung up before the answer: not a refusal.
  readonly isHungUp: boolean
  readonly records: number
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

  const add = (usage: Usage) => {
    const name = `${usage.hour} ${usage.accessKey} ${usage.resource} ${usage.outcome}`
    const count = counts.get(name)
    if (!count) return void counts.set(name, { ...usage })
    count.requests += usage.requests
    count.records += usage.records
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
    count({ accessKey, resource, status, isHungUp, records, used, address }) {
      const now = clock.now()
      const outcome = isHungUp ? 'answered' : outcomeOf(status)
      add({ hour: hourOf(now), accessKey, resource, outcome, requests: 1, records })
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
