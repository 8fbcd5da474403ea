// The State interface over PostgreSQL, for any number of instances. Every decision that must be exact is one statement, or one
// transaction that locks the row of the address. The time is the server's, because clocks of instances may differ.
import type { Clock } from '../../platform/clock.ts'
import { createPool } from '../../platform/postgres/pool.ts'
import { sessionSetUp } from '../../platform/postgres/session.ts'
import type { PostgresUrl } from '../../platform/postgres/url.ts'
import { limits } from '../limits.ts'
import { hourMs } from '../rows.ts'
import type { State } from '../state.ts'
import { signInNames } from '../sign-in-policy.ts'
import { admitStatement, readAdmission } from './admission.ts'
import { createAdministration } from './administration.ts'
import { createConsoleAccess } from './console.ts'
import { createHistory } from './history.ts'
import { nowSql } from './shared-sql.ts'
import { createTokenRequests } from './token-requests.ts'

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

export function createPostgresState(options: PostgresStateOptions): State {
  const { url, connections, clock, timeoutMs = defaultTimeoutMs, isService = true } = options
  const { onLost = () => {}, onBack = () => {} } = options
  const common = { url, setUp: sessionSetUp(url, { timeoutMs }), waitMs: timeoutMs, workMs: timeoutMs }
  const pool = createPool({ ...common, size: connections, onLost, onBack })
  // Token requests wait for locks: they must not take the connections that every request needs.
  const tokenSize = Math.ceil(connections / 2)
  const tokenPool = isService ? createPool({ ...common, size: tokenSize, onLost: () => {}, onBack: () => {} }) : pool
  const now = () => clock?.now() ?? null
  const rows = (text: string, ...values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))
  // Skips locked rows: the sweep neither waits nor is waited for.
  const deleteWhere = (table: string, key: string, isOver: string) =>
    rows(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${isOver} FOR UPDATE SKIP LOCKED)`,
      now(),
    )
  const deleteOld = async () => {
    for (const table of ['tokens', 'sessions', 'password_links'])
      await deleteWhere(table, 'hash', `expires_at <= ${nowSql}`)
    await deleteWhere('windows', 'name', `started_at <= ${nowSql} - ${limits.windowMs}`)
    const isSeriesOver = `started_at <= ${nowSql} - ${limits.seriesMs} AND coalesce(blocked_until, 0) <= ${nowSql}`
    await deleteWhere('failures', 'address, key_hash', isSeriesOver)
    // A flood from many addresses must not fill the disk. Series without a block go first, then the oldest; those of the console
    // stay.
    const isExcess = `address NOT LIKE '${signInNames}'
      ORDER BY coalesce(blocked_until, 0) > ${nowSql} DESC, started_at DESC OFFSET ${limits.mostSeries}`
    await deleteWhere('failures', 'address, key_hash', isExcess)
    await rows(
      `UPDATE keys SET old_code_hash = NULL, old_code_until = NULL WHERE access_key IN
         (SELECT access_key FROM keys WHERE old_code_until <= ${nowSql} FOR UPDATE SKIP LOCKED)`,
      now(),
    )
    await deleteWhere('audit', 'id', `at <= ${nowSql} - ${limits.historyMs}`)
    await deleteWhere('blocked_addresses', 'hour, address', `hour <= ${nowSql} - ${hourMs}`)
    await deleteWhere('usage', 'hour, access_key, resource, outcome', `hour <= ${nowSql} - ${limits.historyMs}`)
  }
  const tokens = createTokenRequests(tokenPool, now)
  const administration = createAdministration(pool, now)
  // Reports may read much (a year of usage, all keys). Their own connection keeps callers of the API from waiting behind them.
  const reportLimits = {
    setUp: sessionSetUp(url, { timeoutMs: reportTimeoutMs }),
    waitMs: reportTimeoutMs,
    workMs: reportTimeoutMs,
  }
  const reports = isService
    ? createPool({ ...common, ...reportLimits, size: 1, onLost: () => {}, onBack: () => {} })
    : pool
  let company = { isEnabled: true, tokenKey: null as Uint8Array | null, readAt: -Infinity }
  let sweep: NodeJS.Timeout | undefined
  let poll: NodeJS.Timeout | undefined
  // A query that began before a change of ours may be answered after it: its answer is then not kept.
  let changes = 0
  const readCompany = async () => {
    const before = changes
    const [row] = await rows('SELECT is_enabled, token_key FROM company')
    const current = { isEnabled: row?.[0] === true, tokenKey: row?.[1] as Uint8Array, readAt: performance.now() }
    if (before === changes) company = current
    return current
  }
  // Concurrent callers share one query.
  let reading: ReturnType<typeof readCompany> | undefined
  const shareReading = () => (reading ??= readCompany().finally(() => (reading = undefined)))

  const state: State = {
    tokenKey: async () => company.tokenKey ?? (await shareReading()).tokenKey,
    async admit(tokenHash, fullAddress = null) {
      if (tokenHash) {
        const [row = []] = await rows(admitStatement, now(), tokenHash, limits.windowMs, fullAddress)
        return readAdmission(row)
      }
      // A flood of callers without a token must not become a flood of statements.
      const isRecent = performance.now() - company.readAt < recentMs
      const { isEnabled } = isRecent ? company : await shareReading()
      return { isEnabled, admitted: null }
    },
    requestToken: (attempt) => tokens.request(attempt),
    revokeToken: (attempt) => tokens.revoke(attempt),
    tokenWindow: (...parameters) => tokens.window(...parameters),
    lastKnownEnabled: () => company.isEnabled,

    ...administration,
    ...createConsoleAccess(pool, tokenPool, now),
    async setEnabled(isEnabled, by) {
      await administration.setEnabled(isEnabled, by)
      changes += 1
      company = { ...company, isEnabled }
    },
    isEnabled: async () => (await readCompany()).isEnabled,
    listBlocks: () => tokens.listBlocks(),
    clearBlocks: (address, by) => tokens.clearBlocks(address, by),
    ...createHistory(reports),
    addUsage: (...parameters) => createHistory(pool).addUsage(...parameters),
    listKeys: () => createAdministration(reports, now).listKeys(),
    async close() {
      clearInterval(sweep)
      clearInterval(poll)
      await Promise.all([pool.close(), tokenPool.close(), reports.close()])
    },
  }

  if (!isService) return state
  sweep = setInterval(() => void deleteOld().catch(() => {}), sweepEveryMs)
  // /status and token checks use the last known subscription and token key.
  poll = setInterval(() => void shareReading().catch(() => {}), pollEveryMs)
  sweep.unref()
  poll.unref()
  return state
}
