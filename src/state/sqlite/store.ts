// The state in a SQLite file, synchronous. The service runs it in a thread of its own; the command line runs it directly.
// Whatever must be exact is one statement or one transaction.
import { OperatorError } from '../../errors.ts'
import { fileProblem, inTransaction, openSqlite, type Sqlite } from '../../sqlite.ts'
import { limits } from '../limits.ts'
import type { Caller, State, Window } from '../state.ts'
import { decideToken } from '../token-policy.ts'
import { readPriceList, readStores, stillHeld, writePermissions } from '../rows.ts'
import { describeWindow, type Counter } from '../window.ts'
import { createAdministration, createDurably, readKey } from './administration.ts'
import { createConsoleAccess } from './console.ts'
import { createHistory } from './history.ts'
import { migrate, stateDatabase, type Empty } from './schema.ts'
import { createTokenRequests } from './token-requests.ts'

type Methods = Omit<State, 'lastKnownEnabled' | 'close'>

// What the file says of a token, and of the window of its key.
export interface Standing {
  readonly isEnabled: boolean
  readonly token: {
    readonly caller: Caller
    readonly rate: number
    readonly expiresAt: number
    readonly counter: Counter | null
  } | null
}

const windowName = (accessKey: string) => `key ${accessKey}`

// The methods of State, synchronous, each told the time.
export type SqliteStore = {
  [Name in keyof Methods]: (now: number, ...rest: Parameters<Methods[Name]>) => Awaited<ReturnType<Methods[Name]>>
} & {
  standing(now: number, tokenHash: Uint8Array | null): Standing
  keepWindows(now: number, windows: readonly (readonly [accessKey: string, counter: Counter])[]): void
  // Forgets what has run out.
  sweep(now: number): void
  close(): void
}

