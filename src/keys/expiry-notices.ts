// Tells the log of each key that ends within thirty days: at the start, and then once a day.
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { State } from '../state/state.ts'
import { daysLeft } from './expiry.ts'

const lookEveryMs = 3_600_000
const tellEveryMs = 86_400_000

export function noticeExpiries(state: Pick<State, 'listExpiries'>, clock: Clock, log: Log) {
  let toldAt = new Map<string, number>()
  const look = async () => {
    const [expiring, now] = [await state.listExpiries(), clock.now()]
    const next = new Map<string, number>()
    for (const { accessKey, name, expires } of expiring) {
      const left = daysLeft({ expires }, now)
      if (left === null) continue
      const last = toldAt.get(accessKey)
      const isDue = last === undefined || now - last >= tellEveryMs
      if (isDue) log.warn('key_expires_soon', { key: accessKey, name, expires: expires.day, days_left: left })
      next.set(accessKey, isDue ? now : last)
    }
    toldAt = next
  }
  // A state that does not answer says so itself; the next look is in an hour.
  let looking = Promise.resolve()
  const lookSoon = () => {
    looking = looking.then(look).catch(() => {})
  }
  lookSoon()
  const timer = setInterval(lookSoon, lookEveryMs)
  timer.unref()
  return {
    async close(): Promise<void> {
      clearInterval(timer)
      await looking
    },
  }
}
