// The engine on a PostgreSQL server: each plan is answered on one connection of a pool, within one read-only transaction
// that sees one snapshot. What is late is cancelled on the server and refused with 503, and so is what nobody waits for.
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { PostgresFailure, type PostgresConnection } from '../../postgres/connection.ts'
import { createPool } from '../../postgres/pool.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import type { Plan } from '../../query/plan.ts'
import { postgres } from '../../sql/postgres.ts'
import { createAnswerer, type Answerer } from '../answer.ts'
import { usualFarInto, type Engine } from '../engine.ts'
import type { Run } from '../run.ts'
import { tellOnce } from '../unknown-codes.ts'
import { lettersFoldedOtherwise } from './folding.ts'
import { watchLag } from './lag.ts'
import { keptTallies } from './tallies.ts'

export interface PostgresEngineOptions {
  readonly url: PostgresUrl
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly farInto?: number
}

const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
// What is best for a list depends on the values: a plan that was made for any of them would read whole relations.
const beginList = `${begin}; SET LOCAL plan_cache_mode = force_custom_plan`

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
    setUp: sessionSetUp(url, { timeoutMs: statementTimeoutMs, isReadOnly: true }),
    waitMs: statementTimeoutMs,
    workMs: statementTimeoutMs,
    onLost: (cause) => log.error('database_lost', { cause }),
    onBack: () => log.info('database_back'),
  })
  const onUnknownCode = tellOnce((column, code) => log.warn('unknown_code', { column, code }))
  // Made once the server has been asked how it folds letters.
  let answerer: Answerer | undefined
  const askOnce = async (connection: PostgresConnection) =>
    (answerer ??= createAnswerer(
      postgres(await lettersFoldedOtherwise(connection), await keptTallies(connection)),
      onUnknownCode,
      farInto,
    ))
  // Before the first caller comes; if the server is away now, the first caller asks.
  void pool.use(askOnce).catch(() => {})
  const lag = watchLag(pool, log)

  const inSnapshot = async <Answer>(
    { resource, shows }: Plan,
    signal: AbortSignal | undefined,
    answer: (answerer: Answerer, run: Run) => Promise<Answer>,
  ): Promise<Answer> => {
    try {
      const known = answerer ?? (await pool.use(askOnce, signal))
      const run = (connection: PostgresConnection) => {
        const rows: Run['rows'] = ({ text, values }) => connection.rows(text, values)
        return answer(known, { rows, counts: rows })
      }
      return await inTransaction(pool, run, { begin: shows === 'list' ? beginList : begin, signal })
    } catch (cause) {
      if (!(cause instanceof PostgresFailure)) throw cause
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
