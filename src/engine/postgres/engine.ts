// The engine on a PostgreSQL server: each plan is answered on one connection of a pool, within one read-only transaction
// that sees one snapshot. What is late is cancelled on the server and refused with 503, and so is what nobody waits for.
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { PostgresFailure, type PostgresConnection } from '../../postgres/connection.ts'
import { createPool } from '../../postgres/pool.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import { tallyOf } from '../../catalogue/tallies.ts'
import { findResource } from '../../catalogue/resources/index.ts'
import type { Plan } from '../../query/plan.ts'
import type { Dialect } from '../../sql/dialect.ts'
import { postgres } from '../../sql/postgres.ts'
import { createAnswerer, type Answerer } from '../answer.ts'
import { usualFarInto, type Engine } from '../engine.ts'
import type { Run } from '../run.ts'
import { tellOnce } from '../unknown-codes.ts'
import { lettersFoldedOtherwise } from './folding.ts'
import { watchLag } from './lag.ts'
import { rememberCounts } from './remembered.ts'
import { keptTallies } from './tallies.ts'

export interface PostgresEngineOptions {
  readonly url: PostgresUrl
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly farInto?: number
}

const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
// To plan a statement takes the server longer than to run it. Where there is an index for every order and filter, a plan that
// is made once is as good as any, if it is one that follows an index.
export const planOnce = {
  plan_cache_mode: 'force_generic_plan',
  enable_seqscan: 'off',
  enable_bitmapscan: 'off',
  enable_sort: 'off',
}
// What is best for a search, or over views, depends on the values.
const planEach = {
  plan_cache_mode: 'force_custom_plan',
  enable_seqscan: 'DEFAULT',
  enable_bitmapscan: 'DEFAULT',
  enable_sort: 'DEFAULT',
}
const setting = (set: string, settings: Readonly<Record<string, string>>) =>
  Object.entries(settings)
    .map(([name, value]) => `; ${set} ${name} TO ${value}`)
    .join('')
const beginEach = begin + setting('SET LOCAL', planEach)

export function createPostgresEngine({
  url,
  readers,
  statementTimeoutMs,
  log,
  farInto = usualFarInto,
}: PostgresEngineOptions): Engine {
  const pool = createPool({
    url,
    size: readers,
    // Whatever the role may do: its sessions only read.
    setUp: sessionSetUp(url, { timeoutMs: statementTimeoutMs, isReadOnly: true }) + setting('SET', planOnce),
    isPipelined: true,
    waitMs: statementTimeoutMs,
    workMs: statementTimeoutMs,
    onLost: (cause) => log.error('database_lost', { cause }),
    onBack: () => log.info('database_back'),
  })
  const onUnknownCode = tellOnce((column, code) => log.warn('unknown_code', { column, code }))
  const counting = rememberCounts()
  // Made once the server has been asked how it folds letters and what it counts.
  let made: { readonly dialect: Dialect; readonly answerer: Answerer } | undefined
  const askOnce = async (connection: PostgresConnection) => {
    if (made) return made
    const dialect = postgres(await lettersFoldedOtherwise(connection), await keptTallies(connection))
    made ??= { dialect, answerer: createAnswerer(dialect, onUnknownCode, farInto) }
    return made
  }
  // Before the first caller comes; if the server is away now, the first caller asks.
  void pool.use(askOnce).catch(() => {})
  const lag = watchLag(pool, log)

  const inSnapshot = async <Answer>(
    plan: Plan,
    signal: AbortSignal | undefined,
    answer: (answerer: Answerer, run: Run) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      const known = made ?? (await pool.use(askOnce, signal))
      const run = (connection: PostgresConnection) =>
        answer(
          known.answerer,
          counting(({ text, values }) => connection.rows(text, values)),
        )
      return await inTransaction(pool, run, { begin: isPlannedOnce(plan, known.dialect) ? begin : beginEach, signal })
    } catch (cause) {
      if (!(cause instanceof PostgresFailure)) throw cause
      const { resource, shows } = plan
      if (cause.isLate) log.warn('statement_stopped', { resource, shows, timeoutMs: statementTimeoutMs })
      throw new ApiError('temporarily_unavailable', { retryAfter: cause.isLate || cause.isCrowded ? 5 : 1, cause })
    }
  }

  return {
    list: (plan, signal) => inSnapshot(plan, signal, (answerer, run) => answerer.list(plan, run)),
    detail: (plan, signal) => inSnapshot(plan, signal, (answerer, run) => answerer.detail(plan, run)),
    lagSeconds: lag.seconds,
    async close() {
      lag.stop()
      await pool.close()
    },
  }
}

// Relations that are tallied are tables of the contract, with all its indexes.
function isPlannedOnce(plan: Plan, dialect: Dialect): boolean {
  if (plan.shows === 'detail') return true
  const resource = findResource(plan.resource)
  const tally = resource && tallyOf(resource)
  return tally !== undefined && dialect.hasTally(tally) && !plan.conditions.some(({ is }) => is === 'contains')
}