export function openStore(path: string, lockTimeoutMs: number, empty: Empty = 'begun with'): SqliteStore {
  let database: Sqlite | undefined
  try {
    database = openSqlite(path, { lockTimeoutMs })
    migrate(database, path, empty)
    // A lost token is asked for again; what must not be lost says so (`durably`).
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
  const enabled = prepare('SELECT is_enabled FROM company')
  const byToken = prepare(
    `SELECT k.access_key, k.name, k.permissions AS held, t.permissions, k.stores, k.price_list, k.rate, t.expires_at
     FROM tokens t JOIN keys k ON k.access_key = t.access_key
     WHERE t.hash = ? AND t.expires_at > ? AND k.revoked_at IS NULL AND k.is_disabled = 0`,
  )
  const count = prepare(
    `INSERT INTO windows (name, started_at, count) VALUES (?1, ?2, 1)
     ON CONFLICT (name) DO UPDATE SET
       count = CASE WHEN ?2 - started_at BETWEEN 0 AND ?3 - 1 THEN count + 1 ELSE 1 END,
       started_at = CASE WHEN ?2 - started_at BETWEEN 0 AND ?3 - 1 THEN started_at ELSE ?2 END
     RETURNING started_at, count`,
  )
  const keptWindow = prepare('SELECT started_at, count FROM windows WHERE name = ?')
  const keyRow = prepare('SELECT * FROM keys WHERE access_key = ?')
  // One row of the same size, whether there is such a key or not: nobody learns it from how long the answer took.
  const codeRow = prepare(
    'SELECT code_hash, 1 AS is_known FROM keys WHERE access_key = ? UNION ALL SELECT zeroblob(32), 0 ORDER BY is_known DESC LIMIT 1',
  )
  const addToken = prepare('INSERT INTO tokens (hash, access_key, permissions, expires_at) VALUES (?, ?, ?, ?)')

  const isEnabled = () => enabled.get()?.['is_enabled'] === 1

  const countIn = (name: string, limit: number, now: number): Window => {
    // Run to its end, which get() does not do: only then does SQLite see to its log.
    const [row = {}] = count.all(name, now, limits.windowMs)
    return describeWindow(limit, { startedAt: Number(row['started_at']), count: Number(row['count']) }, now)
  }
  const tokens = createTokenRequests(database)
  const history = createHistory(database)
  const durably = createDurably(database)

  const standing = (now: number, tokenHash: Uint8Array | null): Standing => {
    const row = tokenHash && byToken.get(tokenHash, now)
    if (!row) return { isEnabled: isEnabled(), token: null }
    const caller: Caller = {
      accessKey: String(row['access_key']),
      name: String(row['name']),
      permissions: stillHeld(row['permissions'], row['held']),
      stores: readStores(row['stores']),
      priceList: readPriceList(row['price_list']),
    }
    const window = keptWindow.get(windowName(caller.accessKey))
    const counter = window ? { startedAt: Number(window['started_at']), count: Number(window['count']) } : null
    const token = { caller, rate: Number(row['rate']), expiresAt: Number(row['expires_at']), counter }
    return { isEnabled: isEnabled(), token }
  }

  return {
    admit(now, tokenHash) {
      const { isEnabled, token } = standing(now, tokenHash)
      if (!token) return { isEnabled, admitted: null }
      const { caller, rate } = token
      return { isEnabled, admitted: { caller, window: countIn(windowName(caller.accessKey), rate, now) } }
    },
    standing,
    keepWindows(_now, windows) {
      const keep = prepare('INSERT OR REPLACE INTO windows (name, started_at, count) VALUES (?, ?, ?)')
      inTransaction(database, 'BEGIN IMMEDIATE', () => {
        for (const [accessKey, { startedAt, count }] of windows) keep.run(windowName(accessKey), startedAt, count)
      })
    },

    requestToken(now, attempt) {
      return inTransaction(database, 'BEGIN IMMEDIATE', () => {
        const { address, accessKey, tokenHash } = attempt
        const code = codeRow.get(accessKey ?? '') ?? {}
        const readKeyOf = () => readKey(keyRow.get(accessKey ?? '') ?? {})
        const { outcome, effects } = decideToken(now, attempt, {
          isEnabled: isEnabled(),
          ...tokens.read(address, accessKey),
          stored: code['is_known'] === 1 ? { codeHash: code['code_hash'] as Uint8Array, readKey: readKeyOf } : null,
        })
        tokens.write(address, accessKey, effects)
        for (const entry of effects.audit ?? []) history.note(now, entry)
        if (outcome.is === 'granted') {
          const permissions = writePermissions(outcome.permissions)
          addToken.run(tokenHash, String(accessKey), permissions, now + limits.tokenLifetimeMs)
        }
        return outcome
      })
    },

    tokenWindow: (now, address) => describeWindow(limits.tokenRequests, tokens.readWindow(address), now),
    isEnabled,
    ...createAdministration(database, {
      isEnabled,
      history,
      durably,
      forgetFailures: (now, address) => tokens.clear(now, address),
    }),
    ...createConsoleAccess(database, { tokens, history, durably }),
    listBlocks: (now) => tokens.listBlocks(now),
    listAudit: (_now, query) => history.listAudit(query),
    listActors: () => history.listActors(),
    addUsage: (_now, usage, lastUse = []) =>
      inTransaction(database, 'BEGIN IMMEDIATE', () => history.addUsage(usage, lastUse)),
    listUsage: (_now, from, to) => history.listUsage(from, to),
    usageByHour: (_now, from, to, accessKey) => history.usageByHour(from, to, accessKey),
    usageByKey: (_now, from, to) => history.usageByKey(from, to),
    listLastUse: (_now, of, accessKey) => history.listLastUse(of, accessKey),

    sweep(now) {
      for (const table of ['tokens', 'sessions', 'password_links'])
        prepare(`DELETE FROM ${table} WHERE expires_at <= ?`).run(now)
      prepare('DELETE FROM windows WHERE started_at <= ?').run(now - limits.windowMs)
      prepare('DELETE FROM failures WHERE started_at <= ? AND coalesce(blocked_until, 0) <= ?').run(
        now - limits.seriesMs,
        now,
      )
      history.sweep(now)
    },

    close: () => database.close(),
  }
}
