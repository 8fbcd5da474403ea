// The state in a SQLite file, synchronous. The service runs it in a thread; the command line calls it directly. Every decision
// that must be exact is one statement or one transaction.
import { OperatorError } from '../../errors.ts'
import { fileProblem, inTransaction, openSqlite, type Sqlite } from '../../platform/sqlite.ts'
import { limits } from '../limits.ts'
import type { StoreMethod, Timed } from '../methods.ts'
import type { Caller, CredentialsPurpose, TokenAttempt, TokenOutcome, Window } from '../state.ts'
import { decideToken } from '../token-policy.ts'
import { isAllowedFrom, readPriceList, readStores, stillHeld, writePermissions } from '../rows.ts'
import { describeWindow, type Counter } from '../window.ts'
import { createAdministration, createDurably, readKey, readStoredKey } from './administration.ts'
import { createConsoleAccess } from './console.ts'
import { createHistory } from './history.ts'
import { checkOurs, migrate, requireFile, stateDatabase, type EmptyFile } from './schema.ts'
import { createTokenRequests } from './token-requests.ts'

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

export interface CompanyState {
  readonly isEnabled: boolean
  readonly tokenKey: Uint8Array
}

export type SqliteStore = Timed<StoreMethod> & {
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
  if (empty === 'refused') requireFile(path)
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

function createStore(database: Sqlite): SqliteStore {
  const prepare = (text: string) => database.prepare(text)
  const companyRow = prepare('SELECT is_enabled, token_key FROM company')
  const byToken = prepare(
    `SELECT k.access_key, k.name, k.permissions AS held, t.permissions, k.stores, k.price_list, k.rate, k.addresses,
       min(t.expires_at, coalesce(k.expires_at, t.expires_at)) AS ends_at
     FROM tokens t JOIN keys k ON k.access_key = t.access_key
     WHERE t.hash = ?1 AND ends_at > ?2 AND k.revoked_at IS NULL AND k.is_disabled = 0`,
  )
  const count = prepare(
    `INSERT INTO windows (name, started_at, count) VALUES (?1, ?2, 1)
     ON CONFLICT (name) DO UPDATE SET
       count = CASE WHEN ?2 - started_at BETWEEN 0 AND ?3 - 1 THEN count + 1 ELSE 1 END,
       started_at = CASE WHEN ?2 - started_at BETWEEN 0 AND ?3 - 1 THEN started_at ELSE ?2 END
     RETURNING started_at, count`,
  )
  const keptWindow = prepare('SELECT started_at, count FROM windows WHERE name = ?')
  // Always one row of the same size, so that the time of the answer does not tell whether the key exists or has two codes.
  const storedKey = prepare(
    `SELECT code_hash, coalesce(old_code_hash, zeroblob(32)) AS old_code_hash, old_code_until, is_disabled, revoked_at,
       expires_at, addresses, 1 AS is_known
     FROM keys WHERE access_key = ?
     UNION ALL SELECT zeroblob(32), zeroblob(32), NULL, 1, NULL, NULL, NULL, 0 ORDER BY is_known DESC LIMIT 1`,
  )
  const keyRow = prepare('SELECT * FROM keys WHERE access_key = ?')
  const addToken = prepare('INSERT INTO tokens (hash, access_key, permissions, expires_at) VALUES (?, ?, ?, ?)')
  const endToken = prepare('DELETE FROM tokens WHERE hash = ? AND access_key = ?')

  const company = (): CompanyState => {
    const row = companyRow.get()
    return { isEnabled: row?.['is_enabled'] === 1, tokenKey: row?.['token_key'] as Uint8Array }
  }
  const isEnabled = () => company().isEnabled

  const countIn = (name: string, limit: number, now: number): Window => {
    // Not get(), which does not run the statement to its end: SQLite checkpoints its log only then.
    const [row = {}] = count.all(name, now, limits.windowMs)
    return describeWindow(limit, { startedAt: Number(row['started_at']), count: Number(row['count']) }, now)
  }
  const tokens = createTokenRequests(database)
  const history = createHistory(database)
  const durably = createDurably(database)

  const standing = (now: number, tokenHash: Uint8Array | null, fullAddress?: string | null): Standing => {
    const row = tokenHash && byToken.get(tokenHash, now)
    if (!isAllowedFrom(row?.['addresses'] ?? null, fullAddress) || !row) return { isEnabled: isEnabled(), token: null }
    const caller: Caller = {
      accessKey: String(row['access_key']),
      name: String(row['name']),
      permissions: stillHeld(row['permissions'], row['held']),
      stores: readStores(row['stores']),
      priceList: readPriceList(row['price_list']),
    }
    const window = keptWindow.get(windowName(caller.accessKey))
    const counter = window ? { startedAt: Number(window['started_at']), count: Number(window['count']) } : null
    const token = { caller, rate: Number(row['rate']), expiresAt: Number(row['ends_at']), counter }
    return { isEnabled: isEnabled(), token }
  }

  // Within a transaction: checks credentials and writes the effects.
  const authenticate = (now: number, attempt: TokenAttempt, purpose: CredentialsPurpose): TokenOutcome => {
    const { address, accessKey } = attempt
    const row = storedKey.get(accessKey ?? '') ?? {}
    const stored = readStoredKey(row, () => readKey(keyRow.get(accessKey ?? '') ?? {}))
    const { outcome, effects } = decideToken(now, attempt, {
      isEnabled: isEnabled(),
      ...tokens.read(address, accessKey, purpose),
      stored: row['is_known'] === 1 ? stored : null,
    })
    tokens.write(address, accessKey, effects, purpose)
    history.noteBlocks(now, effects.audit ?? [])
    return outcome
  }

  return {
    admit(now, tokenHash, fullAddress) {
      const { isEnabled, token } = standing(now, tokenHash, fullAddress)
      if (!token) return { isEnabled, admitted: null }
      const { caller, rate } = token
      return { isEnabled, admitted: { caller, window: countIn(windowName(caller.accessKey), rate, now) } }
    },
    company,
    tokenKey: () => company().tokenKey,
    standing,
    keepWindows(_now, windows) {
      const keep = prepare('INSERT OR REPLACE INTO windows (name, started_at, count) VALUES (?, ?, ?)')
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        for (const [accessKey, { startedAt, count }] of windows) keep.run(windowName(accessKey), startedAt, count)
      })
    },

    requestToken: (now, attempt) =>
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const outcome = authenticate(now, attempt, 'token')
        if (outcome.is === 'granted') {
          const permissions = writePermissions(outcome.permissions)
          addToken.run(attempt.tokenHash, String(attempt.accessKey), permissions, now + limits.tokenLifetimeMs)
        }
        return outcome
      }),
    revokeToken(now, attempt) {
      const checked = { ...attempt, scope: null }
      const outcome = inTransaction(database, 'BEGIN IMMEDIATE', () => authenticate(now, checked, 'revocation'))
      // Outside the transaction above: a wrong guess must not cost a durable write.
      if (outcome.is === 'granted') durably(() => endToken.run(attempt.tokenHash, String(attempt.accessKey)))
      return outcome
    },

    tokenWindow: (now, address, purpose) =>
      describeWindow(limits.tokenRequests, tokens.readWindow(address, purpose), now),
    isEnabled,
    ...createAdministration(database, {
      isEnabled,
      history,
      durably,
      deleteFailures: (now, address) => tokens.clear(now, address),
    }),
    ...createConsoleAccess(database, { tokens, history, durably }),
    listBlocks: (now) => tokens.listBlocks(now),
    ...history.methods,
    sweep(now) {
      for (const table of ['tokens', 'sessions', 'password_links'])
        prepare(`DELETE FROM ${table} WHERE expires_at <= ?`).run(now)
      prepare('DELETE FROM windows WHERE started_at <= ?').run(now - limits.windowMs)
      prepare('DELETE FROM failures WHERE started_at <= ? AND coalesce(blocked_until, 0) <= ?').run(
        now - limits.seriesMs,
        now,
      )
      tokens.deleteExcess(now)
      prepare('UPDATE keys SET old_code_hash = NULL, old_code_until = NULL WHERE old_code_until <= ?').run(now)
      history.sweep(now)
    },

    close: () => database.close(),
  }
}
