// How long a session of the console lasts.
import { limits } from './limits.ts'

export const sessionEnd = (startedAt: number, now: number): number =>
  Math.min(now + limits.sessionIdleMs, startedAt + limits.sessionMs)
