// How the usage of keys is summed up.
import { raw, sql, where, type Sql } from './steps.ts'
import { causes } from './usage.ts'
import type { Cause, UsageBy, UsageDimension, UsageDimensions, UsageRange } from './usage.ts'

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
