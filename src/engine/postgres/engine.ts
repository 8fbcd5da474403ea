// The engine on a PostgreSQL server: each plan, or those that go together, is answered on one connection of a pool, within one
// read-only transaction that sees one snapshot. What is late is cancelled on the server and refused with 503, and so is what nobody waits for.
import { tallies } from '../../catalogue/tallies.ts'
import { ApiError } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { PostgresFailure, type PostgresConnection } from '../../postgres/connection.ts'
import { createPool } from '../../postgres/pool.ts'
import { sessionSetUp } from '../../postgres/session.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import type { PostgresUrl } from '../../settings/postgres-url.ts'
import type { Plan } from '../../query/plan.ts'
import type { Dialect } from '../../sql/dialect.ts'
import { postgres } from '../../sql/postgres.ts'
import { alikeIn, type Plans } from '../alike.ts'
import { createAnswerer, type Answerer } from '../answer.ts'
import { unlimited, type Budget } from '../budget.ts'
import { usualFarInto, type Answer, type Asker, type Engine, type ListAnswer } from '../engine.ts'
import { createLongPlans } from '../long-plans.ts'
import { rememberPieces } from '../pieces.ts'
import { tellOfStale } from '../stale.ts'
import { tellOnce } from '../unknown-codes.ts'
import { areTables, rememberAnswers } from './answers.ts'
import { lettersFoldedOtherwise } from './folding.ts'
import { watchLag } from './lag.ts'
import { isPlannedOnce, planEach, planOnce } from './planning.ts'
import { rememberCounts } from './remembered.ts'
import { findTallies } from './tallies.ts'
import { createTurns } from './turns.ts'

interface PostgresEngineOptions {
  readonly url: PostgresUrl
  readonly readers: number
  readonly statementTimeoutMs: number
  readonly log: Log
  readonly budget?: Budget
  readonly farInto?: number
}

const lookForTalliesEveryMs = 30_000
const begin = 'BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY'
// No right to read, no such table, no such column: a tally may have gone while we serve. What is there is asked again, once.
const tallyLost = new Set(['42501', '42P01', '42703'])
// A view was made anew with other types, and the connection has a statement that was prepared for the old ones.
const typeChanged = '0A000'

// A server notices by itself that we have gone, should every request to cancel have come before the statement began. Not every
// version has the setting, and not every system that it runs on can.
const noticeLeaving = `; SELECT set_config('client_connection_check_interval', '1s', false)
  FROM pg_catalog.pg_settings WHERE name = 'client_connection_check_interval' AND version() LIKE '%linux%'`

