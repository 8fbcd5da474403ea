// The clock of the service; tests set their own.

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

// ISO 8601 in a time zone, with its offset at that moment.
export function timeWithOffset(timeZone: string): (now: number) => string {
  // Made once, because making it is expensive.
  const format = new Intl.DateTimeFormat('en-US', {
    timeZone,
    hourCycle: 'h23',
    year: 'numeric',
    month: '2-digit',
    day: '2-digit',
    hour: '2-digit',
    minute: '2-digit',
    second: '2-digit',
    timeZoneName: 'longOffset',
  })
  return (now) => {
    const parts = Object.fromEntries(format.formatToParts(now).map(({ type, value }) => [type, value]))
    const offset = parts['timeZoneName']?.replace('GMT', '') || '+00:00'
    const day = `${parts['year']}-${parts['month']}-${parts['day']}`
    return `${day}T${parts['hour']}:${parts['minute']}:${parts['second']}${offset}`
  }
}
