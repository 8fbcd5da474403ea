// The usage of keys: what is counted of each answer, and how it is summed up.
import { raw, sql, where, type Sql } from './steps.ts'

// Why a request was refused.
export const causes = ['rate_limited', 'not_allowed', 'bad_request', 'not_found', 'server_error'] as const
type Cause = (typeof causes)[number]
type Outcome = 'answered' | Cause

export function outcomeOf(status: number): Outcome {
  if (status === 200) return 'answered'
  if (status === 429) return 'rate_limited'
  if (status === 401 || status === 403) return 'not_allowed'
  if (status === 404) return 'not_found'
  return status >= 500 ? 'server_error' : 'bad_request'
}

interface UsageDimensions {
  // The beginning of an hour.
  readonly hour: number
  readonly accessKey: string
  // A resource of the catalogue, `changes`, or `other`.
  readonly resource: string
}
export type UsageDimension = keyof UsageDimensions

// The answers to one key in one hour about one resource that ended alike.
export interface Usage extends UsageDimensions {
  readonly outcome: Outcome
  readonly requests: number
  readonly records: number
}

export interface UsageRange {
  // Inclusive.
  readonly from: number
  // Exclusive.
  readonly to: number
  // null or absent: all of them.
  readonly accessKey?: string | null
  readonly resource?: string | null
  // The most rows.
  readonly limit?: number
}

export interface UsageSum {
  // Refused ones included.
  readonly requests: number
  readonly records: number
  readonly refusals: Readonly<Record<Cause, number>>
}

export type UsageBy<By extends UsageDimension> = Pick<UsageDimensions, By> & UsageSum

export const countRefusals = ({ refusals }: Pick<UsageSum, 'refusals'>): number =>
  causes.reduce((sum, cause) => sum + refusals[cause], 0)

const columns: Readonly<Record<UsageDimension, string>> = {
  hour: 'hour',
  accessKey: 'access_key',
  resource: 'resource',
}
// PostgreSQL sums up bigint as numeric.
const sumOf = (what: string) => `CAST(sum(${what}) AS bigint)`
const sums = raw(
  [
    sumOf('requests'),
    sumOf('records'),
    ...causes.map((cause) => sumOf(`CASE WHEN outcome = '${cause}' THEN requests ELSE 0 END`)),
  ].join(', '),
)

// The columns of the result are `by`, then the sums.
export function usageStatement(by: readonly UsageDimension[], range: UsageRange): Sql {
  const { from, to, accessKey, resource, limit } = range
  const conditions = where([
    ['hour >=', from],
    ['hour <', to],
    ['access_key =', accessKey],
    ['resource =', resource],
  ])
  const names = raw(by.map((name) => columns[name]).join(', '))
  const most = limit === undefined ? raw('') : sql`LIMIT ${limit}`
  return sql`SELECT ${names}, ${sums} FROM usage ${conditions} GROUP BY ${names} ORDER BY ${names} ${most}`
}

export function readUsage<By extends UsageDimension>(by: readonly By[], row: readonly unknown[]): UsageBy<By> {
  const dimensions = by.map((name, at) => [name, name === 'hour' ? Number(row[at]) : String(row[at])])
  const [requests = 0, records = 0, ...refused] = row.slice(by.length).map(Number)
  return {
    ...(Object.fromEntries(dimensions) as Pick<UsageDimensions, By>),
    requests,
    records,
    refusals: Object.fromEntries(causes.map((cause, at) => [cause, refused[at] ?? 0])) as Record<Cause, number>,
  }
}
