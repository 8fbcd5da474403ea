// The time, in one place, so that tests can set it.

export interface Clock {
  // Milliseconds since 1970.
  now(): number
}

export const systemClock: Clock = { now: () => Date.now() }

export function manualClock(start: number): Clock & { advance(ms: number): void } {
  let time = start
  return {
    now: () => time,
    advance(ms) {
      time += ms
    },
  }
}
