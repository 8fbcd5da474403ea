// What a request's cost means, in a few plain words: fast, fair or slow, and why.
import { relationsOf, type Resource } from '../../catalogue/resource.ts'
import { findResource } from '../../catalogue/resources/index.ts'
import { nameOf, tallyOf } from '../../catalogue/tallies.ts'
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

function whySlow({ resource: name, path }: Cost, shape: Shape, findings: readonly Finding[]): string {
  const resource = findResource(name) as Resource
  const relations = relationsOf(resource).map((relation) => relation.name)
  const isOf = ({ relation }: Finding) => relation !== undefined && relations.includes(relation)
  const views = relations.filter((relation) => shape.relations.get(relation)?.isTable === false)
  if (views.length > 0)
    return `${views.join(' and ')} ${views.length === 1 ? 'is no table' : 'are no tables'}; index what is read there`
  if (path.includes('search=')) {
    const isMissing = findings.some(({ code }) => code === 'search_index_missing' || code === 'search_index_stale')
    if (isMissing) return 'the search index is not used'
  }
  if (findings.some((finding) => finding.code === 'index_missing' && isOf(finding)))
    return 'indexes are missing, see above'
  const tally = tallyOf(resource)
  const isTallied = !tally || shape.kept.tallies.has(nameOf(tally)) || /customer_id=|\/\d/.test(path)
  if (!isTallied) return 'all of it is counted; a tally would help'
  return 'many records match, or the machine is busy, or its disk is slow'
}
