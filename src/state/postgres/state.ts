// The State interface over PostgreSQL, for any number of instances. Every decision that must be exact is one statement, or one
// transaction that locks the row of the address. The time is the server's, because clocks of instances may differ.
import type { Clock } from '../../platform/clock.ts'
import { createPool } from '../../platform/postgres/pool.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { stateMethods } from '../methods.ts'
import { createOperations, readCompany, type SharedMethod } from '../operations.ts'
import type { CredentialsPurpose, State, TokenAttempt, TokenOutcome } from '../state.ts'
import type { Moment, Steps } from '../steps.ts'
import { KeyChanged } from '../token-requests.ts'
import { admitTogether } from './admission.ts'
import { postgresDialect, runOn, transact } from './run.ts'

interface PostgresStateOptions {
  readonly url: PostgresUrl
  readonly connections: number
  // For tests; otherwise the server's time.
  readonly clock?: Clock
  readonly timeoutMs?: number
  // false for a command, which needs no sweep and no watch of the subscription.
  readonly isService?: boolean
  readonly onLost?: (cause: Error) => void
  readonly onBack?: () => void
}

const sweepEveryMs = 60_000
const pollEveryMs = 100
// Three polls: if the last known subscription is older, the database may be unreachable and is asked.
const recentMs = 300
const defaultTimeoutMs = 2000
const reportTimeoutMs = 10_000

const { shared, tokens, sweep } = createOperations(postgresDialect)
type AnyOperation = (now: Moment, ...parameters: readonly unknown[]) => Steps<unknown>

export function createPostgresState(options: PostgresStateOptions): State {
  const { url, connections, clock, timeoutMs = defaultTimeoutMs, isService = true, onLost, onBack } = options
  const within = (ms: number) => ({ url, setUp: sessionSetUp(url, { timeoutMs: ms }), waitMs: ms, workMs: ms })
  const pool = createPool({ ...within(timeoutMs), size: connections, onLost, onBack })
  // Token requests wait for locks: they must not take the connections that every request needs.
  const tokenPool = isService ? createPool({ ...within(timeoutMs), size: Math.ceil(connections / 2) }) : pool
  // Reports may read much (a year of usage, all keys). Their own connection keeps callers of the API from waiting behind them.
  const reports = isService ? createPool({ ...within(reportTimeoutMs), size: 1 }) : pool
  const now = () => clock?.now() ?? null
  const admit = admitTogether(now, (steps) => runOn(pool, steps))

  const perform = (name: SharedMethod, operation: AnyOperation, parameters: readonly unknown[]) => {
    const { runs, transaction } = stateMethods[name]
    const steps = operation(now(), ...parameters)
    if (transaction) return transact(transaction === 'locking' ? tokenPool : pool, steps)
    return runOn(runs === 'as report' ? reports : pool, steps)
  }
  const methods = Object.fromEntries(
    Object.entries(shared).map(([name, operation]) => [
      name,
      (...parameters: readonly unknown[]) => perform(name as SharedMethod, operation as AnyOperation, parameters),
    ]),
  ) as Pick<State, SharedMethod>

  const checkCredentials = async (
    method: 'requestToken' | 'revokeToken',
    attempt: TokenAttempt,
    purpose: CredentialsPurpose,
  ): Promise<TokenOutcome> => {
    // Without a lock: a caller that is blocked or over the limit neither waits nor delays others. Every other decision has effects.
    const { decision } = await runOn(tokenPool, tokens.decide(now(), attempt, purpose))
    if (Object.keys(decision.effects).length === 0) return decision.outcome
    return transact(tokenPool, shared[method](now(), attempt))
  }
  const requestToken = (attempt: TokenAttempt) => checkCredentials('requestToken', attempt, 'token')

  let company = { isEnabled: true, tokenKey: null as Uint8Array | null, readAt: -Infinity }
  // A query that began before a change of ours may be answered after it: its answer is then not kept.
  let changes = 0
  const lookAtCompany = async () => {
    const before = changes
    const current = { ...(await runOn(pool, readCompany())), readAt: performance.now() }
    if (before === changes) company = current
    return current
  }
  // Concurrent callers share one query.
  let reading: ReturnType<typeof lookAtCompany> | undefined
  const shareReading = () => (reading ??= lookAtCompany().finally(() => (reading = undefined)))
  let timers: NodeJS.Timeout[] = []

  const state: State = {
    ...methods,
    tokenKey: async () => company.tokenKey ?? (await shareReading()).tokenKey,
    async admit(tokenHash, fullAddress = null) {
      if (tokenHash) return admit(tokenHash, fullAddress)
      // A flood of callers without a token must not become a flood of statements.
      const isRecent = performance.now() - company.readAt < recentMs
      const { isEnabled } = isRecent ? company : await shareReading()
      return { isEnabled, admitted: null }
    },
    requestToken: (attempt) =>
      requestToken(attempt).catch((error: unknown) => {
        // One retry with the changed key.
        if (error instanceof KeyChanged) return requestToken(attempt)
        throw error
      }),
    revokeToken: (attempt) => checkCredentials('revokeToken', { ...attempt, scope: null }, 'revocation'),
    isEnabled: async () => (await lookAtCompany()).isEnabled,
    lastKnownEnabled: () => company.isEnabled,
    async setEnabled(isEnabled, by) {
      await methods.setEnabled(isEnabled, by)
      changes += 1
      company = { ...company, isEnabled }
    },
    async close() {
      timers.forEach(clearInterval)
      await Promise.all([pool.close(), tokenPool.close(), reports.close()])
    },
  }

  if (isService)
    timers = [
      setInterval(() => void runOn(pool, sweep(now())).catch(() => {}), sweepEveryMs),
      // /status and token checks use the last known subscription and token key.
      setInterval(() => void shareReading().catch(() => {}), pollEveryMs),
    ]
  for (const timer of timers) timer.unref()
  return state
}
