// Windows of callers without a valid token, by address, in memory: a flood of such requests must not become a flood of
// writes to the state. /status can show one while everything else is down.
import type { Clock } from '../clock.ts'
import { limits } from '../state/limits.ts'
import type { Window } from '../state/state.ts'
import { describeWindow, isOver } from '../state/window.ts'

// More addresses than this within a minute: the oldest are forgotten.
const mostAddresses = 100_000

export interface AnonymousWindows {
  count(address: string): Window
}

export function anonymousWindows(limit: number, clock: Clock): AnonymousWindows {
  const windows = new Map<string, { startedAt: number; count: number }>()
  // Windows are kept in the order of their start: the first ones are over first.
  const forget = (now: number) => {
    for (const [address, { startedAt }] of windows) {
      if (windows.size <= mostAddresses && !isOver(startedAt, now)) break
      windows.delete(address)
    }
  }
  let sweptAt = clock.now()
  return {
    count(address) {
      const now = clock.now()
      if (windows.size > mostAddresses || now - sweptAt >= limits.windowMs) {
        forget(now)
        sweptAt = now
      }
      let window = windows.get(address)
      if (!window || isOver(window.startedAt, now)) {
        window = { startedAt: now, count: 0 }
        windows.delete(address)
        windows.set(address, window)
      }
      window.count += 1
      return describeWindow(limit, window.startedAt, window.count, now)
    },
  }
}
