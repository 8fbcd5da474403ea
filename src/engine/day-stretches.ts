// A range of days as few stretches of a tally: whole years, whole months and the days left over.
import type { Axis } from '../catalogue/tallies.ts'
import { axisName } from '../sql/tally-terms.ts'
import type { Stretch } from '../sql/tallies.ts'

// Both included; a day followed by '~' is not. Without a day, the range is open on that side.
export function daysBetween(axis: Axis, from: string | undefined, to: string | undefined): Stretch[] {
  const [years = 0, months = 0, days = 0] = axis.lengths
  const stretch = (length: number, least: string, below: string): Stretch[] =>
    least < below ? [{ axis: axisName(axis, length), from: least, below }] : []
  const end = to === undefined ? undefined : `${to}~`
  if (from !== undefined && end !== undefined && end <= from) return []
  if (from === undefined && end === undefined) return stretch(years, '0', '~')
  if (from === undefined) return [...stretch(years, '0', end?.slice(0, 4) ?? ''), ...upTo(end ?? '')]
  const [year, month] = [from.slice(0, 4), from.slice(0, 7)]
  if (end?.startsWith(month)) return stretch(days, from, end)
  const restOfMonth = stretch(days, from, `${month}~`)
  if (end?.startsWith(year)) return [...restOfMonth, ...stretch(months, `${month}~`, end.slice(0, 7)), ...inMonth(end)]
  const restOfYear = [...restOfMonth, ...stretch(months, `${month}~`, `${year}~`)]
  if (end === undefined) return [...restOfYear, ...stretch(years, `${year}~`, '~')]
  return [...restOfYear, ...stretch(years, `${year}~`, end.slice(0, 4)), ...upTo(end)]

  // From the beginning of its year, or of its month.
  function upTo(last: string): Stretch[] {
    return [...stretch(months, `${last.slice(0, 4)}-`, last.slice(0, 7)), ...inMonth(last)]
  }
  function inMonth(last: string): Stretch[] {
    return stretch(days, `${last.slice(0, 7)}-`, last)
  }
}
