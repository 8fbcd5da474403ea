// Who may use the console, in the SQLite store: its password, the link to set the first one, and sessions.
import type { Sqlite } from '../../sqlite.ts'
import { consoleAct } from '../audit.ts'
import { limits } from '../limits.ts'
import { sessionEnd } from '../session.ts'
import { asTokenAttempt, consoleAddress, consoleKey, consoleName, decideToken } from '../token-policy.ts'
import type { Durably } from './administration.ts'
import type { createHistory } from './history.ts'
import type { SqliteStore } from './store.ts'
import type { createTokenRequests } from './token-requests.ts'

type ConsoleAccess = Pick<
  SqliteStore,
  'findSalt' | 'setPassword' | 'offerLink' | 'useLink' | 'signIn' | 'findSession' | 'endSession' | 'endSessions'
>

interface Parts {
  readonly tokens: ReturnType<typeof createTokenRequests>
  readonly history: ReturnType<typeof createHistory>
  readonly durably: Durably
}

export function createConsoleAccess(database: Sqlite, { tokens, history, durably }: Parts): ConsoleAccess {
  const prepare = (text: string) => database.prepare(text)
  const password = prepare('SELECT salt, hash FROM password')

  const replacePassword = (now: number, salt: Uint8Array, hash: Uint8Array, by: string | undefined) => {
    prepare('INSERT OR REPLACE INTO password (only, salt, hash) VALUES (1, ?, ?)').run(salt, hash)
    database.exec('DELETE FROM sessions; DELETE FROM password_links')
    history.note(now, consoleAct('password set'), by)
  }

  return {
    findSalt: () => (password.get()?.['salt'] as Uint8Array | undefined) ?? null,
    setPassword: (now, { salt, hash }, by) => durably(() => replacePassword(now, salt, hash, by)),
    offerLink: (now, linkHash) =>
      durably(() => {
        if (password.get()) return false
        prepare('INSERT INTO password_links (hash, expires_at) VALUES (?, ?)').run(linkHash, now + limits.linkMs)
        return true
      }),
    useLink: (now, linkHash, { salt, hash }, by) =>
      durably(() => {
        const used = prepare('DELETE FROM password_links WHERE hash = ? AND expires_at > ?').run(linkHash, now)
        if (used.changes === 0 || password.get()) return false
        replacePassword(now, salt, hash, by)
        return true
      }),
    signIn: (now, attempt) =>
      durably(() => {
        const codeHash = password.get()?.['hash'] as Uint8Array | undefined
        const { outcome, effects } = decideToken(now, asTokenAttempt(attempt), {
          isEnabled: true,
          ...tokens.read(consoleAddress(attempt.address), consoleName),
          stored: codeHash ? { codeHash, readKey: () => consoleKey } : null,
        })
        tokens.write(consoleAddress(attempt.address), consoleName, effects)
        for (const entry of effects.audit ?? []) history.note(now, entry)
        if (outcome.is !== 'granted') return outcome
        if (attempt.newPassword) {
          const { salt, hash } = attempt.newPassword
          replacePassword(now, salt, hash, attempt.by)
          return outcome
        }
        prepare('INSERT INTO sessions (hash, by, started_at, expires_at) VALUES (?, ?, ?, ?)').run(
          attempt.sessionHash,
          attempt.by,
          now,
          sessionEnd(now, now),
        )
        history.note(now, consoleAct('signed in'), attempt.by)
        return outcome
      }),
    findSession(now, sessionHash, isUse = true) {
      const row = prepare('SELECT by, started_at, expires_at FROM sessions WHERE hash = ? AND expires_at > ?').get(
        sessionHash,
        now,
      )
      if (!row) return null
      const startedAt = Number(row['started_at'])
      const expiresAt = sessionEnd(startedAt, now)
      // Not at every request: once a minute is exact enough.
      if (isUse && expiresAt - Number(row['expires_at']) >= limits.windowMs)
        prepare('UPDATE sessions SET expires_at = ? WHERE hash = ?').run(expiresAt, sessionHash)
      return { by: String(row['by']), startedAt }
    },
    endSession: (_now, sessionHash) => void prepare('DELETE FROM sessions WHERE hash = ?').run(sessionHash),
    endSessions: (now, by) =>
      durably(() => {
        database.exec('DELETE FROM sessions')
        history.note(now, consoleAct('everybody signed out'), by)
      }),
  }
}
