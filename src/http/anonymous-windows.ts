// Windows of callers without a valid token, by address, in memory: a flood of such requests must not become a flood of
// writes to the state. /status can show one while everything else is down.
import type { Clock } from '../platform/clock.ts'
import { limits } from '../state/limits.ts'
import type { Window } from '../state/state.ts'
import { countOne, describeWindow, isOver, type Counter } from '../state/window.ts'

// More addresses than this within a minute: the oldest are forgotten.
const mostAddresses = 100_000

export interface AnonymousWindows {
  count(address: string): Window
  // Whether the next request would be one too many.
  isUsedUp(address: string): boolean
}

export function anonymousWindows(limit: number, clock: Clock): AnonymousWindows {
  const windows = new Map<string, Counter>()
  // Windows are kept in the order of their start: the first ones are over first.
  const forget = (now: number) => {
    for (const [address, window] of windows) {
      if (windows.size <= mostAddresses && !isOver(window, now)) break
      windows.delete(address)
    }
  }
  let sweptAt = clock.now()
  return {
    isUsedUp: (address) => describeWindow(limit, windows.get(address) ?? null, clock.now()).remaining === 0,
    count(address) {
      const now = clock.now()
      if (windows.size > mostAddresses || now - sweptAt >= limits.windowMs) {
        forget(now)
        sweptAt = now
      }
      const window = countOne(windows.get(address) ?? null, now)
      if (window.count === 1) windows.delete(address)
      windows.set(address, window)
      return describeWindow(limit, window, now)
    },
  }
}
