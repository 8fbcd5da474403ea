// Logs each key that expires within thirty days, at the start and then once a day.
import type { Clock } from '../platform/clock.ts'
import type { Log } from '../platform/log.ts'
import type { State } from '../state/state.ts'
import { daysLeft } from './expiry.ts'

const checkEveryMs = 3_600_000
const logEveryMs = 86_400_000

export function noticeExpiries(state: Pick<State, 'listExpiries'>, clock: Clock, log: Log) {
  let loggedAt = new Map<string, number>()
  const check = async () => {
    const [expiring, now] = [await state.listExpiries(), clock.now()]
    const next = new Map<string, number>()
    for (const { accessKey, name, expires } of expiring) {
      const left = daysLeft({ expires }, now)
      if (left === null) continue
      const last = loggedAt.get(accessKey)
      const isDue = last === undefined || now - last >= logEveryMs
      if (isDue) log.warn('key_expires_soon', { key: accessKey, name, expires: expires.day, days_left: left })
      next.set(accessKey, isDue ? now : last)
    }
    loggedAt = next
  }
  // A state that does not answer is logged elsewhere; the next check is in an hour.
  let checking = Promise.resolve()
  const checkSoon = () => {
    checking = checking.then(check).catch(() => {})
  }
  checkSoon()
  const timer = setInterval(checkSoon, checkEveryMs)
  timer.unref()
  return {
    async close(): Promise<void> {
      clearInterval(timer)
      await checking
    },
  }
}
