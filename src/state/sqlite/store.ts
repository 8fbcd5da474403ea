// The state in a SQLite file, synchronous. The service runs it in a thread; the command line calls it directly. Every decision
// that must be exact is one statement or one transaction.
import { OperatorError } from '../../errors.ts'
import { fileProblem, openSqlite, type Sqlite } from '../../platform/sqlite.ts'
import { stateMethods, type StoreMethod } from '../methods.ts'
import { createOperations, readCompany, type CompanyState } from '../operations.ts'
import { callerColumns, isAllowedFrom, readCaller } from '../rows.ts'
import type { Admission, Caller, State } from '../state.ts'
import { rows, type Steps } from '../steps.ts'
import { endToken } from '../token-requests.ts'
import { countOne, describeWindow, readCounter, setWindow, type Counter } from '../window.ts'
import { createRunner, sqliteDialect } from './run.ts'
import { checkOurs, migrate, stateDatabase, type EmptyFile } from './schema.ts'

// A token and the saved window of its key, as stored.
export interface Standing {
  readonly isEnabled: boolean
  readonly token: {
    readonly caller: Caller
    readonly rate: number
    // Of the token, or of its key if that is earlier.
    readonly expiresAt: number
    readonly counter: Counter | null
  } | null
}

const windowName = (accessKey: string) => `key ${accessKey}`

// The methods of the state, synchronous and told the time.
type TimedMethods = {
  [Name in StoreMethod]: (now: number, ...rest: Parameters<State[Name]>) => Awaited<ReturnType<State[Name]>>
}

export interface SqliteStore extends TimedMethods {
  company(now: number): CompanyState
  standing(now: number, tokenHash: Uint8Array | null, fullAddress?: string | null): Standing
  keepWindows(now: number, windows: readonly (readonly [accessKey: string, counter: Counter])[]): void
  // Deletes everything that has expired.
  sweep(now: number): void
  close(): void
}

interface StoreOptions {
  readonly empty?: EmptyFile
  readonly readOnly?: boolean
}

export function openStore(
  path: string,
  lockTimeoutMs: number,
  { empty = 'accepted', readOnly = false }: StoreOptions = {},
): SqliteStore {
  let database: Sqlite | undefined
  try {
    database = openSqlite(path, { lockTimeoutMs, readOnly })
    checkOurs(database, path, empty)
    if (readOnly) return createStore(database)
    migrate(database)
    // After a power cut, clients request lost tokens again. Changes that must not be lost use `durably`.
    database.exec('PRAGMA synchronous = NORMAL; PRAGMA journal_size_limit = 4194304')
    return createStore(database)
  } catch (error) {
    database?.close()
    if (error instanceof OperatorError) throw error
    throw new OperatorError(
      fileProblem(stateDatabase(path), error) ?? `${stateDatabase(path)} cannot be used: ${(error as Error).message}.`,
    )
  }
}

const { shared, tokens, sweep } = createOperations(sqliteDialect)

function* standingOf(now: number, tokenHash: Uint8Array | null, fullAddress?: string | null): Steps<Standing> {
  const { isEnabled } = yield* readCompany()
  const [row] = yield* rows`
    SELECT k.addresses, min(t.expires_at, coalesce(k.expires_at, t.expires_at)) AS ends_at, k.rate, ${callerColumns}
    FROM tokens t JOIN keys k ON k.access_key = t.access_key
    WHERE t.hash = ${tokenHash} AND ends_at > ${now} AND k.revoked_at IS NULL AND NOT k.is_disabled`
  if (!isAllowedFrom(row?.[0] ?? null, fullAddress) || !row) return { isEnabled, token: null }
  const [, expiresAt, rate, ...columns] = row
  const caller = readCaller(columns)
  const [window = []] = yield* rows`SELECT started_at, count FROM windows WHERE name = ${windowName(caller.accessKey)}`
  return {
    isEnabled,
    token: { caller, rate: Number(rate), expiresAt: Number(expiresAt), counter: readCounter(window) },
  }
}

function* admit(now: number, ...parameters: Parameters<State['admit']>): Steps<Admission> {
  const { isEnabled, token } = yield* standingOf(now, ...parameters)
  if (!token) return { isEnabled, admitted: null }
  const { caller, rate } = token
  const counter = countOne(token.counter, now)
  yield* setWindow(windowName(caller.accessKey), counter)
  return { isEnabled, admitted: { caller, window: describeWindow(rate, counter, now) } }
}

function createStore(database: Sqlite): SqliteStore {
  const { run, plainly, durably, transact } = createRunner(database)
  const methods = Object.entries(shared).map(([name, operation]) => {
    const perform = operation as (now: number, ...parameters: readonly unknown[]) => Steps<unknown>
    const rules = stateMethods[name as StoreMethod]
    return [name, (now: number, ...rest: readonly unknown[]) => transact(perform(now, ...rest), rules)]
  })
  return {
    ...(Object.fromEntries(methods) as TimedMethods),
    company: () => run(readCompany()),
    tokenKey: () => run(readCompany()).tokenKey,
    isEnabled: () => run(readCompany()).isEnabled,
    standing: (...parameters) => run(standingOf(...parameters)),
    admit: (now, ...parameters) => plainly(admit(now, ...parameters)),
    revokeToken(now, attempt) {
      const { outcome } = plainly(tokens.authenticate(now, { ...attempt, scope: null }, 'revocation')).decision
      // Outside the transaction above: a wrong guess must not cost a durable write.
      if (outcome.is === 'granted') durably(endToken(attempt))
      return outcome
    },
    keepWindows: (_now, windows) => plainly(keepWindows(windows)),
    sweep: (now) => run(sweep(now)),
    close: () => database.close(),
  }
}

function* keepWindows(windows: readonly (readonly [accessKey: string, counter: Counter])[]): Steps<void> {
  for (const [accessKey, counter] of windows) yield* setWindow(windowName(accessKey), counter)
}
