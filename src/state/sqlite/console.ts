// Access to the console in the SQLite store: password, the link that sets the first one, sign-in and sessions.
import { timingSafeEqual } from 'node:crypto'
import type { Sqlite } from '../../platform/sqlite.ts'
import { consoleAct } from '../audit.ts'
import { anyKey } from '../failure-series.ts'
import { limits } from '../limits.ts'
import { allName, countedAs, decideSignIn, secondsToWait, sessionEnd } from '../sign-in-policy.ts'
import type { Durably } from './administration.ts'
import type { createHistory } from './history.ts'
import type { Timed } from '../methods.ts'
import type { ConsoleAccess, SignInOrigin } from '../state.ts'
import type { createTokenRequests } from './token-requests.ts'

interface ConsoleAccessOptions {
  readonly tokens: ReturnType<typeof createTokenRequests>
  readonly history: ReturnType<typeof createHistory>
  readonly durably: Durably
}

export function createConsoleAccess(
  database: Sqlite,
  { tokens, history, durably }: ConsoleAccessOptions,
): Timed<keyof ConsoleAccess> {
  const prepare = (text: string) => database.prepare(text)
  const password = prepare('SELECT salt, hash FROM password')

  const replacePassword = (now: number, salt: Uint8Array, hash: Uint8Array, by: string | undefined) => {
    prepare('INSERT OR REPLACE INTO password (only, salt, hash) VALUES (1, ?, ?)').run(salt, hash)
    database.exec('DELETE FROM sessions; DELETE FROM password_links')
    history.note(now, consoleAct('password set'), by)
  }

  const readFacts = (origin: SignInOrigin) => {
    const hash = (password.get()?.['hash'] as Uint8Array | undefined) ?? null
    const counted = countedAs(origin, hash)
    const all = counted.isStranger ? tokens.readSeries(allName, anyKey) : null
    return { hash, counted, facts: { own: tokens.readSeries(counted.name, anyKey), all } }
  }

  const attemptOnce = (now: number, origin: SignInOrigin, passwordHash: Uint8Array, grant: () => void) => {
    const { hash, counted, facts } = readFacts(origin)
    const isRight = hash !== null && timingSafeEqual(hash, passwordHash)
    const { outcome, effects } = decideSignIn(now, { ...counted, address: origin.address }, facts, isRight)
    tokens.writeSeries(counted.name, anyKey, effects.own)
    tokens.writeSeries(allName, anyKey, effects.all)
    for (const entry of effects.audit ?? []) history.note(now, entry)
    if (outcome.is === 'granted') grant()
    return outcome
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
    isLinkOpen: (now, linkHash) =>
      prepare('SELECT 1 FROM password_links WHERE hash = ? AND expires_at > ?').get(linkHash, now) !== undefined,
    useLink: (now, linkHash, { salt, hash }, by) =>
      durably(() => {
        const used = prepare('DELETE FROM password_links WHERE hash = ? AND expires_at > ?').run(linkHash, now)
        if (used.changes === 0 || password.get()) return false
        replacePassword(now, salt, hash, by)
        return true
      }),
    signInWait: (now, origin) => secondsToWait(now, readFacts(origin).facts),
    signIn: (now, origin, { passwordHash, sessionHash, by }) =>
      durably(() =>
        attemptOnce(now, origin, passwordHash, () => {
          prepare('INSERT INTO sessions (hash, by, started_at, expires_at) VALUES (?, ?, ?, ?)').run(
            sessionHash,
            by,
            now,
            sessionEnd(now, now),
          )
          history.note(now, consoleAct('signed in'), by)
        }),
      ),
    changePassword: (now, origin, { passwordHash, by }, { salt, hash }) =>
      durably(() => attemptOnce(now, origin, passwordHash, () => replacePassword(now, salt, hash, by))),
    findSession(now, sessionHash, isUse = true) {
      const row = prepare('SELECT by, started_at, expires_at FROM sessions WHERE hash = ? AND expires_at > ?').get(
        sessionHash,
        now,
      )
      if (!row) return null
      const startedAt = Number(row['started_at'])
      const expiresAt = sessionEnd(startedAt, now)
      // Written at most once a minute.
      if (isUse && expiresAt - Number(row['expires_at']) >= limits.windowMs)
        try {
          prepare('UPDATE sessions SET expires_at = ? WHERE hash = ?').run(expiresAt, sessionHash)
        } catch {
          // A locked file or a full disk does not end the session.
        }
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
