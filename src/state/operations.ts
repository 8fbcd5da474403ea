// Every operation that both engines share.
import { createAdministration } from './administration.ts'
import { createConsoleAccess } from './console.ts'
import { createHistory } from './history.ts'
import { limits } from './limits.ts'
import type { Operations, StoreMethod } from './methods.ts'
import { hourMs } from './rows.ts'
import { signInNames } from './sign-in-policy.ts'
import { rows, type Moment, type StateDialect, type Steps } from './steps.ts'
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
  const [row = []] = yield* rows('SELECT is_enabled, token_key FROM company')
  return { isEnabled: Boolean(row[0]), tokenKey: row[1] as Uint8Array }
}

// Deletes everything that has expired. Skips locked rows: the sweep neither waits nor is waited for.
function* sweep({ time, skipLocked }: StateDialect, now: Moment): Steps<void> {
  const nowSql = time('$1')
  const which = (table: string, key: string, isOver: string) =>
    `(${key}) IN (SELECT ${key} FROM ${table} WHERE ${isOver} ${skipLocked})`
  const deleteWhere = (table: string, key: string, isOver: string) =>
    rows(`DELETE FROM ${table} WHERE ${which(table, key, isOver)}`, now)

  for (const table of ['tokens', 'sessions', 'password_links'])
    yield* deleteWhere(table, 'hash', `expires_at <= ${nowSql}`)
  yield* deleteWhere('windows', 'name', `started_at <= ${nowSql} - ${limits.windowMs}`)
  const isSeriesOver = `started_at <= ${nowSql} - ${limits.seriesMs} AND coalesce(blocked_until, 0) <= ${nowSql}`
  yield* deleteWhere('failures', 'address, key_hash', isSeriesOver)
  // A flood from many addresses must not fill the disk. Series without a block go first, then the oldest; those of the console stay.
  // (SQLite takes no OFFSET without a LIMIT.)
  const isExcess = `address NOT LIKE '${signInNames}'
    ORDER BY coalesce(blocked_until, 0) > ${nowSql} DESC, started_at DESC LIMIT 1000000000 OFFSET ${limits.mostSeries}`
  yield* deleteWhere('failures', 'address, key_hash', isExcess)
  const isRotated = which('keys', 'access_key', `old_code_until <= ${nowSql}`)
  yield* rows(`UPDATE keys SET old_code_hash = NULL, old_code_until = NULL WHERE ${isRotated}`, now)
  yield* deleteWhere('audit', 'id', `at <= ${nowSql} - ${limits.historyMs}`)
  yield* deleteWhere('blocked_addresses', 'hour, address', `hour <= ${nowSql} - ${hourMs}`)
  yield* deleteWhere('usage', 'hour, access_key, resource, outcome', `hour <= ${nowSql} - ${limits.historyMs}`)
}
