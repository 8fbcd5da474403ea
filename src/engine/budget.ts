// Limits the database time that a key may use in a minute, so that one client system leaves the database to the tills and to the others.
// Beyond it, requests are refused until the minute is over. Remembered answers cost nothing.
import type { Clock } from '../platform/clock.ts'
import { ApiError } from '../errors.ts'
import type { Log } from '../platform/log.ts'

export interface Budget {
  // Throws if the key has used up its minute.
  check(key: string): void
  spend(key: string, ms: number): void
}

// Requests of the service itself have no limit: the operator must be able to see its state.
const own = new Set(['console', 'metrics', 'service'])

export const unlimited: Budget = { check: () => {}, spend: () => {} }

const minuteMs = 60_000

// In memory, for each instance. 0: no limit.
export function createBudget(limitMs: number, clock: Clock, log: Log): Budget {
  if (limitMs === 0) return unlimited
  const minutes = new Map<string, { readonly startedAt: number; spentMs: number }>()

  const current = (key: string) => {
    const minute = minutes.get(key)
    const age = clock.now() - (minute?.startedAt ?? 0)
    if (minute && age >= 0 && age < minuteMs) return minute
    minutes.delete(key)
    return undefined
  }

  return {
    check(key) {
      const minute = current(key)
      if (!minute || minute.spentMs < limitMs) return
      throw new ApiError('temporarily_unavailable', {
        message: 'This key has used up its share of the database for this minute.',
        retryAfter: Math.ceil((minute.startedAt + minuteMs - clock.now()) / 1000),
      })
    },
    spend(key, ms) {
      if (own.has(key)) return
      const minute = current(key) ?? { startedAt: clock.now(), spentMs: 0 }
      minutes.set(key, minute)
      const wasWithin = minute.spentMs < limitMs
      minute.spentMs += ms
      if (wasWithin && minute.spentMs >= limitMs) log.warn('budget_used_up', { key, limitMs })
    },
  }
}
