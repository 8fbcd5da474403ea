// The company's three years: days from 2023-10-01 (day 0) to 2026-09-30, opening hours, closed days and seasons.
// A moment is a whole number of seconds since day 0; times before day 0 are negative.
import type { Random } from './random.ts'

const DAY_MS = 86_400_000
const FIRST_DAY = Date.UTC(2023, 9, 1) / DAY_MS

export const DAY = 86_400
export const DAYS = Date.UTC(2026, 9, 1) / DAY_MS - FIRST_DAY
export const LAST_MOMENT = DAYS * DAY - 1
const dayOf = (text: string) => Date.parse(`${text}T00:00:00Z`) / DAY_MS - FIRST_DAY

// What is older than fifteen months is in the archive.
export const ARCHIVE_END = dayOf('2025-07-01') * DAY

// New Year and Ancestors' Day, Christmas, Good Friday, Mardi Gras.
const closedDays = new Set(
  `2023-12-25 2024-01-01 2024-01-02 2024-02-13 2024-03-29 2024-12-25 2025-01-01 2025-01-02 2025-03-04 2025-04-18
   2025-12-25 2026-01-01 2026-01-02 2026-02-17 2026-04-03`
    .split(/\s+/)
    .map(dayOf),
)
const carnivals = ['2024-02-13', '2025-03-04', '2026-02-17'].map(dayOf)
const monthWeights = [86, 95, 95, 97, 100, 100, 100, 114, 135, 98, 102, 140]
// Sunday first.
const weekdayWeights = [34, 98, 92, 94, 100, 116, 124]
const opens = 8 * 3600

const isoDay = (day: number) => new Date((FIRST_DAY + day) * DAY_MS).toISOString().slice(0, 10)
const days = Array.from({ length: DAYS }, (_, day) => isoDay(day))
const twoDigits = (value: number) => String(value).padStart(2, '0')
const minutes = Array.from({ length: 1440 }, (_, at) => `T${twoDigits(Math.floor(at / 60))}:${twoDigits(at % 60)}:`)
const seconds = Array.from({ length: 60 }, (_, at) => twoDigits(at))

export const dayText = (day: number) => days[day] ?? isoDay(day)

export function momentText(moment: number): string {
  const day = Math.floor(moment / DAY)
  const within = moment - day * DAY
  const minute = Math.floor(within / 60)
  return dayText(day) + (minutes[minute] ?? '') + (seconds[within - minute * 60] ?? '')
}

export const dayAt = (moment: number) => Math.floor(moment / DAY)
export const daysLeft = (moment: number) => DAYS - 1 - dayAt(moment)
export const weekday = (day: number) => (((FIRST_DAY + day + 4) % 7) + 7) % 7

export const isOpen = (day: number) => !closedDays.has(day)

export function nextOpenDay(day: number): number {
  let open = day
  while (!isOpen(open)) open += 1
  return open
}

// Monday to Saturday from 8 to 18, on Sunday until 13; busiest in the late morning. The till closes a quarter earlier.
export function openMoment(random: Random, day: number): number {
  const open = nextOpenDay(day)
  const length = (weekday(open) === 0 ? 5 : 10) * 3600 - 900
  const spread = random.below(length)
  const crowd = Math.floor((random.below(length) + random.below(length)) / 2)
  return open * DAY + opens + (random.chance(55) ? crowd : spread)
}

// Later on the same opening day, or on an opening day after it: when a document is corrected or completed.
export function laterMoment(random: Random, moment: number, fromDays: number, toDays: number): number {
  const later = openMoment(random, dayAt(moment) + random.between(fromDays, toDays))
  return later > moment ? later : moment + random.between(60, 900)
}

// The same for a correction, which is made before the last day ends.
export function correctedMoment(random: Random, moment: number, fromDays: number, toDays: number): number {
  const later = laterMoment(random, moment, fromDays, toDays)
  return later <= LAST_MOMENT ? later : moment + random.between(60, 900)
}

// How busy a day is, against others: weekday, season, holidays and a company that slowly grows.
export function busyness(day: number): number {
  if (!isOpen(day)) return 0
  const text = dayText(day)
  const month = Number(text.slice(5, 7))
  let weight = (weekdayWeights[weekday(day)] ?? 100) * (monthWeights[month - 1] ?? 100)
  if (month === 12 && Number(text.slice(8)) >= 12) weight *= 1.3
  if (carnivals.some((carnival) => day < carnival && day >= carnival - 9)) weight *= 1.25
  return Math.round(weight * (1 + (0.3 * day) / DAYS))
}

// The weeks before and after school opens.
export const isSchoolSeason = (day: number) => {
  const text = dayText(day).slice(5)
  return text >= '08-10' && text <= '10-05'
}
