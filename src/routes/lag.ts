// How far the data is behind the tills, as callers read it: a header on lists and details while it is more than a second.
import { toleratedLagSeconds, type Engine } from '../engine/engine.ts'

export function lagHeader(engine: Engine): Record<string, string> {
  const seconds = engine.lagSeconds()
  return seconds !== null && seconds > toleratedLagSeconds ? { 'X-Data-Lag-Seconds': String(Math.ceil(seconds)) } : {}
}
