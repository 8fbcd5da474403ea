// Preloaded into a process (NODE_OPTIONS=--import …): its wall clock is CLOCK_SHIFT_MS off, ahead or behind. What measures
// how long something takes (performance.now, timers) stays right, as on a machine whose clock was set wrong.
import type { Settings } from './process.ts'

const shiftMs = Number(process.env['CLOCK_SHIFT_MS'] ?? 0)
const rightNow = Date.now
const shiftedNow = () => rightNow() + shiftMs

if (shiftMs !== 0) {
  globalThis.Date = new Proxy(Date, {
    construct: (date, values, target) =>
      Reflect.construct(date, values.length === 0 ? [shiftedNow()] : values, target) as Date,
    apply: () => new Date().toString(),
    get: (date, name) => (name === 'now' ? shiftedNow : (Reflect.get(date, name) as unknown)),
  })
}

/** For the process whose clock is to be off. */
export const clockOff = (ms: number): Settings => ({
  NODE_OPTIONS: `--import=${import.meta.url}`,
  CLOCK_SHIFT_MS: String(ms),
})
