// The last day of a key in the company's time zone: reads it as typed, and tells how near it is.
import { timeWithOffset } from '../platform/clock.ts'
import type { Expiry, Key } from '../state/state.ts'
import { keyFault, type InputFault } from './faults.ts'

// A day as typed, or `never`.
export interface ExpiryInput {
  readonly text: string
  readonly timeZone: string
  readonly now: number
}

const dayMs = 86_400_000

// Later years are mistakes, or mean `never`.
const [firstDay, lastDay] = ['1970-01-02', '9998-12-31']

export function readExpiry({ text, timeZone, now }: ExpiryInput, faults: InputFault[]): Expiry | null {
  if (text === 'never') return null
  const midnight = /^\d{4}-\d\d-\d\d$/.test(text) ? Date.parse(`${text}T00:00:00Z`) : Number.NaN
  // February 30 is read as March 2.
  const isDay = !Number.isNaN(midnight) && new Date(midnight).toISOString().slice(0, 10) === text
  if (!isDay || text < firstDay || text > lastDay) {
    faults.push(keyFault('expires.invalid', { given: text }))
    return null
  }
  const at = endOfDay(text, midnight + dayMs, timeZone)
  if (at <= now) faults.push(keyFault('expires.past', { given: text }))
  return { day: text, at }
}

// The moment at which the day ends in the time zone. If clocks change around midnight, there are two candidates: the right one is
// where the date really changes; the later one if it changes twice.
function endOfDay(day: string, nextMidnight: number, timeZone: string): number {
  const timeIn = timeWithOffset(timeZone)
  const offsetAt = (moment: number) => Date.parse(`${timeIn(moment).slice(0, 19)}Z`) - moment
  const dayAt = (moment: number) => timeIn(moment).slice(0, 10)
  const moments = [-dayMs, dayMs].map((away) => nextMidnight - offsetAt(nextMidnight + away))
  return Math.max(...moments.filter((moment) => dayAt(moment) > day && dayAt(moment - 1) <= day))
}

export const isExpired = ({ expires }: Pick<Key, 'expires'>, now: number): boolean =>
  expires !== null && expires.at <= now

const daysAhead = 30

// Days until the last day, 0: today. null: no expiry within thirty days, or expired.
export function daysLeft({ expires }: Pick<Key, 'expires'>, now: number): number | null {
  if (!expires || expires.at <= now) return null
  const left = Math.floor((expires.at - now) / dayMs)
  return left <= daysAhead ? left : null
}

export const keyState = (key: Key, now: number): 'revoked' | 'expired' | 'disabled' | 'active' =>
  key.revokedAt !== null ? 'revoked' : isExpired(key, now) ? 'expired' : key.isDisabled ? 'disabled' : 'active'
