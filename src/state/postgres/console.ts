// Who may use the console, on PostgreSQL: its password, the link to set the first one, and sessions. (Signing in is with the
// token requests: it is counted and refused as they are.)
import type { PostgresConnection } from '../../postgres/connection.ts'
import type { Pool } from '../../postgres/pool.ts'
import { inTransaction } from '../../postgres/transaction.ts'
import { consoleAct } from '../audit.ts'
import { limits } from '../limits.ts'
import { sessionEnd } from '../session.ts'
import type { State } from '../state.ts'
import { noteAct } from './history.ts'
import { nowSql } from './time.ts'

type ConsoleAccess = Pick<
  State,
  'findSalt' | 'setPassword' | 'offerLink' | 'useLink' | 'findSession' | 'endSession' | 'endSessions'
>

// Within the transaction that sets it: whoever was signed in knew another one.
export async function passwordIsSet(connection: PostgresConnection, now: number | null, by?: string): Promise<void> {
  await connection.rows('DELETE FROM sessions')
  await connection.rows('DELETE FROM password_links')
  await noteAct(connection, now, consoleAct('password set'), by)
}

export function createConsoleAccess(pool: Pool, now: () => number | null): ConsoleAccess {
  const rows = (text: string, ...values: readonly unknown[]) => pool.use((connection) => connection.rows(text, values))

  return {
    async findSalt() {
      const [row] = await rows('SELECT salt FROM password')
      return (row?.[0] as Uint8Array | undefined) ?? null
    },
    setPassword: (password, by) =>
      inTransaction(pool, async (connection) => {
        await connection.rows(
          `INSERT INTO password (only_one, salt, hash) VALUES (1, $1, $2)
           ON CONFLICT (only_one) DO UPDATE SET salt = excluded.salt, hash = excluded.hash`,
          [password.salt, password.hash],
        )
        await passwordIsSet(connection, now(), by)
      }),
    // Of several instances that start at once each offers one: all of them work until one is used.
    async offerLink(linkHash) {
      const made = await rows(
        `INSERT INTO password_links (hash, expires_at)
         SELECT $2, ${nowSql} + ${limits.linkMs} WHERE NOT EXISTS (SELECT FROM password) RETURNING 1`,
        now(),
        linkHash,
      )
      return made.length > 0
    },
    useLink: (linkHash, password, by) =>
      inTransaction(pool, async (connection) => {
        const used = await connection.rows(
          `DELETE FROM password_links WHERE hash = $2 AND expires_at > ${nowSql} RETURNING 1`,
          [now(), linkHash],
        )
        if (used.length === 0) return false
        // Not over one that is set: a link of an instance that started at the same moment may have come later than that.
        const first = await connection.rows(
          'INSERT INTO password (only_one, salt, hash) VALUES (1, $1, $2) ON CONFLICT DO NOTHING RETURNING 1',
          [password.salt, password.hash],
        )
        if (first.length === 0) return false
        await passwordIsSet(connection, now(), by)
        return true
      }),
    async findSession(sessionHash, isUse = true) {
      const [row] = await rows(
        `SELECT by, started_at, expires_at, ${nowSql} FROM sessions WHERE hash = $2 AND expires_at > ${nowSql}`,
        now(),
        sessionHash,
      )
      if (!row) return null
      const [by, startedAt, endsAt, moment] = row
      const expiresAt = sessionEnd(Number(startedAt), Number(moment))
      // Not at every request: once a minute is exact enough.
      if (isUse && expiresAt - Number(endsAt) >= limits.windowMs)
        await rows('UPDATE sessions SET expires_at = $1 WHERE hash = $2', expiresAt, sessionHash)
      return { by: String(by), startedAt: Number(startedAt) }
    },
    async endSession(sessionHash) {
      await rows('DELETE FROM sessions WHERE hash = $1', sessionHash)
    },
    endSessions: (by) =>
      inTransaction(pool, async (connection) => {
        await connection.rows('DELETE FROM sessions')
        await noteAct(connection, now(), consoleAct('everybody signed out'), by)
      }),
  }
}
