// Usage as the service counts it, by hour, and as the page shows it: a period, cut into bars of hours, days or months.
import { causes } from '../../../state/usage.ts'
import type { Usage, UsageAnswer } from '../answers.ts'
import { get } from './ask.ts'
import { sumOf, type Bar } from './chart.tsx'
import { day, hour, month, shortDay, shortHour, shortMonth, t } from './language.ts'

export const spans = ['day', 'month', 'year'] as const
type Unit = 'hour' | 'day' | 'month'

// `edges`: when each bar begins; the last entry is the end. Days and months are in the time zone of the browser.
export interface Period {
  readonly span: (typeof spans)[number] | 'own'
  readonly unit: Unit
  readonly edges: readonly Date[]
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

// The last hours, days or months, the present one included.
function latest(span: 'day' | 'month' | 'year', now: Date): Period {
  const [year, at, today] = [now.getFullYear(), now.getMonth(), now.getDate()]
  if (span === 'day') {
    // Counts elapsed hours, so that every hour is one bar, also when the clocks change.
    const next = new Date(year, at, today, now.getHours()).getTime() + hourMs
    return { span, unit: 'hour', edges: Array.from({ length: 25 }, (_, each) => new Date(next - (24 - each) * hourMs)) }
  }
  if (span === 'month')
    return { span, unit: 'day', edges: Array.from({ length: 31 }, (_, each) => new Date(year, at, today - 29 + each)) }
  return { span, unit: 'month', edges: Array.from({ length: 13 }, (_, each) => new Date(year, at - 11 + each, 1)) }
}

const readDay = (text: string | null): Date | undefined => {
  const [, year, at, own] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '')?.map(Number) ?? []
  return year === undefined ? undefined : new Date(year, (at ?? 1) - 1, own)
}

// Up to two days by the hour, up to three months by the day, else by the month.
function ownPeriod(from: Date, to: Date): Period {
  const end = new Date(to.getFullYear(), to.getMonth(), to.getDate() + 1)
  const days = Math.round((end.getTime() - from.getTime()) / dayMs)
  const unit = days <= 2 ? 'hour' : days <= 92 ? 'day' : 'month'
  const edges: Date[] = [from]
  for (let last = from; last < end; edges.push(last)) {
    const [year, at, own] = [last.getFullYear(), last.getMonth(), last.getDate()]
    const next = unit === 'day' ? new Date(year, at, own + 1) : new Date(year, at + 1, 1)
    last = unit === 'hour' ? new Date(last.getTime() + hourMs) : next
    if (last > end) last = end
  }
  return { span: 'own', unit, edges }
}

export function readPeriod(query: URLSearchParams, now = new Date()): Period {
  const [from, to] = [readDay(query.get('from')), readDay(query.get('to'))]
  if (from && to && from <= to) return ownPeriod(from, to)
  return latest(spans.find((each) => each === query.get('span')) ?? 'day', now)
}

const timesOf = ({ edges }: Period) => ({
  from: (edges[0] ?? new Date()).toISOString(),
  to: (edges.at(-1) ?? new Date()).toISOString(),
})

export const usageQuery = (period: Period, key: string): URLSearchParams =>
  new URLSearchParams({ ...timesOf(period), ...(key === '' ? {} : { key }) })

export const readUsage = (period: Period, key: string): Promise<UsageAnswer> =>
  get<UsageAnswer>(`/api/usage?${usageQuery(period, key)}`)

const labels: Readonly<Record<Unit, (time: Date) => { label: string; when: string }>> = {
  hour: (time) => ({ label: shortHour(time), when: `${shortDay(time)}, ${hour(time)}` }),
  day: (time) => ({ label: shortDay(time), when: day(time) }),
  month: (time) => ({ label: shortMonth(time), when: month(time) }),
}

export const refusedOf = ({ refusals }: Usage): number => sumOf(Object.values(refusals))

export function slotsOf({ unit, edges }: Period, hours: UsageAnswer['hours'], now = new Date()): (Bar & Usage)[] {
  const byEdge = Map.groupBy(hours, (each) => edges.findLastIndex((edge) => edge.getTime() <= Date.parse(each.hour)))
  return edges.slice(0, -1).map((begin, at) => {
    const [own, end] = [byEdge.get(at) ?? [], edges[at + 1] ?? now]
    const requests = sumOf(own.map((each) => each.requests))
    const sums = causes.map((cause) => [cause, sumOf(own.map(({ refusals }) => refusals[cause]))] as const)
    const refusals = Object.fromEntries(sums) as Usage['refusals']
    const isPartial = begin <= now && now < end
    const { label, when } = labels[unit](begin)
    return {
      label,
      when: isPartial ? `${when} (${t.usage.partial})` : when,
      parts: { answered: Math.max(0, requests - sumOf(Object.values(refusals))), ...refusals },
      isPartial,
      requests,
      records: sumOf(own.map((each) => each.records)),
      refusals,
    }
  })
}
