// A fixed rate window: it starts with its first request and lasts a minute.
import { limits } from './limits.ts'
import type { Window } from './state.ts'
import { rows, type Row } from './steps.ts'

// A window as stored.
export interface Counter {
  readonly startedAt: number
  readonly count: number
}

// A window that starts in the future is over: a clock that was set back must not lock callers out.
export const isOver = ({ startedAt }: Counter, now: number) => now < startedAt || now - startedAt >= limits.windowMs

export const countOne = (counter: Counter | null, now: number): Counter =>
  counter && !isOver(counter, now)
    ? { startedAt: counter.startedAt, count: counter.count + 1 }
    : { startedAt: now, count: 1 }

export function describeWindow(limit: number, counter: Counter | null, now: number): Window {
  if (!counter || isOver(counter, now))
    return { limit, remaining: limit, resetSeconds: limits.windowMs / 1000, isExceeded: false }
  const { startedAt, count } = counter
  return {
    limit,
    remaining: Math.max(0, limit - count),
    resetSeconds: Math.max(1, Math.ceil((startedAt + limits.windowMs - now) / 1000)),
    isExceeded: count > limit,
  }
}

export const readCounter = ([startedAt, count]: Row): Counter | null =>
  typeof startedAt === 'number' ? { startedAt, count: Number(count) } : null

export const setWindow = (name: string, { startedAt, count }: Counter) => rows`
  INSERT INTO windows (name, started_at, count) VALUES (${name}, ${startedAt}, ${count})
  ON CONFLICT (name) DO UPDATE SET started_at = excluded.started_at, count = excluded.count`
