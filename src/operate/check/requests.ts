// Measures the most common requests on this database, through the engine that serves them. Slowness is never a failure. Each
// round has its own engine, so that nothing is cached.
import { permissions, type Access } from '../../catalogue/access.ts'
import { findResource } from '../../catalogue/resources/index.ts'
import { relationsOf, type Resource } from '../../catalogue/resource.ts'
import type { Engine } from '../../engine/engine.ts'
import { startEngine } from '../../engine/open.ts'
import { ApiError, lateCauses } from '../../errors.ts'
import { createLog } from '../../platform/log.ts'
import { limits } from '../../query/limits.ts'
import { planDetail } from '../../query/plan-detail.ts'
import { planList } from '../../query/plan-list.ts'
import type { DetailPlan, ListPlan } from '../../query/plan.ts'
import type { DatabaseUrl } from '../../settings/types.ts'
import type { OnProgress } from '../progress.ts'
import { later } from './local-time.ts'
import type { Finding } from './finding.ts'
import type { DatabaseShape } from './database.ts'

interface RequestCost {
  readonly name: string
  readonly path: string
  // One for each answered round.
  readonly ms: number[]
  isLate: boolean
  refused?: string
}

export interface MeasuredRequest {
  readonly name: string
  readonly path: string
  // null: it was never answered.
  readonly median_ms: number | null
  readonly worst_ms: number | null
  readonly judgement: string
}

interface MeasureOptions {
  readonly url: DatabaseUrl
  readonly shape: DatabaseShape
  // So far.
  readonly findings: readonly Finding[]
  // Of these measurements; the other one is the service's.
  readonly requestTimeoutMs: number
  readonly statementTimeoutMs: number
  readonly now: string
  readonly rounds: number
  readonly onProgress: OnProgress
}

// A request that takes longer is not repeated.
const longMs = 1000
const everything: Access = { permissions, stores: null, priceList: null }

export async function measureRequests(options: MeasureOptions) {
  const costs = await measure(options)
  return { requests: costs.map((cost) => judge(cost, options)), findings: refusals(costs) }
}

async function measure({ url, requestTimeoutMs, now, rounds, onProgress }: MeasureOptions): Promise<RequestCost[]> {
  const log = createLog('silent', () => {})
  const costs: RequestCost[] = []
  for (let round = 0; round < rounds; round += 1) {
    const engine = await startEngine(url, { readers: 1, statementTimeoutMs: requestTimeoutMs, log })
    try {
      if (round === 0)
        for (const [name, path] of Object.entries(await commonRequests(engine, now)))
          costs.push({ name, path, ms: [], isLate: false })
      // Not measured, because the first request also waits until the database is open.
      else await ask(engine, '/stores').catch(() => {})
      for (const [at, cost] of costs.entries()) {
        onProgress({ what: 'requests', done: round * costs.length + at, total: rounds * costs.length })
        if (cost.isLate || cost.refused !== undefined || cost.ms.some((ms) => ms > longMs)) continue
        const begun = performance.now()
        try {
          await ask(engine, cost.path)
          cost.ms.push(performance.now() - begun)
        } catch (error) {
          if (isLate(error)) cost.isLate = true
          else cost.refused = reasonOf(error)
        }
      }
    } finally {
      await engine.close()
    }
  }
  onProgress({ what: 'requests', done: rounds * costs.length, total: rounds * costs.length })
  return costs
}

// One finding for each resource.
function refusals(costs: readonly RequestCost[]): Finding[] {
  const refused = costs.filter((cost) => cost.refused !== undefined)
  return [...Map.groupBy(refused, ({ path }) => resourceOf(path))].map(([{ relation }, each]) => ({
    code: 'request_refused',
    relation,
    count: each.length,
    message: `The database rejects the queries of ${each.map(({ path }) => path).join(', ')}: ${each[0]?.refused?.replace(/\.$/, '')}.`,
    remedy: 'Fix the view, or the tables it reads: callers would get 503.',
  }))
}

const resourceOf = (path: string) => findResource(path.split(/[/?]/)[1] ?? '') as Resource

const search = (path: string, text: unknown) => `${path}?search=${encodeURIComponent(wordOf(text))}`

