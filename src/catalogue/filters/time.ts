// Filters by time. `date_from` and `date_to` take a day and include all of it. `updated_since` takes a day or a time and includes that
// second, so that a client that continues from its last `updated_at` misses nothing.
import type { FilterKind, TimeFilter } from './filter.ts'
import { shown } from './words.ts'

const days = [31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]

export function isDay(text: string): boolean {
  const parts = /^(\d{4})-(\d{2})-(\d{2})$/.exec(text)
  if (!parts) return false
  const [year, month, day] = parts.slice(1).map(Number) as [number, number, number]
  const isLeap = (year % 4 === 0 && year % 100 !== 0) || year % 400 === 0
  const last = month === 2 && isLeap ? 29 : (days[month - 1] ?? 0)
  return year >= 1 && day >= 1 && day <= last
}

export const isTime = (text: string) =>
  isDay(text.slice(0, 10)) && /^T([01]\d|2[0-3]):[0-5]\d:[0-5]\d$/.test(text.slice(10))

const dayMessage = (text: string) => `${shown(text)} is not a date of the calendar, written YYYY-MM-DD.`

const dayFilter = (is: 'from' | 'to', time: string): FilterKind<TimeFilter> => ({
  read(text, { column }) {
    if (!isDay(text)) return { message: dayMessage(text) }
    return { value: [{ is, column, time: `${text}T${time}` }] }
  },
  omitted: () => [],
  describe: () => ({ type: 'date' }),
})

export const dayFrom = dayFilter('from', '00:00:00')
export const dayTo = dayFilter('to', '23:59:59')

export const since: FilterKind<TimeFilter> = {
  read(text, { column }) {
    if (isTime(text)) return { value: [{ is: 'from', column, time: text }] }
    if (isDay(text)) return { value: [{ is: 'from', column, time: `${text}T00:00:00` }] }
    return {
      message: `${shown(text)} is not a time of the calendar, written YYYY-MM-DD or YYYY-MM-DDTHH:MM:SS without a zone.`,
    }
  },
  omitted: () => [],
  describe: () => ({ type: 'date-time' }),
}
