// Times in a query of the page: ISO 8601, as the page itself gets them.
import type { Fault } from '../../keys/faults.ts'
import { consoleFault } from './faults.ts'

export function readTime(query: URLSearchParams, name: string): number | Fault | undefined {
  const text = query.get(name)
  if (text === null) return undefined
  const time = /^\d{4}-\d\d-\d\dT/.test(text) ? Date.parse(text) : Number.NaN
  return Number.isNaN(time) ? consoleFault('time_invalid', { name }) : time
}