export function createPostgresEngine({
  url,
  readers,
  statementTimeoutMs,
  log,
  budget = unlimited,
  farInto = usualFarInto,
}: PostgresEngineOptions): Engine {
  const sessions = {
    url,
    // Whatever the role may do: its sessions only read.
    setUp: sessionSetUp(url, { timeoutMs: statementTimeoutMs, isReadOnly: true }) + planOnce + noticeLeaving,
    isPipelined: true,
    waitMs: statementTimeoutMs,
    workMs: statementTimeoutMs,
    onGone: () => {
      answers.forget()
      // The database may not be the one that they were counted in.
      pieces.forget()
    },
  }
  const pool = createPool({
    ...sessions,
    size: readers,
    onLost: (cause) => log.error('database_lost', { cause }),
    onBack: () => log.info('database_back'),
  })
  const lookout = createPool({ ...sessions, size: 1, onLost: () => {}, onBack: () => {} })
  const answers = rememberAnswers(lookout)
  const pieces = rememberPieces()
  const longPlans = createLongPlans(farInto)
  let stopped = 0
  const onUnknownCode = tellOnce((column, code) => log.warn('unknown_code', { column, code }))
  const counting = rememberCounts()
  const told = tellOfStale(log)
  // Made once the server has been asked how it folds letters and what it counts.
  let made: { readonly dialect: Dialect; readonly tallies: string; readonly answerer: Answerer } | undefined
  let letters: Set<string> | undefined
  let isWhole = false
  let isOfTables = false
  const askNow = async (connection: PostgresConnection) => {
    letters ??= await lettersFoldedOtherwise(connection)
    await answers.ask(connection)
    isOfTables = await areTables(connection).catch(() => false)
    const { kept, stale } = await findTallies(connection)
    told.tell({ tallies: stale, searches: [] })
    isWhole = kept.size === tallies.length
    const names = [...kept].toSorted().join()
    if (made?.tallies === names) return made
    const dialect = postgres(letters, kept)
    made = { dialect, tallies: names, answerer: createAnswerer(dialect, onUnknownCode, farInto, pieces) }
    return made
  }
  const askOnce = async (connection: PostgresConnection) => made ?? askNow(connection)
  // Before the first caller comes; if the server is away now, the first caller asks.
  void pool.use(askOnce).catch(() => {})
  // Somebody may make them while we serve.
  const looking = setInterval(() => {
    if (!isWhole) void pool.use(askNow).catch(() => {})
  }, lookForTalliesEveryMs)
  looking.unref()
  const lag = watchLag(pool, log)

  const readOnce = async (plans: Plans, signal: AbortSignal | undefined): Promise<readonly Answer[]> => {
    const known = made ?? (await pool.use(askOnce, signal))
    const run = (connection: PostgresConnection) =>
      answers.keep(plans, connection, () =>
        known.answerer.answer(
          plans,
          counting(({ text, values }) => connection.rows(text, values)),
        ),
      )
    return inTransaction(pool, run, {
      begin: isPlannedOnce(plans[0], known.dialect) ? begin : begin + planEach,
      signal,
    })
  }

  const inSnapshot = async (plans: Plans, signal: AbortSignal | undefined, tried = 0): Promise<readonly Answer[]> => {
    const known = made
    try {
      return await readOnce(plans, signal)
    } catch (cause) {
      const code = (cause instanceof PostgresFailure && cause.code) || ''
      if (code !== typeChanged && (tried > 0 || !tallyLost.has(code))) throw cause
      // A connection that failed is not used again: the next one may be as old, and the one after it.
      if (tried > readers) throw cause
      // Unless somebody else has asked again meanwhile.
      if (tallyLost.has(code) && made === known) made = undefined
      return inSnapshot(plans, signal, tried + 1)
    }
  }

  // Each took its share of the time; if they are late, all of it.
  const took = (plans: Plans, key: string, ms: number, each = ms / plans.length) => {
    for (const plan of plans) longPlans.took(plan, each)
    budget.spend(key, ms)
  }

  const work = async (plans: Plans, key: string, signal: AbortSignal | undefined) => {
    const begunAt = performance.now()
    try {
      const read = await inSnapshot(plans, signal)
      took(plans, key, performance.now() - begunAt)
      return read
    } catch (cause) {
      if (cause instanceof PostgresFailure && cause.isLate) {
        const { resource, shows } = plans[0]
        stopped += 1
        took(plans, key, statementTimeoutMs, statementTimeoutMs)
        log.warn('statement_stopped', { resource, shows, timeoutMs: statementTimeoutMs })
      }
      throw cause
    }
  }
  const turns = createTurns({ places: readers, waitMs: statementTimeoutMs, work })

  const find = async (plan: Plan, asker: Asker): Promise<Answer> => {
    try {
      const remembered = await answers.find(plan)
      if (remembered !== undefined) return remembered
      budget.check(asker.key ?? '')
      // A view may take its time for each record: there each is read by itself.
      const alike = isOfTables ? alikeIn(plan) : undefined
      return await turns.answer(plan, asker, { isLong: longPlans.isLong(plan), alike })
    } catch (cause) {
      if (!(cause instanceof PostgresFailure)) throw cause
      throw new ApiError('temporarily_unavailable', { retryAfter: cause.isLate || cause.isCrowded ? 5 : 1, cause })
    }
  }

  return {
    list: (plan, asker = {}) => find(plan, asker) as Promise<ListAnswer>,
    detail: (plan, asker = {}) => find(plan, asker) as Promise<Uint8Array | null>,
    load: () => ({ readers, busy: turns.busy(), waiting: turns.waiting(), stopped, ...told.load() }),
    lagSeconds: lag.seconds,
    async close() {
      lag.stop()
      clearInterval(looking)
      await Promise.all([pool.close(), lookout.close()])
    },
  }
}
