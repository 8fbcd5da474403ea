// What a request's cost means, in a few plain words: fast, fair or slow, and why.
import { relationsOf, type Resource } from '../../catalogue/resource.ts'
import { findResource } from '../../catalogue/resources/index.ts'
import type { Finding } from './finding.ts'
import type { Shape } from './shape.ts'
import type { Cost } from './requests.ts'

export interface MeasuredRequest {
  readonly name: string
  readonly path: string
  // null: it was never answered.
  readonly median_ms: number | null
  readonly worst_ms: number | null
  readonly judgement: string
}

const fastMs = 50
const fairMs = 300

const rounded = (ms: number) => Math.round(ms * 10) / 10

interface Times {
  // After so long it was stopped here; the service gives it as long as that.
  readonly requestTimeoutMs: number
  readonly statementTimeoutMs: number
}

export function judge(cost: Cost, shape: Shape, findings: readonly Finding[], times: Times): MeasuredRequest {
  const { requestTimeoutMs, statementTimeoutMs } = times
  const { name, path, ms, stopped, refused } = cost
  const sorted = ms.toSorted((one, other) => one - other)
  const median = sorted[Math.floor((sorted.length - 1) / 2)]
  const worst = sorted.at(-1)
  const why = whySlow(cost, shape, findings)
  return {
    name,
    path,
    median_ms: median === undefined ? null : rounded(median),
    worst_ms: worst === undefined ? null : rounded(worst),
    judgement: judgement(),
  }
  function judgement(): string {
    if (refused !== undefined) return `refused: ${refused}`
    if (stopped) {
      const isAsServed = requestTimeoutMs >= statementTimeoutMs
      return `stopped: it took over ${requestTimeoutMs / 1000} s${isAsServed ? ', and callers get 503' : ''}; ${why}`
    }
    if (median === undefined) return 'not measured'
    if (median <= fastMs) return 'fast'
    return `${median <= fairMs ? 'fair' : 'slow'}: ${why}`
  }
}

function whySlow({ resource: name }: Cost, shape: Shape, findings: readonly Finding[]): string {
  const relations = relationsOf(findResource(name) as Resource).map((relation) => relation.name)
  const views = relations.filter((relation) => shape.relations.get(relation)?.isTable === false)
  if (views.length > 0)
    return `${views.join(' and ')} ${views.length === 1 ? 'is no table' : 'are no tables'}; index what is read there`
  if (findings.some(({ code }) => code === 'journal_missing')) return 'the journal is missing, see above'
  return 'many records match, or the machine is busy, or its disk is slow'
}
