// Rate windows of callers without a valid token, by address. They are kept in memory, so that a flood of such requests does not
// become a flood of writes to the state, and /status can show one while everything else is down.
import type { Clock } from '../platform/clock.ts'
import { limits } from '../state/limits.ts'
import type { Window } from '../state/state.ts'
import { countOne, describeWindow, isOver, type Counter } from '../state/window.ts'

// If more addresses call within a minute, the oldest windows are dropped.
const mostAddresses = 100_000

export interface AnonymousWindows {
  count(address: string): Window
  // Whether the next request would exceed the limit.
  isUsedUp(address: string): boolean
}

export function anonymousWindows(limit: number, clock: Clock): AnonymousWindows {
  const windows = new Map<string, Counter>()
  // The map is in the order in which windows started, so the first ones are over first.
  const sweep = (now: number) => {
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
        sweep(now)
        sweptAt = now
      }
      const window = countOne(windows.get(address) ?? null, now)
      if (window.count === 1) windows.delete(address)
      windows.set(address, window)
      return describeWindow(limit, window, now)
    },
  }
}
