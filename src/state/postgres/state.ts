// The State interface over PostgreSQL, for as many instances as there are. Whatever must be exact is one statement, or one
// transaction that holds the row of the address; the time is the server's, so that instances need not agree on theirs.
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
import { nowSql } from './time.ts'
import { createTokenRequests } from './token-requests.ts'

interface PostgresStateOptions {
  readonly url: PostgresUrl
  readonly connections: number
  // For tests: a time of their own instead of the server's.
  readonly clock?: Clock
  readonly timeoutMs?: number
  // A command opens the state for a moment: it need not sweep, nor watch the subscription.
  readonly isService?: boolean
  readonly onLost?: (cause: Error) => void
  readonly onBack?: () => void
}

const sweepEveryMs = 60_000
const lookEveryMs = 100
// Older than a few looks: the database may be away, and is asked.
const recentMs = 300
const defaultTimeoutMs = 2000
const reportTimeoutMs = 10_000

export function createPostgresState(options: PostgresStateOptions): State {
  const { url, connections, clock, timeoutMs = defaultTimeoutMs, isService = true } = options
  const { onLost = () => {}, onBack = () => {} } = options
  const common = { url, setUp: sessionSetUp(url, { timeoutMs }), waitMs: timeoutMs, workMs: timeoutMs }
  const pool = createPool({ ...common, size: connections, onLost, onBack })
  // Token requests wait for one another: they must not take the connections that every request needs.
  const tokenSize = Math.ceil(connections / 2)
  const tokenPool = isService ? createPool({ ...common, size: tokenSize, onLost: () => {}, onBack: () => {} }) : pool
  const now = () => clock?.now() ?? null
  const rows = (text: string, ...values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))
  // What somebody holds at the moment is left for the next time: nobody waits for this, and it for nobody.
  const forget = (table: string, key: string, isOver: string) =>
    rows(
      `DELETE FROM ${table} WHERE (${key}) IN (SELECT ${key} FROM ${table} WHERE ${isOver} FOR UPDATE SKIP LOCKED)`,
      now(),
    )
  const forgetOld = async () => {
    for (const table of ['tokens', 'sessions', 'password_links']) await forget(table, 'hash', `expires_at <= ${nowSql}`)
    await forget('windows', 'name', `started_at <= ${nowSql} - ${limits.windowMs}`)
    const isSeriesOver = `started_at <= ${nowSql} - ${limits.seriesMs} AND coalesce(blocked_until, 0) <= ${nowSql}`
    await forget('failures', 'address, key_hash', isSeriesOver)
    // A flood from many addresses must not fill the disk: what blocks nobody goes first, and what is oldest. The console's stay.
    const isOneTooMany = `address NOT LIKE '${signInNames}'
      ORDER BY coalesce(blocked_until, 0) > ${nowSql} DESC, started_at DESC OFFSET ${limits.mostSeries}`
    await forget('failures', 'address, key_hash', isOneTooMany)
    await rows(
      `UPDATE keys SET old_code_hash = NULL, old_code_until = NULL WHERE access_key IN
         (SELECT access_key FROM keys WHERE old_code_until <= ${nowSql} FOR UPDATE SKIP LOCKED)`,
      now(),
    )
    await forget('audit', 'id', `at <= ${nowSql} - ${limits.historyMs}`)
    await forget('blocked_addresses', 'hour, address', `hour <= ${nowSql} - ${hourMs}`)
    await forget('usage', 'hour, access_key', `hour <= ${nowSql} - ${limits.historyMs}`)
  }
  const tokens = createTokenRequests(tokenPool, now)
  const administration = createAdministration(pool, now)
  // What may read much: a year of use, all keys. No caller of the API waits behind it.
  const late = {
    setUp: sessionSetUp(url, { timeoutMs: reportTimeoutMs }),
    waitMs: reportTimeoutMs,
    workMs: reportTimeoutMs,
  }
  const reports = isService ? createPool({ ...common, ...late, size: 1, onLost: () => {}, onBack: () => {} }) : pool
  let company = { isEnabled: true, tokenKey: null as Uint8Array | null, heardAt: -Infinity }
  let sweep: NodeJS.Timeout | undefined
  let look: NodeJS.Timeout | undefined
  // What was asked before a change of ours may be answered after it.
  let changes = 0
  const askCompany = async () => {
    const before = changes
    const [row] = await rows('SELECT is_enabled, token_key FROM company')
    const heard = { isEnabled: row?.[0] === true, tokenKey: row?.[1] as Uint8Array, heardAt: performance.now() }
    if (before === changes) company = heard
    return heard
  }
  // However many wait for it, it is asked for once.
  let asking: ReturnType<typeof askCompany> | undefined
  const lookAtCompany = () => (asking ??= askCompany().finally(() => (asking = undefined)))

  const state: State = {
    tokenKey: async () => company.tokenKey ?? (await lookAtCompany()).tokenKey,
    async admit(tokenHash, fullAddress = null) {
      if (tokenHash) {
        const [row = []] = await rows(admitStatement, now(), tokenHash, limits.windowMs, fullAddress)
        return readAdmission(row)
      }
      // Callers without a token, however many, are not worth a statement each.
      const isRecent = performance.now() - company.heardAt < recentMs
      const { isEnabled } = isRecent ? company : await lookAtCompany()
      return { isEnabled, admitted: null }
    },
    requestToken: (attempt) => tokens.request(attempt),
    revokeToken: (attempt) => tokens.revoke(attempt),
    tokenWindow: (...given) => tokens.window(...given),
    lastKnownEnabled: () => company.isEnabled,

    ...administration,
    ...createConsoleAccess(pool, tokenPool, now),
    async setEnabled(isEnabled, by) {
      await administration.setEnabled(isEnabled, by)
      changes += 1
      company = { ...company, isEnabled }
    },
    isEnabled: async () => (await askCompany()).isEnabled,
    listBlocks: () => tokens.listBlocks(),
    clearBlocks: (address, by) => tokens.clearBlocks(address, by),
    ...createHistory(reports),
    addUsage: (...given) => createHistory(pool).addUsage(...given),
    listKeys: () => createAdministration(reports, now).listKeys(),
    async close() {
      clearInterval(sweep)
      clearInterval(look)
      await Promise.all([pool.close(), tokenPool.close(), reports.close()])
    },
  }

  if (!isService) return state
  sweep = setInterval(() => void forgetOld().catch(() => {}), sweepEveryMs)
  // /status tells of the subscription without asking, and tokens are checked without.
  look = setInterval(() => void lookAtCompany().catch(() => {}), lookEveryMs)
  sweep.unref()
  look.unref()
  return state
}
