// The header of lists and details that says how far a replica is behind, if that is more than a second.
import { toleratedLagSeconds, type Engine } from '../engine/engine.ts'

export function lagHeader(engine: Engine): Record<string, string> {
  const seconds = engine.lagSeconds()
  return seconds !== null && seconds > toleratedLagSeconds ? { 'X-Data-Lag-Seconds': String(Math.ceil(seconds)) } : {}
}