// Typical requests of integrations, with values from this database: name → path.
async function commonRequests(engine: Engine, now: string): Promise<Readonly<Record<string, string>>> {
  const [invoice, product] = [await newest(engine, '/invoices'), await newest(engine, '/products')]
  const lastPage = Math.max(1, Math.min(limits.page, Math.ceil(invoice.total / limits.perPage)))
  const date = invoice.record['date']?.toString() ?? now
  return {
    'newest invoices': '/invoices',
    'one invoice': `/invoices/${invoice.record['id'] ?? 1}`,
    'invoices since yesterday': `/invoices?updated_since=${later(now, -86_400)}&sort=updated_at`,
    'invoices of a month': `/invoices?date_from=${date.slice(0, 7)}-01&date_to=${date.slice(0, 10)}`,
    'invoices of a customer': `/invoices?customer_id=${invoice.record['customer_id'] ?? 1}`,
    'invoices by a word': search('/invoices', invoice.record['customer_name']),
    'last page of invoices': `/invoices?page=${lastPage}&per_page=${limits.perPage}`,
    'products by name': '/products',
    'products by a word': search('/products', product.record['name']),
    'customers by name': '/customers',
  }
}

type JsonRecord = Readonly<Record<string, string | number | null>>

async function newest(engine: Engine, path: string): Promise<{ total: number; record: JsonRecord }> {
  try {
    const { body, total } = await engine.list(planFor(path) as ListPlan)
    const { data } = JSON.parse(Buffer.from(body).toString()) as { data: JsonRecord[] }
    return { total, record: data[0] ?? {} }
  } catch {
    // The measured request will fail, too, and report it.
    return { total: 0, record: {} }
  }
}

// The beginning of a word.
const wordOf = (text: unknown) => /\p{L}{2,4}/u.exec(typeof text === 'string' ? text : '')?.[0] ?? 'an'

function planFor(path: string): ListPlan | DetailPlan {
  const resource = resourceOf(path)
  const [route = '', query = ''] = path.split('?')
  const id = route.split('/')[2]
  const planned = id === undefined ? planList(resource, query, everything) : planDetail(resource, id, query, everything)
  if ('faults' in planned) throw new Error(`${path}: ${planned.faults.map(({ message }) => message).join(' ')}`)
  return planned.plan
}

// Async, so that a fault of the plan rejects.
async function ask(engine: Engine, path: string) {
  const plan = planFor(path)
  return plan.shows === 'list' ? engine.list(plan) : engine.detail(plan)
}

// Stopped, or waited too long for a reader.
function isLate(error: unknown): boolean {
  if (!(error instanceof ApiError)) return false
  const { cause } = error
  if (cause === lateCauses.stopped || cause === lateCauses.waited) return true
  const { isLate: late, isCrowded } = (cause ?? {}) as { isLate?: boolean; isCrowded?: boolean }
  return late === true || isCrowded === true
}

function reasonOf(error: unknown): string {
  const { cause } = error as { cause?: unknown }
  if (cause instanceof Error) return cause.message
  return typeof cause === 'string' ? cause : (error as Error).message
}

const fastMs = 50
const fairMs = 300

const rounded = (ms: number | undefined) => (ms === undefined ? null : Math.round(ms * 10) / 10)

function judge(
  cost: RequestCost,
  { shape, findings, requestTimeoutMs, statementTimeoutMs }: MeasureOptions,
): MeasuredRequest {
  const { name, path, refused } = cost
  const sorted = cost.ms.toSorted((one, other) => one - other)
  const median = sorted[Math.floor((sorted.length - 1) / 2)]
  const why = whySlow(cost, shape, findings)
  const given = { name, path, median_ms: rounded(median), worst_ms: rounded(sorted.at(-1)) }
  if (refused !== undefined) return { ...given, judgement: `refused: ${refused}` }
  if (cost.isLate) {
    const outcome = requestTimeoutMs >= statementTimeoutMs ? ', and callers get 503' : ''
    return { ...given, judgement: `stopped: it took over ${requestTimeoutMs / 1000} s${outcome}; ${why}` }
  }
  if (median === undefined) return { ...given, judgement: 'not measured' }
  return { ...given, judgement: median <= fastMs ? 'fast' : `${median <= fairMs ? 'fair' : 'slow'}: ${why}` }
}

function whySlow({ path }: RequestCost, shape: DatabaseShape, findings: readonly Finding[]): string {
  const relations = relationsOf(resourceOf(path)).map(({ name }) => name)
  const views = relations.filter((relation) => shape.relations.get(relation)?.isTable === false)
  if (views.length > 0)
    return `${views.join(' and ')} ${views.length === 1 ? 'is no table' : 'are no tables'}; index the tables behind ${views.length === 1 ? 'it' : 'them'}`
  if (findings.some(({ code }) => code === 'journal_missing')) return 'the journal is missing, see above'
  return 'many records match, or the machine is busy, or its disk is slow'
}
