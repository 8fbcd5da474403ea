// A fixed window: it starts with its first request and lasts a minute.
import { limits } from './limits.ts'
import type { Window } from './state.ts'

// A clock that was set back does not lock anybody out: a window that starts in the future is over.
export const isOver = (startedAt: number, now: number) => now < startedAt || now - startedAt >= limits.windowMs

export function describeWindow(limit: number, startedAt: number, count: number, now: number): Window {
  if (isOver(startedAt, now))
    return { limit, remaining: limit, resetSeconds: limits.windowMs / 1000, isExceeded: false }
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.max(1, Math.ceil((startedAt + limits.windowMs - now) / 1000)),
    isExceeded: count > limit,
  }
}
