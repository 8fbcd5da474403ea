// Every operation that both engines share.
import { createAdministration } from './administration.ts'
import { createConsoleAccess } from './console.ts'
import { createHistory } from './history.ts'
import { limits } from './limits.ts'
import type { Operations, StoreMethod } from './methods.ts'
import { hourMs } from './rows.ts'
import { signInNames } from './sign-in-policy.ts'
import { raw, rows, sql, type Moment, type Sql, type StateDialect, type Steps } from './steps.ts'
import { createTokenRequests } from './token-requests.ts'

export type SharedMethod = Exclude<StoreMethod, 'tokenKey' | 'admit' | 'isEnabled'>

export function createOperations(dialect: StateDialect) {
  const history = createHistory(dialect)
  const { operations, ...tokens } = createTokenRequests(dialect, history)
  const shared: Operations<SharedMethod> = {
    ...history.operations,
    ...operations,
    ...createAdministration(dialect, history),
    ...createConsoleAccess(dialect, history),
  }
  return { shared, tokens, sweep: (now: Moment) => sweep(dialect, now) }
}

export interface CompanyState {
  readonly isEnabled: boolean
  readonly tokenKey: Uint8Array
}

export function* readCompany(): Steps<CompanyState> {
  const [row = []] = yield* rows`SELECT is_enabled, token_key FROM company`
  return { isEnabled: Boolean(row[0]), tokenKey: row[1] as Uint8Array }
}

// Deletes everything that has expired. Skips locked rows: the sweep neither waits nor is waited for.
function* sweep({ time, skipLocked }: StateDialect, now: Moment): Steps<void> {
  const which = (table: string, key: string, isOver: Sql) =>
    sql`(${raw(key)}) IN (SELECT ${raw(key)} FROM ${raw(table)} WHERE ${isOver} ${skipLocked})`
  const deleteWhere = (table: string, key: string, isOver: Sql) =>
    rows`DELETE FROM ${raw(table)} WHERE ${which(table, key, isOver)}`
  const before = (ms: number) => sql`<= ${time(now)} - ${ms}`

  for (const table of ['tokens', 'sessions', 'password_links'])
    yield* deleteWhere(table, 'hash', sql`expires_at ${before(0)}`)
  yield* deleteWhere('windows', 'name', sql`started_at ${before(limits.windowMs)}`)
  const isSeriesOver = sql`started_at ${before(limits.seriesMs)} AND coalesce(blocked_until, 0) ${before(0)}`
  yield* deleteWhere('failures', 'address, key_hash', isSeriesOver)
  // A flood from many addresses must not fill the disk. Series without a block go first, then the oldest; those of the console stay.
  // (SQLite takes no OFFSET without a LIMIT.)
  const isExcess = sql`address NOT LIKE ${signInNames}
    ORDER BY coalesce(blocked_until, 0) > ${time(now)} DESC, started_at DESC LIMIT 1000000000 OFFSET ${limits.mostSeries}`
  yield* deleteWhere('failures', 'address, key_hash', isExcess)
  const isRotated = which('keys', 'access_key', sql`old_code_until ${before(0)}`)
  yield* rows`UPDATE keys SET old_code_hash = NULL, old_code_until = NULL WHERE ${isRotated}`
  yield* deleteWhere('audit', 'id', sql`at ${before(limits.historyMs)}`)
  yield* deleteWhere('blocked_addresses', 'hour, address', sql`hour ${before(hourMs)}`)
  yield* deleteWhere('usage', 'hour, access_key, resource, outcome', sql`hour ${before(limits.historyMs)}`)
}
