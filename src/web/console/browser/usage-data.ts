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

// Elapsed hours, so that every hour is one bar, also when the clocks change.
function nextEdge(edge: Date, unit: Unit): Date {
  if (unit === 'hour') return new Date(edge.getTime() + hourMs)
  const [year, at, today] = [edge.getFullYear(), edge.getMonth(), edge.getDate()]
  return unit === 'day' ? new Date(year, at, today + 1) : new Date(year, at + 1, 1)
}

function cut(span: Period['span'], unit: Unit, from: Date, end: Date): Period {
  const edges = [from]
  for (let edge = from; edge < end; edges.push(edge))
    edge = new Date(Math.min(nextEdge(edge, unit).getTime(), end.getTime()))
  return { span, unit, edges }
}

// The last hours, days or months, the present one included.
function latest(span: (typeof spans)[number], now: Date): Period {
  const [year, at, today] = [now.getFullYear(), now.getMonth(), now.getDate()]
  if (span === 'month') return cut(span, 'day', new Date(year, at, today - 29), new Date(year, at, today + 1))
  if (span === 'year') return cut(span, 'month', new Date(year, at - 11, 1), new Date(year, at + 1, 1))
  const end = new Date(year, at, today, now.getHours()).getTime() + hourMs
  return cut(span, 'hour', new Date(end - 24 * hourMs), new Date(end))
}

const readDay = (text: string | null): Date | undefined => {
  const [, year, at, own] = /^(\d{4})-(\d\d)-(\d\d)$/.exec(text ?? '')?.map(Number) ?? []
  return year === undefined ? undefined : new Date(year, (at ?? 1) - 1, own)
}

// Up to two days by the hour, up to three months by the day, else by the month.
function ownPeriod(from: Date, to: Date): Period {
  const end = nextEdge(to, 'day')
  const days = Math.round((end.getTime() - from.getTime()) / dayMs)
  return cut('own', days <= 2 ? 'hour' : days <= 92 ? 'day' : 'month', from, end)
}

export function readPeriod(query: URLSearchParams, now = new Date()): Period {
  const [from, to] = [readDay(query.get('from')), readDay(query.get('to'))]
  if (from && to && from <= to) return ownPeriod(from, to)
  return latest(spans.find((each) => each === query.get('span')) ?? 'day', now)
}

export const usageQuery = ({ edges: [from = new Date(), ...rest] }: Period, key: string): URLSearchParams => {
  const times = { from: from.toISOString(), to: (rest.at(-1) ?? from).toISOString() }
  return new URLSearchParams(key === '' ? times : { ...times, key })
}

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
